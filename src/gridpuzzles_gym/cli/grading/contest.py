"""The same episodes for every agent, and the marks."""

import contextlib
import dataclasses
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.agents.evaluation import Match, score_of
from gridpuzzles_gym.agents.own_agent import task_of
from gridpuzzles_gym.agents.puzzle_agents import agents_record
from gridpuzzles_gym.agents.registry import advising_agents, agents_of

from ...engine.messages import plural, quote
from ...engine.puzzle import OUTCOMES, SOLVED, Puzzle
from ...engine.system.tables import NumberTable
from .agent_process import AgentError, AgentLimits, AgentProcess, ProcessEndedError

STOPPED = "stopped by Ctrl-C"
MEASURES: Mapping[str, Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]]] = {
    "return": lambda results: results[:, 0],
    "success": lambda results: np.where(np.isnan(results[:, 0]), np.nan, results[:, 1] == SOLVED),
}
"""What marks are based on: a value for each row of results, nan for an episode that was not finished."""


@dataclasses.dataclass
class Performance:
    """An agent's results in a contest."""

    agent: str
    results: npt.NDArray[np.float64]
    """[episodes, 3]: return, outcome, length; nan for episodes that it did not finish."""
    baseline: bool = False
    """Whether it is one of the suite's agents."""
    decision_ms: float = 0.0
    happened: list[str] = dataclasses.field(default_factory=list)
    """Errors and remarks, in words."""

    @property
    def stopped(self) -> bool:
        """Whether Ctrl-C stopped it."""
        return STOPPED in self.happened


@dataclasses.dataclass(frozen=True)
class Contest:
    """The episodes that every agent plays."""

    env_id: str
    env_kwargs: dict[str, Any]
    episodes: int
    seed: int
    """The seed of the first episode; later ones use seed+1, seed+2, …"""
    every_level: bool = False
    """Whether episode i is played on level i of the environment's levels; otherwise levels are sampled."""

    def play_baseline(self, agent: str, only_check: bool = False) -> Performance:
        """Play the episodes with an agent of the suite; raises ValueError if it cannot play them."""
        size = min(self.episodes, 256)
        match = Match(self.env_id, self.env_kwargs, self.seed, self.episodes, size, False, False, self.every_level)
        try:
            match.player(agent)
            played = [] if only_check else [match((agent, number)) for number in range(match.tasks)]
        finally:
            match.close()
        seconds, decisions = sum(part.seconds for part in played), sum(part.decisions for part in played)
        results = np.concatenate([np.empty((0, 3)), *(part.results for part in played)])
        return Performance(agent, results, True, 1000 * seconds / max(decisions, 1))

    def default_baselines(self, puzzle: Puzzle) -> list[str]:
        """Return the first advising agent and the first teacher of the puzzle that can play this contest."""
        known = agents_of(puzzle)
        teachers = [each.name for each in agents_record(puzzle).teachers if each.name in known]
        found = []
        for names in (advising_agents(puzzle), teachers):
            for name in names:
                with contextlib.suppress(ValueError):
                    self.play_baseline(name, only_check=True)
                    found.append(name)
                    break
        return list(dict.fromkeys(found))

    def play_file(self, path: Path, prefix: str, limits: AgentLimits) -> Iterator[Performance]:
        """Play the episodes with the agents in a Python file, each in a process of its own.

        Args:
            path: The file.
            prefix: Prefix of the names of its agents; empty: none.
            limits: Limits of each agent.

        Yields:
            One result per agent; if there is no agent, one result that says why.
        """
        found = Performance(prefix or path.name, np.full((self.episodes, 3), np.nan))
        number = 0
        names: list[tuple[str, str | None]] = [("", None)]
        while number < len(names) and not found.stopped:
            found = Performance(found.agent, np.full((self.episodes, 3), np.nan))
            try:
                if path.is_symlink() or not path.is_file():
                    raise AgentError("is a link" if path.is_symlink() else "is no regular file")
                with AgentProcess(path.name, path.read_bytes(), limits) as process:
                    names = process.classes()
                    if number >= len(names):
                        raise AgentError("has no class with a method predict")
                    name, observation = names[number]
                    found.agent = f"{prefix}.{name}" if prefix else name
                    self._play(process, name, observation, found)
            except AgentError as fault:
                found.happened.append(str(fault))
            except OSError as error:
                found.happened.append(f"cannot be read: {error.strerror}")
            except KeyboardInterrupt:
                found.happened.append(STOPPED)
            number += 1
            yield found

    def _play(self, process: AgentProcess, name: str, observation: str | None, found: Performance) -> None:
        """Play all episodes; an agent's error ends its episode, an error of its process ends all."""
        own = {} if observation is None else {"observation": observation}
        try:
            env = gym.make(self.env_id, disable_env_checker=True, **{**self.env_kwargs, **own})
        except ValueError:
            raise AgentError(f"wants the observation {quote(observation)}, which does not exist") from None
        faults: Counter[str] = Counter()
        with contextlib.closing(env):
            process.construct(name, task_of(env))
            for number in range(self.episodes):
                try:
                    found.results[number] = self._episode(process, env, number)
                except ProcessEndedError as fault:
                    found.happened.append(f"{fault}, in episode {number + 1}")
                    break
                except AgentError as fault:
                    faults[str(fault)] += 1
        found.decision_ms = process.decision_ms
        total = plural(self.episodes, "episode")
        found.happened += [f"{words}, in {times} of {total}" for words, times in faults.most_common(2)]

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
        return score, OUTCOMES.index(info["outcome"]), steps


