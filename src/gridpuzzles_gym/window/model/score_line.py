"""The score line of a game: its numbers, the person's best so far and the proven minima."""

import dataclasses
import datetime
import functools
import math
import time
from collections.abc import Mapping, Sequence

from gridpuzzles_gym.agents.puzzle_agents import agents_record, pack_minima

from ...engine.levels.bundled import is_bundled
from ...engine.puzzle import Puzzle
from ...session.game import Game
from ...session.session import ENDINGS
from .progress import Progress, level_id
from .results.solutions import SavedGame


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


def score_line(game: Game, progress: Progress) -> list[Number]:
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


def status_line(game: Game, progress: Progress) -> str:
    """Return the score line as text, with how the game has ended, or a warning that it cannot be solved."""
    numbers = " · ".join(map(str, score_line(game, progress)))
    if not game.over:
        if game.limit is not None:
            numbers += f" · {game.limit - game.moves} steps left"
        scene = game.scene()
        warning = game.puzzle.warning(scene.level, scene.state, scene.options)
        return f"{warning}: undo or restart. {numbers}" if warning else numbers
    ending = ENDINGS.get(game.outcome, game.outcome)
    return f"{ending}. {numbers}" if game.solved else f"{ending}: undo or restart. {numbers}"


def save_game_as(game: Game, progress: Progress, name: str = "") -> None:
    """Save a solution or, with a name, a snapshot of a game."""
    numbers = score_line(game, progress)
    optimal = stars(numbers) == 3 if any(number.minimum is not None for number in numbers) else None
    now = time.time()
    day = "" if name else str(datetime.date.fromtimestamp(now))
    saved = SavedGame.of(game, name, now, optimal)
    progress.solutions.add(game.puzzle.name, level_id(game.level_identity), saved, day)


def record(game: Game, progress: Progress) -> bool:
    """Save the solution of a solved game, and its results if the person has solved it without hints.

    Returns:
        Whether it improves any number.
    """
    if game.solved:
        save_game_as(game, progress)
    if game.key is None or not game.solved or game.hints:
        return False
    metrics = game.metrics()
    least = {name: metrics[name] for name in minima_of(game) if name in metrics}
    return progress.record(game.puzzle.name, game.key, game.moves, least)


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


_pack_minima = functools.lru_cache(8)(pack_minima)


def pack_minima_of(puzzle: Puzzle, choice: str | None) -> Mapping[str, Sequence[float]]:
    """Return the proven minima of the levels of a bundled pack, by the name of the metric; infinity if unknown."""
    return _pack_minima(puzzle, choice) if choice is not None and is_bundled(puzzle, choice) else {}


def minima_of(game: Game) -> dict[str, int]:
    """Return the proven minima of a game's level, by the name of the metric."""
    numbers = {name: column[game.number] for name, column in pack_minima_of(game.puzzle, game.choice).items()}
    return {name: int(number) for name, number in numbers.items() if math.isfinite(number)}
