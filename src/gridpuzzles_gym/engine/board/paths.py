"""Shortest paths on boards, for the gestures of puzzles that move in four directions.

Squares are (row, column). Walks are restricted to a given set of squares; all others are blocked.
"""

import heapq
from collections import deque
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Set
from typing import Any, TypeVar

import numpy as np

from ..puzzle import UNFINISHED
from ..scene import Row
from .gestures import Actions, Square

DIRECTIONS: tuple[Square, ...] = ((-1, 0), (1, 0), (0, -1), (0, 1))
"""The (row, column) by which the actions up, down, left and right move."""

Place = TypeVar("Place", bound=Hashable)
Steps = Callable[[Place], Iterable[tuple[int, Place]]]
"""``steps(place)``: each action that is possible on a place, and where it leads."""


def squares_where(board: Any) -> set[Square]:
    """Return the squares on which a board, bool[H, W], is true."""
    rows, columns = np.nonzero(board)
    return set(zip(rows.tolist(), columns.tolist(), strict=True))


def ahead(square: Square, action: int) -> Square:
    """Return the adjacent square in the direction of an action."""
    down, right = DIRECTIONS[action]
    return square[0] + down, square[1] + right


def steps_on(free: Set[Square]) -> Steps[Square]:
    """Return the steps of a walk over free squares."""

    def steps(square: Square) -> Iterable[tuple[int, Square]]:
        for action in range(4):
            there = ahead(square, action)
            if there in free:
                yield action, there

    return steps


def shortest_paths(start: Place, goals: Collection[Place], steps: Steps[Place]) -> dict[Place, Actions]:
    """Return a shortest path to each goal that can be reached, by breadth-first search; the empty path to ``start``."""
    missing = set(goals)
    came: dict[Place, tuple[Place, int] | None] = {start: None}
    waiting = deque([start])
    missing.discard(start)
    while waiting and missing:
        place = waiting.popleft()
        for action, there in steps(place):
            if there not in came:
                came[there] = place, action
                missing.discard(there)
                waiting.append(there)
    return {goal: _way_back(goal, came) for goal in goals if goal in came}


def _way_back(place: Place, came: dict[Place, tuple[Place, int] | None]) -> Actions:
    actions = []
    step = came[place]
    while step is not None:
        place, action = step
        actions.append(action)
        step = came[place]
    return tuple(reversed(actions))


def shortest_path(start: Place, goal: Place, steps: Steps[Place]) -> Actions | None:
    """Return a shortest path; None if there is none."""
    return shortest_paths(start, [goal], steps).get(goal)


def reachable_from(start: Place, steps: Steps[Place]) -> set[Place]:
    """Return all places that can be reached, including ``start``."""
    found, waiting = {start}, [start]
    while waiting:
        for _, there in steps(waiting.pop()):
            if there not in found:
                found.add(there)
                waiting.append(there)
    return found


Push = tuple[Square, Square]
"""The squares of a box and of the player."""


class Pushing:
    """The ways to push one box around while everything else stays where it is.

    Args:
        player: The player's square.
        box: The box's square.
        walkable: The squares on which the player can walk, including his own, but not the box's.
        pushable: Those of them onto which the box can be pushed.
        barred: Squares over which the box can be pushed, but that the player cannot enter: when he pushes the box off
            such a square, he stays where he is.
        ends: Squares onto which the box can be pushed, but not away from.
    """

    def __init__(
        self,
        player: Square,
        box: Square,
        walkable: Set[Square],
        pushable: Set[Square],
        barred: Set[Square] = frozenset(),
        ends: Set[Square] = frozenset(),
    ) -> None:
        self.start: Push = box, player
        # The player can walk on the box's first square once it has left it.
        self._walkable = walkable if box in barred else walkable | {box}
        self._barred, self._open = barred, pushable | barred | {box}
        self._ends = ends
        self._known: dict[Push, list[tuple[Actions, Push]]] = {}

    def pushes(self, place: Push) -> list[tuple[Actions, Push]]:
        """Return every push that the player can make next: the walk and the push, and where they lead."""
        if place not in self._known:
            self._known[place] = list(self._pushes(*place))
        return self._known[place]

    def _pushes(self, box: Square, player: Square) -> Iterator[tuple[Actions, Push]]:
        if box not in self._open:
            return
        sides = {}
        for action in range(4):
            there, side = ahead(box, action), ahead(box, action ^ 1)
            if side in self._walkable and (there in self._open or there in self._ends):
                sides[side] = action
        walks = shortest_paths(player, sides, steps_on(self._walkable - {box}))
        for side, walk in walks.items():
            action = sides[side]
            yield (*walk, action), (ahead(box, action), side if box in self._barred else box)

    def reachable(self) -> set[Square]:
        """Return the squares to which the box can be pushed, other than its own."""
        found, waiting = {self.start}, [self.start]
        while waiting:
            for _, after in self.pushes(waiting.pop()):
                if after not in found:
                    found.add(after)
                    waiting.append(after)
        return {box for box, _ in found} - {self.start[0]}

    def shortest(self, target: Square) -> Actions | None:
        """Return the fewest moves, walking included, that push the box onto a square; None if it cannot be done.

        A*: the box needs at least as many moves as it is squares away.
        """

        def distance(place: Push) -> int:
            return abs(place[0][0] - target[0]) + abs(place[0][1] - target[1])

        came: dict[Push, tuple[Push, Actions]] = {}
        moves, done = {self.start: 0}, set()
        waiting = [(distance(self.start), self.start)]
        while waiting:
            _, here = heapq.heappop(waiting)
            if here[0] == target:
                return self._way_back(here, came)
            if here in done:
                continue
            done.add(here)
            for actions, after in self.pushes(here):
                total = moves[here] + len(actions)
                if total < moves.get(after, total + 1):
                    moves[after] = total
                    came[after] = here, actions
                    heapq.heappush(waiting, (total + distance(after), after))
        return None

    @staticmethod
    def _way_back(place: Push, came: dict[Push, tuple[Push, Actions]]) -> Actions:
        parts = []
        while place in came:
            place, part = came[place]
            parts.append(part)
        return tuple(action for part in reversed(parts) for action in part)


def until_over(
    level: Row, state: Row, actions: Iterable[int], step: Callable[..., Any], outcome: Callable[..., Any]
) -> Actions:
    """Return the actions up to the one that ends the episode; none if it has ended already.

    Args:
        level: int16[L]
        state: int16[S], the state before the first action.
        actions: The actions, none of which has a random effect.
        step: The puzzle's rule.
        outcome: The puzzle's rule.
    """
    played: list[int] = []
    after, random_bits = state.copy(), np.ones(1, np.uint64)
    over = outcome(level, state) != UNFINISHED
    for action in actions:
        if over:
            break
        _, over = step(level, after, action, random_bits)
        played.append(action)
    return tuple(played)
