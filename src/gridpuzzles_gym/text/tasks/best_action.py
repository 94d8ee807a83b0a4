"""The task ``best-action``: an action that an optimal player performs."""

from collections.abc import Mapping
from typing import Any

from gridpuzzles_gym.agents.samplers.mixing import below, mix

from ...engine.puzzle import UNFINISHED
from ...engine.wording import unwrapped
from .instances import Instance, Source, tasks_of, walk
from .keys import key_of_instance
from .plans import reader_of
from .proofs import optimal_actions
from .settings import MOST_CHANGES, check_limits, check_range
from .task import Draft, Item, Task

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


def _make(source: Source, settings: Mapping[str, Any], random_bits: int, parity: int) -> Draft | None:
    least, most = check_range("changes", settings["changes"], 0, MOST_CHANGES)
    start = source(random_bits)
    position = walk(start, least + below(mix(random_bits), most - least + 1), mix(random_bits, 1))
    if position is None or position.outcome != UNFINISHED:
        return None
    by_return = tasks_of(position.puzzle).action_values is not None
    found = _by_return(position) if by_return else _by_length(position, settings)
    if found is None or len(found[0]) == len(position.actions):
        return None
    optimal, numbers = [position.actions[action] for action in found[0]], found[1]
    asked = unwrapped(_RETURN if by_return else _FEWEST)
    question = "\n\n".join([asked, _SCORE, reader_of(position.actions, 1).instructions])
    info = {"optimal": optimal, "actions": list(position.actions)}
    return Draft(position, start, key_of_instance(position), question, optimal[0], numbers, info)


def _by_return(position: Instance) -> tuple[list[int], dict[str, int]] | None:
    """Return the actions of the highest expected return, and measurements; None if some are nearly equal."""
    action_values = tasks_of(position.puzzle).action_values
    assert action_values is not None
    values = action_values(position.level, position.state).tolist()
    regrets = [max(values) - value for value in values]
    if any(_SAME < difference < _CLEAR for difference in regrets):
        return None
    best = [action for action, difference in enumerate(regrets) if difference <= _SAME]
    return best, {"optimal_actions": len(best), "expected_return": round(max(values))}


def _by_length(position: Instance, settings: Mapping[str, Any]) -> tuple[list[int], dict[str, int]] | None:
    """Return the actions that begin shortest plans, and measurements; None without a proof within the limits."""
    found = optimal_actions(position, settings["nodes"])
    if found is None:
        return None
    best, proof = found
    length = len(proof.plan or ())
    if not settings["least_length"] <= length <= settings["most_length"]:
        return None
    return best, {"optimal_actions": len(best), "optimal_length": length, "expanded": proof.expanded}


def _score(item: Item, reply: Any) -> float:
    names = tuple(item.info["actions"])
    actions = reader_of(names, 1).read(reply).actions
    return float(len(actions) == 1 and names[actions[0]] in item.info["optimal"])


def _check(settings: Mapping[str, Any]) -> None:
    check_limits(settings)
    check_range("changes", settings["changes"], 0, MOST_CHANGES)


BEST_ACTION = Task(
    "best-action",
    "an optimal action: 1, otherwise 0",
    _make,
    _score,
    {"changes": 0, "least_length": 1, "most_length": 100, "nodes": 1_000_000},
    _check,
)
