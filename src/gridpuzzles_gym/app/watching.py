"""Watching agents play: what they do and what they think, forwards and backwards, side by side, or against a person.

All players have the same level and the same seed.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..engine.gestures import Square
from ..engine.puzzle import UNFINISHED, Puzzle, Scene
from .arguments import environment
from .game import Game
from .lanes import YOU, AgentLane, Lane

PACES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
"""Steps per second."""
LONGEST_PATH = 200
"""Maximum number of actions of a plan that are drawn."""


class Result(NamedTuple):
    """The end of one player's episode."""

    outcome: str
    steps: int
    score: float


class Watching:
    """Players of the same levels, step by step.

    All are shown after the same number of steps, ``at``; one whose episode is shorter is shown at its end. If a person
    is among them, the others take a step whenever that person does.

    Args:
        env_id: A registered id.
        players: The names of agents, paths of models, or :data:`YOU`.
        level: As for :class:`~.game.Game`.
        number: As for :class:`~.game.Game`.
        seed: As for :class:`~.game.Game`.
        trust_pickle: As for :class:`~.sessions.Player`.
        **settings: Keyword arguments of the environment.

    Raises:
        ValueError: A setting is invalid; there is no player, or more than one person.
        OSError: No process can be started.
    """

    def __init__(
        self,
        env_id: str,
        players: Sequence[str],
        level: str | None = None,
        number: int | None = None,
        seed: int | None = None,
        trust_pickle: bool = False,
        **settings: Any,
    ) -> None:
        if not players or list(players).count(YOU) > 1:
            raise ValueError(f"players={list(players)}: must be at least one agent, and {YOU!r} at most once")
        limit = settings.pop("max_episode_steps", environment(env_id)[0].max_episode_steps)
        self.lanes: list[Lane] = []
        for player in players:
            game = Game(env_id, level, number, limit, seed, **settings)
            number, seed = game.number, (None if game.pack is None else game.first_seed)
            self.lanes.append(Lane(game) if player == YOU else AgentLane(game, player, trust_pickle))
        self.paused, self.pace, self.at = False, 4.0, 0
        self._due = 0.0
        self.results: dict[int, list[Result]] = {}
        self._begin()

    @property
    def puzzle(self) -> Puzzle:
        """The puzzle."""
        return self.lanes[0].game.puzzle

    @property
    def person(self) -> Lane | None:
        """The person's lane, if a person plays."""
        return next((lane for lane in self.lanes if not isinstance(lane, AgentLane)), None)

    @property
    def over(self) -> bool:
        """Have all players ended?"""
        return all(lane.ended for lane in self.lanes)

    @property
    def running(self) -> bool:
        """Will :meth:`tick` take steps?"""
        waiting = self.person is not None and not self.person.ended
        return not self.over and not self.paused and not waiting

    @property
    def thinking(self) -> bool:
        """Is anybody still choosing an action?"""
        return any(lane.thinking for lane in self.lanes)

    # -- time ------------------------------------------------------------------------------------------

    def tick(self, seconds: float) -> bool:
        """Let time pass: receive decisions, and take the steps that are due; return whether anything changed."""
        received = [lane.poll() for lane in self.lanes]
        changed = self._catch_up() or any(received)
        if self.running:
            self._due += seconds * self.pace
            while self._due >= 1 and self.forward():
                self._due -= 1
                changed = True
            self._due = min(self._due, 1.0)  # a slow agent does not have to catch up
        return changed

    def forward(self) -> bool:
        """Take one step; return False if it is not known yet, or is the person's, or all have ended."""
        waiting = self.person is not None and not self.person.ended and not self.person.game.undone
        if self.over or self.thinking or waiting:
            return False
        self.at += 1
        self._catch_up()
        return True

    def back(self) -> bool:
        """Go one step back; return False at the start."""
        if self.at == 0:
            return False
        self.at -= 1
        for lane in self.lanes:
            while lane.steps > self.at and lane.back():
                pass
        return True

    def play(self, action: int) -> bool:
        """Play the person's action; return False if that person has ended, or does not play."""
        person = self.person
        if person is None or person.ended:
            return False
        person.game.play(action)
        self.at = person.steps
        self._catch_up()
        return True

    def faster(self, steps: int = 1) -> None:
        """Change the pace to the next in :data:`PACES`, or by several of them; negative is slower."""
        self.pace = PACES[min(max(PACES.index(self.pace) + steps, 0), len(PACES) - 1)]

    def go_to(self, number: int) -> None:
        """Play another level from its start.

        Raises:
            ValueError: There is no level with this number.
            OSError: No process can be started.
        """
        for lane in self.lanes:
            lane.game.go_to(number)
        self._begin()

    def close(self) -> None:
        """End all agents."""
        for lane in self.lanes:
            lane.close()

    def _begin(self) -> None:
        self.at, self._due = 0, 0.0
        for lane in self.lanes:
            lane.begin()

    def _catch_up(self) -> bool:
        """Bring the lanes to where they should be, as far as they know how; keep the results of an episode."""
        changed = False
        for lane in self.lanes:
            while lane.steps < self.at and lane.forward():
                changed = True
        if self.over:
            self.results[self.lanes[0].game.number] = [_result(lane.game) for lane in self.lanes]
        return changed

    # -- what is shown ---------------------------------------------------------------------------------

    @property
    def secret(self) -> bool:
        """Must hidden things stay hidden, because a person still plays?"""
        return self.person is not None and not self.person.ended

    def scene(self, lane: Lane, notes: bool = True) -> Scene:
        """Return the scene of a player, with notes on what it thinks; while a person plays, nothing is given away."""
        scene = lane.game.scene({} if self.secret or not notes else dict(lane.thoughts.notes))
        return self.puzzle.concealed(scene) if self.secret else self.puzzle.revealed(scene)

    def tally(self, lane: Lane) -> str:
        """Return a player's results of all episodes so far in one line; empty before the first end."""
        own = [results[self.lanes.index(lane)] for results in self.results.values()]
        if not own:
            return ""
        solved = sum(result.outcome == "solved" for result in own)
        mean = sum(result.score for result in own) / len(own)
        return f"solved {solved} of {len(own)}, mean return {mean:g}"


