"""Advice to a player: the next action, or a whole solution, from the current position.

The ``advisors`` of a puzzle's agents' record say what gives advice. Puzzles without chance and hidden information are
solved by search; in the others an agent advises, from what the player has observed so far. :class:`Advice` asks for it
in another process, and remembers solutions while the player follows them.
"""

import dataclasses
import functools
import pickle
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium.envs.registration import EnvSpec

from gridpuzzles_gym.agents.parallel.workers import report
from gridpuzzles_gym.agents.policy import Policy, Recollection, act_after
from gridpuzzles_gym.agents.puzzle_agents import Advisor
from gridpuzzles_gym.agents.registry import load_agent, observation_for, plays_by_network
from gridpuzzles_gym.agents.search.problem import EXHAUSTED, INTERRUPTED, Limits, Problem, Progress, Result, Snapshot
from gridpuzzles_gym.agents.search_tables import advisors_of, heuristic_named, search_named, searches_of
from gridpuzzles_gym.agents.thoughts import Thoughts

from ..engine.puzzle import UNFINISHED, Extent, Puzzle, load_puzzle
from ..engine.scene import Row
from .jobs import Job
from .session import Session

FIRST_ROUND, GROWTH = 0.4, 4
"""Seconds that the advisors share in the first round, and the factor from one round to the next."""
HINT_SECONDS = 8.0
"""Time limit of the search for a hint, in seconds; nearly all hints are found in the first round."""
MEMORY = 2**30
"""Memory limit of a search, in bytes."""
OVER = "this episode is over"
UNSOLVABLE = "this cannot be solved any more; undo some moves"


class Position(NamedTuple):
    """An episode so far; picklable."""

    spec: EnvSpec
    """The specification of the environment."""
    options: Any
    """The puzzle's resolved options."""
    extent: Extent
    level: Row
    states: npt.NDArray[np.int16]
    """[T + 1, S]: the states from the start to the current one."""
    actions: tuple[int, ...]
    """The T actions taken."""
    limit: int | None
    """The step limit of the episode."""
    saved: Any
    """The state of the environment, with its random numbers to come."""

    @classmethod
    def of(cls, session: Session) -> "Position":
        """Return the current position of a session."""
        config, actions = session.env.config, session.actions
        assert session.env.spec is not None
        states, level = np.array(session.states), session.env.scene().level
        rest = level, states, tuple(actions), session.limit, session.env.get_state()
        return cls(session.env.spec, config.options, config.extent, *rest)

    @property
    def puzzle(self) -> Puzzle:
        """The puzzle."""
        return load_puzzle(self.spec.kwargs["puzzle"])

    @property
    def state(self) -> Row:
        """The current state."""
        state: Row = self.states[-1]
        return state

    @property
    def key(self) -> bytes:
        """The level and the current state as bytes."""
        return self.level.tobytes() + self.state.tobytes()

    @property
    def over(self) -> bool:
        """Whether the episode has ended by the puzzle's rules."""
        return bool(self.puzzle.rules.outcome(self.level, self.state) != UNFINISHED)

    def observe(self, name: str, k: int) -> npt.NDArray[Any]:
        """Return the observation of that name after ``k`` actions."""
        observation = self.puzzle.observations[name]
        space = observation.space(self.extent)
        shape = space.shape or ()
        view = np.zeros((shape[0], shape[1] * shape[2]) if len(shape) == 3 else shape, space.dtype)
        observation.observe(self.level, self.states[k], view)
        return view.reshape(shape)


@dataclasses.dataclass(frozen=True, eq=False)
class Hint:
    """Advice for one position."""

    source: str = ""
    """The name of the search or agent that gives it."""
    plan: tuple[int, ...] = ()
    """From a search: the actions to the goal or, without a solution, to its best state. From an agent: one action."""
    solves: bool = False
    """Whether the plan reaches the goal."""
    message: str = ""
    """Why there is no advice; empty if there is."""
    states: npt.NDArray[np.int16] | None = None
    """[T + 1, S]: the states along a search's plan of T actions."""
    result: Result | None = None
    """The result of the search."""

    @property
    def action(self) -> int | None:
        """The next action; None if there is no advice."""
        return self.plan[0] if self.plan and not self.message else None

    @property
    def final(self) -> bool:
        """Whether no other search, and no more time, can improve it."""
        return self.solves or self.result is None or self.result.status in (EXHAUSTED, INTERRUPTED)

    def after(self, k: int) -> "Hint":
        """Return the hint for the position after ``k`` actions of its plan."""
        states = None if self.states is None else self.states[k:]
        return dataclasses.replace(self, plan=self.plan[k:], states=states)


