"""The grades of a class as an HTML page: the table, and films of every agent."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from ...engine.system.files import write_text
from ...web.film import Round, film_page
from .contest import Performance
from .grades import TEXTS, Grades

FILMED = 2
"""The number of episodes of each agent in a report."""
PLAYERS = 3
"""Maximum number of agents side by side."""


def write_report(grades: Grades, performances: Sequence[Performance], path: Path) -> None:
    """Write the page.

    Args:
        grades: The grades.
        performances: The agents' results, with films of :data:`FILMED` episodes.
        path: The file.

    Raises:
        OSError: It cannot be written.
    """
    rounds = list(_rounds(grades, performances))
    puzzle, table = grades.contest.puzzle, grades.page_table()
    page = film_page(
        puzzle,
        rounds,
        grades.title,
        table,
        words=TEXTS,
        notes=[grades.rule, grades.isolation.description],
        table_first=True,
    )
    write_text(path, page)


def _rounds(grades: Grades, performances: Sequence[Performance]) -> Iterator[Round]:
    """Yield films of a few agents at a time next to the best baseline, until all agents have been shown."""
    films = [each.films for each in performances]
    best = [row.index for row in grades.rows if row.baseline][:1]
    by_class = sorted(grades.rows, key=lambda row: row.baseline)  # the baselines last
    others = [row.index for row in by_class if row.index not in best and films[row.index]]
    width = PLAYERS - len(best)
    for first in range(0, max(len(others), 1), width):
        players = [*best, *others[first : first + width]]
        for number in range(FILMED):
            episodes = [films[player][number] for player in players if number < len(films[player])]
            if episodes:
                yield Round(f"{episodes[0].label}: {', '.join(episode.player for episode in episodes)}", episodes)
