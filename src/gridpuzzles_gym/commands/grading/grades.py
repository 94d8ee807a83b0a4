"""Marks and their tables."""

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gridpuzzles_gym.agents.evaluation import Score, score_of

from ...engine.messages import plural
from ...engine.puzzle import SOLVED
from ...engine.system.csv_text import write_table
from ...engine.system.files import replacing
from ...engine.system.tables import NumberTable
from .contest import Contest, EpisodeResult, Performance
from .isolation import Isolation

_HEADINGS = ("", "agent", "mark", "return ± 95 %", "success", "steps", "ms", "what happened")
TEXTS = ("agent", "what happened")
"""The headings of the text columns."""
TOP = 100
"""The mark of an agent that is as good as the best baseline."""


class Measure(NamedTuple):
    """A quantity that marks are based on."""

    words: str
    value: Callable[[EpisodeResult], float]


MEASURES = {
    "return": Measure("mean return", lambda result: result.score),
    "success": Measure("share of solved episodes", lambda result: float(result.outcome == SOLVED)),
}


@dataclasses.dataclass(frozen=True)
class Grade:
    """The result of one agent."""

    agent: str
    baseline: bool
    """Whether it is one of the suite's agents."""
    mark: float | None
    """0 to 100; None for a baseline, or if Ctrl-C stopped it."""
    passed: bool | None
    """Whether it has passed; None without a mark or a passing mark."""
    finished: int
    """The number of finished episodes; the score covers these."""
    score: Score | None
    """None if it finished no episode."""
    happened: tuple[str, ...]
    """Errors and remarks, in words."""
    index: int
    """The index of its performance; names need not be unique."""

    def as_json(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        fields = [field.name for field in dataclasses.fields(self) if field.name not in ("score", "index")]
        own = {name: getattr(self, name) for name in fields}
        names = ("mean_return", "interval", "success", "deaths", "timeouts", "steps", "decision_ms")
        return {**own, **{name: None if self.score is None else getattr(self.score, name) for name in names}}


@dataclasses.dataclass(frozen=True)
class Grades:
    """The results of all agents, the best first."""

    contest: Contest
    isolation: Isolation
    """How agents were isolated."""
    rows: tuple[Grade, ...]
    measure: Measure
    """The quantity that marks are based on."""
    passing: float | None
    """The lowest mark that passes; None: there is none."""
    interrupted: bool
    """Whether Ctrl-C came before the end."""

    @property
    def graded(self) -> list[Grade]:
        """The agents that are not baselines."""
        return [row for row in self.rows if not row.baseline]

    @property
    def finished(self) -> str:
        """The number of agents with a mark, in words."""
        return f"{plural(sum(row.mark is not None for row in self.graded), 'agent')} graded"

    @property
    def title(self) -> str:
        """The environment and the number of episodes, in one line."""
        contest = self.contest
        played = plural(contest.episodes, "level" if contest.every_level else "episode")
        return f"{contest.env_id}: {played}"

    @property
    def rule(self) -> str:
        """How marks are computed, in words."""
        baselines = [row.agent for row in self.rows if row.baseline]
        if not baselines:
            return "There are no marks, because no baseline has finished."
        passed = "" if self.passing is None else f" A mark of {self.passing:g} or more passes."
        return (
            f"Marks say how far the {self.measure.words} is from random (0) to {baselines[0]} ({TOP}). "
            f"An episode that was not finished counts as random played it.{passed} ms is per decision."
        )

    def table(self) -> NumberTable:
        """Return the table for the terminal."""
        return NumberTable(_HEADINGS[:2], _HEADINGS[2:-1], [row[:-1] for row in self._cells()], self.title)

    def lines(self) -> list[str]:
        """Return the errors and remarks, one line per agent."""
        return [f"{row.agent}: {'; '.join(row.happened)}" for row in self.rows if row.happened]

    def page_table(self) -> list[list[str]]:
        """Return the table for a page, headings first."""
        return [list(_HEADINGS), *self._cells()]

    def _cells(self) -> list[list[str]]:
        return [
            [rank, row.agent, _mark(row), *_numbers(row), "; ".join(row.happened)]
            for rank, row in zip(self._ranks(), self.rows, strict=True)
        ]

    def _ranks(self) -> list[str]:
        """Return the rank of each row; equal marks share one, baselines have none."""
        marks = [row.mark for row in self.graded if row.mark is not None]
        return ["" if row.mark is None else f"{1 + sum(mark > row.mark for mark in marks)}." for row in self.rows]

    def as_json(self) -> dict[str, Any]:
        """Return everything as a JSON object."""
        contest = self.contest
        return {
            "env_id": contest.env_id,
            "episodes": contest.episodes,
            "every_level": contest.every_level,
            "seed": str(contest.seed),  # too many digits for the numbers of other JSON readers
            "rule": self.rule,
            "isolation": self.isolation.name,
            "interrupted": self.interrupted,
            "agents": [{"rank": rank, **row.as_json()} for rank, row in self._ranked()],
        }

    def _ranked(self) -> list[tuple[int | None, Grade]]:
        ranks = (int(rank[:-1]) if rank else None for rank in self._ranks())
        return list(zip(ranks, self.rows, strict=True))

    def write_csv(self, path: Path) -> None:
        """Write one row per agent; the columns are the names of :meth:`as_json`."""
        rows: list[dict[str, Any]] = self.as_json()["agents"]
        with replacing(path) as unfinished, unfinished.open("w", newline="", encoding="utf-8") as file:
            texts = ({**row, "happened": "; ".join(row["happened"])} for row in rows)
            write_table(file, list(rows[0]) if rows else ["agent"], texts)


def grade_all(
    contest: Contest,
    isolation: Isolation,
    performances: Sequence[Performance],
    measure: str,
    passing: float | None,
    interrupted: bool,
) -> Grades:
    """Grade agents.

    Args:
        contest: The episodes.
        isolation: How agents were isolated.
        performances: Their results, the random agent first.
        measure: What marks are based on, a key of :data:`MEASURES`.
        passing: The lowest mark that passes; None: there is none.
        interrupted: Whether Ctrl-C came before all had played.
    """
    value = MEASURES[measure].value
    means = [_mean(each, performances[0], value) for each in performances]
    baselines = [mean for each, mean in zip(performances, means, strict=True) if each.baseline]
    pairs = enumerate(zip(performances, means, strict=True))
    rows = [_grade(each, _mark_of(mean, baselines), passing, index) for index, (each, mean) in pairs]
    order = sorted(range(len(rows)), key=lambda k: (-means[k], not rows[k].baseline))
    return Grades(contest, isolation, tuple(rows[k] for k in order), MEASURES[measure], passing, interrupted)


def _mean(performance: Performance, fallback: Performance, value: Callable[[EpisodeResult], float]) -> float:
    """Return the mean value of all episodes; unfinished episodes count with the fallback agent's value."""
    pairs = zip(performance.results, fallback.results, strict=True)
    return float(np.mean([value(found) for own, other in pairs if (found := own or other) is not None]))


def _mark_of(mean: float, baselines: Sequence[float]) -> float | None:
    """Return the mark of a mean value; None without baselines, the first of which is random."""
    if not baselines:
        return None
    least, best = baselines[0], max(baselines)
    if best <= least:
        return float(TOP if mean >= best else 0)
    return float(np.clip(TOP * (mean - least) / (best - least), 0, TOP))


def _grade(performance: Performance, mark: float | None, passing: float | None, index: int) -> Grade:
    finished = [result for result in performance.results if result is not None]
    score = None
    if finished:
        decision_ms = 1000 * performance.seconds / max(performance.decisions, 1)
        score = score_of(performance.agent, np.array(finished, np.float64), decision_ms)
    else:
        mark = 0.0  # also where no baseline is better than random
    mark = None if performance.baseline or performance.interrupted else mark
    passed = None if mark is None or passing is None else mark >= passing
    happened = [*performance.happened]
    if 0 < len(finished) < len(performance.results):
        happened.append(f"finished {len(finished)} of {len(performance.results)}")
    return Grade(performance.agent, performance.baseline, mark, passed, len(finished), score, tuple(happened), index)


def _mark(row: Grade) -> str:
    if row.mark is None:
        return "baseline" if row.baseline else "–"
    return f"{row.mark:.0f}" + {True: " pass", False: " fail", None: ""}[row.passed]


def _numbers(row: Grade) -> list[str]:
    score = row.score
    if score is None:
        return ["–", "–", "–", "–"]
    return [
        f"{score.mean_return:+.1f} ± {score.interval:.1f}",
        f"{score.success:.0%}",
        f"{score.steps:.1f}",
        f"{score.decision_ms:.2f}",
    ]
