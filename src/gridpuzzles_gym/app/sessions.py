"""Episodes for people to look at: one environment stepped by hand or by an agent."""

import dataclasses
import random
import sys
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np

from gridpuzzles_gym.agents.registry import load_agent, observation_for

from ..engine.env import PuzzleEnv
from ..engine.messages import plural
from ..engine.puzzle import Scene
from .arguments import check_settings, environment
from .level_files import playable

UNDO_STEPS = 10_000
ENDINGS = {"solved": "Solved", "died": "Died", "left": "Over", "unfinished": "Out of steps"}
"""What to say of ``info["outcome"]`` once an episode has ended."""


class Session:
    """One environment of any puzzle, and the episodes played in it.

    Episode ``n`` has the seed ``seed + n``, as in a comparison, and with ``level`` plays its
    levels in turn.

    Args:
        env_id: A registered id.
        level: As :func:`~.arguments.choose_levels` takes it; None draws as the environment does.
        seed: Of the first episode; None chooses one.
        **settings: Keyword arguments of the environment, ``max_episode_steps`` among them.

    Raises:
        ValueError: There is no such id or level, or a setting is bad.
    """

    def __init__(self, env_id: str, level: str | None = None, seed: int | None = None, **settings: Any) -> None:
        spec, self.puzzle = environment(env_id)
        check_settings(self.puzzle, settings)
        self._levels = None
        if level is not None:
            if "levels" in settings:
                raise ValueError("--level and --set levels=… exclude each other")
            settings["levels"], self._levels, left_out = playable(self.puzzle, level)
            if left_out:
                print(f"gridpuzzles: {left_out}", file=sys.stderr)
        if seed is not None and seed < 0:
            raise ValueError(f"seed={seed}: a non-negative integer is needed")
        # The limit is kept here, not in a TimeLimit wrapper, whose count no undo could turn back.
        self.limit: int | None = settings.pop("max_episode_steps", spec.max_episode_steps)
        env = gym.make(env_id, max_episode_steps=-1, disable_env_checker=True, **settings).unwrapped
        assert isinstance(env, PuzzleEnv)
        env.batch.interpret()
        self.env = env
        self.first_seed = random.randrange(1_000_000) if seed is None else seed
        self.episode = -1
        self._begun_with: Any = None

    @property
    def count(self) -> int:
        """How many different levels there are to play; 1 where they are drawn."""
        return 1 if self._levels is None else len(self._levels)

    @property
    def seed(self) -> int:
        """The seed of this episode."""
        return self.first_seed + self.episode

    def begin(self) -> Any:
        """Start the next episode; its first observation."""
        self.episode += 1
        options = None if self._levels is None else {"level": self._levels[self.episode % len(self._levels)]}
        observation, info = self.env.reset(seed=self.seed, options=options)
        self._terminated, self._outcome = False, info["outcome"]
        self._before: deque[Any] = deque(maxlen=UNDO_STEPS)
        return observation

    def play(self, action: int) -> Any:
        """Play an action; the next observation."""
        self._before.append((self.env.get_state(), self._outcome))
        observation, _, self._terminated, _, info = self.env.step(action)
        self._outcome = info["outcome"]
        return observation

    def undo(self) -> bool:
        """Take back one action; False where there is none."""
        if not self._before:
            return False
        state, self._outcome = self._before.pop()
        self.env.set_state(state)
        self._terminated = False
        return True

    @property
    def over(self) -> bool:
        """Has the episode ended?"""
        return self._terminated or (self.limit is not None and self.scene().steps >= self.limit)

    def scene(self, notes: dict[tuple[int, int], str] | None = None) -> Scene:
        """What there is to draw now."""
        return dataclasses.replace(self.env.scene(), notes=notes or {})

    def summary(self) -> str:
        """How the episode stands, in one line."""
        scene = self.scene()
        word = ENDINGS.get(self._outcome, self._outcome) if self.over else "Unfinished"
        return f"{word} after {plural(scene.steps, 'step')}, score {scene.score:g}"

    def where(self) -> str:
        """What to type to see this episode again."""
        title = self.scene().title
        return f"{title}, seed {self.seed}" if title else f"seed {self.seed}"

    def close(self) -> None:
        """Let go of the environment."""
        self.env.close()


