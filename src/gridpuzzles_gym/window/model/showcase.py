"""Puzzles that play themselves: a short game of each, shown step by step on the start screen.

The actions are looked for in another process, one puzzle after the other, and kept: showing them again costs nothing
but the pictures.
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
"""The seed of what is random in the games that are shown."""
STEPS = 60
"""The maximum number of actions of a game."""
SECONDS = 2.0
"""When the search for an action is given up."""
EVERY = 0.3
"""Seconds between two steps, of which each is in another game."""
CLOSER = 0.5
"""Seconds between two steps of the game that the person points at, which is then the only one."""
LASTS = 20.0
"""Seconds after which only that game goes on."""


class Played(NamedTuple):
    """A game that was played; picklable."""

    actions: tuple[int, ...]


def playing(choice: Choice) -> Iterator[Played]:
    """Yield the game that the puzzle's advisors play: the work of a job."""
    game = choice.game(seed=SEED)
    while not game.over and len(game.taken) < STEPS:
        hint = advise(Request(Position.of(game), seconds=SECONDS))
        if hint.action is None:
            break
        for action in hint.plan:
            game.play(action)
    yield Played(tuple(game.taken[:STEPS]))


class Performance:
    """One puzzle's game.

    Args:
        puzzle: The puzzle.
        style: Its settings, such as the style of its pictures.
    """

    def __init__(self, puzzle: Puzzle, style: Mapping[str, Any]) -> None:
        self.choice = smallest(puzzle)
        self._game: Game = self.choice.game(seed=SEED, **style)
        self.known = False
        self.ended = False

    @property
    def scene(self) -> Scene:
        """What is to be seen now."""
        return self._game.scene()

    def learn(self, actions: Sequence[int]) -> None:
        """Receive the actions."""
        for action in actions:
            self._game.play(action)
        self._game.restart()
        self.known = True

    def step(self) -> bool:
        """Go one step on, or back to the start after the last one; return whether an action was played."""
        self.ended = not self._game.redo()
        if self.ended:
            self._game.restart()
        return not self.ended


class Showcase:
    """The games of all puzzles, and whose turn it is.

    Args:
        performances: The game of each puzzle by its name.
    """

    def __init__(self, performances: dict[str, Performance]) -> None:
        self.performances = performances
        self._job: tuple[Performance, Job] | None = None
        self._left = LASTS
        self._due = EVERY
        self._turn = 0
        self._seen = ""

    def begin(self) -> None:
        """Play for a while again."""
        self._left = LASTS

    def resting(self, pointed: str) -> bool:
        """Return whether nothing will happen until the person points at something else."""
        return self._job is None and self._left <= 0 and pointed == self._seen

    def tick(self, seconds: float, pointed: str) -> tuple[str, bool] | None:
        """Let time pass.

        Args:
            seconds: How much.
            pointed: The name of the puzzle that the person points at, or nothing. In the end its game is shown once.

        Returns:
            Whose game has changed, and whether by an action; None if none has.
        """
        self._ask()
        self._left = max(self._left - seconds, 0.0)
        self._due -= seconds
        if pointed != self._seen and not self.performances.get(pointed):
            self._seen = pointed
        if self._due > 0 or self.resting(pointed):
            return None
        if self._left > 0:
            self._due = EVERY
            names = list(self.performances)
            self._turn = (self._turn + 1) % len(names)
            name = names[self._turn]
        else:
            self._due, name = CLOSER, pointed
        performance = self.performances[name]
        if not performance.known:
            return None
        moved = performance.step()
        if name == pointed:
            self._seen = pointed if performance.ended and self._left <= 0 else ""
        return name, moved

    def end(self) -> None:
        """End what is being looked for."""
        if self._job is not None:
            self._job[1].cancel()
            self._job = None

    def _ask(self) -> None:
        """Look for the next unknown game; what fails stays still."""
        if self._job is None:
            unknown = next((each for each in self.performances.values() if not each.known), None)
            if unknown is not None:
                try:
                    self._job = unknown, Job(playing, unknown.choice)
                except OSError:
                    unknown.known = True
            return
        performance, job = self._job
        for played in job.poll():
            performance.learn(played.actions)
        if job.done:
            performance.known, self._job = True, None