class Decision(NamedTuple):
    """One decision of an agent."""

    action: int
    thoughts: Thoughts
    """What it thought when it chose the action."""


class Request(NamedTuple):
    """A question for :func:`advise`; picklable."""

    position: Position
    advisors: Sequence[Advisor] = ()
    """The advisors to ask, in order; if empty, those of the puzzle."""
    seconds: float | None = HINT_SECONDS
    """The time limit of searches; None for no limit."""


def advise(request: Request, progress: Progress = False) -> Hint:
    """Return the advisors' first final hint (a solution, a proof of none, an agent's action), or the last one.

    Args:
        request: The question.
        progress: How the searches show progress.

    Raises:
        ValueError: A search or agent is unknown, or no advisor plays this level.
    """
    position = request.position
    if position.over:
        return Hint(message=OVER)
    advisors = request.advisors or advisors_of(position.puzzle)
    if not advisors:
        return Hint(message=f"there is no search or agent for {position.puzzle.title}")
    for seconds in _rounds(request.seconds) if len(advisors) > 1 else [request.seconds]:
        hint = _ask_all(position, advisors, seconds, progress)
        if hint.final:
            break
    return hint


def _rounds(total: float | None) -> Iterator[float | None]:
    """Yield the seconds of each round; together they take ``total``."""
    begun, seconds = time.monotonic(), FIRST_ROUND
    while total is None or total - (time.monotonic() - begun) > GROWTH * seconds:
        yield seconds
        seconds *= GROWTH
    yield max(total - (time.monotonic() - begun), 0.02)


def _ask_all(position: Position, advisors: Sequence[Advisor], seconds: float | None, progress: Progress) -> Hint:
    """Return the first final hint, asking every advisor once; otherwise the last failure."""
    until = None if seconds is None else time.monotonic() + seconds
    hint: Hint | None = None
    refused = ValueError("no advisors")
    for advisor in advisors:
        try:
            if advisor.name not in searches_of(position.puzzle):
                return _ask_agent(position, advisor.name)
            part = None if until is None else max(advisor.share * (until - time.monotonic()), 0.02)
            hint = _search(position, advisor, part, progress)
        except ValueError as error:
            refused = error
            continue
        if hint.final:
            return hint
    if hint is None:
        raise refused
    return hint


def _search(position: Position, advisor: Advisor, seconds: float | None, progress: Progress) -> Hint:
    puzzle = position.puzzle
    problem = Problem(puzzle, position.level, position.state, position.options)
    search, heuristic = search_named(advisor.name, puzzle), heuristic_named(advisor.heuristic, puzzle)
    result = search.solve(problem, heuristic, Limits(seconds=seconds, memory=MEMORY), 0, progress, **advisor.parameters)
    message = f"{search.name} found no solution"
    if result.solved:
        message = ""
    elif result.status == EXHAUSTED:
        message = UNSOLVABLE
    elif result.status == INTERRUPTED:
        message = f"{search.name} was stopped"
    elif result.reason == "memory":
        message = f"{search.name} needs more memory"
    elif seconds is not None and result.reason == "seconds":
        message = f"no solution was found in {result.seconds:.1f} seconds"
    states = np.array(problem.replay(result.actions))
    return Hint(search.name, result.actions, result.solved, message, states, result)


def _ask_agent(position: Position, name: str) -> Hint:
    start = position.level.tobytes(), position.states[0].tobytes()
    player = _player_of(pickle.dumps((name, position.spec, position.limit, *start)))
    if plays_by_network(name):
        _move_to(player.env, position)
    player.memory = act_after(
        player.policy, lambda k: position.observe(player.observation, k), position.actions, player.memory
    )
    return Hint(name, (player.memory.action,))


