"""The shortest plan given the whole cave: the answer on a worksheet."""

from collections import deque
from collections.abc import Iterator

import numpy as np

from gridpuzzles_gym.engine.puzzle import DIED, LEFT, SOLVED
from gridpuzzles_gym.engine.scene import Row
from gridpuzzles_gym.puzzles.wumpus import rules

ACTIONS = (rules.TURN_LEFT, rules.TURN_RIGHT, rules.FORWARD, rules.GRAB, rules.SHOOT)
"""What a shortest plan consists of, before climbing out."""


def informed_plan(level: Row, state: Row) -> tuple[int, ...] | None:
    """Return the fewest actions that bring the gold home without danger; None if there are none.

    Args:
        level: The level row.
        state: The state to begin with.
    """
    actions = (*ACTIONS, rules.CLIMB_OUT) if level[rules.CLIMB] else ACTIONS
    known = {_key(state)}
    waiting: deque[tuple[Row, tuple[int, ...]]] = deque([(state, ())])
    while waiting:
        here, plan = waiting.popleft()
        for action, there in _successors(level, here, actions):
            outcome = rules.outcome(level, there)
            if outcome == SOLVED:
                return (*plan, action)
            if outcome not in (DIED, LEFT) and (key := _key(there)) not in known:
                known.add(key)
                waiting.append((there, (*plan, action)))
    return None


def _successors(level: Row, state: Row, actions: tuple[int, ...]) -> Iterator[tuple[int, Row]]:
    for action in actions:
        there = state.copy()
        rules.step(level, there, action, np.ones(1, np.uint64))
        yield action, there


def _key(state: Row) -> bytes:
    """Return the part of a state that matters when everything is visible: not the squares visited."""
    return state[: rules.BUMP].tobytes()
