"""The commands that ``make demo`` ends with."""

import shlex
import sys
from pathlib import Path

from gridpuzzles_gym.cli import demo


def test_the_command_can_be_typed_where_one_is(tmp_path, monkeypatch):
    script = tmp_path / ".venv" / "bin" / "gridpuzzles"
    script.parent.mkdir(parents=True)
    script.touch(mode=0o755)
    monkeypatch.setattr(sys, "executable", str(script.with_name("python")))
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.chdir(tmp_path)
    assert demo.program() == ".venv/bin/gridpuzzles"
    monkeypatch.chdir(Path(__file__).parent)
    assert shlex.split(demo.program()) == [str(script)]
    monkeypatch.setenv("PATH", str(script.parent))
    assert demo.program() == "gridpuzzles"
