"""What a person has played: each finished game with its time, hints and whether it was optimal, and totals of them.

The folder of :class:`~.progress.Progress` has one more file, ``played-games.json``. Several windows can share it.
"""

import dataclasses
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ...session.game import Game
from .json_store import JsonStore
from .progress import level_id
from .score_line import minima_of

STATISTICS = "played-games"
"""The name of the file, which is no name of a puzzle."""
KEPT = 20_000
"""The maximum number of games that are kept, the latest."""


@dataclasses.dataclass(frozen=True)
class Played:
    """A finished game."""

    puzzle: str
    level: str
    """Its :func:`~.progress.level_id`; empty for a generated level."""
    ended: float
    """When it ended, in seconds since 1970."""
    seconds: float
    """How long it took, without pauses."""
    solved: bool
    moves: int
    hints: int
    optimal: bool | None
    """Whether a number is minimal; None if no minimum is proven."""


@dataclasses.dataclass(frozen=True)
class Totals:
    """The totals of some games."""

    games: int = 0
    solved: int = 0
    alone: int = 0
    """Solved without a hint."""
    optimal: int = 0
    """Solved without a hint, with a minimal number."""
    hints: int = 0
    seconds: float = 0.0
    fastest: float | None = None
    """The shortest time of a level solved without a hint, in seconds."""
    streak: int = 0
    """How many of the latest games, one after the other, were solved without a hint."""
    longest_streak: int = 0


def played(game: Game, seconds: float) -> Played:
    """Return the record of a game that has just ended.

    Args:
        game: The game.
        seconds: How long it took, without pauses.
    """
    metrics = {**game.metrics(), "moves": game.moves}
    reached = [metrics[name] <= least for name, least in minima_of(game).items() if name in metrics]
    level = "" if game.key is None else level_id(game.key)
    optimal = any(reached) if reached and game.solved else None
    return Played(game.puzzle.name, level, time.time(), round(seconds, 1), game.solved, game.moves, game.hints, optimal)


def totals(games: Sequence[Played]) -> Totals:
    """Return the totals of games, the earliest first."""
    alone = [each for each in games if each.solved and not each.hints]
    streak = longest = 0
    for each in games:
        streak = streak + 1 if each.solved and not each.hints else 0
        longest = max(longest, streak)
    return Totals(
        games=len(games),
        solved=sum(each.solved for each in games),
        alone=len(alone),
        optimal=sum(bool(each.optimal) for each in alone),
        hints=sum(each.hints for each in games),
        seconds=sum(each.seconds for each in games),
        fastest=min((each.seconds for each in alone), default=None),
        streak=streak,
        longest_streak=longest,
    )


class Statistics:
    """The finished games of a person.

    Args:
        folder: The folder of the progress; None keeps them in memory only.
        notify: Called with each message about the disk.
    """

    def __init__(self, folder: Path | None, notify: Callable[[str], None] = lambda message: None) -> None:
        path = None if folder is None else folder / f"{STATISTICS}.json"
        self._store: JsonStore[tuple[Played, ...]] = JsonStore(path, (), _read, _written, _merged, notify)

    def add(self, game: Played) -> None:
        """Record a finished game."""
        self._store.save(_merged(self._store.value, (game,)))

    def games(self, puzzle: str | None = None, level: str | None = None) -> list[Played]:
        """Return the games of a puzzle, or of all; of one level or of all; the earliest first."""
        found = self._store.value
        return [each for each in found if puzzle in (None, each.puzzle) and level in (None, each.level)]

    def totals(self, puzzle: str | None = None, level: str | None = None) -> Totals:
        """Return the totals of :meth:`games`."""
        return totals(self.games(puzzle, level))


def _merged(theirs: tuple[Played, ...], ours: tuple[Played, ...]) -> tuple[Played, ...]:
    return tuple(sorted({*theirs, *ours}, key=lambda each: (each.ended, each.puzzle, each.level))[-KEPT:])


def _written(games: tuple[Played, ...]) -> dict[str, Any]:
    return {"games": [list(dataclasses.astuple(each)) for each in games]}


def _read(content: dict[str, Any]) -> tuple[Played, ...]:
    """Return the games of a file; raises ValueError if they are invalid."""
    kinds = (str, str, (int, float), (int, float), bool, int, int, (bool, type(None)))
    try:
        games = tuple(Played(*row) for row in content["games"])
    except (KeyError, TypeError) as error:
        raise ValueError(f"not a list of games ({error})") from None
    for game in games:
        for value, kind in zip(dataclasses.astuple(game), kinds, strict=True):
            if not isinstance(value, kind) or (isinstance(value, bool) and kind in (int, (int, float))):
                raise ValueError(f"{value!r} in a game of {game.puzzle}")
    return games
