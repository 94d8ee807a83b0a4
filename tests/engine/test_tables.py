"""What the terminal shows stays whole where it is narrow: no number is cut, no word is broken."""

import io

import pytest
from rich.console import Console

from gridpuzzles_gym.agents.evaluation import Comparison, Score
from gridpuzzles_gym.agents.registry import agents_of
from gridpuzzles_gym.engine.system.tables import NumberTable
from gridpuzzles_gym.registration import puzzle_of_id

NARROW = 60
TABLE = NumberTable(
    words=("level", "ended"),
    numbers=("moves", "seconds ± 95 %"),
    rows=[("Around the corner", "solved", "1,234*", "+12.345 ± 0.678"), ("Pigeonholes", "limit", "–", "-1.0 ± 2.0")],
    title="two levels",
    total=("all", "", "1,234", "+11.345 ± 0.7"),
)


def shown(renderable, width):
    """The lines on a terminal of that width."""
    console = Console(width=width, file=io.StringIO())
    console.print(renderable)
    return console.file.getvalue().splitlines()


def missing(cells, lines):
    """The cells that are not in one piece on a line."""
    return [cell for cell in cells if not any(cell in line for line in lines)]


@pytest.mark.parametrize("width", [24, 32, 40, 41, 50, 60, 80, 200])
def test_numbers_stay_on_a_line_and_words_are_not_broken(width):
    lines = shown(TABLE, width)
    assert not missing(["1,234*", "+12.345 ± 0.678", "-1.0 ± 2.0", "–", "+11.345 ± 0.7", "seconds ± 95 %"], lines)
    assert not missing(["Around", "corner", "Pigeonholes", "solved", "limit", "all", "two levels"], lines)
    assert max(map(len, lines)) <= width
    assert "…" not in "".join(lines)


def test_the_form_goes_by_the_width():
    assert shown(TABLE, 80)[3].split() == ["Around", "the", "corner", "solved", "1,234*", "+12.345", "±", "0.678"]
    narrow = [line.strip() for line in shown(TABLE, 30)]
    assert narrow == [
        "two levels", "moves   seconds ± 95 %", "─" * 23, "Around the corner solved", "1,234*  +12.345 ± 0.678",
        "Pigeonholes limit", "–       -1.0 ± 2.0", "─" * 23, "all", "1,234    +11.345 ± 0.7",
    ]  # fmt: skip


def test_a_comparison_at_sixty_columns():
    names = sorted({name for puzzle in ("Wumpus-v0", "Sokoban-v0") for name in agents_of(puzzle_of_id(puzzle))})
    scores = [Score(name, 100_000, -1853.456, 12.34, 1.0, 0.987, 0.123, 1234.56, 12.345) for name in names]
    lines = shown(Comparison("Wumpus-v0", 1_000_000, tuple(scores)).table(), NARROW)
    assert max(map(len, lines)) <= NARROW
    assert not missing([name for name in names if len(name) <= 21], lines)
    assert sum("-1853.5 ± 12.3" in line and "100.0%" in line and "1234.6  12.345" in line for line in lines) == len(
        names
    )
