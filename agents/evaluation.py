"""Compares agents on the same seeded episodes, or on every level of a pack: as a table, a CSV file or a chart."""

import contextlib
import csv
import dataclasses
import math
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from gridpuzzles_gym.engine.files import replacing
from gridpuzzles_gym.engine.levels import level_source
from gridpuzzles_gym.engine.puzzle import DIED, SOLVED, UNFINISHED, Level, load_puzzle
from gridpuzzles_gym.engine.tables import NumberTable

from .level_sources.sampler_choice import Setting
from .registry import load_agent, observation_for

SEED = 1_000_000
"""Default seed of the first episode; training uses much lower seeds."""
MOST = 10**15
"""Maximum number of episodes and of environments; memory runs out earlier."""
NAME_WIDTH = 21
"""Width of the table's first column; longer paths are shortened to their end."""


@dataclasses.dataclass(frozen=True)
class Score:
    """The results of one agent over ``episodes`` episodes."""

    agent: str
    episodes: int
    mean_return: float
    interval: float
    """Half the width of the 95 % confidence interval of ``mean_return``."""
    success: float
    deaths: float
    timeouts: float
    """Shares of episodes, 0 to 1. The remainder ended without a solution, for example by climbing out."""
    steps: float
    """Mean length of an episode."""
    decision_ms: float
    """Milliseconds per decision, in batches as played."""

    @property
    def success_interval(self) -> float:
        """Half the width of the 95 % interval of ``success`` (E. Wilson, 1927): above 0 even if all succeed."""
        z, n = 1.96, self.episodes
        return z / (1 + z * z / n) * math.sqrt(self.success * (1 - self.success) / n + z * z / (4 * n * n))


@dataclasses.dataclass(frozen=True)
class Comparison:
    """The scores of several agents on the same episodes."""

    env_id: str
    seed: int
    scores: tuple[Score, ...]
    missing: int = 0
    """How many agents have no score because of Ctrl-C."""
    every_level: bool = False
    """Was every level played once?"""

    def table(self) -> NumberTable:
        """A table for the terminal."""
        episodes = max((score.episodes for score in self.scores), default=0)
        played = f"{episodes:,} levels, each once" if self.every_level else f"{episodes:,} episodes each"
        title = f"{self.env_id}: {played}, seeds from {self.seed}; ms is per decision"
        headings = (
            "return ± 95 %",
            "success ± 95 %" if self.every_level else "success",
            "deaths",
            "timeout",
            "steps",
            "ms",
        )
        rows = [
            (
                score.agent if len(score.agent) <= NAME_WIDTH else "…" + score.agent[1 - NAME_WIDTH :],
                f"{score.mean_return:+.1f} ± {score.interval:.1f}",
                f"{score.success:.1%}" + (f" ± {score.success_interval:.1%}" if self.every_level else ""),
                f"{score.deaths:.1%}",
                f"{score.timeouts:.1%}",
                f"{score.steps:.1f}",
                f"{score.decision_ms:.3f}",
            )
            for score in self.scores
        ]
        return NumberTable(("agent",), headings, rows, title)

    def write_csv(self, path: str | Path) -> None:
        """One row per agent; the columns are the fields of :class:`Score`."""
        with replacing(path) as unfinished, unfinished.open("w", newline="") as file:
            writer = csv.DictWriter(file, [field.name for field in dataclasses.fields(Score)])
            writer.writeheader()
            writer.writerows(dataclasses.asdict(score) for score in self.scores)

    def write_chart(self, path: str | Path) -> None:
        """A PNG: mean returns with their confidence intervals, and how episodes ended."""
        from matplotlib.figure import Figure

        names = [score.agent for score in self.scores]
        figure = Figure(figsize=(9, 1.9 + 0.5 * len(names)), layout="constrained")
        left, right = figure.subplots(1, 2, sharey=True)
        left.barh(names, [s.mean_return for s in self.scores], xerr=[s.interval for s in self.scores], color="tab:blue")
        left.axvline(0, color="0.3", linewidth=0.8)
        left.set(title="mean return, 95 % interval")
        left.invert_yaxis()
        start = np.zeros(len(names))
        for field, colour in (("success", "tab:green"), ("deaths", "tab:red"), ("timeouts", "0.7")):
            shares = 100 * np.array([getattr(score, field) for score in self.scores])
            right.barh(names, shares, left=start, color=colour, label=field)
            start = start + shares
        right.set(title="how episodes ended, %", xlim=(0, 100))
        figure.legend(loc="outside lower right", ncols=3, fontsize="small")  # below: bars fill the panel
        figure.suptitle(self.env_id)
        with replacing(path) as unfinished:
            figure.savefig(unfinished, dpi=120)


