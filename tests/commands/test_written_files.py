"""Existing files are not overwritten, whichever command and option writes; ``--force`` does."""

import pytest
from helpers import TINY, run
from pages import table

WATCH = ["watch", "Wumpus-v0", "--agent", "random", "--seed", "3", "--tile-size", "8"]
COMPARE = ["compare", "Wumpus-v0", "--agent", "random", "--episodes", "4"]
SOLVE = ["levels", "solve", "tiny.xsb", "--search", "breadth-first"]
WRITING = {
    "film": ([*WATCH, "--record"], "there.gif"),
    "scores": ([*COMPARE, "--csv"], "there.csv"),
    "chart": ([*COMPARE, "--chart"], "there.png"),
    "answers": ([*SOLVE, "--csv"], "there.csv"),
    "answers over the levels": ([*SOLVE, "--csv"], "tiny.xsb"),
    "sheet": (["levels", "sheet", "tiny.xsb", "--out"], "there.png"),
    "conversion": (["levels", "convert", "tiny.xsb", "--out"], "there.sok"),
    "conversion onto itself": (["levels", "convert", "tiny.xsb", "--out"], "tiny.xsb"),
    "import": (["levels", "import", "page.html", "--out"], "there.xsb"),
    "levels": (["generate", "cat_mouse", "--count", "1", "--out"], "there.txt"),
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny.xsb").write_text(TINY)
    (tmp_path / "page.html").write_text(table())
    return tmp_path


@pytest.mark.parametrize("case", WRITING)
def test_nothing_is_overwritten_without_permission(capsys, folder, case):
    command, name = WRITING[case]
    if case == "chart":
        pytest.importorskip("matplotlib")
    path = folder / name
    if not path.exists():
        path.write_text("mine")
    before = path.read_bytes()
    code, out, err = run(capsys, *command, name)
    assert (code, out, err) == (1, "", f"gridpuzzles: {name}: already exists; use --force to overwrite it\n")
    assert path.read_bytes() == before
    assert run(capsys, *command, name, "--force")[0] == 0
    assert path.read_bytes() != before or case == "conversion onto itself"


def test_work_that_cannot_begin_leaves_no_table(capsys, folder):
    code, _, err = run(capsys, *SOLVE, "--param", "wait=2", "--csv", "answers.csv")
    assert (code, "'wait'" in err) == (2, True)
    assert not (folder / "answers.csv").exists()
