"""The tasks ``plan`` and ``shortest-plan``: name actions that reach the goal."""

import functools
from collections.abc import Mapping
from typing import Any

from ...engine.arguments import integer
from ...engine.puzzle import SOLVED, UNFINISHED
from ...engine.wording import unwrapped
from ..replies import MOST_ACTIONS, ReplyReader
from .instances import Instance, Source, read_instance, tasks_of
from .keys import key_of_instance
from .proofs import prove
from .settings import check_limits
from .task import Draft, Item, Task

_PLAN = """
Task: find a plan, a sequence of actions that solves this position. The actions are performed in order from the position
shown. An action that has no effect counts as an action. Nothing is performed after the goal is reached.

Your score is 1 if the plan reaches the goal, otherwise 0. A plan has at most {most} actions.
"""
_SHORTEST = """
Task: find a shortest plan, a sequence of as few actions as possible that solves this position. The actions are
performed in order from the position shown. An action that has no effect counts as an action.

Your score is 1 if the plan reaches the goal with the fewest actions possible; n/m if it reaches the goal with m actions
where n are enough; and 0 if it does not reach the goal. A plan has at most {most} actions, and all of them count.
"""
_ALL_SHOWN = "For this task you are shown everything, also what is hidden during a game."


def _make(shortest: bool, source: Source, settings: Mapping[str, Any], random_bits: int, parity: int) -> Draft | None:
    start = source(random_bits)
    if start.outcome != UNFINISHED:
        return None
    proof = prove(start, settings["nodes"])
    if proof is None or proof.plan is None:
        return None
    if not settings["least_length"] <= len(proof.plan) <= settings["most_length"]:
        return None
    most, picture = settings["most_actions"], tasks_of(start.puzzle).picture
    asked = unwrapped((_SHORTEST if shortest else _PLAN).format(most=most))
    paragraphs = [_ALL_SHOWN] if picture is not None else []
    question = "\n\n".join([*paragraphs, asked, reader_of(start.actions, most).instructions])
    return Draft(
        start,
        start,
        key_of_instance(start) if source.set_name is None else start.text.encode(),
        question,
        plan_text(start, proof.plan),
        {"optimal_length": len(proof.plan), "expanded": proof.expanded},
        {"optimal_length": len(proof.plan), "most_actions": most},
        None if picture is None else picture(start.level, start.state),
    )


def plan_text(instance: Instance, plan: tuple[int, ...]) -> str:
    """Return a plan as a reply."""
    return ", ".join(instance.actions[action] for action in plan)


@functools.lru_cache(64)
def reader_of(actions: tuple[str, ...], most: int) -> ReplyReader:
    """Return the reader of plans with these actions."""
    return ReplyReader(actions, "lenient", most)


def solves(start: Instance, plan: tuple[int, ...]) -> int | None:
    """Return the number of actions after which a plan reaches the goal; None if it does not."""
    position = start
    for count, action in enumerate(plan, start=1):
        position = position.after(action)
        if position.outcome != UNFINISHED:
            return count if position.outcome == SOLVED else None
    return None


def _score(shortest: bool, item: Item, reply: Any) -> float:
    start = read_instance(item.env_id, item.info["settings"], item.level)
    plan = reader_of(start.actions, item.info["most_actions"]).read(reply).actions
    if not plan or solves(start, plan) is None:
        return 0.0
    return min(1.0, item.info["optimal_length"] / len(plan)) if shortest else 1.0


def _check(settings: Mapping[str, Any]) -> None:
    check_limits(settings)
    integer("most_actions", settings["most_actions"], settings["most_length"], MOST_ACTIONS)


_DEFAULTS = {"least_length": 1, "most_length": 100, "most_actions": 200, "nodes": 1_000_000}

PLAN = Task(
    "plan",
    "any plan that reaches the goal: 1, otherwise 0",
    functools.partial(_make, False),
    functools.partial(_score, False),
    _DEFAULTS,
    _check,
)
SHORTEST_PLAN = Task(
    "shortest-plan",
    "a shortest plan: 1; a longer one: the part of its length that is needed; otherwise 0",
    functools.partial(_make, True),
    functools.partial(_score, True),
    _DEFAULTS,
    _check,
)
