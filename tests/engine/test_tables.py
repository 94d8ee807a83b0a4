"""What the terminal shows stays whole where it is narrow: no number is cut, no word is broken."""

import io

import pytest
from rich.console import Console

from gridpuzzles_gym.engine.system.tables import NumberTable

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
