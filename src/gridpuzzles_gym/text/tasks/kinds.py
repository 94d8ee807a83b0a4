"""The tasks ``plan``, ``best-action`` and ``solvable``, and the positions that they ask about.

Each makes questions from random bits, with proofs about their answers, and scores replies.
"""

import dataclasses
import functools
import hashlib
from collections.abc import Callable, Mapping
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
from ...engine.wording import unwrapped, wording_of
from ...registration import puzzle_of_id, spec_of
from ..replies import ReplyReader, read_choice
from ..views import View

Settings = Mapping[str, Any]
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
    puzzle, shortest_plan = position.puzzle, agents_record(position.puzzle).shortest_plan
    if not puzzle.deterministic and shortest_plan is not None:
        plan = shortest_plan()(position.level, position.state)
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


class Draft(NamedTuple):
    """A question made from some random bits."""

    position: Position
    """The position that is shown."""
    origin: Position
    """The start of its level."""
    question: str
    """The question, and how to reply."""
    answer: str
    """A correct reply."""
    numbers: Mapping[str, int]
    """Measurements of its difficulty, by name."""
    info: Mapping[str, Any]
    """Data for scoring."""
    picture: str | None = None
    """The position as text with a legend; None: as the player sees it."""


@dataclasses.dataclass(frozen=True)
class Task:
    """A family of questions with an exact verifier."""

    name: str
    make: Callable[[Source, Settings, int, int], Draft | None]
    """``make(source, settings, random_bits, parity)``: determined by the arguments; None if these random bits give
    none. ``parity`` is 0 or 1, equally often; tasks with two answers balance them by it."""
    score: Callable[[Mapping[str, Any], Any], float]
    """``score(row, reply)``: from 0 to 1, of a reply to an item's row; no reply raises an error."""
    defaults: Settings
    """The task's settings with their default values."""


# -- plan ----------------------------------------------------------------------------------------------

_PLAN = """
Task: find a plan, a sequence of actions that solves this position. The actions are performed in order from the position
shown. An action that has no effect counts as an action. Nothing is performed after the goal is reached.

Your score is 1 if the plan reaches the goal, otherwise 0. A plan has at most {most} actions.
"""
_ALL_SHOWN = "For this task you are shown everything, also what is hidden during a game."


def _make_plan(source: Source, settings: Settings, random_bits: int, parity: int) -> Draft | None:
    start = source(random_bits)
    proof = prove(start, settings["nodes"]) if start.outcome == UNFINISHED else None
    if proof is None or proof.plan is None:
        return None
    if not settings["least_length"] <= len(proof.plan) <= settings["most_length"]:
        return None
    most, picture = settings["most_actions"], tasks_of(start.puzzle).picture
    question = [unwrapped(_PLAN.format(most=most)), ReplyReader(start.actions, most).instructions]
    return Draft(
        start,
        start,
        "\n\n".join(question if picture is None else [_ALL_SHOWN, *question]),
        f"ACTIONS: {', '.join(start.actions[action] for action in proof.plan)}",
        {"optimal_length": len(proof.plan), "expanded": proof.expanded},
        {"most_actions": most},
        None if picture is None else picture(start.level, start.state),
    )


def _score_plan(row: Mapping[str, Any], reply: Any) -> float:
    info = row["info"]
    position = read_position(row["env_id"], info["settings"], row["level"])
    plan = ReplyReader(position.actions, info["most_actions"]).read(reply).actions
    for action in plan:
        position = position.after(action)
        if position.outcome != UNFINISHED:
            break
    return float(position.outcome == SOLVED)


# -- best action ---------------------------------------------------------------------------------------

_FEWEST = """
Task: which action begins a shortest plan, a sequence of as few actions as possible that solves this position? If
several do, name any of them.
"""
_RETURN = """
Task: which action has the highest expected score, if all later actions are as good as possible and there is no limit on
their number? If several have, name any of them. An action may be one that leaves you where you are.
"""
_SCORE = "Your score is 1 if it is such an action, otherwise 0."
_SAME, _CLEAR = 1e-6, 1e-2
"""Expected returns that differ by at most the first count as equal; positions with a difference between the two are
left out, so that rounding never decides."""


def _make_best(source: Source, settings: Settings, random_bits: int, parity: int) -> Draft | None:
    (least, most), start = settings["changes"], source(random_bits)
    position = walk(start, least + below(mix(random_bits), most - least + 1), mix(random_bits, 1))
    if position is None or position.outcome != UNFINISHED:
        return None
    by_return = tasks_of(position.puzzle).action_values is not None
    found = _by_return(position) if by_return else _by_length(position, settings)
    if found is None or len(found[0]) == len(position.actions):
        return None
    optimal = [position.actions[action] for action in found[0]]
    asked = [unwrapped(_RETURN if by_return else _FEWEST), _SCORE, ReplyReader(position.actions, 1).instructions]
    info = {"optimal": optimal, "actions": list(position.actions)}
    return Draft(position, start, "\n\n".join(asked), f"ACTIONS: {optimal[0]}", found[1], info)