def compare(
    env_id: str,
    agents: Sequence[str],
    episodes: int = 1000,
    seed: int = SEED,
    num_envs: int = 1024,
    env_kwargs: dict[str, Any] | None = None,
    progress: bool = True,
    deterministic: bool = False,
    trust_pickle: bool = False,
    every_level: bool = False,
) -> Comparison:
    """Play every agent on the episodes seeded ``seed, seed + 1, …``.

    Ctrl-C ends the comparison with the scores of the agents that are finished.

    Args:
        env_id: A registered id.
        agents: Names that :func:`~gridpuzzles_gym.agents.registry.agents_of` returns, or paths of trained models.
        episodes: Number of episodes.
        seed: Seed of the first episode; later ones use seed+1, seed+2, …
        num_envs: Number of parallel environments.
        env_kwargs: Keyword arguments of the environment.
        progress: Show a progress bar.
        deterministic: Trained models take their most probable action instead of sampling.
        trust_pickle: Load models that Stable-Baselines3 saved: their files can run arbitrary code.
        every_level: Play each level of the environment's pack once, in order, instead of ``episodes``.

    Raises:
        ValueError: An agent is unknown, a model is missing, a number is not positive, or every level is to be played
            where they are generated.
    """
    for name, number in (("episodes", episodes), ("num_envs", num_envs)):
        if not 1 <= number <= MOST:
            raise ValueError(f"{name}={number}: must be a positive integer up to {MOST:,}")
    if not agents:
        raise ValueError("no agent to compare; name at least one")
    kwargs = env_kwargs or {}
    if every_level:
        levels = pack_of(env_id, kwargs)
        episodes, kwargs = len(levels), {**kwargs, "levels": levels}
    size = min(num_envs, episodes)
    entrants = [Entrant(env_id, name, size, kwargs, seed, trust_pickle) for name in agents]
    columns = TextColumn("{task.description:>24}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    scores: list[Score] = []
    with Progress(*columns, disable=not progress) as bars:
        try:
            with contextlib.suppress(KeyboardInterrupt):
                for entrant in entrants:
                    bar = bars.add_task(entrant.name, total=episodes)
                    results = np.zeros((episodes, 3))
                    for done in entrant.play(results, seed, deterministic, every_level):
                        bars.update(bar, completed=done)
                    scores.append(score_of(entrant.name, results, entrant.decision_ms))
        finally:
            for entrant in entrants:
                entrant.env.close()
    return Comparison(env_id, seed, tuple(scores), len(agents) - len(scores), every_level)


def pack_of(env_id: str, env_kwargs: dict[str, Any]) -> list[Level]:
    """The levels of an environment's pack.

    Raises:
        ValueError: It generates its levels.
    """
    setting = Setting.of(env_id, env_kwargs)
    levels = level_source(setting.puzzle, setting.levels, setting.puzzle.read_options(**setting.options)).levels
    if not levels:
        raise ValueError(f"{env_id} generates its levels; to play every level, give levels=")
    return list(levels)


class Entrant:
    """One agent with an environment of its own, made with the observation it needs."""

    def __init__(
        self, env_id: str, name: str, num_envs: int, env_kwargs: dict[str, Any], seed: int, trust_pickle: bool
    ) -> None:
        observation = observation_for(name, load_puzzle(gym.spec(env_id).kwargs["puzzle"]), env_id)
        if observation is not None:
            env_kwargs = {**env_kwargs, "observation": observation}
        self.env: Any = gym.make_vec(env_id, num_envs=num_envs, autoreset_mode=AutoresetMode.DISABLED, **env_kwargs)
        self.policy = load_agent(name, self.env, seed, trust_pickle)
        self.name = name
        self.decision_ms = 0.0

    def play(
        self, results: npt.NDArray[np.float64], seed: int, deterministic: bool, in_order: bool = False
    ) -> Iterator[int]:
        """Fill ``results`` [episodes, 3]: return, outcome, length; yields how many episodes are finished.

        Environments without a remaining episode continue to play; their results are ignored.

        Args:
            results: The array to fill.
            seed: Seed of the first episode.
            deterministic: Models take their most probable action.
            in_order: Episode i is played on level i of the environment's pack.
        """
        env, episodes, size = self.env, len(results), self.env.num_envs
        episode = np.arange(size)
        following = size
        observations, _ = env.reset(seed=[seed + int(e) for e in episode])
        if in_order:
            observations = self._play_levels(episode, range(size))
        starts = np.ones(size, bool)
        memory: Any = None
        done = decisions = 0
        starting, spent = True, 0.0
        while done < episodes:
            before = time.perf_counter()
            actions, memory = self.policy.predict(observations, memory, starts, deterministic)
            if starting:  # the first call may load or compile
                starting = False
            else:
                spent += time.perf_counter() - before
                decisions += size
            observations, _, terminated, truncated, _ = env.step(actions)
            starts = terminated | truncated
            ended = np.flatnonzero(starts)
            if len(ended):
                counted = ended[episode[ended] < episodes]
                endings = env.batch.endings(counted)
                results[episode[counted]] = np.stack([endings.returns, endings.outcomes, endings.lengths], axis=1)
                done += len(counted)
                episode[ended] = np.arange(following, following + len(ended))
                following += len(ended)
                seeds: list[int | None] = [None] * size
                for i in ended.tolist():
                    seeds[i] = seed + int(episode[i])
                observations, _ = env.reset(seed=seeds, options={"reset_mask": starts})
                if in_order:
                    observations = self._play_levels(episode, ended[episode[ended] < episodes].tolist())
                yield done
        self.decision_ms = 1000 * spent / max(decisions, 1)

    def _play_levels(self, episode: npt.NDArray[np.intp], which: Iterable[int]) -> Any:
        """Begin episodes of these environments again, each on the level with the episode's number."""
        observations = self.env.unwrapped.batch.observations
        for i in which:
            chosen = {"reset_mask": np.arange(self.env.num_envs) == i, "level": int(episode[i])}
            observations, _ = self.env.reset(options=chosen)
        return observations


def score_of(name: str, results: npt.NDArray[np.float64], decision_ms: float) -> Score:
    """Return the score of an agent.

    Args:
        name: The agent.
        results: Its results by episode, float64[episodes, 3]: return, outcome, length.
        decision_ms: Milliseconds per decision.
    """
    returns, outcomes, lengths = results.T
    spread = float(returns.std(ddof=1)) if len(returns) > 1 else 0.0
    return Score(
        agent=name,
        episodes=len(returns),
        mean_return=float(returns.mean()),
        interval=1.96 * spread / len(returns) ** 0.5,
        success=float(np.mean(outcomes == SOLVED)),
        deaths=float(np.mean(outcomes == DIED)),
        timeouts=float(np.mean(outcomes == UNFINISHED)),
        steps=float(lengths.mean()),
        decision_ms=decision_ms,
    )
