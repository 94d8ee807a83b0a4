"""Asks for a trained model."""

from collections.abc import Callable
from pathlib import Path

from ...engine.puzzle import Puzzle
from ..model.trained_models import check_model, suggested
from .files import ANY
from .host import Host

MODEL = "a trained model…"
"""The entry of a menu of agents."""


def ask_for_model(app: Host, puzzle: Puzzle, use: Callable[[str], None]) -> None:
    """Ask for the path of a trained model; why it cannot be used is said where it is asked for.

    Args:
        app: The app.
        puzzle: The puzzle that it has to play.
        use: Called with the path.
    """

    def check_and_use(path: Path) -> None:
        check_model(path, puzzle)
        use(str(path))

    uses = (("Let it play", ANY, check_and_use),)
    app.show("files", f"A model of {puzzle.title}: its file, or the folder of its training", suggested(puzzle), uses)
