"""What a person has solved, in numbers."""

import datetime
from collections.abc import Collection

from ....engine.messages import plural
from ..progress import Progress


def statistics_lines(progress: Progress, puzzle: str, today: datetime.date) -> list[str]:
    """Return the statistics of a puzzle, line by line.

    Args:
        progress: What is saved.
        puzzle: The puzzle's name.
        today: The day on which a streak goes on.
    """
    levels = progress.solutions.all(puzzle)
    solutions = [game for games in levels.values() for game in games if not game.name]
    if not solutions:
        return ["Nothing is solved yet."]
    solved = sum(any(not game.name for game in games) for games in levels.values())
    known = [game for game in solutions if game.optimal is not None]
    seconds = [game.seconds for game in solutions]
    days = progress.solutions.days(puzzle)
    now, longest = streaks(days, today)
    lines = [
        f"Solved: {plural(solved, 'level')}, {plural(len(solutions), 'solution')}; "
        f"{sum(not game.hints for game in solutions)} without hints",
        f"Time: {time_text(sum(seconds))} in all, {time_text(sum(seconds) / len(seconds))} a solution, "
        f"{time_text(min(seconds))} the fastest",
        f"Hints followed: {sum(game.hints for game in solutions)}",
    ]
    if known:
        optimal = sum(bool(game.optimal) and not game.hints for game in known)
        lines.append(f"Optimal without hints: {optimal} of {len(known)} with a known minimum")
    return [*lines, f"Streak: {plural(now, 'day')} in a row, {plural(longest, 'day')} at most"]


def streaks(days: Collection[str], today: datetime.date) -> tuple[int, int]:
    """Return the number of days in a row up to today or yesterday, and the longest such row.

    Args:
        days: The days on which something was solved, as ISO dates.
        today: Today.
    """
    dates = {datetime.date.fromisoformat(day) for day in days}
    one = datetime.timedelta(days=1)
    rows = []
    for first in (date for date in dates if date - one not in dates):
        last = first
        while last + one in dates:
            last += one
        rows.append((last, (last - first).days + 1))
    return max((length for last, length in rows if last >= today - one), default=0), max(
        (length for _, length in rows), default=0
    )


def time_text(seconds: float) -> str:
    """Return a duration: ``0:42``, ``1:05:20``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
