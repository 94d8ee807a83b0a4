"""The task ``solvable``: say whether the goal can be reached from a position."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from gridpuzzles_gym.agents.samplers.mixing import below, mix

from ...engine.arguments import integer
from ...engine.puzzle import UNFINISHED
from ...engine.wording import unwrapped
from .answers import read_choice
from .instances import Instance, Source, tasks_of, walk
from .keys import key_of_instance
from .proofs import prove
from .settings import MOST_CHANGES, MOST_NODES, check_range
from .task import Draft, Item, Task

ANSWERS = ("yes", "no")
_QUESTION = """
Task: can the goal be reached from this position, by any sequence of actions?

Reply yes or no. You may think first; end your reply with <answer>yes</answer> or <answer>no</answer>. Your score is 1
if that is right, otherwise 0. Half of all positions can be solved.
"""
MOST_SHUFFLED = 100
"""The largest setting ``shuffled``: the number of squares of the largest sliding-tile puzzle."""
_TRIES = 400
"""The maximum number of positions to try for an item."""
_TRIES_A_LEVEL = 20
"""The maximum number of these from one level."""


class _Proven(NamedTuple):
    answer: str
    expanded: int


def _make(source: Source, settings: Mapping[str, Any], random_bits: int, parity: int) -> Draft | None:
    """Make a position whose answer is ``ANSWERS[parity]``.

    The number of changes since the start of a level is chosen first, and the numbers of things on the board are those
    of the first position found, whatever its answer. So these numbers do not reveal the answer, except where no
    position with the wanted answer is found in :data:`_TRIES` attempts.
    """
    least, most = check_range("changes", settings["changes"], 0, MOST_CHANGES)
    changes = least + below(mix(random_bits), most - least + 1)
    start, wanted = source(random_bits), None
    for number in range(1, _TRIES + 1):
        if number % _TRIES_A_LEVEL == 0:
            start = source(mix(random_bits, number))
        position = _position(start, changes, settings, mix(random_bits, -number))
        if position is None or position.outcome != UNFINISHED:
            continue
        found = _counts(position)
        wanted = found if wanted is None else wanted
        proven = _proven(position, settings) if found == wanted else None
        if proven is not None and proven.answer == ANSWERS[parity]:
            walked = {} if tasks_of(start.puzzle).arrange else {"changes": changes}
            numbers = {"expanded": proven.expanded, **walked}
            return Draft(position, start, key_of_instance(position), unwrapped(_QUESTION), proven.answer, numbers, {})
    return None


def _counts(position: Instance) -> tuple[int, ...]:
    """Return the numbers of things on the board that could reveal the answer."""
    letters, text = tasks_of(position.puzzle).counted, position.text
    return tuple(map(text.count, letters))


def _position(start: Instance, changes: int, settings: Mapping[str, Any], random_bits: int) -> Instance | None:
    """Return a position of a level, which may be solvable or not; None if these random bits give none."""
    arrange = tasks_of(start.puzzle).arrange
    if arrange is None:
        return walk(start, changes, random_bits)
    state = arrange(start.level, start.state, settings, random_bits)
    return None if state is None else start.at(state)


def _proven(position: Instance, settings: Mapping[str, Any]) -> _Proven | None:
    """Return the proven answer; None if there is no proof within the limits, or it is too easy."""
    solvable = tasks_of(position.puzzle).solvable
    if solvable is not None:
        return _Proven(ANSWERS[not solvable(position.level, position.state)], 0)
    proof = prove(position, settings["nodes"])
    if proof is None or proof.expanded < settings["least_expanded"]:
        return None
    return _Proven(ANSWERS[proof.plan is None], proof.expanded)


def _score(item: Item, reply: Any) -> float:
    return float(read_choice(reply, ANSWERS) == item.answer)


def _check(settings: Mapping[str, Any]) -> None:
    check_range("changes", settings["changes"], 0, MOST_CHANGES)
    integer("least_expanded", settings["least_expanded"], 0, MOST_NODES)
    integer("nodes", settings["nodes"], 1, MOST_NODES)
    if settings.get("shuffled") is not None:  # with two tiles, one arrangement is the goal and the other unsolvable
        integer("shuffled", settings["shuffled"], 3, MOST_SHUFFLED)


SOLVABLE = Task(
    "solvable",
    "whether the goal can be reached, yes or no",
    _make,
    _score,
    {"changes": [1, 4], "least_expanded": 0, "nodes": 200_000},
    _check,
)
