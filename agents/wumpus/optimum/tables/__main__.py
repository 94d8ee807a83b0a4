"""Solve the default cave, without and with a climb action, and write both tables into this folder."""

from pathlib import Path

from ..policy import file_name, save, solve
from ..world import make_world

if __name__ == "__main__":
    for climb in (False, True):
        settings = 4, 4, 3, climb, 100
        save(Path(__file__).with_name(file_name(*settings)), solve(make_world(*settings)))
