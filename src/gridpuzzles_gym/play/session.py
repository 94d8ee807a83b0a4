"""Sessions: one environment, played by a person or an agent."""

import dataclasses
import random
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np

from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.agents.registry import load_agent, observation_for
from gridpuzzles_gym.agents.thoughts import Thoughts, thoughts_of

from ..engine.arguments import integer
from ..engine.env import PuzzleEnv
from ..engine.messages import plural
from ..engine.puzzle import Outcome
from ..engine.scene import Row, Scene

ENDINGS = {
    Outcome.SOLVED: "Solved",
    Outcome.DIED: "Died",
    Outcome.LEFT: "Over",
    Outcome.UNFINISHED: "Out of steps",
}
"""How an outcome is written after the end of an episode."""

SLOWEST, FASTEST = 0.25, 120.0
"""The limits of a pace, in steps per second."""
PACE = 4.0
"""The default pace in windows and on pages, in steps per second."""


@dataclasses.dataclass(frozen=True)
class WatchOptions:
    """Which episodes agents play, how they play them, and how they are shown.

    Raises:
        ValueError: The number of episodes or the pace is invalid.
    """

    seed: int | None = None
    """The seed of the first episode; later ones use seed+1, seed+2, …; None chooses one at random."""
    episodes: int | None = None
    """The number of episodes; None: no limit in a window, 1 in a recording."""
    fps: float | None = None
    """Actions per second; None: :data:`PACE`, but in a .gif or .mp4 file the ``render_fps`` of the environments."""
    notes: bool = True
    """Show what the agents think."""
    deterministic: bool = False
    """Trained models take their most likely actions instead of sampling."""
    trust_pickle: bool = False
    """Load a model that Stable-Baselines3 saved. Its file can run any code."""

    def __post_init__(self) -> None:
        if self.episodes is not None:
            integer("episodes", self.episodes, 1)
        if self.fps is not None and not SLOWEST <= self.fps <= FASTEST:
            raise ValueError(f"fps={self.fps:g}: must be a number from {SLOWEST:g} to {FASTEST:g}")


class _Moment(NamedTuple):
    """A state of an episode."""

    action: Any
    """The action that led here; None at the start."""
    state: dict[str, Any]
    """As returned by ``get_state``."""
    terminated: bool
    outcome: Outcome


class Session:
    """One environment of any puzzle, and the episodes played in it.

    Episode ``n`` has the seed ``seed + n``, as in a comparison; with ``level``, the episodes cycle through its levels.

    Args:
        game: The game; without :attr:`~gridpuzzles_gym.agents.game.Game.levels`, the environment samples them.
        seed: Seed of the first episode; None chooses one at random.

    Raises:
        ValueError: A level or the seed is invalid.
    """

    def __init__(self, game: Game, seed: int | None = None) -> None:
        if seed is not None and seed < 0:
            raise ValueError(f"seed={seed}: must be a non-negative integer")
        self.game, self.puzzle = game, game.puzzle
        # The step limit is enforced here: undo could not decrement the counter of a TimeLimit wrapper.
        self.limit = game.limit
        self.env = self._make_env()
        self.first_seed = random.randrange(1_000_000) if seed is None else seed
        self.episode = -1
        self.pictures: dict[str, Any] = {}
        """Options with which scenes are drawn instead of those of the environment; they only change pictures."""

    def _make_env(self, **settings: Any) -> PuzzleEnv:
        env = self.game.make(**settings)
        env.batch.interpret()
        return env

    @property
    def seed(self) -> int:
        """The seed of this episode."""
        return self.first_seed + self.episode

    def begin(self) -> Any:
        """Start the next episode and return its first observation."""
        self.episode += 1
        levels = self.game.levels
        options = {"level": levels[self.episode % len(levels)]} if levels else None
        observation, info = self.env.reset(seed=self.seed, options=options)
        self._now = _Moment(None, self.env.get_state(), False, Outcome(info["outcome"]))
        self._past: list[_Moment] = []
        self._undone: list[_Moment] = []
        return observation

    def play(self, action: int) -> Any:
        """Play an action and return the next observation."""
        observation, _, terminated, _, info = self.env.step(action)
        self._past.append(self._now)
        self._undone.clear()
        self._now = _Moment(action, self.env.get_state(), terminated, Outcome(info["outcome"]))
        return observation

    @property
    def actions(self) -> list[int]:
        """The actions that led from the start to the current state."""
        return [int(moment.action) for moment in [*self._past, self._now][1:]]

    @property
    def undone(self) -> list[int]:
        """The actions that :meth:`redo` would play again, the next one first."""
        return [int(moment.action) for moment in reversed(self._undone)]

    @property
    def can_undo(self) -> bool:
        """Whether there is an action to undo."""
        return bool(self._past)

    @property
    def can_redo(self) -> bool:
        """Whether there is an undone action."""
        return bool(self._undone)

    @property
    def states(self) -> list[Row]:
        """The states from the start to the current one."""
        return [moment.state["states"][0] for moment in [*self._past, self._now]]

    def undo(self) -> bool:
        """Undo one action; return False if there is none."""
        return self._go(self._past, self._undone)

    def redo(self) -> bool:
        """Play an undone action again, with the same result; return False if there is none."""
        return self._go(self._undone, self._past)

    def _go(self, source: "list[_Moment]", target: "list[_Moment]") -> bool:
        if not source:
            return False
        target.append(self._now)
        self._now = source.pop()
        self.env.set_state(self._now.state)
        return True

    @property
    def outcome(self) -> Outcome:
        """The outcome so far."""
        return self._now.outcome

    @property
    def over(self) -> bool:
        """Whether the episode has ended."""
        return self._now.terminated or (self.limit is not None and self.scene().steps >= self.limit)

    def scene(self, notes: dict[tuple[int, int], str] | None = None) -> Scene:
        """Return the scene to draw."""
        scene = self.env.scene()
        options = dataclasses.replace(scene.options, **self.pictures)
        return dataclasses.replace(scene, notes=notes or {}, options=options)

    def summary(self) -> str:
        """Return the outcome, steps and return of the episode so far, in one line."""
        scene = self.scene()
        word = ENDINGS[self.outcome] if self.over else "Unfinished"
        return f"{word} after {plural(scene.steps, 'step')}, return {scene.score:g}"

    def label(self) -> str:
        """Return the level's title and the seed, which reproduce this episode."""
        title = self.scene().title
        return f"{title}, seed {self.seed}" if title else f"seed {self.seed}"

    def close(self) -> None:
        """Close the environment."""
        self.env.close()


