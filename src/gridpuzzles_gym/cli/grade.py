"""``gridpuzzles grade``: grade agents that others wrote."""

import contextlib
import dataclasses
import os
import secrets
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
import typer

from gridpuzzles_gym.agents.evaluation import Match, score_of
from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.agents.own_agent import task_of
from gridpuzzles_gym.agents.registry import advising_agents, agents_of

from ..engine.messages import plural, quote
from ..engine.system.csv_text import write_table
from ..engine.system.files import replacing
from ..engine.system.progress_bar import progress
from ..engine.system.tables import NumberTable
from ..play.arguments import new_file
from .agent_process import NO_SANDBOX, SANDBOX, AgentError, AgentLimits, AgentProcess, ProcessEndedError, sandbox
from .common.options import EnvironmentId, Force, Levels, Setting, game_of
from .common.terminal import console, examples, say

group = typer.Typer()
EPISODES = 100
"""The number of episodes, if levels are not played once each."""
SECRET_SEEDS = range(2**60, 2**62)
"""The seeds to choose from: too many to find one by trying, and small enough for the random seeds of agents."""


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
        """Play the episodes with the first agent in a Python file, in a process of its own with these limits."""
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


@group.command(
    rich_help_panel="Teach",
    epilog=examples(
        "grade wumpus my_agent.py",
        "grade sokoban submissions/ --levels starter-test",
        "grade wumpus submissions/ --episodes 500 --csv marks.csv",
    ),
)
def grade(
    env_id: EnvironmentId,
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE|FOLDER", help="Python files with agents, or folders of them.")
    ],
    levels: Levels = None,
    episodes: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Number of episodes.", show_default="100, but each of --levels once"),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="Secret seed of the first episode, to repeat episodes; agents can find a small one by trying.",
            show_default="a new large one",
        ),
    ] = None,
    settings: Setting = None,
    baselines: Annotated[
        list[str] | None,
        typer.Option(
            "--baseline",
            metavar="NAME|MODEL",
            help="Agent of the suite to compare with, in addition to random. Can be repeated.",
            show_default="the best of the puzzle",
        ),
    ] = None,
    seconds: Annotated[float, typer.Option(metavar="S", help="Time limit of each decision, in seconds.")] = 1,
    total: Annotated[
        float, typer.Option(metavar="S", help="Time limit of all decisions of an agent, in seconds.")
    ] = 60,
    memory: Annotated[int, typer.Option(metavar="MIB", help="Memory limit of an agent, in MiB.")] = 2048,
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write the table as CSV.")] = None,
    force: Force = False,
) -> None:
    """Grade agents that others wrote, each a class with a method predict in a file of its own, on the same episodes.

    Each plays in a process of its own with limits of time and memory; its errors affect only its own marks. Python
    files can run any code: the first line says whether bubblewrap isolates them; if not, run only agents that you
    trust. Ctrl-C keeps the agents that have finished.
    """
    game = game_of(env_id, settings, levels)
    if os.name != "posix":
        raise OSError("agents can be graded on Linux and macOS only: other systems do not limit processes")
    limits = AgentLimits(seconds, total, memory)
    if csv is not None:
        new_file(csv, force)
    # A sampler's description has no levels to play once each.
    every_level = episodes is None and isinstance(game.source, str | list)
    number = len(game.pack()) if every_level else episodes or EPISODES
    first = secrets.choice(SECRET_SEEDS) if seed is None else seed
    contest, found = Contest(game, number, first, every_level), find_files(files)
    names = dict.fromkeys(["random", *(contest.default_baselines() if baselines is None else baselines)])
    for name in names:
        contest.play_baseline(name, only_check=True)
    say([SANDBOX if sandbox() else NO_SANDBOX])
    performances: list[Performance] = []
    interrupted = False
    try:
        with progress(len(names) + len(found), noun="agent") as advance:
            for name in names:
                performances.append(contest.play_baseline(name))
                advance()
            for path in found:
                performances.append(contest.play_file(path, limits))
                advance()
    except KeyboardInterrupt:
        interrupted = True
    rows = grades(performances)
    if rows:
        _write(contest, rows, csv)
    if seed is None:
        say([f"Seed of these episodes, to be kept secret: --seed {first}"])
    if interrupted:
        raise KeyboardInterrupt(f"stopped: agents graded: {sum(not row['baseline'] for row in rows)}")


