"""Tables: no text in them is a formula for a spreadsheet, and reading gives back what was written."""

import ast
import csv
import io

import pytest
from helpers import REPOSITORY, SOURCE, run
from hypothesis import given
from hypothesis import strategies as st

from gridpuzzles_gym.agents.sokoban.generation.packs import read_sidecar, table_text
from gridpuzzles_gym.engine.system.csv_text import read_rows, read_table, row_text, write_table

FORMULAS = [
    "=1+1",
    "+1+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "=",
    "-",
    "@",
    "＝1",
    "＠x",
    "- level 1",
]
NUMBERS = ["-1", "+2.5", "-.5", "-1e-05", "-inf", "7"]


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_is_written_as_text(text):
    assert row_text([text]).lstrip('"').startswith("'")
    assert read_rows(row_text([text])) == [[text]]


@pytest.mark.parametrize("text", NUMBERS)
def test_numbers_stay_numbers(text):
    assert row_text([text]) == f"{text}\r\n"
    assert row_text([float(text)]) == f"{float(text)}\r\n"
    assert row_text([-3]) == "-3\r\n"


@pytest.mark.parametrize("text", ["'", "'=1", "''=1", "'-1", "'a", "a=1", "", " =1", "it's"])
def test_apostrophes_of_titles_stay(text):
    assert read_rows(row_text([text, "x"])) == [[text, "x"]]


@given(st.lists(st.lists(st.text("'=+-@\t\r\n,\"a1. ＝"), min_size=2, max_size=2), max_size=5))
def test_what_is_written_is_read(rows):
    file = io.StringIO(newline="")
    write_table(file, ["a", "b"], [dict(zip("ab", row, strict=True)) for row in rows])
    assert read_rows(file.getvalue())[1:] == rows
    assert [list(row.values()) for row in read_table(file.getvalue())] == rows
    for row in csv.reader(io.StringIO(file.getvalue(), newline="")):
        for text in row:
            if text[:1] in tuple("=+-@\t\r＝"):
                float(text)


def test_every_table_is_written_by_it():
    for path in [*SOURCE.rglob("*.py"), *(REPOSITORY / "agents").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "csv":
                assert node.attr not in ("writer", "DictWriter") or path.name == "csv_text.py", path


BOARD = "######\n#@ $.#\n######\n"


def test_titles_of_levels_in_the_tables_of_commands(capsys, tmp_path):
    """Written, read by a spreadsheet, and resumed."""
    titles = ['=HYPERLINK("http://x")', "+1+1", "-1", "- two", "@here", "'=quoted"]
    levels, table = tmp_path / "levels.xsb", tmp_path / "table.csv"
    levels.write_text("\n".join(f"{BOARD}; {title}\n" for title in titles))
    arguments = ["levels", "solve", levels, "--search", "breadth-first", "--workers", 1, "--csv", table]
    assert run(capsys, *arguments)[0] == 0
    with table.open(newline="") as file:
        raw = [row[0] for row in csv.reader(file)][1:]
    assert len(raw) == len(titles)
    assert not any(title.startswith(("=", "@", "+1+", "- ")) for title in raw)
    assert run(capsys, *arguments, "--resume")[0] == 0, "it has rows of these levels"


def test_titles_in_the_tables_of_packs(tmp_path):
    grade = read_sidecar("easy-test")[0]
    titles = ["=1+1", "-x", "'@y", "7"]
    text = table_text([type(grade)(**{**vars(grade), "title": title}) for title in titles])
    (tmp_path / "mine.csv").write_text(text)
    assert [each.title for each in read_sidecar(tmp_path / "mine.txt")] == titles
    assert all(not line.startswith(("=", "-", "@")) for line in text.splitlines())


def test_the_tables_of_bundled_packs_are_unchanged():
    """None of their titles is like a formula."""
    for path in (REPOSITORY / "levels").rglob("*.csv"):
        text = path.read_text(encoding="utf-8")
        assert "".join(row_text(row).replace("\r\n", "\n") for row in read_rows(text)) == text
