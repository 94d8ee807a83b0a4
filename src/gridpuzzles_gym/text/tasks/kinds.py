"""The tasks: ``plan``, ``best-action`` and ``solvable``. Each makes questions from random bits, and scores replies."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from gridpuzzles_gym.agents.samplers.base import below, mix

from ...engine.puzzle import SOLVED, UNFINISHED
from ...engine.wording import unwrapped
from ..replies import ReplyReader, read_choice
from .positions import Position, Source, optimal_actions, prove, read_position, tasks_of, walk

Settings = Mapping[str, Any]


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
