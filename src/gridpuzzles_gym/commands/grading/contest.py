"""Playing the same episodes with every agent, one after the other."""

import contextlib
import dataclasses
import itertools
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import gymnasium as gym
import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.agents.playing import AGENT_SEED
from gridpuzzles_gym.agents.registry import observation_for
from gridpuzzles_gym.agents.simple_agent import task_of
from gridpuzzles_gym.agents.thoughts import Thoughts

from ...engine.messages import plural, quote
from ...engine.puzzle import OUTCOMES, Puzzle
from ...session.session import ENDINGS, Player
from ...web.film import Episode, Frame
from .agent_process import AgentError, AgentLimits, AgentProcess, DeclaredAgent, ProcessEndedError, read_agent
from .isolation import Isolation

STOPPED = "stopped by Ctrl-C"


@dataclasses.dataclass(frozen=True)
class Contest:
    """The episodes that every agent plays."""

    env_id: str
    puzzle: Puzzle
    env_kwargs: Mapping[str, Any]
    episodes: int
    seed: int
    """The seed of the first episode; later ones use seed+1, seed+2, …"""
    every_level: bool
    """Whether episode i is played on level i of the environment's levels; otherwise levels are sampled."""
    filmed: int = 0
    """Number of episodes that are filmed, from the first."""

    def env(self, observation: str | None) -> gym.Env[Any, Any]:
        """Return an environment.

        Args:
            observation: The observation that the agent sees; None: the contest's default.

        Raises:
            ValueError: The observation is unknown, or a keyword argument is invalid.
        """
        own = {} if observation is None else {"observation": observation}
        return gym.make(self.env_id, disable_env_checker=True, **{**self.env_kwargs, **own})


class Contestant(Protocol):
    """An agent in a contest."""

    def act(self, observation: npt.NDArray[Any], start: bool, masks: npt.NDArray[np.bool_]) -> int:
        """Return the next action, as :meth:`.AgentProcess.act`; raises AgentError."""

    def thoughts(self) -> Thoughts:
        """Return its thoughts, for films."""


class Baseline:
    """An agent of the suite in a contest.

    Args:
        name: The name of an agent, or the path of a model.
        env: The environment that it plays, with the observation that it needs.
        seed: Its seed in the first episode; later ones use seed+1, seed+2, …

    Raises:
        ValueError: It is unknown, or does not play this environment.
    """

    def __init__(self, name: str, env: gym.Env[Any, Any], seed: int) -> None:
        self._player = Player(name, env, seed)
        self._players = (Player(name, env, each) for each in itertools.count(seed))

    def act(self, observation: npt.NDArray[Any], start: bool, masks: npt.NDArray[np.bool_]) -> int:
        """Return the next action."""
        if start:
            self._player = next(self._players)
        return self._player.act(observation)

    def thoughts(self) -> Thoughts:
        """Return its thoughts."""
        return self._player.thoughts()


class SubmittedAgent:
    """A submitted agent in a contest, in its own process."""

    def __init__(self, process: AgentProcess, actions: Sequence[str]) -> None:
        self._process, self._actions = process, actions

    def act(self, observation: npt.NDArray[Any], start: bool, masks: npt.NDArray[np.bool_]) -> int:
        """Return the next action; raises AgentError."""
        action = self._process.act(observation, start, masks)
        if not 0 <= action < len(self._actions):
            raise AgentError(f"returned {action}: actions are 0 to {len(self._actions) - 1}")
        return action

    def thoughts(self) -> Thoughts:
        """Return no thoughts: they are not known."""
        return Thoughts()


class EpisodeResult(NamedTuple):
    """The result of an episode."""

    score: float
    """The sum of rewards."""
    outcome: int
    """An index into :data:`~gridpuzzles_gym.engine.puzzle.OUTCOMES`."""
    steps: int


@dataclasses.dataclass
class Performance:
    """An agent's results in a contest."""

    agent: str
    baseline: bool = False
    """Whether it is one of the suite's agents."""
    results: list[EpisodeResult | None] = dataclasses.field(default_factory=list)
    """The result of each episode; None if the agent did not finish it."""
    decisions: int = 0
    """Number of timed decisions: all but the first, which may load or compile."""
    seconds: float = 0.0
    """Their total time, in seconds."""
    happened: list[str] = dataclasses.field(default_factory=list)
    """Errors and remarks, in words."""
    interrupted: bool = False
    """Whether Ctrl-C stopped it."""
    films: list[Episode] = dataclasses.field(default_factory=list)


def play_baseline(contest: Contest, agent: str, advance: Callable[[], object]) -> Performance:
    """Play the episodes with an agent of the suite.

    Args:
        contest: The episodes.
        agent: Its name, or the path of a model.
        advance: Called after each episode.

    Raises:
        ValueError: It is unknown, or does not play this environment.
        KeyboardInterrupt: Ctrl-C.
    """
    with contextlib.closing(contest.env(observation_for(agent, contest.puzzle, contest.env_id))) as env:
        found = Performance(agent, baseline=True)
        _play(contest, Baseline(agent, env, AGENT_SEED + contest.seed), env, found, advance)
    if found.interrupted:
        raise KeyboardInterrupt
    return found