def _result(game: Game) -> Result:
    scene = game.scene()
    return Result(game.outcome, scene.steps, float(scene.score))


def path_of(scene: Scene, puzzle: Puzzle, plan: Sequence[int]) -> list[Square]:
    """Return the squares of the piece that the player moves if a plan is carried out, beginning with the current one.

    Empty if the puzzle has chance in it, where a plan tells nothing, or does not say which piece that is.
    """
    if not plan or not puzzle.deterministic or puzzle.gestures is None:
        return []
    state, random_bits = scene.state.copy(), np.ones(1, np.uint64)
    squares = [puzzle.gestures.actor(scene.level, state)]
    for action in plan[:LONGEST_PATH]:
        if puzzle.rules.outcome(scene.level, state) != UNFINISHED:
            break
        puzzle.rules.step(scene.level, state, action, random_bits)
        squares.append(puzzle.gestures.actor(scene.level, state))
    return squares


def targets_of(scene: Scene, puzzle: Puzzle, probabilities: Sequence[float]) -> dict[Square, float]:
    """Return where the piece that the player moves would go next, with probabilities; staying is left out."""
    if puzzle.gestures is None:
        return {}
    here = puzzle.gestures.actor(scene.level, scene.state)
    found: dict[Square, float] = {}
    for action, probability in enumerate(probabilities):
        state = scene.state.copy()
        puzzle.rules.step(scene.level, state, action, np.ones(1, np.uint64))
        there = puzzle.gestures.actor(scene.level, state)
        if there != here:
            found[there] = found.get(there, 0.0) + probability
    return found
