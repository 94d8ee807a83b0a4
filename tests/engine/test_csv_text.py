"""Tables: no text in them is a formula for a spreadsheet, and reading gives back what was written."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridpuzzles_gym.engine.system.csv_text import read_rows, row_text, write_table

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
    for row in csv.reader(io.StringIO(file.getvalue(), newline="")):
        for text in row:
            if text[:1] in tuple("=+-@\t\r＝"):
                float(text)
