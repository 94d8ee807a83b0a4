"""A person's game and what is saved of it: where it was left, its numbers, the best and the proven minima."""

import dataclasses
import functools
import math
from collections.abc import Mapping, Sequence
from typing import Any

from gridpuzzles_gym.agents.puzzle_agents import agents_record, pack_grades, pack_minima

from ..engine.levels.bundled import is_bundled
from ..engine.puzzle import Puzzle
from .play_session import PlaySession
from .progress import Best, Progress
from .session import ENDINGS


def save_unfinished(game: PlaySession, progress: Progress) -> None:
    """Save a game; one without actions, and a solved one, leave nothing to continue.

    A game that is not the level's own (see :attr:`.PlaySession.slot`) is saved apart, and only continued from the start
    screen.
    """
    unfinished = (game.can_undo or game.can_redo) and not game.solved
    progress.save_game(game.puzzle.name, game.save() if unfinished else None, game.identity)


def continue_unfinished(game: PlaySession, progress: Progress) -> None:
    """Continue a level where it was left, unless it has been continued already."""
    own = not (game.slot or game.can_undo or game.can_redo)
    saved = progress.game(game.puzzle.name, game.identity) if own else None
    if saved is not None:
        try:
            game.restore(saved)
        except ValueError:  # it was played by other rules, or is damaged
            game.go_to(game.number)


@dataclasses.dataclass(frozen=True)
class Number:
    """One number of a game; lower is better."""

    name: str
    now: int
    best: int | None
    """The person's best on this level; None if it has not been solved."""
    minimum: int | None
    """The proven minimum; None if it is unknown."""

    def __str__(self) -> str:
        """Return the numbers as text: ``pushes 12, best 10, minimum 8``."""
        parts = [f"{self.name} {self.now}"]
        parts += [] if self.best is None else [f"best {self.best}"]
        parts += [] if self.minimum is None else [f"minimum {self.minimum}"]
        return ", ".join(parts)


def score_line(game: PlaySession, progress: Progress) -> list[Number]:
    """Return the number of moves of a game, and its other metrics whose minimum may be known."""
    best = None if game.key is None else progress.best(game.puzzle.name, game.key)
    minima = minima_of(game)
    numbers = [Number("moves", game.moves, None if best is None else best.moves, minima.pop("moves", None))]
    metrics = game.metrics()
    for name in agents_record(game.puzzle).minima:
        if name in metrics and name != "moves":
            least = None if best is None else best.least.get(name)
            numbers.append(Number(name, metrics[name], None if least is None else int(least), minima.get(name)))
    return numbers


def status_line(game: PlaySession, progress: Progress) -> str:
    """Return the score line as text, with how the game has ended, or a warning that it cannot be solved."""
    numbers = " · ".join(map(str, score_line(game, progress)))
    if not game.over:
        if game.limit is not None:
            numbers += f" · {game.limit - game.moves} steps left"
        scene = game.scene()
        warning = game.puzzle.warning(scene.level, scene.state, scene.options)
        return f"{warning}: undo or restart. {numbers}" if warning else numbers
    ending = ENDINGS[game.outcome]
    return f"{ending}. {numbers}" if game.solved else f"{ending}: undo or restart. {numbers}"


def record(game: PlaySession, progress: Progress) -> bool:
    """Save the results of a game that the person has solved without hints; return whether it improves any number."""
    if game.key is None or not game.solved or game.hints:
        return False
    metrics = game.metrics()
    least = {name: metrics[name] for name in minima_of(game) if name in metrics}
    return progress.record(game.puzzle.name, game.key, Best(game.moves, least, game.actions, game.seed))


def stars(numbers: list[Number], hints: int = 0) -> int:
    """Return 3 if a number is minimal, 2 if one is at most 25 % above its minimum, otherwise 1; 3 without minima.

    A solution with hints has none.
    """
    if hints:
        return 0
    known = [number for number in numbers if number.minimum is not None]
    if not known:
        return 3
    excess = min(number.now / max(number.minimum or 0, 1) for number in known)
    return 3 if excess <= 1 else 2 if excess <= 1.25 else 1


@functools.lru_cache(8)
def _minima(puzzle: Puzzle, pack: str) -> Mapping[str, Sequence[float]]:
    """Return the proven minima of the levels of a pack, by the name of the metric; infinity if unknown."""
    return pack_minima(puzzle, pack) if is_bundled(puzzle, pack) else {}


def minima_of(game: PlaySession) -> dict[str, int]:
    """Return the proven minima of a game's level, by the name of the metric."""
    columns = {} if game.choice is None else _minima(game.puzzle, game.choice)
    numbers = {name: column[game.number] for name, column in columns.items()}
    return {name: int(number) for name, number in numbers.items() if math.isfinite(number)}


def columns_of(game: PlaySession) -> dict[str, Sequence[Any]]:
    """Return what the levels of a game's pack can be sorted by: for each name, a value of every level."""
    pack = game.pack
    if pack is None:
        return {}
    columns: dict[str, Sequence[Any]] = {
        "number": range(len(pack)),
        "title": [level.name.lower() for level in pack],
        "size": [level.extent[0] * level.extent[1] for level in pack],
    }
    if game.choice is not None and is_bundled(game.puzzle, game.choice):
        if graded := pack_grades(game.puzzle, game.choice):
            columns["difficulty"] = next(iter(graded.values()))
        columns |= {f"fewest {name}": column for name, column in _minima(game.puzzle, game.choice).items()}
    return columns