def play_file(
    contest: Contest,
    path: Path,
    name: str,
    limits: AgentLimits,
    isolation: Isolation,
    begin: Callable[[str], Callable[[], object]],
) -> list[Performance]:
    """Play the episodes with the agents in a Python file, each in its own process.

    Args:
        contest: The episodes.
        path: The file.
        name: Prefix of the names of its agents; empty: none.
        limits: Limits of each agent.
        isolation: How their processes are isolated.
        begin: Called with the name of each agent; returns a function to call after each of its episodes.

    Returns:
        One result per agent; if there is no agent, one result that says why.
    """
    file = Performance(name or path.name, results=[None] * contest.episodes)
    try:
        source = read_agent(path)
    except AgentError as fault:
        file.happened.append(str(fault))
        return [file]
    with AgentProcess(path.name, source, limits, isolation) as process:
        try:
            declared = process.classes()
            if not declared:
                raise AgentError("has no class with a method predict")
        except AgentError as fault:
            file.happened.append(str(fault))
        except KeyboardInterrupt:
            file.happened, file.interrupted = [STOPPED], True
        if file.happened:
            process.close()
            file.happened += process.notes
            return [file]
        found = [_play_submitted(contest, process, declared[0], _full_name(name, declared[0]), begin)]
    for each in declared[1:]:
        if found[-1].interrupted:
            break
        with AgentProcess(path.name, source, limits, isolation) as process:
            found.append(_play_submitted(contest, process, each, _full_name(name, each), begin, load=True))
    return found


def _full_name(name: str, declared: DeclaredAgent) -> str:
    return f"{name}.{declared.name}" if name else declared.name


def _play_submitted(
    contest: Contest,
    process: AgentProcess,
    declared: DeclaredAgent,
    name: str,
    begin: Callable[[str], Callable[[], object]],
    load: bool = False,
) -> Performance:
    """Play the episodes with one agent of a file, which is loaded first if ``load``."""
    found = Performance(name)
    observations = contest.puzzle.observations
    try:
        if load:
            process.classes()
        if declared.observation is not None and declared.observation not in observations:
            raise AgentError(
                f"wants the observation {quote(declared.observation)}: there are {', '.join(observations)}"
            )
        with contextlib.closing(contest.env(declared.observation)) as env:
            task = task_of(env)
            process.construct(declared.name, task)
            _play(contest, SubmittedAgent(process, task["actions"]), env, found, begin(name))
    except AgentError as fault:
        found.happened.append(str(fault))
    except KeyboardInterrupt:
        found.interrupted = True
        found.happened.append(STOPPED)
    found.results += [None] * (contest.episodes - len(found.results))
    process.close()
    found.happened += process.notes
    return found


def _play(
    contest: Contest,
    contestant: Contestant,
    env: gym.Env[Any, Any],
    found: Performance,
    advance: Callable[[], object],
) -> None:
    """Play all episodes; an agent's error ends its episode, an error of its process ends all."""
    faults: Counter[str] = Counter()
    for number in range(contest.episodes):
        try:
            found.results.append(_episode(contest, contestant, env, found, number))
        except ProcessEndedError as fault:
            found.happened.append(f"{fault}, in episode {number + 1}")
            break
        except AgentError as fault:
            found.results.append(None)
            faults[str(fault)] += 1
        except KeyboardInterrupt:
            found.interrupted = True
            found.happened.append(STOPPED)
            break
        advance()
    total = plural(contest.episodes, "episode")
    found.happened += [f"{words}, in {times} of {total}" for words, times in faults.most_common(2)]
    found.results += [None] * (contest.episodes - len(found.results))


def _episode(
    contest: Contest, contestant: Contestant, env: gym.Env[Any, Any], found: Performance, number: int
) -> EpisodeResult:
    """Play one episode; raises AgentError."""
    inner: Any = env.unwrapped
    observation, info = env.reset(seed=contest.seed + number)
    if contest.every_level:
        observation, info = env.reset(options={"level": number})
    frames: list[Frame] = []
    start, over, score, steps = True, False, 0.0, 0
    try:
        while not over:
            begun = time.perf_counter()
            action = contestant.act(observation, start, info["action_mask"] == 1)
            if found.decisions or not start or number:
                found.seconds += time.perf_counter() - begun
                found.decisions += 1
            if number < contest.filmed:
                frames.append(Frame(inner.scene(), contestant.thoughts(), info["outcome"], False))
            observation, reward, terminated, truncated, info = env.step(action)
            start, over, score, steps = False, terminated or truncated, score + float(reward), steps + 1
    finally:
        if number < contest.filmed:
            frames.append(Frame(inner.scene(), Thoughts(), info["outcome"], True))
            word = ENDINGS[info["outcome"]] if over else "Unfinished"
            label = ", ".join(filter(None, (frames[0].scene.title, f"episode {number + 1}")))
            summary = f"{word} after {plural(steps, 'step')}, return {score:g}"
            found.films.append(Episode(found.agent, label, summary, frames))
    return EpisodeResult(score, OUTCOMES.index(info["outcome"]), steps)
