"""Sokoban files as other people write them: decoration, headings, long runs, faults in XML."""

import pytest
from helpers import run
from hypothesis import given
from hypothesis import strategies as st
from level_texts import DECORATED, LAYOUTS

from gridpuzzles_gym.engine.puzzle import Level, LevelError
from gridpuzzles_gym.play.puzzle_detection import puzzle_for
from gridpuzzles_gym.puzzles.sokoban import PUZZLE
from gridpuzzles_gym.puzzles.sokoban.level_io.alphabets import XSB, Board, Line
from gridpuzzles_gym.puzzles.sokoban.level_io.formats import WRITERS, read_entries
from gridpuzzles_gym.puzzles.sokoban.level_io.level_sets import Entry

ROWS = tuple(row[1:] for row in DECORATED.splitlines())
SMALL = "#####\n#@$.#\n#####\n"


def entry_of(rows, title=""):
    return Entry(Board(tuple(rows), "t", tuple(Line(1, 1, row) for row in rows), XSB, 0), title)


# -- layouts -------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", LAYOUTS)
def test_a_layout_is_read_right(case):
    text, titles = LAYOUTS[case]
    assert [entry.board.rows for entry in read_entries(text, "t")] == [ROWS] * len(titles)
    assert [level.name for level in PUZZLE.parse(text, "t")] == titles


# -- every format --------------------------------------------------------------------------------


@st.composite
def odd_boards(draw):
    """Rows of any symbols, as far as a file can have them: no blank ones outside, two walls in one of them."""
    rows = draw(st.lists(st.text("#@+$*.  ", max_size=9).map(str.rstrip), min_size=1, max_size=9))
    rows.insert(draw(st.integers(0, len(rows))), draw(st.sampled_from(["##", "# #", "#@#", " ## "])).rstrip())
    filled = [number for number, row in enumerate(rows) if row]
    rows = rows[filled[0] : filled[-1] + 1]
    indentation = min(len(row) - len(row.lstrip()) for row in rows if row)
    return [row[indentation:] for row in rows]


@given(st.lists(odd_boards(), min_size=1, max_size=3), st.booleans())
def test_boards_of_odd_shapes_go_round(boards, titled):
    entries = [entry_of(rows, f"board {number}" * titled) for number, rows in enumerate(boards)]
    for form, write in WRITERS.items():
        again = read_entries(write(entries), "t")
        assert [entry.board.rows for entry in again] == [tuple(rows) for rows in boards], form
        if titled:
            assert [entry.title for entry in again] == [entry.title for entry in entries], form


@pytest.mark.parametrize("form", WRITERS)
@pytest.mark.parametrize("middle", [" " * 253, "$." * 126 + " "], ids=["long runs", "no runs"])
def test_boards_of_255_squares_per_side_go_round(form, middle):
    rows = ["#" * 255, *[f"#{middle}#"] * 253, "#" * 255]
    (again,) = read_entries(WRITERS[form]([entry_of(rows)]), "t")
    assert again.board.rows == tuple(rows)


@pytest.mark.extended
@pytest.mark.parametrize("name", ["mine.rle", "mine.txt"])
def test_the_puzzle_of_runs_with_a_bad_level_is_detected(capsys, tmp_path, name):
    path = tmp_path / name
    path.write_text("; good\n5#|#@$.#|5#\n\n; bad\n5#|#@$$.#|6#\n")
    assert puzzle_for(str(path), None) is PUZZLE
    code, out, _ = run(capsys, "levels", "check", path)
    assert (code, "2 levels, 1 invalid" in out) == (1, True)


# -- XML -----------------------------------------------------------------------------------------


def level(name, *rows):
    return f'<Level Id="{name}">{"".join(f"<L>{row}</L>" for row in rows)}</Level>'


GOOD = level("good", *SMALL.split())
BAD = {
    "a bar": (level("bad", "|####", "#@$.#", "#####"), r"t:3:20: unknown symbol '\|'"),
    "a row on two lines": (level("bad", "##\n###", "#@$.#"), "t:3:20: a row must not contain line breaks"),
    "no rows": (level("bad"), "t:3:1: a level must have rows"),
    "no player": (level("bad", "#####", "# $.#", "#####"), "t:3:20: no player"),
    "too long": (level("bad", "#" * 1001), "t:3:1020: a row of over 1,000 characters"),
}


def xml(*levels):
    return "\n".join(["<SokobanLevels><LevelCollection>", *levels, "</LevelCollection></SokobanLevels>"])


@pytest.mark.parametrize("case", BAD)
def test_a_bad_level_in_xml_does_not_hide_the_others(case):
    bad, message = BAD[case]
    first, second, third = PUZZLE.read(xml(GOOD, bad, GOOD), "t")
    assert isinstance(first, Level)
    assert isinstance(third, Level)
    assert isinstance(second, LevelError)
    assert second.name == "bad"
    with pytest.raises(LevelError, match=message):
        raise second