def find_files(files: Sequence[Path]) -> list[Path]:
    """Return the Python files, those in folders sorted by name.

    Raises:
        ValueError: There is no such file, or a folder has none.
    """
    found: list[Path] = []
    for path in files:
        inside = sorted(file for file in path.glob("*.py") if file.name[0] not in "._") if path.is_dir() else [path]
        if not inside or (not path.is_dir() and (path.suffix != ".py" or not path.is_file())):
            raise ValueError(f"{path}: must be a Python file or a folder of them")
        found += inside
    return found


def grades(performances: Sequence[Performance]) -> list[dict[str, Any]]:
    """Return a row per agent, the best first.

    Args:
        performances: The agents' results: the random agent, the other baselines, then those to grade. Without a
            baseline there are no marks.
    """
    returns = [each.results[:, 0] for each in performances]
    means = [float(np.mean(np.where(np.isnan(own), returns[0], own))) for own in returns]
    marks = [mean for mean, each in zip(means, performances, strict=True) if each.baseline]
    rows: list[tuple[float, dict[str, Any]]] = []
    for mean, each in zip(means, performances, strict=True):
        finished = each.results[~np.isnan(each.results[:, 0])]
        mark = None
        if marks and not each.baseline:
            least, best = marks[0], max(marks)
            level = float(mean >= best) if best <= least else (mean - least) / (best - least)
            mark = 100 * float(np.clip(level, 0, 1)) if len(finished) else 0.0
        score = score_of(each.agent, finished, each.decision_ms) if len(finished) else None
        fields = ("mean_return", "interval", "success", "steps", "decision_ms")
        numbers = {name: None if score is None else getattr(score, name) for name in fields}
        row = {"agent": each.agent, "baseline": each.baseline, "mark": mark, **numbers, "happened": each.happened}
        rows.append((mean, row))
    return [row for _, row in sorted(rows, key=lambda each: (-each[0], not each[1]["baseline"]))]


def _write(contest: Contest, rows: list[dict[str, Any]], csv: Path | None) -> None:
    """Print the table, and write it to a file."""
    cells = []
    for row in rows:
        mark = "baseline" if row["baseline"] else "–" if row["mark"] is None else f"{row['mark']:.0f}"
        numbers = ["–"] * 4
        if row["mean_return"] is not None:
            numbers = [f"{row['mean_return']:+.1f} ± {row['interval']:.1f}", f"{row['success']:.0%}"]
            numbers += [f"{row['steps']:.1f}", f"{row['decision_ms']:.2f}"]
        cells.append([row["agent"], mark, *numbers])
    title = f"{contest.game.id}: {contest.episodes:,} {'levels' if contest.every_level else 'episodes'}"
    console.print(NumberTable(("agent",), ("mark", "return ± 95 %", "success", "steps", "ms"), cells, title))
    say(f"{row['agent']}: {row['happened']}" for row in rows if row["happened"])
    best = next((row["agent"] for row in rows if row["baseline"]), None)
    rule = (
        f"Marks say how far the mean return is from random (0) to {best} (100). An episode that was not finished "
        "counts as random played it. ms is per decision."
    )
    console.print(rule, markup=False, highlight=False)
    if csv is not None:
        with replacing(csv) as unfinished, unfinished.open("w", newline="", encoding="utf-8") as file:
            write_table(file, list(rows[0]), rows)
        say([f"wrote {csv}"])
