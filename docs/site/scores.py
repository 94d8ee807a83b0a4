"""The scores of agents, ``docs/environments/scores.csv``, and the tables made from them.

``python -m docs.site.scores`` writes the comparison in README.md again, between the comments that name it; the pages of
the environments show all scores. A test fails where README.md is older than the file.
"""

import csv
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .links import DOCS, ROOT

FILE = DOCS / "environments" / "scores.csv"
README = ROOT / "README.md"
COLUMNS = {
    "random": "random",
    "original": "the original program's agent",
    "planner": "best planning agent",
    "ppo": "PPO",
    "pretrained": "`pretrained`",
    "bound": "bound",
}
"""The columns of the comparison: the file's word, and the heading."""
UNNAMED = ("random", "ppo", "pretrained", "bound")
"""The columns whose heading already names the agent."""


class Score(NamedTuple):
    """A row of the file; numbers are as they are printed, and empty where they were not measured."""

    id: str
    settings: str
    """Keyword arguments that differ from the registered ones; or which levels were played."""
    agent: str
    """A registered agent; empty for trained models and bounds."""
    label: str
    """The text shown instead of the agent's name; empty for the name itself."""
    mean: str
    """The mean return."""
    interval: str
    """Half the width of its 95 % confidence interval."""
    success: str
    deaths: str
    timeouts: str
    steps: str
    episodes: str
    column: str
    """The column of the comparison in which it is shown, if any."""

    @property
    def who(self) -> str:
        """The agent in Markdown."""
        return self.label or f"`{self.agent}`"

    @property
    def result(self) -> str:
        """The return with its confidence interval."""
        return f"{self.mean} ± {self.interval}" if self.interval else self.mean


def read_scores() -> list[Score]:
    """Return all rows of the file, in order."""
    with FILE.open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        next(rows)
        return [Score(*row) for row in rows]


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[int] = ()) -> str:
    """Return a table in Markdown; the columns in ``right`` are aligned to the right."""
    marks = ["---:" if place in right else "---" for place in range(len(headings))]
    lines = [headings, marks, *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def variants(scores: Iterable[Score]) -> dict[tuple[str, str], list[Score]]:
    """Return scores by environment and settings, in the order in which these occur first."""
    found: dict[tuple[str, str], list[Score]] = {}
    for score in scores:
        found.setdefault((score.id, score.settings), []).append(score)
    return found


def comparison() -> str:
    """Return the comparison of all environments as a table in Markdown."""
    rows = []
    for (env_id, settings), scores in variants(read_scores()).items():
        cells = {score.column: score for score in scores if score.column}
        if cells:
            rows.append([title(env_id, settings), *(_cell(cells.get(column), column) for column in COLUMNS)])
    return table(["environment", *COLUMNS.values()], rows)


def title(env_id: str, settings: str) -> str:
    """Return an environment with its settings in Markdown: arguments are code, other words are not."""
    words = [f"`{part}`" if "=" in part else part for part in settings.split(", ") if part]
    return ", ".join([f"`{env_id}`", *words])


def _cell(score: Score | None, column: str) -> str:
    if score is None:
        return "–"
    if column == "bound":
        return f"{score.mean}, {score.who}"
    values = f"{score.result}, {score.success}" if score.success else score.result
    return values if column in UNNAMED else f"{score.who}: {values}"


def with_comparison(text: str) -> str:
    """Return a page with the comparison between its comments ``<!-- comparison -->`` and ``<!-- /comparison -->``."""
    block = f"<!-- comparison -->\n\n{comparison()}\n<!-- /comparison -->"
    return re.sub(r"<!-- comparison -->.*?<!-- /comparison -->", lambda found: block, text, flags=re.DOTALL)


def score_table(scores: Sequence[Score]) -> str:
    """Return the scores of one environment with the same settings; columns without any value are left out."""
    shown = ["success", "deaths", "timeouts", "steps", "episodes"]
    shown = [name for name in shown if any(getattr(score, name) for score in scores)]
    rows = [[score.who, score.result, *(getattr(score, name) or "–" for name in shown)] for score in scores]
    return table(["agent", "return", *shown], rows, right=range(1, len(shown) + 2))


if __name__ == "__main__":
    README.write_text(with_comparison(README.read_text(encoding="utf-8")), encoding="utf-8")
