"""Every example runs where its libraries are installed; those that are not in .venv: make ecosystem."""

import json
import re
import runpy
import sys

import pytest
import run
from library_examples import EXAMPLES, LIBRARY_EXAMPLES, Example


def test_every_example_has_its_row_and_fits_a_screen_or_two():
    files = {path.name for path in EXAMPLES.glob("*.py")}
    others = {"clone_demonstrations.py", "export_onnx.py", "planners.py"}
    assert files == {example.file for example in LIBRARY_EXAMPLES} | others
    for name in files - {"planners.py"}:
        assert len((EXAMPLES / name).read_text(encoding="utf-8").splitlines()) <= 80, name


def test_the_table_is_that_of_the_record():
    text = run.PAGE.read_text(encoding="utf-8")
    assert run.table(json.loads(run.RECORD.read_text(encoding="utf-8"))) in text
    shown = text.partition("<!-- table")[2]
    assert {example.file for example in LIBRARY_EXAMPLES} == set(re.findall(r"\(\.\./examples/(\w+\.py)\)", shown))


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize("example", LIBRARY_EXAMPLES, ids=lambda example: example.name)
def test_the_example_runs(example: Example, tmp_path, monkeypatch, capsys):
    for module in example.needs:
        pytest.importorskip(module, reason=f"needs {module}: make ecosystem")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    monkeypatch.setattr(sys, "argv", [example.file, *example.short])
    if example.file == "play_by_keyboard.py":
        press_keys(monkeypatch)
    runpy.run_path(str(EXAMPLES / example.file), run_name="__main__")
    rate = re.search(r"^([\d,]+) steps a second", capsys.readouterr().out, re.MULTILINE)
    assert rate, "the example prints its speed"
    assert int(rate[1].replace(",", "")) > 0


def press_keys(monkeypatch):
    """Let somebody hold the right arrow key."""
    import pygame

    get = pygame.event.get
    down = pygame.event.Event(pygame.KEYDOWN, key=pygame.K_RIGHT)
    monkeypatch.setattr(pygame.event, "get", lambda: [down, *get()])
