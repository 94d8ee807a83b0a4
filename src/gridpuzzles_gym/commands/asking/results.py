"""The results of a run as a table, CSV and JSON."""

import dataclasses
import math
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...engine.messages import shorten
from ...engine.system.csv_text import write_table
from ...engine.system.files import replacing
from ...engine.system.tables import NumberTable
from .journal import Record

NAME_WIDTH = 24
"""The width of the table's first column; longer names are shortened."""


@dataclasses.dataclass(frozen=True)
class Row:
    """The results of one player."""

    player: str
    episodes: int
    success: float
    """The share of solved episodes or correct tasks, from 0 to 1."""
    mean_return: float
    """The mean return of episodes, or the mean score of tasks."""
    standard_error: float
    """The standard error of ``mean_return``; nan for a single episode."""
    steps: float
    """The mean number of actions."""
    turns: float | None
    """The mean number of replies; None for agents, which do not reply."""
    invalid_replies: int | None
    """The total number; None for agents."""
    prompt_tokens: int | None
    """The total number; None if it is not known."""
    completion_tokens: int | None
    """The total number; None if it is not known."""

    @classmethod
    def of(cls, player: str, records: Sequence[Record], model: bool) -> "Row":
        """Return the row of a player.

        Args:
            player: The name.
            records: At least one.
            model: Whether it is the model, not an agent.
        """
        scores = [record.score for record in records]
        tokens = [record.tokens for record in records]
        known = [count for count in tokens if count is not None]
        counted = model and len(known) == len(tokens)
        return cls(
            player=player,
            episodes=len(records),
            success=statistics.fmean(record.success for record in records),
            mean_return=statistics.fmean(scores),
            standard_error=statistics.stdev(scores) / math.sqrt(len(scores)) if len(scores) > 1 else math.nan,
            steps=statistics.fmean(record.steps for record in records),
            turns=statistics.fmean(record.turns for record in records) if model else None,
            invalid_replies=sum(record.invalid_replies for record in records) if model else None,
            prompt_tokens=sum(count["prompt"] for count in known) if counted else None,
            completion_tokens=sum(count["completion"] for count in known) if counted else None,
        )


def table(rows: Sequence[Row], title: str, tasks: bool) -> NumberTable:
    """Return a table for the terminal.

    Args:
        rows: The model's row, then those of the baselines.
        title: The line above the table.
        tasks: Whether these are single-turn tasks, not episodes.
    """
    headings = ("correct", "score ± s.e.") if tasks else ("success", "return ± s.e.", "actions", "turns", "invalid")
    return NumberTable(("player",), headings, [_cells(row, tasks) for row in rows], title)


def _cells(row: Row, tasks: bool) -> list[str]:
    error = "" if math.isnan(row.standard_error) else f" ± {row.standard_error:.{3 if tasks else 1}f}"
    player, success = shorten(row.player, NAME_WIDTH), f"{row.success:.1%}"
    if tasks:
        return [player, success, f"{row.mean_return:.3f}{error}"]
    turns = "–" if row.turns is None else f"{row.turns:.1f}"
    invalid = "–" if row.invalid_replies is None else f"{row.invalid_replies:,}"
    return [player, success, f"{row.mean_return:+.1f}{error}", f"{row.steps:.1f}", turns, invalid]


def as_json(row: Row) -> dict[str, Any]:
    """Return a row as a JSON object."""
    return {name: None if _is_nan(value) else value for name, value in dataclasses.asdict(row).items()}


def write_csv(rows: Sequence[Row], path: Path) -> None:
    """Write one line for each row; the columns are the fields of :class:`Row`.

    Raises:
        OSError: It cannot be written.
    """
    with replacing(path) as unfinished, unfinished.open("w", newline="", encoding="utf-8") as file:
        write_table(file, [field.name for field in dataclasses.fields(Row)], map(as_json, rows))


def rows_of(model: str, records: Sequence[Record], baselines: Mapping[str, Sequence[Record]]) -> list[Row]:
    """Return the rows of a model and its baselines, without those that have no results."""
    found = [Row.of(model, records, model=True)] if records else []
    return found + [Row.of(name, played, model=False) for name, played in baselines.items() if played]


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)
