"""The same episodes for every agent."""

import contextlib
import dataclasses
from collections import Counter
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.agents.evaluation import Match
from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.agents.own_agent import task_of
from gridpuzzles_gym.agents.registry import advising_agents, agents_of

from ...engine.messages import plural, quote
from .agent_process import AgentError, AgentLimits, AgentProcess, ProcessEndedError


@dataclasses.dataclass
class Performance:
    """An agent's results in a contest."""

    agent: str
    results: npt.NDArray[np.float64]
    """[episodes, 3]: return, outcome, length; nan for episodes that it did not finish."""
    baseline: bool = False
    """Whether it is one of the suite's agents."""
    decision_ms: float = 0.0
    happened: str = ""
    """Errors, in words."""


@dataclasses.dataclass(frozen=True)
class Contest:
    """The episodes that every agent plays."""

    game: Game
    episodes: int
    seed: int
    """The seed of the first episode; later ones use seed+1, seed+2, …"""
    every_level: bool = False
    """Whether episode i is played on level i of the environment's levels; otherwise levels are sampled."""

    def play_baseline(self, agent: str, only_check: bool = False) -> Performance:
        """Play the episodes with an agent of the suite; raises ValueError if it cannot play them."""
        size = min(self.episodes, 256)
        match = Match(self.game, self.seed, self.episodes, size, False, False, self.every_level)
        try:
            match.player(agent)
            played = [] if only_check else [match((agent, number)) for number in range(match.tasks)]
        finally:
            match.close()
        seconds, decisions = sum(part.seconds for part in played), sum(part.decisions for part in played)
        results = np.concatenate([np.empty((0, 3)), *(part.results for part in played)])
        return Performance(agent, results, True, 1000 * seconds / max(decisions, 1))

    def default_baselines(self) -> list[str]:
        """Return the first advising agent and the first teacher of the puzzle that can play this contest."""
        known = agents_of(self.game.puzzle)
        teachers = [each.name for each in self.game.agents.teachers if each.name in known]
        found = []
        for names in (advising_agents(self.game.puzzle), teachers):
            for name in names:
                with contextlib.suppress(ValueError):
                    self.play_baseline(name, only_check=True)
                    found.append(name)
                    break
        return list(dict.fromkeys(found))

    def play_file(self, path: Path, limits: AgentLimits) -> Performance:
        """Play the episodes with the agent in a Python file, in a process of its own.

        Args:
            path: The file; its agent is the first class with a method ``predict``.
            limits: Limits of the agent.
        """
        found = Performance(path.stem, np.full((self.episodes, 3), np.nan))
        try:
            if path.is_symlink():
                raise AgentError("is a link")
            with AgentProcess(path.name, path.read_bytes(), limits) as process:
                found.agent = f"{path.stem}.{process.agent[0]}"
                self._play(process, found)
        except AgentError as fault:
            found.happened = str(fault)
        except OSError as error:
            found.happened = f"cannot be read: {error.strerror}"
        return found

    def _play(self, process: AgentProcess, found: Performance) -> None:
        """Play all episodes; an agent's error ends its episode, an error of its process ends all."""
        observation = process.agent[1]
        own = {} if observation is None else {"observation": observation}
        try:
            env = gym.make(self.game.id, disable_env_checker=True, **{**self.game.settings, **own})
        except ValueError:
            raise AgentError(f"wants the observation {quote(observation)}, which does not exist") from None
        faults: Counter[str] = Counter()
        with contextlib.closing(env):
            process.construct(task_of(env))
            for number in range(self.episodes):
                try:
                    found.results[number] = self._episode(process, env, number)
                except ProcessEndedError as fault:
                    found.happened = f"{fault}, in episode {number + 1}"
                    break
                except AgentError as fault:
                    faults[str(fault)] += 1
        found.decision_ms = process.decision_ms
        for words, times in faults.most_common(1):
            found.happened = found.happened or f"{words}, in {times} of {plural(self.episodes, 'episode')}"

    def _episode(self, process: AgentProcess, env: gym.Env[Any, Any], number: int) -> tuple[float, int, int]:
        """Play one episode and return its return, outcome and length; raises AgentError."""
        observation, info = env.reset(seed=self.seed + number)
        if self.every_level:
            observation, info = env.reset(options={"level": number})
        score, steps, over = 0.0, 0, False
        while not over:
            action = process.act(observation, steps == 0, info["action_mask"] == 1)
            if not 0 <= action < len(info["action_mask"]):
                raise AgentError(f"returned {action}: actions are 0 to {len(info['action_mask']) - 1}")
            observation, reward, terminated, truncated, info = env.step(action)
            score, steps, over = score + float(reward), steps + 1, terminated or truncated
        return score, info["outcome"], steps
