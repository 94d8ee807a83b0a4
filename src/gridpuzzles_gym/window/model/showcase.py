"""Puzzles that play themselves: a short game of each, shown step by step on the start screen.

The actions are searched once in another process, one puzzle after the other.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ...engine.puzzle import Puzzle
from ...engine.scene import Scene
from ...session.choices import Choice, smallest
from ...session.game import Game
from ...session.jobs import Job
from .advice import Position, Request, advise

SEED = 2
"""The seed of the games."""
MAX_STEPS = 60
"""Maximum number of actions of a game."""
SECONDS = 2.0
"""Time limit of each search for advice, in seconds."""
INTERVAL = 0.3
"""Seconds between two steps while all games play in turn."""
POINTED_INTERVAL = 0.5
"""Seconds between two steps while only the game under the mouse plays."""
DURATION = 20.0
"""Seconds after which only the game under the mouse plays."""


class Played(NamedTuple):
    """The actions of a game; picklable."""

    actions: tuple[int, ...]


def playing(choice: Choice) -> Iterator[Played]:
    """Yield the game that the puzzle's advisors play, as a job."""
    game = choice.game(seed=SEED)
    while not game.over and len(game.taken) < MAX_STEPS:
        hint = advise(Request(Position.of(game), seconds=SECONDS))
        if hint.action is None:
            break
        for action in hint.plan:
            game.play(action)
    yield Played(tuple(game.taken[:MAX_STEPS]))


class ShownGame:
    """One puzzle's game.

    Args:
        puzzle: The puzzle.
        style: Settings of its pictures, such as ``style``.
    """

    def __init__(self, puzzle: Puzzle, style: Mapping[str, Any]) -> None:
        self.choice = smallest(puzzle)
        self._game: Game = self.choice.game(seed=SEED, **style)
        self.known = False
        self.ended = False

    @property
    def scene(self) -> Scene:
        """The current scene."""
        return self._game.scene()

    def set_actions(self, actions: Sequence[int]) -> None:
        """Set the actions to show."""
        for action in actions:
            self._game.play(action)
        self._game.restart()
        self.known = True

    def step(self) -> bool:
        """Play the next action, or return to the start after the last one; return whether an action was played."""
        self.ended = not self._game.redo()
        if self.ended:
            self._game.restart()
        return not self.ended


class Showcase:
    """The games of all puzzles, which play in turn.

    Args:
        games: The game of each puzzle by its name.
    """

    def __init__(self, games: dict[str, ShownGame]) -> None:
        self.games = games
        self._job: tuple[ShownGame, Job] | None = None
        self._left = DURATION
        self._due = INTERVAL
        self._turn = 0
        self._seen = ""

    def begin(self) -> None:
        """Let all games play for :data:`DURATION` again."""
        self._left = DURATION

    def resting(self, pointed: str) -> bool:
        """Return whether nothing changes until the mouse points at something else."""
        return self._job is None and self._left <= 0 and pointed == self._seen

    def tick(self, seconds: float, pointed: str) -> tuple[str, bool] | None:
        """Let time pass.

        Args:
            seconds: The time since the last call.
            pointed: The name of the puzzle under the mouse, or empty. After :data:`DURATION` its game is shown once.

        Returns:
            The name of the puzzle whose game has changed, and whether by an action; None if none has.
        """
        self._ask()
        self._left = max(self._left - seconds, 0.0)
        self._due -= seconds
        if pointed != self._seen and not self.games.get(pointed):
            self._seen = pointed
        if self._due > 0 or self.resting(pointed):
            return None
        if self._left > 0:
            self._due = INTERVAL
            names = list(self.games)
            self._turn = (self._turn + 1) % len(names)
            name = names[self._turn]
        else:
            self._due, name = POINTED_INTERVAL, pointed
        game = self.games[name]
        if not game.known:
            return None
        moved = game.step()
        if name == pointed:
            self._seen = pointed if game.ended and self._left <= 0 else ""
        return name, moved

    def end(self) -> None:
        """Stop the search."""
        if self._job is not None:
            self._job[1].cancel()
            self._job = None

    def _ask(self) -> None:
        """Search for the next unknown game; if the search fails, the puzzle does not move."""
        if self._job is None:
            unknown = next((each for each in self.games.values() if not each.known), None)
            if unknown is not None:
                try:
                    self._job = unknown, Job(playing, unknown.choice)
                except OSError:
                    unknown.known = True
            return
        game, job = self._job
        for played in job.poll():
            game.set_actions(played.actions)
        if job.done:
            game.known, self._job = True, None
