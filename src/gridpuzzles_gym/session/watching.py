"""Watching agents play: what they do and what they think, forwards and backwards, side by side, or against a person.

All players have the same level and the same seed.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..engine.arguments import step_limit
from ..engine.board.gestures import Square
from ..engine.messages import quote
from ..engine.puzzle import UNFINISHED, Puzzle
from ..engine.scene import Scene
from .arguments import environment
from .game import Game
from .players import YOU, AgentPlayer, RecordedActions, ReplayPlayer, WatchedPlayer
from .watch_options import PACE, WatchOptions

PACES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
"""Steps per second."""
HOLD = 1.5
"""Seconds for which the end of an episode is shown before the next one begins by itself."""
LONGEST_PATH = 200
"""Maximum number of actions of a plan that are drawn."""


class Result(NamedTuple):
    """The end of one player's episode."""

    outcome: str
    steps: int
    returned: float
    """The sum of rewards."""


class Watching:
    """Players of the same levels, step by step.

    All are shown after the same number of steps, ``at``; one whose episode is shorter is shown at its end. If a person
    is among them, the others take a step whenever that person does.

    The episodes are those of a comparison: number ``n`` has the seed ``seed + n``, and the levels of a pack are played
    in turn.

    Args:
        env_id: A registered id.
        players: The names of agents, paths of models, actions that were found before, or :data:`YOU`.
        options: How they are watched; the level is as for :class:`~.game.Game`.
        number: As for :class:`~.game.Game`.

    Attributes:
        log: One line for each finished episode of each player.

    Raises:
        ValueError: A setting is invalid; there is no player, or more than one person.
        OSError: No process can be started.
    """

    def __init__(
        self,
        env_id: str,
        players: Sequence[str | RecordedActions],
        options: WatchOptions,
        number: int | None = None,
    ) -> None:
        if not players or list(players).count(YOU) > 1:
            raise ValueError(f"players={list(players)}: must be at least one agent, and {quote(YOU)} at most once")
        settings, seed = options.settings, options.seed
        limit = step_limit(settings.get("max_episode_steps", environment(env_id)[0].max_episode_steps))
        self.players: list[WatchedPlayer] = []
        for player in players:
            game = Game(env_id, options.level, number, limit, seed, **settings)
            number, seed = game.number, (None if game.pack is None else game.first_seed)
            if isinstance(player, RecordedActions):
                self.players.append(ReplayPlayer(game, player))
            else:
                loading = options.deterministic, options.trust_pickle
                self.players.append(WatchedPlayer(game) if player == YOU else AgentPlayer(game, player, *loading))
        self.episodes = options.episodes
        # What a puzzle hides from its player is shown here, unless the settings say otherwise.
        hidden = {} if self.puzzle.hidden is None else self.puzzle.hidden.revealed
        self._reveals = not hidden.keys() & settings.keys()
        self.paused, self.pace, self.at = False, options.fps or PACE, 0
        self._due, self._held = 0.0, 0.0
        self.results: dict[int, list[Result]] = {}
        self.log: list[str] = []
        self._begin()

    @property
    def puzzle(self) -> Puzzle:
        """The puzzle."""
        return self.players[0].game.puzzle

    @property
    def person(self) -> WatchedPlayer | None:
        """The person, if one plays."""
        return next((player for player in self.players if not isinstance(player, AgentPlayer)), None)

    @property
    def over(self) -> bool:
        """Whether all players have ended."""
        return all(player.ended for player in self.players)

    @property
    def running(self) -> bool:
        """Whether :meth:`tick` takes steps."""
        waiting = self.person is not None and not self.person.ended
        return not self.over and not self.paused and not waiting

    @property
    def continues(self) -> bool:
        """Whether the next episode begins by itself."""
        wanted = self.episodes is None or len(self.results) < self.episodes
        return self.over and wanted and not self.paused and not any(player.error for player in self.players)

    @property
    def thinking(self) -> bool:
        """Whether a player is still choosing an action."""
        return any(player.thinking for player in self.players)

    # -- time ------------------------------------------------------------------------------------------

    def tick(self, seconds: float) -> bool:
        """Let time pass: receive decisions, and take the steps that are due; return whether anything changed."""
        received = [player.poll() for player in self.players]
        changed = self._catch_up() or any(received)
        if self.running:
            self._due += seconds * self.pace
            while self._due >= 1 and self.forward():
                self._due -= 1
                changed = True
            self._due = min(self._due, 1.0)  # a slow agent does not have to catch up
        elif self.continues:
            self._held += seconds
            if self._held >= HOLD:
                self.go_on()
                changed = True
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
        for player in self.players:
            while player.steps > self.at and player.back():
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
        self.pace = next_pace(self.pace, steps)

    def go_to(self, number: int) -> None:
        """Play another level from its start.

        Raises:
            ValueError: There is no level with this number.
            OSError: No process can be started.
        """
        for player in self.players:
            player.game.go_to(number)
        self._begin()

    def go_on(self) -> None:
        """Play the next episode: the next level, or the first one with another seed.

        Raises:
            OSError: No process can be started.
        """
        for player in self.players:
            player.game.go_on()
        self._begin()

    def close(self) -> None:
        """End all agents."""
        for player in self.players:
            player.close()

    def _begin(self) -> None:
        self.at, self._due, self._held = 0, 0.0, 0.0
        for player in self.players:
            player.begin()

    def _catch_up(self) -> bool:
        """Play all players to the current step, as far as their actions are known; save the results at the end."""
        changed = False
        for player in self.players:
            while player.steps < self.at and player.forward():
                changed = True
        seed = self.players[0].game.seed
        if self.over:
            if seed not in self.results:
                self.log += [self._line(player) for player in self.players if not player.error]
            self.results[seed] = [_result(player.game) for player in self.players]
        return changed

    def _line(self, player: WatchedPlayer) -> str:
        who = f"{player.name}: " if len(self.players) > 1 else ""
        return f"{who}{player.game.summary()} ({player.game.label()})"

    # -- what is shown ---------------------------------------------------------------------------------

    @property
    def secret(self) -> bool:
        """Whether hidden things must stay hidden because a person still plays."""
        return self.person is not None and not self.person.ended

    def scene(self, player: WatchedPlayer, notes: bool = True) -> Scene:
        """Return the scene of a player, with notes on what it thinks; while a person plays, nothing is given away."""
        scene = player.game.scene({} if self.secret or not notes else dict(player.thoughts.notes))
        if self.secret:
            return self.puzzle.concealed(scene)
        return self.puzzle.revealed(scene) if self._reveals else scene

    def tally(self, player: WatchedPlayer) -> str:
        """Return a player's results of all episodes so far in one line; empty before the first end."""
        own = [results[self.players.index(player)] for results in self.results.values()]
        if not own:
            return ""
        solved = sum(result.outcome == "solved" for result in own)
        mean = sum(result.returned for result in own) / len(own)
        return f"solved {solved} of {len(own)}, mean return {mean:g}"


def next_pace(pace: float, steps: int) -> float:
    """Return the pace that is so many :data:`PACES` faster than the one nearest to ``pace``; negative is slower."""
    nearest = min(range(len(PACES)), key=lambda k: abs(PACES[k] - pace))
    return PACES[min(max(nearest + steps, 0), len(PACES) - 1)]


def _result(game: Game) -> Result:
    scene = game.scene()
    return Result(game.outcome, scene.steps, float(scene.score))


def path_of(scene: Scene, puzzle: Puzzle, plan: Sequence[int]) -> list[Square]:
    """Return the squares of the piece that the player moves if a plan is carried out, beginning with the current one.

    Empty if the puzzle has chance in it, where a plan says nothing, or does not say which piece that is.
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