def short_name(agent: str) -> str:
    """Return a short name of an agent: its name; of a model, the name of its folder."""
    path = Path(agent).absolute()
    return path.parent.name if path.stem == "model" else path.name


class Player:
    """An agent, given by its name or the path of its model, and its memory.

    Args:
        agent: The name of an agent, a model file, or the folder of a training run.
        env: The environment, with the observation given by :func:`observation_for` and wrapped in its time limit.
        seed: Random seed of the agent.
        deterministic: A trained model takes its most likely action instead of sampling.
        trust_pickle: Load a model that Stable-Baselines3 saved. Its file can run any code.
    """

    def __init__(
        self,
        agent: str,
        env: gym.Env[Any, Any],
        seed: int = 0,
        deterministic: bool = False,
        trust_pickle: bool = False,
    ) -> None:
        self.policy = load_agent(agent, env, seed, trust_pickle)
        self.deterministic = deterministic
        self.begin()

    def begin(self) -> None:
        """Reset the memory at the start of an episode."""
        self._seen: Any = None
        self._memory: Any = None
        self._starting = np.ones(1, np.bool_)

    def act(self, observation: Any) -> int:
        """Return the next action."""
        action, self._memory = self.policy.predict(observation, self._memory, self._starting, self.deterministic)
        self._seen, self._starting = observation, np.zeros(1, np.bool_)
        return int(np.asarray(action).item())

    def thoughts(self) -> Thoughts:
        """Return what the agent thinks about the last observation; nothing if it cannot tell."""
        return thoughts_of(self.policy, self._seen, self._memory)

    def notes(self) -> dict[tuple[int, int], str]:
        """Return the agent's estimates as text by (row, column); empty if it has none."""
        return dict(self.thoughts().notes)


class Watched(Session):
    """A session in which an agent plays.

    Args:
        game: The game.
        agent: As for :class:`Player`.
        options: How it plays; the number of episodes and the pace are up to the caller.
    """

    def __init__(self, game: Game, agent: str, options: WatchOptions) -> None:
        if (needed := observation_for(agent, game.puzzle, game.id)) is not None:
            game = game.with_settings(observation=needed)
        super().__init__(game, options.seed)
        limited = self.env if self.limit is None else gym.wrappers.TimeLimit(self.env, self.limit)
        self.player = Player(agent, limited, self.first_seed, options.deterministic, options.trust_pickle)
        self.show_notes = options.notes

    def begin(self) -> Any:
        """Start the next episode."""
        self.player.begin()
        observation = super().begin()
        self._next = self.player.act(observation)
        return observation

    def advance(self) -> None:
        """Play one action of the agent and choose the next, so that its notes refer to the current state."""
        self._next = self.player.act(self.play(self._next))

    def picture(self) -> Scene:
        """Return the scene to draw, with the agent's notes."""
        return self.scene(self.player.notes() if self.show_notes else None)