@dataclasses.dataclass
class _Player:
    """An agent, with its memory after the last position it was asked about."""

    policy: Policy
    env: Any
    observation: str
    memory: Recollection | None = None


@functools.lru_cache(1)
def _player_of(key: bytes) -> _Player:
    """Return the agent of a pickled (name, specification, step limit, level, start).

    The one that was asked last is kept: it may already have a plan for the whole episode.
    """
    name, spec, limit, *_ = pickle.loads(key)
    needed = observation_for(name, puzzle := load_puzzle(spec.kwargs["puzzle"]), spec.id)
    needed = needed or next(iter(puzzle.observations))
    env = gym.make(spec, max_episode_steps=limit or -1, disable_env_checker=True, observation=needed)
    return _Player(load_agent(name, env), env, needed)


def _move_to(env: Any, position: Position) -> None:
    """Set an environment to a position: a model may ask it which actions are legal."""
    env.reset(seed=0)
    saved = env.unwrapped.get_state()
    saved["levels"][0], saved["states"][0] = position.level, position.state
    env.unwrapped.set_state(saved)


# -- in another process ------------------------------------------------------------------------------


def advice_job(request: Request) -> Iterator[Snapshot | Hint]:
    """Yield the progress of searches and then the :class:`Hint` for a request, as a job."""
    yield advise(request, report)


def solve_job(request: Request) -> Iterator[Snapshot | Hint | Decision]:
    """Yield what :func:`advice_job` does; from an agent, its decisions up to the end of the episode."""
    hint = advise(request, report)
    if hint.result is not None or hint.action is None:
        yield hint
        return
    position = request.position
    env: Any = gym.make(position.spec, max_episode_steps=-1, disable_env_checker=True).unwrapped
    env.batch.interpret()
    env.reset(seed=0)
    env.set_state(position.saved)
    while True:
        action = hint.plan[0]
        yield Decision(action, Thoughts())
        env.step(action)
        states = np.append(position.states, env.get_state()["states"][:1], axis=0)
        position = position._replace(states=states, actions=(*position.actions, action))
        if position.over or len(position.actions) == position.limit:
            return
        hint = _ask_agent(position, hint.source)


def warm_up(item: None = None) -> Iterator[None]:
    """Do nothing; loading this function imports what advice needs, to prepare a process for jobs."""
    yield


class Advice:
    """Hints for a session, and the solutions found for them.

    Args:
        session: The session; its level may change.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self._job: Job | None = None
        self._asked: Position | None = None
        self._found: Hint | None = None
        self._known: dict[bytes, tuple[Hint, int]] = {}

    @property
    def waiting(self) -> bool:
        """Whether a hint is being searched for; then :meth:`poll` must be called."""
        return self._job is not None

    def ask(self) -> Hint | None:
        """Return the hint for the current position if it is known; otherwise begin to search, and return None."""
        position = Position.of(self.session)
        if position.key in self._known:
            hint, k = self._known[position.key]
            return hint.after(k)
        if self._job is None or self._asked is None or position.key != self._asked.key:
            self.cancel()
            self._asked, self._found, self._job = position, None, Job(advice_job, Request(position))
        return None

    def poll(self) -> Hint | None:
        """Return the hint for the current position once, when it is known."""
        asked = self._asked
        if self._job is None or asked is None:
            return None
        for update in self._job.poll():
            if isinstance(update, Hint):
                self._found = update
        if not self._job.done:
            return None
        hint, self._job = self._found or Hint(message=self._job.error), None
        if hint.message == UNSOLVABLE:
            self._known[asked.key] = hint, 0
        elif hint.solves and hint.states is not None:
            level = asked.level.tobytes()
            for k, state in enumerate(hint.states[:-1]):
                self._known[level + state.tobytes()] = hint, k
        return hint if Position.of(self.session).key == asked.key else None

    def cancel(self) -> None:
        """Stop the search."""
        if self._job is not None:
            self._job.cancel()
            self._job = None
