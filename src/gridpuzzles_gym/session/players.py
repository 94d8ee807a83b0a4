"""Players of an episode that is watched: a person, or an agent in another process.

An agent plays a whole episode in the other process, and sends its decisions while it goes on; they are played again
here by the rules, at any pace, forwards and backwards. So are actions that were found before.
"""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import gymnasium as gym
from gymnasium.envs.registration import EnvSpec

from gridpuzzles_gym.agents.registry import observation_for, plays_by_network
from gridpuzzles_gym.agents.thoughts import Thoughts

from ..engine.puzzle import Level, load_puzzle
from .game import Game
from .jobs import Job
from .session import Player, short_name

YOU = "you"
"""The name of the person among the players."""


class RecordedActions(NamedTuple):
    """Actions that were found before, to be watched like those of an agent."""

    name: str
    """Who found them."""
    actions: Mapping[int, Sequence[int]]
    """The actions in each level, by its number from 0, or by its seed."""


class Show(NamedTuple):
    """An episode that an agent is to play; picklable."""

    spec: EnvSpec
    """The specification of the environment."""
    agent: str
    """The name of an agent, or the path of a model."""
    seed: int
    """The seed of the episode, and of the agent."""
    limit: int | None
    """The step limit."""
    level: Level | None = None
    """The level, if the environment has several."""
    deterministic: bool = False
    """As for :class:`~.session.session.Player`."""
    trust_pickle: bool = False
    """As for :class:`~.session.session.Player`."""


class Decision(NamedTuple):
    """One decision of an agent."""

    action: int
    thoughts: Thoughts
    """What it thought when it chose the action."""


def deciding(show: Show) -> Iterator[Decision]:
    """Yield all decisions of an episode: the work of a job.

    Raises:
        ValueError: The agent or model is unknown, or does not play this level.
    """
    puzzle = load_puzzle(show.spec.kwargs["puzzle"])
    seen = observation_for(show.agent, puzzle, show.spec.id) or next(iter(puzzle.observations))
    env: Any = gym.make(show.spec, max_episode_steps=show.limit or -1, disable_env_checker=True, observation=seen)
    env.unwrapped.batch.interpret()
    player = Player(show.agent, env, show.seed, show.deterministic, show.trust_pickle)
    observation, _ = env.reset(seed=show.seed, options=None if show.level is None else {"level": show.level})
    over = False
    while not over:
        action = player.act(observation)
        yield Decision(action, player.thoughts())
        observation, _, terminated, truncated, _ = env.step(action)
        over = terminated or truncated


class WatchedPlayer:
    """One player's episodes. This class is a person's, whose actions come from elsewhere.

    Args:
        game: The game; the player closes it.
    """

    name = YOU

    def __init__(self, game: Game) -> None:
        self.game = game

    @property
    def steps(self) -> int:
        """The number of actions so far."""
        return self.game.scene().steps

    @property
    def thoughts(self) -> Thoughts:
        """What the player thinks of the current state."""
        return Thoughts()

    @property
    def thinking(self) -> bool:
        """Whether the next action is still being chosen."""
        return False

    @property
    def error(self) -> str:
        """Why the player cannot go on; empty if it can."""
        return ""

    @property
    def ended(self) -> bool:
        """Whether the player can take no further action."""
        return self.game.over

    def begin(self) -> None:
        """Begin the level at whose start the game is."""

    def poll(self) -> bool:
        """Receive what has been decided; return whether there was anything."""
        return False

    def forward(self) -> bool:
        """Play the next action, as far as it is known; return whether it is."""
        return self.game.redo()

    def back(self) -> bool:
        """Undo the last action; return False if there is none."""
        return self.game.undo()

    def close(self) -> None:
        """End what runs for it."""
        self.game.close()


class AgentPlayer(WatchedPlayer):
    """An agent's episodes.

    Args:
        game: As for :class:`WatchedPlayer`.
        agent: The name of an agent, or the path of a model.
        deterministic: As for :class:`~.session.session.Player`.
        trust_pickle: As for :class:`~.session.session.Player`.
    """

    def __init__(self, game: Game, agent: str, deterministic: bool = False, trust_pickle: bool = False) -> None:
        super().__init__(game)
        game.every_action = True
        self.agent, self.name = agent, short_name(agent)
        self._loading = deterministic, trust_pickle
        self.decisions: list[Decision] = []
        self._job: Job | None = None

    @property
    def _next(self) -> Decision | None:
        """The decision in the current state."""
        k = self.steps
        return self.decisions[k] if k < len(self.decisions) and not self.game.over else None

    @property
    def thoughts(self) -> Thoughts:
        """What the agent thinks of the current state; nothing while it thinks, and at the end."""
        return Thoughts() if self._next is None else self._next.thoughts

    @property
    def thinking(self) -> bool:
        """Whether the next action is still being chosen."""
        return not self.ended and self._next is None

    @property
    def error(self) -> str:
        """Why the agent cannot go on; empty if it can."""
        return "" if self._job is None else self._job.error

    @property
    def ended(self) -> bool:
        """Whether the agent can take no further action."""
        return self.game.over or (self._next is None and (self._job is None or self._job.done))

    def begin(self) -> None:
        """Let the agent play the game's current level.

        Raises:
            OSError: No process can be started.
        """
        self._end()
        self.decisions = []
        game, level = self.game, None
        spec = game.env.spec
        assert spec is not None
        if plays_by_network(self.agent) and game.puzzle.deterministic and game.pack is not None:
            # A model plays boards of the size that it was trained on, often the largest of a pack.
            spec, level = dataclasses.replace(spec, kwargs={**spec.kwargs, "levels": game.source}), game.level
        self._job = Job(deciding, Show(spec, self.agent, game.seed, game.limit, level, *self._loading))

    def poll(self) -> bool:
        """Receive decisions; return whether there were any, or the agent has ended."""
        if self._job is None or self._job.done:
            return False
        new = [update for update in self._job.poll() if isinstance(update, Decision)]
        self.decisions += new
        return bool(new) or self._job.done

    def forward(self) -> bool:
        """Play the agent's next action; return False if it is not known yet."""
        decision = self._next
        if decision is None:
            return False
        if not self.game.redo():
            self.game.play(decision.action)
        return True

    def close(self) -> None:
        """End the agent."""
        self._end()
        super().close()

    def _end(self) -> None:
        if self._job is not None:
            self._job.cancel()
            self._job = None


class ReplayPlayer(AgentPlayer):
    """Actions that were found before.

    Args:
        game: As for :class:`WatchedPlayer`.
        found: The actions.
    """

    def __init__(self, game: Game, found: RecordedActions) -> None:
        super().__init__(game, found.name)
        self._found = found

    def begin(self) -> None:
        """The actions of this level are known at once; none if nothing was found for it."""
        actions = tuple(self._found.actions.get(self.game.number, ()))
        self.decisions = [Decision(action, Thoughts(plan=actions[k:])) for k, action in enumerate(actions)]
