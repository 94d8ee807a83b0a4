"""``gridpuzzles levels rate``: measure how hard the levels of a file or pack are."""

import contextlib
import dataclasses
from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
import typer

from gridpuzzles_gym.agents.search.problem import Limits

from ...engine.messages import plural
from ...engine.puzzle import Level, Puzzle
from ...play.rating import Verdict, rated, rating_names
from ...play.solving import limits as search_limits
from ..common.errors import INTERRUPTED
from ..common.options import Force, Json, Memory, Ray, Setting, Strict, Workers
from ..common.terminal import examples, print_json, say
from .options import LevelArgument, PuzzleName, Resume, RowTable, group, read_named
from .row_table import open_table, results_of

_WORDS = {True: "yes", False: "no", None: "unknown"}
"""Whether a level can be solved, as the table says it."""


@group.command(
    epilog=examples("levels rate first", "levels rate medium --csv medium.csv --workers 4", "levels rate textbook")
)
def rate(
    choice: LevelArgument,
    puzzle: PuzzleName = None,
    settings: Setting = None,
    seconds: Annotated[float, typer.Option(metavar="S", help="Time limit in seconds, for each search.")] = 60,
    memory: Memory = 1024,
    csv: RowTable = None,
    resume: Resume = False,
    workers: Workers = None,
    ray: Ray = None,
    strict: Strict = False,
    force: Force = False,
    json: Json = False,
) -> None:
    """Measure how hard the levels of a file or pack are: the lengths of shortest solutions, and the puzzle's measures.

    Where chance plays a part, the strongest agent plays 200 games on each level. Ctrl-C keeps finished levels.
    """
    found, options, levels = read_named(choice, puzzle, settings, strict)
    names = rating_names(found)
    rater = LevelRater(found, options, search_limits(None, None, seconds, memory))
    rows: list[list[str]] = []
    with open_table(csv, ("level", "solvable", *names), levels, force, resume) as table:
        rows += table.rows if table else []
        with contextlib.suppress(KeyboardInterrupt):
            for rating in results_of(rater, levels, len(rows), workers, ray):
                rows.append(rating.row(names))
                if table:
                    table.write(rows[-1])
                elif not json:
                    print(rating.line(), flush=True)
    if json:
        print_json([as_json(row, names) for row in rows])
    else:
        say([summary(rows, names), *([f"wrote {csv}"] if csv and rows else [])])
    if len(rows) < len(levels):
        raise typer.Exit(INTERRUPTED)


@dataclasses.dataclass(frozen=True)
class Rating:
    """What is known about a level."""

    level: str
    verdict: Verdict

    def row(self, names: Sequence[str]) -> list[str]:
        """Return the row of the table; ``names`` are those of the measurements."""
        solvable = _WORDS[self.verdict.solvable]
        numbers = [f"{self.verdict.numbers[name]:.6g}" if name in self.verdict.numbers else "" for name in names]
        return [self.level, solvable, *numbers]

    def line(self) -> str:
        """Return the rating as one line."""
        return f"{self.level}: {self.verdict.words}"


@dataclasses.dataclass(frozen=True)
class LevelRater:
    """A callable that rates a level, in any process."""

    puzzle: Puzzle
    options: Any
    """The puzzle's options."""
    limits: Limits
    """Limits of each of the searches."""

    def __call__(self, level: Level) -> Rating:
        """Rate a level.

        Raises:
            KeyboardInterrupt: Ctrl-C.
        """
        verdict = rated(self.puzzle, level, self.limits, self.options)
        if verdict.interrupted:
            raise KeyboardInterrupt
        return Rating(level.name, verdict)


def as_json(row: Sequence[str], names: Sequence[str]) -> dict[str, Any]:
    """Return a row of the table as a JSON object."""
    numbers = {name: float(text) for name, text in zip(names, row[2:], strict=True) if text}
    return {"level": row[0], "solvable": {"yes": True, "no": False}.get(row[1]), **numbers}


def summary(rows: Sequence[Sequence[str]], names: Sequence[str]) -> str:
    """Return a summary of the table's rows in one line: how many can be solved, and the medians of measurements."""
    solvable = sum(row[1] == "yes" for row in rows)
    parts = [f"{solvable:,} of {plural(len(rows), 'level')} can be solved"]
    for number, name in enumerate(names, start=2):
        known = [float(row[number]) for row in rows if row[number]]
        if known:
            parts.append(f"median {name} {np.median(known):.3g}")
    return "; ".join(parts)
