"""The share of correct tasks by the length of the shortest solution."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...engine.messages import shorten
from ...engine.system.tables import NumberTable
from .journal import Record
from .results import NAME_WIDTH

WIDTH = 10
"""The number of lengths in a row."""
_LENGTH = "optimal_length"


class LengthRow(NamedTuple):
    """The results of the tasks whose shortest solutions have similar lengths."""

    least: int
    """The smallest number of actions."""
    most: int
    """The largest one."""
    tasks: int
    """The number of tasks."""
    success: Mapping[str, float]
    """The share of correct ones, from 0 to 1, by player."""


def by_length(model: str, records: Sequence[Record], baselines: Mapping[str, Sequence[Record]]) -> list[LengthRow]:
    """Return the results by length, the shortest first.

    Args:
        model: The name of the model.
        records: Its records.
        baselines: The records of each baseline, for the same tasks.

    Returns:
        The rows; none if these are not tasks with a shortest solution.
    """
    lengths = {r.index: int(r.difficulty[_LENGTH]) for r in records if r.difficulty and _LENGTH in r.difficulty}
    players = {model: records, **{name: played for name, played in baselines.items() if played}}
    found = []
    for number in sorted({(length - 1) // WIDTH for length in lengths.values()}):
        inside = {index for index, length in lengths.items() if (length - 1) // WIDTH == number}
        success = {
            name: sum(record.success for record in played if record.index in inside) / len(inside)
            for name, played in players.items()
        }
        found.append(LengthRow(number * WIDTH + 1, (number + 1) * WIDTH, len(inside), success))
    return found


def table(rows: Sequence[LengthRow]) -> NumberTable:
    """Return a table for the terminal, with a column for each player.

    Args:
        rows: At least one.
    """
    headings = ("tasks", *(shorten(name, NAME_WIDTH) for name in rows[0].success))
    cells = [
        (f"{row.least}–{row.most}", f"{row.tasks:,}", *(f"{share:.1%}" for share in row.success.values()))
        for row in rows
    ]
    return NumberTable(("actions",), headings, cells, "correct, by the length of the shortest solution")