def _by_return(position: Position) -> tuple[list[int], dict[str, int]] | None:
    """Return the actions of the highest expected return, and measurements; None if some are nearly equal."""
    action_values = tasks_of(position.puzzle).action_values
    assert action_values is not None
    values = action_values(position.level, position.state).tolist()
    regrets = [max(values) - value for value in values]
    if any(_SAME < difference < _CLEAR for difference in regrets):
        return None
    best = [action for action, difference in enumerate(regrets) if difference <= _SAME]
    return best, {"optimal_actions": len(best), "expected_return": round(max(values))}


def _by_length(position: Position, settings: Settings) -> tuple[list[int], dict[str, int]] | None:
    """Return the actions that begin shortest plans, and measurements; None without a proof within the limits."""
    found = optimal_actions(position, settings["nodes"])
    if found is None:
        return None
    best, proof = found
    length = len(proof.plan or ())
    if not settings["least_length"] <= length <= settings["most_length"]:
        return None
    return best, {"optimal_actions": len(best), "optimal_length": length, "expanded": proof.expanded}


def _score_best(row: Mapping[str, Any], reply: Any) -> float:
    names = tuple(row["info"]["actions"])
    actions = ReplyReader(names, 1).read(reply).actions
    return float(len(actions) == 1 and names[actions[0]] in row["info"]["optimal"])


# -- solvable ------------------------------------------------------------------------------------------

ANSWERS = ("yes", "no")
_SOLVABLE = """
Task: can the goal be reached from this position, by any sequence of actions?

You may think first; end your reply with the line ANSWER: yes or ANSWER: no. Your score is 1 if that is right, otherwise
0. Half of all positions can be solved.
"""
_TRIES, _TRIES_A_LEVEL = 400, 20
"""The maximum number of positions to try for an item, and of these from one level."""


def _make_solvable(source: Source, settings: Settings, random_bits: int, parity: int) -> Draft | None:
    """Make a position whose answer is ``ANSWERS[parity]``.

    The number of changes since the start of a level is chosen first, and the numbers of things on the board are those
    of the first position found, whatever its answer. So these numbers do not reveal the answer, except where no
    position with the wanted answer is found in :data:`_TRIES` attempts.
    """
    least, most = settings["changes"]
    changes = least + below(mix(random_bits), most - least + 1)
    start, wanted, tasks = source(random_bits), None, tasks_of(source.puzzle)
    for number in range(1, _TRIES + 1):
        if number % _TRIES_A_LEVEL == 0:
            start = source(mix(random_bits, number))
        bits = mix(random_bits, -number)
        if tasks.arrange is None:
            position = walk(start, changes, bits)
        else:
            position = start.at(tasks.arrange(start.level, settings, bits))
        if position is None or position.outcome != UNFINISHED:
            continue
        found = tuple(map(position.text.count, tasks.counted))
        wanted = found if wanted is None else wanted
        proven = _proven(position, settings) if found == wanted else None
        if proven is not None and proven[0] == ANSWERS[parity]:
            numbers = {"expanded": proven[1]} | ({"changes": changes} if tasks.arrange is None else {})
            answer = f"ANSWER: {proven[0]}"
            return Draft(position, start, unwrapped(_SOLVABLE), answer, numbers, {})
    return None


def _proven(position: Position, settings: Settings) -> tuple[str, int] | None:
    """Return the proven answer and the states expanded; None without a proof within the limits, or if it is easy."""
    solvable = tasks_of(position.puzzle).solvable
    if solvable is not None:
        return ANSWERS[not solvable(position.level, position.state)], 0
    proof = prove(position, settings["nodes"])
    if proof is None or proof.expanded < settings["least_expanded"]:
        return None
    return ANSWERS[proof.plan is None], proof.expanded


def _score_solvable(row: Mapping[str, Any], reply: Any) -> float:
    return float(read_choice(reply, ANSWERS) == read_choice(row["answer"], ANSWERS))


TASKS: Mapping[str, Task] = {
    "plan": Task(
        "plan",
        _make_plan,
        _score_plan,
        {"least_length": 1, "most_length": 100, "most_actions": 200, "nodes": 1_000_000},
    ),
    "best-action": Task(
        "best-action",
        _make_best,
        _score_best,
        {"changes": (0, 0), "least_length": 1, "most_length": 100, "nodes": 1_000_000},
    ),
    "solvable": Task(
        "solvable",
        _make_solvable,
        _score_solvable,
        {"changes": (1, 4), "least_expanded": 0, "nodes": 200_000, "shuffled": None},
    ),
}
"""All tasks by name."""
