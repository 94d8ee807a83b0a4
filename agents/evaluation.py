"""Compares agents on the same seeded episodes, or on every level of a pack: as a table, a CSV file or a chart.

What happens in an episode depends on its seeds only, not on the others that are played with it; except with models of
Stable-Baselines3, which sample from one random generator.
"""

import contextlib
import dataclasses
import functools
import io
import itertools
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from gridpuzzles_gym.engine.arguments import integer
from gridpuzzles_gym.engine.config import EnvConfig
from gridpuzzles_gym.engine.puzzle import DIED, SOLVED, UNFINISHED
from gridpuzzles_gym.engine.system.csv_text import write_table
from gridpuzzles_gym.engine.system.files import replacing
from gridpuzzles_gym.engine.system.tables import NumberTable
from gridpuzzles_gym.engine.vector import PuzzleVectorEnv

from .game import Game
from .parallel import SerialExecutor, TaskExecutor, ordered
from .policy import Policy
from .registry import load_agent, observation_for

AGENT_SEED = 10**12
"""Added to an episode's seed, it is the agent's: with equal seeds, both would sample the same random bits."""

Arrays = npt.NDArray[Any]
Numbers = npt.NDArray[np.intp]


class Played(NamedTuple):
    """The results of some episodes."""

    results: npt.NDArray[np.float64]
    """[episodes, 3]: return, outcome, length."""
    decisions: int
    """Number of timed decisions: all but those of a player's first step, which may load or compile."""
    seconds: float
    """The time that they took."""


class Log(Protocol):
    """Receives everything that happens."""

    def see(self, env: PuzzleVectorEnv, going: Numbers, observations: Arrays, infos: dict[str, Any]) -> None:
        """Called with the environments after the reset and after each step; ``going`` has the episodes concerned."""

    def act(self, going: Numbers, *arrays: Arrays) -> None:
        """Called with the actions, rewards, terminations and truncations of all environments after each step."""


class Player:
    """An agent and the environments in which it plays.

    Args:
        game: The game.
        agent: The name of an agent, or the path of a model.
        size: The maximum number of episodes at the same time.
        trust_pickle: Load models that can run any code.

    Raises:
        ValueError: The agent does not play this environment.
    """

    def __init__(self, game: Game, agent: str, size: int, trust_pickle: bool = False) -> None:
        self.game, self.name, self.trust_pickle = game, agent, trust_pickle
        self.env = game.make_vec(size, autoreset_mode=AutoresetMode.NEXT_STEP)
        self._begun = False
        self._observation = self._readable_observation()

    def _readable_observation(self) -> str:
        """Return the observation that the agent reads: its own, or else that of the environment if possible."""
        puzzle, given = self.env.puzzle, self.env.config.observation
        needed = observation_for(self.name, puzzle, self.game.id)
        choices = [needed] if needed else list(dict.fromkeys((given, *puzzle.observations)))
        for number, observation in enumerate(choices, start=1):
            try:
                self.make_agent(self._view(observation), 0)
            except ValueError:
                if number == len(choices):
                    raise
            else:
                return observation
        raise AssertionError

    def _view(self, observation: str) -> "View":
        env = self.env
        return View(env, env.spec, dataclasses.replace(env.config, observation=observation), np.arange(env.num_envs))

    def make_agent(self, view: "View", seed: int) -> Policy:
        """Return the agent for these environments."""
        return load_agent(self.name, view, seed, self.trust_pickle)

    def play(
        self,
        seeds: range,
        deterministic: bool,
        levels: Sequence[int] | None = None,
        log: Log | None = None,
    ) -> Played:
        """Play one episode from each seed.

        Args:
            seeds: As many seeds as there are environments, or fewer. The agent's are these plus :data:`AGENT_SEED`.
            deterministic: Models take their most probable action.
            levels: The number of each episode's level in the environment's pack; None: levels are sampled.
            log: Receives everything that happens.
        """
        env, view = self.env, self._view(self._observation)
        agent, memory = self.make_agent(view, AGENT_SEED + seeds.start), None
        results = np.zeros((len(seeds), 3))
        going = np.arange(len(seeds))
        unused = env.num_envs - len(seeds)
        observations, infos = env.reset(seed=[*seeds, *[0] * unused])
        for i, level in enumerate(levels or ()):
            observations, infos = env.reset(
                options={"reset_mask": np.arange(env.num_envs) == i, "level": level},
            )
        if log is not None:
            log.see(env, going, observations, infos)
        starts = np.ones(len(seeds), np.bool_)
        decisions, seconds = 0, 0.0
        while len(going):
            view.going = going
            actions = np.zeros(env.num_envs, np.int64)
            seen, begun = view.observe(observations), time.perf_counter()
            actions[going], memory = agent.predict(seen, memory, starts, deterministic)
            if self._begun:
                seconds += time.perf_counter() - begun
                decisions += len(going)
            self._begun = True
            observations, rewards, terminated, truncated, infos = env.step(actions)
            if log is not None:
                log.act(going, actions, rewards, terminated, truncated)
                log.see(env, going, observations, infos)
            over = (terminated | truncated)[going]
            if over.any():
                ended = going[over]
                endings = env.batch.endings(ended)
                results[ended] = np.stack([endings.returns, endings.outcomes, endings.lengths], axis=1)
                going = going[~over]
                memory = None if memory is None else tuple(array[~over] for array in memory)
            starts = np.zeros(len(going), np.bool_)
        return Played(results, decisions, seconds)

    def close(self) -> None:
        """Close the environments."""
        self.env.close()


