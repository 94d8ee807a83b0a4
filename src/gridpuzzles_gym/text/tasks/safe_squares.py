"""The task ``safe-squares``: list the unvisited squares that are certainly safe, given all percepts so far."""

from collections.abc import Mapping
from typing import Any

from gridpuzzles_gym.agents.samplers.mixing import mix

from ...engine.puzzle import UNFINISHED
from ...engine.wording import unwrapped
from .answers import read_squares
from .instances import Source, tasks_of
from .settings import MOST_CHANGES, check_range
from .task import Draft, Item, Task

_QUESTION = """
Task: which squares that are not visited are certainly safe now? A square is certainly safe if there is neither a pit
nor the live wumpus on it in any cave that agrees with the rules and with everything perceived so far.

Squares are written (row, column), counted from 1 at the top left. You may think first; end your reply with the list of
all these squares, for example <answer>(2, 3), (4, 1)</answer>, or with <answer>none</answer> if there are none. Your
score is the part of the certainly safe squares that you list; it is 0 if you list any other square, also one that is
visited or outside the cave.
"""
_EMPTY_INTERVAL = 8
"""One in this many items has no certainly safe square, unless such positions are very rare."""
_TRIES = 100
"""The maximum number of positions to try for an item."""


def _make(source: Source, settings: Mapping[str, Any], random_bits: int, parity: int) -> Draft | None:
    empty = mix(random_bits) % _EMPTY_INTERVAL == 0
    for number in range(_TRIES):
        draft = _explored(source, settings, mix(random_bits, number + 1))
        if draft is not None and bool(draft.info["safe"]) != empty:
            return draft
    return None


def _explored(source: Source, settings: Mapping[str, Any], random_bits: int) -> Draft | None:
    """Return a draft about a cave after a walk; None if these random bits give none."""
    start = source(random_bits)
    tasks = tasks_of(start.puzzle)
    assert tasks.arrange is not None
    assert tasks.safe_squares is not None
    assert tasks.known_key is not None
    state = tasks.arrange(start.level, start.state, settings, mix(random_bits))
    if state is None or start.at(state).outcome != UNFINISHED:
        return None
    position, width = start.at(state), start.extent[1]
    safe = [
        [square // width + 1, square % width + 1]
        for square in tasks.safe_squares(position.level, position.state, start.options.pits)
    ]
    answer = ", ".join(f"({row}, {column})" for row, column in safe) or "none"
    numbers = {"safe": len(safe)}
    return Draft(
        position, start, tasks.known_key(position.level, state), unwrapped(_QUESTION), answer, numbers, {"safe": safe}
    )


def _score(item: Item, reply: Any) -> float:
    listed, safe = read_squares(reply), {(row, column) for row, column in item.info["safe"]}
    if listed is None or not listed <= safe:
        return 0.0
    return len(listed) / len(safe) if safe else 1.0


def _check(settings: Mapping[str, Any]) -> None:
    check_range("visited", settings["visited"], 1, MOST_CHANGES)
    if settings.get("pit_probability") is not None:
        raise ValueError("safe-squares needs a fixed number of pits: do not give pit_probability")


SAFE_SQUARES = Task(
    "safe-squares",
    "the squares that are certainly safe: the part found, and 0 if any other is listed",
    _make,
    _score,
    {"visited": [3, 6]},
    _check,
)
