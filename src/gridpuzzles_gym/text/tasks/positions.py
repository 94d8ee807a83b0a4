"""Positions of puzzles: made from random bits, written as text and read back, with proofs about their solutions."""

import dataclasses
import functools
import hashlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from gridpuzzles_gym.agents.level_sources.makers import SIDES, make_source, settings_of
from gridpuzzles_gym.agents.orientations import first_orientation
from gridpuzzles_gym.agents.puzzle_agents import PuzzleTasks, agents_record
from gridpuzzles_gym.agents.samplers.base import below, mix
from gridpuzzles_gym.agents.search.problem import EXHAUSTED, INTERRUPTED, Limits, Problem
from gridpuzzles_gym.agents.search_tables import heuristic_named, optimal_searches_of, search_named

from ...engine.config import EnvConfig
from ...engine.levels.bundled import bundled
from ...engine.levels.sources import find_levels
from ...engine.messages import did_you_mean, quote
from ...engine.puzzle import SOLVED, UNFINISHED, Extent, Level, Puzzle
from ...engine.scene import Row
from ...engine.wording import wording_of
from ...registration import puzzle_of_id, spec_of
from ..views import View

_STEPS_A_CHANGE = 40
"""The maximum number of random actions per change of a position."""


@dataclasses.dataclass(frozen=True, eq=False)
class Position:
    """A position of a puzzle, with the options of the game."""

    puzzle: Puzzle
    options: Any
    extent: Extent
    level: Row
    state: Row

    @property
    def text(self) -> str:
        """Its level text."""
        return self.puzzle.format(self.level, self.state)

    @property
    def actions(self) -> tuple[str, ...]:
        """The name of each action, in order."""
        return self.puzzle.actions(self.options)

    @property
    def outcome(self) -> int:
        """One of UNFINISHED, SOLVED, DIED and LEFT."""
        return int(self.puzzle.rules.outcome(self.level, self.state))

    @property
    def config(self) -> EnvConfig:
        """The configuration of an environment that generates such levels."""
        name = wording_of(self.puzzle).observation
        return EnvConfig(self.puzzle, self.options, name, self.extent, (), None, None)

    def at(self, state: Row) -> "Position":
        """Return another position of the same level."""
        return dataclasses.replace(self, state=state)

    def after(self, action: int) -> "Position":
        """Return the position after an action."""
        state = self.state.copy()
        self.puzzle.rules.step(self.level, state, action, np.array([1], np.uint64))
        return self.at(state)

    def seen(self, view: View) -> str:
        """Return the player's observation as text."""
        observation = self.puzzle.observations[view.observation]
        space = observation.space(self.extent)
        seen = np.zeros(space.shape or (), space.dtype)
        observation.observe(self.level, self.state, seen.reshape(len(seen), -1) if seen.ndim == 3 else seen)
        return view.write(seen[None])[0]

    @property
    def key(self) -> str:
        """Equal for positions that pose the same problem, even rotated or mirrored; outer walls do not matter."""
        own = tasks_of(self.puzzle).key
        if own is not None:
            return _digest(own(self.level, self.state))
        rows = self.text.splitlines()
        if not agents_record(self.puzzle).symmetric or len({*map(len, rows)}) != 1:
            return _digest(self.text.encode())
        cells = np.array([[*row.encode("ascii")] for row in rows], np.uint8)
        border = "" if self.puzzle.palette is None else self.puzzle.palette.border
        if border:  # everything outside a board is wall anyway
            inside = np.argwhere(cells != ord(border))
            (top, left), (bottom, right) = inside.min(axis=0), inside.max(axis=0)
            cells = np.ascontiguousarray(cells[top : bottom + 1, left : right + 1])
        return _digest(first_orientation(cells))


def _digest(key: bytes) -> str:
    return hashlib.blake2b(key, digest_size=16).hexdigest()


class Source:
    """Makes positions of an environment from random bits.

    Args:
        env_id: The id of the environment.
        levels: Settings of the puzzle's level maker, and its own options.

    Attributes:
        play: The keyword arguments of an environment that plays the levels, except ``levels=``.

    Raises:
        ValueError: A setting is unknown or invalid, or no levels can be made.
    """

    def __init__(self, env_id: str, levels: Mapping[str, Any]) -> None:
        self.puzzle = puzzle_of_id(env_id)
        makes, options = settings_of(self.puzzle), {field.name for field in dataclasses.fields(self.puzzle.options)}
        known = dict.fromkeys([*makes, *sorted(options)])
        for name in levels:
            if name not in known:
                raise ValueError(f"levels of {env_id} have no setting {quote(name)}; {did_you_mean(name, known)}")
        left_out = ("puzzle", *(SIDES if "size" in levels else ()))
        registered = {name: value for name, value in spec_of(env_id).kwargs.items() if name not in left_out}
        generated_with = agents_record(self.puzzle).generated_with
        play = {**registered, **{name: value for name, value in levels.items() if name in options}}
        self.play = {name: value for name, value in play.items() if name not in generated_with}
        made = {name: value for name, value in levels.items() if name in makes}
        self._sample = make_source(self.puzzle, made, registered).sample

    def __call__(self, random_bits: int) -> Position:
        """Return the start of a new level."""
        level = self._sample(random_bits)
        options = self.puzzle.resolve_options(self.puzzle.read_options(**self.play), level.extent, ())
        rows = level.rows_for(self.puzzle, level.extent, options) or self.puzzle.encode(level, level.extent, options)
        return Position(self.puzzle, options, level.extent, rows[0], rows[1].copy())