@dataclasses.dataclass
class View:
    """The environments whose episodes go on, as an agent sees them."""

    env: PuzzleVectorEnv
    spec: Any
    config: EnvConfig
    going: Numbers

    @property
    def unwrapped(self) -> "View":
        """Itself, as there is no wrapper."""
        return self

    @property
    def single_observation_space(self) -> gym.Space[Any]:
        """The agent's observation space in one environment."""
        return self.env.observation_format.space(self.config.space)

    @property
    def single_action_space(self) -> gym.Space[Any]:
        """The action space of one environment."""
        return self.env.single_action_space

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return their legal actions, bool[going, A]."""
        masks: npt.NDArray[np.bool_] = self.env.action_masks()[self.going]
        return masks

    def observe(self, observations: Arrays) -> Arrays:
        """Return the agent's observations, [going, ...].

        Args:
            observations: Those that all environments returned.
        """
        name = self.config.observation
        own = name == self.env.config.observation
        seen = observations if own else self.env.observation_format.of(self.env.batch.observed_as(name))
        return seen[self.going]


SEED = 1_000_000
"""Default seed of the first episode; training uses much lower seeds."""
NUM_ENVS = 256
"""Default number of episodes that are played at the same time."""
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
    """Number of agents that have no score because of Ctrl-C."""
    every_level: bool = False
    """Whether every level was played once."""

    def table(self) -> NumberTable:
        """Return a table for the terminal."""
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
            write_table(file, [field.name for field in dataclasses.fields(Score)], map(dataclasses.asdict, self.scores))

    def write_chart(self, path: str | Path) -> None:
        """A PNG: mean returns with their confidence intervals, and how episodes ended."""
        with replacing(path) as unfinished:
            self._chart().savefig(unfinished, dpi=120)

    def _repr_html_(self) -> str:
        """Return the table for notebooks, and the chart if matplotlib is installed."""
        html = self.table()._repr_html_()
        with contextlib.suppress(ImportError):
            chart, png = self._chart(), io.BytesIO()
            chart.savefig(png, format="png")
            from gridpuzzles_gym.engine.pictures.canvas import png_html  # needs pygame

            html += png_html(png.getvalue(), f"{self.env_id}: the mean returns of these agents, and how episodes ended")
        return html

    def _chart(self) -> Any:
        """Draw the chart as a figure of matplotlib."""
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
        return figure


def compare(
    game: Game | str,
    agents: Sequence[str],
    episodes: int = 1000,
    seed: int = SEED,
    num_envs: int = NUM_ENVS,
    progress: bool = True,
    deterministic: bool = False,
    trust_pickle: bool = False,
    every_level: bool = False,
    executor: TaskExecutor | None = None,
) -> Comparison:
    """Play every agent on the episodes seeded ``seed, seed + 1, …``.

    Ctrl-C ends the comparison with the scores of the agents that are finished.

    Args:
        game: The game, or the id of one with no settings.
        agents: Names that :func:`~gridpuzzles_gym.agents.registry.agents_of` returns, or paths of trained models.
        episodes: Number of episodes.
        seed: Seed of the first episode; later ones use seed+1, seed+2, …
        num_envs: Number of episodes that are played at the same time, and that make a task.
        progress: Show a progress bar.
        deterministic: Trained models take their most probable action instead of sampling.
        trust_pickle: Load models that Stable-Baselines3 saved: their files can run arbitrary code.
        every_level: Play each level of the environment's pack once, in order, instead of ``episodes``.
        executor: Where the episodes are played; it does not change the results. None: in this process.

    Raises:
        ValueError: An agent is unknown, a model is missing, a number is not positive, or every level is to be played
            where they are generated.
    """
    for name, number in (("episodes", episodes), ("num_envs", num_envs)):
        integer(name, number, 1, MOST)
    if not agents:
        raise ValueError("no agent to compare; name at least one")
    if isinstance(game, str):
        game = Game.of(game)
    if every_level:
        levels = game.pack()
        episodes, game = len(levels), game.with_settings(levels=levels)
    match = Match(game, seed, episodes, min(num_envs, episodes), deterministic, trust_pickle, every_level)
    try:
        for agent in agents:
            match.player(agent)  # reports errors before anything is played
        return Comparison(game.id, seed, *_scores(match, agents, executor or SerialExecutor(), progress), every_level)
    finally:
        match.close()


def _scores(
    match: "Match", agents: Sequence[str], executor: TaskExecutor, progress: bool
) -> tuple[tuple[Score, ...], int]:
    """Return the scores of the agents that finish before Ctrl-C, and how many do not."""
    columns = TextColumn("{task.description:>24}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    tasks = ((agent, number) for agent in agents for number in range(match.tasks))
    scores: list[Score] = []
    with (
        Progress(*columns, disable=not progress) as bars,
        contextlib.closing(ordered(executor, match, tasks)) as played,
        contextlib.suppress(KeyboardInterrupt),
    ):
        for agent in agents:
            bar, done = bars.add_task(agent, total=match.episodes), 0
            results = np.empty((match.episodes, 3))
            seconds, decisions = 0.0, 0
            for _, part in itertools.islice(played, match.tasks):
                results[done : done + len(part.results)] = part.results
                done += len(part.results)
                seconds, decisions = seconds + part.seconds, decisions + part.decisions
                bars.update(bar, completed=done)
            scores.append(score_of(agent, results, 1000 * seconds / max(decisions, 1)))
    return tuple(scores), len(agents) - len(scores)


@dataclasses.dataclass(frozen=True)
class Match:
    """The episodes that agents are compared on; a callable that plays some of them, in any process."""

    game: Game
    seed: int
    episodes: int
    size: int
    """Number of episodes in a task."""
    deterministic: bool
    trust_pickle: bool
    every_level: bool
    """Whether episode i is played on level i of the environment's pack."""

    @property
    def tasks(self) -> int:
        """The number of tasks of each agent."""
        return -(-self.episodes // self.size)

    def __call__(self, task: tuple[str, int]) -> Played:
        """Play the episodes of an agent's task."""
        agent, number = task
        some = range(self.seed, self.seed + self.episodes)[number * self.size :][: self.size]
        levels = range(some.start - self.seed, some.stop - self.seed) if self.every_level else None
        return self.player(agent).play(some, self.deterministic, levels)

    def player(self, agent: str) -> Player:
        """Return an agent with an environment of its own, made with the observation that it needs.

        Raises:
            ValueError: The agent is unknown, or does not play this environment.
        """
        if agent not in self._players:
            game = self.game
            if (needed := observation_for(agent, game.puzzle, game.id)) is not None:
                game = game.with_settings(observation=needed)
            self._players[agent] = Player(game, agent, self.size, self.trust_pickle)
        return self._players[agent]

    def close(self) -> None:
        """Close the environments of this process."""
        for player in self._players.values():
            player.close()

    @functools.cached_property
    def _players(self) -> dict[str, Player]:
        return {}

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}


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