def short_name(agent: str) -> str:
    """What to call an agent where there is little room: its name; a model is called as the folder of its run."""
    path = Path(agent).absolute()
    return path.parent.name if path.name == "model.zip" else path.name


class Player:
    """An agent, by name or by the path of its model, and what it remembers.

    Args:
        agent: A key of the table of agents, a ``model.zip``, or the folder of a run.
        env: The environment, with the observation that :func:`observation_for` tells, and its time limit around it.
        seed: Of the agent's own randomness.
        deterministic: Let a trained model take its likeliest action instead of sampling.
        trust_pickle: Load a model that somebody else trained: its file can run any code.
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
        """Forget everything: an episode begins."""
        self._memory: Any = None
        self._starting = np.ones(1, np.bool_)

    def act(self, observation: Any) -> int:
        """The action to play now."""
        action, self._memory = self.policy.predict(observation, self._memory, self._starting, self.deterministic)
        self._starting = np.zeros(1, np.bool_)
        return int(np.asarray(action).item())

    def notes(self) -> dict[tuple[int, int], str]:
        """What the agent thinks of squares (row, column), where it can tell."""
        tell = getattr(self.policy, "notes", None)
        return {} if tell is None or self._memory is None else dict(tell(self._memory, 0))


class Watched(Session):
    """A session in which an agent plays.

    Args:
        env_id: A registered id.
        agent: As for :class:`Player`.
        level: As for :class:`Session`.
        seed: As for :class:`Session`.
        notes: Show on the squares what the agent thinks of them.
        deterministic: As for :class:`Player`.
        trust_pickle: As for :class:`Player`.
        **settings: As for :class:`Session`.
    """

    def __init__(
        self,
        env_id: str,
        agent: str,
        level: str | None = None,
        seed: int | None = None,
        notes: bool = True,
        deterministic: bool = False,
        trust_pickle: bool = False,
        **settings: Any,
    ) -> None:
        needed = observation_for(agent, environment(env_id)[1], env_id)
        if needed is not None:
            settings["observation"] = needed
        super().__init__(env_id, level, seed, **settings)
        limited = self.env if self.limit is None else gym.wrappers.TimeLimit(self.env, self.limit)
        self.player = Player(agent, limited, self.first_seed, deterministic, trust_pickle)
        self.show_notes = notes

    def begin(self) -> Any:
        """Start the next episode."""
        self.player.begin()
        observation = super().begin()
        self._next = self.player.act(observation)
        return observation

    def advance(self) -> None:
        """Let the agent play one action, and think of the next: so its notes are those of this moment."""
        self._next = self.player.act(self.play(self._next))

    def picture(self) -> Scene:
        """What there is to draw now, thoughts included."""
        return self.scene(self.player.notes() if self.show_notes else None)


class Replayed(Session):
    """A session in which plans are played, one an episode.

    Args:
        env_id: A registered id.
        plans: Actions; an episode ends with its plan, if not before.
        level: As for :class:`Session`.
        seed: As for :class:`Session`.
        **settings: As for :class:`Session`.
    """

    def __init__(
        self,
        env_id: str,
        plans: Sequence[Sequence[int]],
        level: str | None = None,
        seed: int | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(env_id, level, seed, **settings)
        self.limit = None
        self.plans = plans

    def begin(self) -> Any:
        """Start the next episode."""
        observation = super().begin()
        self._left = list(self.plans[self.episode])
        return observation

    def advance(self) -> None:
        """Play the plan's next action."""
        self.play(self._left.pop(0))

    @property
    def over(self) -> bool:
        """Has the episode ended, or the plan?"""
        return super().over or not self._left

    def picture(self) -> Scene:
        """What there is to draw now."""
        return self.scene()