def tasks_of(puzzle: Puzzle) -> PuzzleTasks:
    """Return the puzzle-specific part of tasks.

    Raises:
        ValueError: It has no tasks.
    """
    tasks = agents_record(puzzle).tasks
    if tasks is None:
        raise ValueError(f"{puzzle.title} has no tasks: its agents' record has none")
    return tasks()


def start_of(puzzle: Puzzle, level: Level, **options: Any) -> Position:
    """Return the start of a level; raises LevelError if it cannot be played."""
    resolved = puzzle.resolve_options(puzzle.read_options(**options), level.extent, [level])
    return Position(puzzle, resolved, level.extent, *puzzle.encode(level, level.extent, resolved))


def read_position(env_id: str, play: Mapping[str, Any], text: str) -> Position:
    """Return the start of the level with that text, in an environment.

    Raises:
        ValueError: It is not the text of one level that can be solved.
    """
    puzzle = puzzle_of_id(env_id)
    levels = puzzle.parse(text, "level text")
    if len(levels) != 1:
        raise ValueError(f"level={quote(text)}: must be one level, not {len(levels)}")
    return start_of(puzzle, levels[0], **play)


@functools.cache
def keys_of_tests(puzzle: Puzzle) -> frozenset[str]:
    """Return the keys of all bundled levels, except those of packs for training, next to which is a pack ``-test``."""
    names = bundled(puzzle)
    tests = [name for name in names if f"{name}-test" not in names]
    return frozenset(start_of(puzzle, level).key for name in tests for level in find_levels(puzzle, name))


def walk(start: Position, changes: int, random_bits: int) -> Position | None:
    """Perform random actions from the start of a level until the position has changed a number of times.

    Actions that would end the episode are not performed. If the player can walk without changing anything else, mere
    walking does not count as a change. The result is None if too many actions were needed.
    """
    rules, walker = start.puzzle.rules, agents_record(start.puzzle).walker
    level, state, actions = start.level, start.state.copy(), range(len(start.actions))
    rng = np.array([mix(random_bits) or 1], np.uint64)
    if rules.begin is not None:
        rules.begin(level, state, rng)
    step, most = 0, _STEPS_A_CHANGE * changes
    while changes > 0:
        legal = [action for action in actions if rules.legal(level, state, action)]  # may be empty
        if not legal or step >= most:
            return None
        step += 1
        after = state.copy()
        rules.step(level, after, legal[below(mix(random_bits, step), len(legal))], rng)
        if rules.outcome(level, after) != UNFINISHED:
            continue
        if walker is not None:
            state[walker] = after[walker]
        changes -= after.tobytes() != state.tobytes()
        state = after
    return start.at(state)


class Proof(NamedTuple):
    """A proven result about a position."""

    plan: tuple[int, ...] | None
    """A shortest plan; None: there is none."""
    expanded: int
    """The number of states that were expanded; 0 where no search applies."""


def prove(position: Position, nodes: int) -> Proof | None:
    """Find a shortest plan by the puzzle's optimal searches, or prove that there is none.

    The result is None if that needs more than ``nodes`` states, and the same on all machines. The position must not
    end the episode.
    """
    puzzle, informed_plan = position.puzzle, agents_record(position.puzzle).informed_plan
    if not puzzle.deterministic and informed_plan is not None:
        plan = informed_plan()(position.level, position.state)
        return Proof(None if plan is None else tuple(plan), 0)
    problem, expanded = Problem(puzzle, position.level, position.state, position.options), 0
    for advisor in optimal_searches_of(puzzle):
        limits = Limits(nodes=max(int(advisor.share * (nodes - expanded)), 1))
        search, heuristic = search_named(advisor.name, puzzle), heuristic_named(advisor.heuristic, puzzle)
        result = search.solve(problem, heuristic, limits, **advisor.parameters)
        expanded += result.expanded
        if result.status == INTERRUPTED:
            raise KeyboardInterrupt
        if result.solved or result.status == EXHAUSTED:
            return Proof(result.actions if result.solved else None, expanded)
    return None


def optimal_actions(position: Position, nodes: int) -> tuple[list[int], Proof] | None:
    """Return the first actions of all shortest plans, and one of these plans; None without a proof or a plan."""
    proof = prove(position, nodes)
    if proof is None or not proof.plan:
        return None
    best, legal = [], position.puzzle.rules.legal
    for action in range(len(position.actions)):
        after = position.after(action)
        if (after.state == position.state).all() or not legal(position.level, position.state, action):
            continue
        rest = Proof((), 0) if after.outcome == SOLVED else prove(after, nodes)
        if rest is None:
            return None
        if rest.plan is not None and len(rest.plan) + 1 == len(proof.plan):
            best.append(action)
    return best, proof