def find_files(files: Sequence[Path]) -> dict[Path, str]:
    """Return the Python files, those in folders sorted by name, with the prefix of the names of their agents.

    The prefix is the name of the file, below the folder that all share; it is empty if there is only one file.

    Raises:
        ValueError: There is no such file, or a folder has none.
    """
    found: dict[Path, Path] = {}
    for path in files:
        inside = sorted(file for file in path.glob("*.py") if file.name[0] not in "._") if path.is_dir() else [path]
        if not inside or (not path.is_dir() and (path.suffix != ".py" or not path.is_file())):
            raise ValueError(f"{path}: must be a Python file or a folder of them")
        found |= {file.absolute(): file for file in inside}
    if len(found) == 1:
        return dict.fromkeys(found.values(), "")
    shared = os.path.commonpath([path.parent for path in found])
    return {file: path.with_suffix("").relative_to(shared).as_posix() for path, file in found.items()}


def grades(performances: Sequence[Performance], measure: str, passing: float | None) -> list[dict[str, Any]]:
    """Return a row per agent, the best first.

    Args:
        performances: The agents' results: the random agent, the other baselines, then those to grade. Without a
            baseline there are no marks.
        measure: What marks are based on, a key of :data:`MEASURES`.
        passing: The lowest mark that passes; None: there is none.
    """
    values = [MEASURES[measure](each.results) for each in performances]
    means = [float(np.mean(np.where(np.isnan(own), values[0], own))) for own in values]  # as random played it
    marks = [mean for mean, each in zip(means, performances, strict=True) if each.baseline]
    rows: list[dict[str, Any]] = []
    for mean, each in zip(means, performances, strict=True):
        finished = each.results[~np.isnan(each.results[:, 0])]
        mark = None
        if marks and not each.baseline and not each.stopped:
            least, best = marks[0], max(marks)
            level = float(mean >= best) if best <= least else (mean - least) / (best - least)
            mark = 100 * float(np.clip(level, 0, 1)) if len(finished) else 0.0
        happened = [*each.happened]
        if 0 < len(finished) < len(each.results):
            happened.append(f"finished {len(finished)} of {len(each.results)}")
        score = score_of(each.agent, finished, each.decision_ms) if len(finished) else None
        fields = ("mean_return", "interval", "success", "steps", "decision_ms")
        numbers = {name: None if score is None else getattr(score, name) for name in fields}
        passed = None if mark is None or passing is None else mark >= passing
        row = {"rank": None, "agent": each.agent, "baseline": each.baseline, "mark": mark, "passed": passed}
        rows.append({**row, **numbers, "happened": "; ".join(happened)})
    order = sorted(range(len(rows)), key=lambda place: (-means[place], not rows[place]["baseline"]))
    given = [row["mark"] for row in rows if row["mark"] is not None]
    for row in rows:
        row["rank"] = None if row["mark"] is None else 1 + sum(mark > row["mark"] for mark in given)
    return [rows[place] for place in order]


def table(rows: Sequence[Mapping[str, Any]], title: str, happened: bool = False) -> NumberTable:
    """Return the rows of :func:`grades` as a table, perhaps with what happened."""
    cells = []
    for row in rows:
        mark = "baseline" if row["baseline"] else "–" if row["mark"] is None else f"{row['mark']:.0f}"
        mark += {True: " pass", False: " fail", None: ""}[row["passed"]]
        numbers = ["–"] * 4
        if row["mean_return"] is not None:
            numbers = [f"{row['mean_return']:+.1f} ± {row['interval']:.1f}", f"{row['success']:.0%}"]
            numbers += [f"{row['steps']:.1f}", f"{row['decision_ms']:.2f}"]
        first = ["" if row["rank"] is None else f"{row['rank']}.", row["agent"]]
        cells.append([*first, *([row["happened"]] if happened else []), mark, *numbers])
    words = ("", "agent", *(("what happened",) if happened else ()))
    return NumberTable(words, ("mark", "return ± 95 %", "success", "steps", "ms"), cells, title)
