"""Bridging: a level is opened from both ends, and a path between the two open positions is searched for.

In a crowded level most boxes have to be moved out of the way before one can reach its goal, at both ends of the
solution. An *open* position is one with many moves. Searches that only open positions ignore where boxes have to go;
between an open position near the start and one near the end, boxes then have space to pass each other. Y. Shoham's
solver Festival also aims at an open position that it has found backwards.
"""

import itertools
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple, TypeVar

from ...search import loops
from . import feature_search
from .backwards import reversed_board
from .board import Board, aimed
from .budget import Budget
from .features import FREEING, MATCHING, every_advisor_but
from .nodes import squares_of
from .packing import ANY, LEFT
from .position import ANYWHERE, NO_END
from .sub_searches import FeatureSearch, PushSearch, Root, Squares, SubSearch, needs_of

Search = TypeVar("Search", bound=SubSearch)

QUOTA = 50_000
"""Positions that each search generates at first; more each time that all weights have had their turn."""


class Weights(NamedTuple):
    """The number of moves that each feature of an open position outweighs."""

    area: int
    """One area of the floor fewer."""
    left: int
    """One more goal without a box; only near the end of the solution."""
    stuck: int
    """One immovable box fewer."""


WEIGHTS = Weights(20, 10, 10), Weights(0, 10, 0), Weights(100, 50, 50), Weights(0, 40, 0)
"""They take turns, since the best weights differ from level to level."""


def bridging(budget: Budget, board: Board, boxes: Squares, player: int) -> Iterator[tuple[SubSearch, int]]:
    """Yield searches, each with the number of positions to generate before the next one.

    Args:
        budget: The memory of these searches.
        board: The level's board.
        boxes: int16[k]: the squares of the boxes at the start.
        player: The player's square at the start.

    Raises:
        MemoryError: There is not enough memory for the next search.
    """
    goals, needs = board.goals, FeatureSearch.needs(board, len(boxes))
    # Following the matching forwards would bring boxes back into each other's way.
    opening = partial(FeatureSearch, advisors=every_advisor_but(MATCHING), counted=LEFT, end=NO_END)
    unpacking = partial(FeatureSearch, counted=LEFT)
    fore = budget.create(needs, lambda: opening(board, boxes, player))
    back = budget.create(needs, lambda: unpacking(reversed_board(board, boxes), goals, ANYWHERE, end=player))
    for turn in itertools.count():
        rounds, place = divmod(turn, len(WEIGHTS))
        quota, first_back = QUOTA * (1 + rounds), rounds % 2 == 0
        near_end = WEIGHTS[place]
        near_start = near_end._replace(left=0)
        # The second search discards positions from which no matching leads to what the first has found.
        if first_back:
            yield _weighing(back, near_end), quota
            target = _squares(_most_open(back))
            second = budget.create(needs, partial(_aiming, opening, board, target, 1, boxes, player))
            near, far = second, back
        else:
            yield _weighing(fore, near_start), quota
            target = _squares(_most_open(fore))
            second = budget.create(needs, partial(_aiming, unpacking, board, target, 0, goals, ANYWHERE, end=NO_END))
            near, far = fore, second
        yield _weighing(second, near_start if first_back else near_end), quota
        ends = _most_open(near), _most_open(far)
        for needs_one, make in _between(board, boxes, player, *ends):
            search = budget.create(needs_one, make)
            yield search, quota
            search.close(budget.fits(search.cut_bytes))
        second.close(budget.fits(second.cut_bytes))


def _aiming(
    make: Callable[..., Search], board: Board, goals: Squares, pushed: int, boxes: Squares, player: int, **more: Any
) -> Search:
    """Return a search on the board with other goals."""
    return make(aimed(board, goals, pushed), boxes, player, **more)


def _between(
    board: Board, boxes: Squares, player: int, near: Root, far: Root
) -> Iterator[tuple[int, Callable[[], SubSearch]]]:
    """Yield functions that create searches between the two open positions, with the bytes that each takes."""
    ahead, behind = (_squares(far), 1), (_squares(near), 0)
    searches: tuple[Callable[..., SubSearch], ...] = (
        partial(PushSearch, cost_weight=0, weight=1),
        FeatureSearch,
        partial(FeatureSearch, advisors=every_advisor_but(FREEING), counted=ANY),
    )
    for toward, squares, player_at, root in (
        (ahead, boxes, player, None),
        (ahead, _squares(near), _player(near), near),
        (behind, _squares(far), _player(far), far),
    ):
        for make in searches:
            needs = needs_of(make)(board, len(boxes))
            yield needs, partial(_aiming, make, board, *toward, squares, player_at, end=NO_END, root=root)


def _weighing(search: FeatureSearch, weights: Weights) -> FeatureSearch:
    """Set the weights by which a search records the most open position; return the search."""
    control = search.control
    control[feature_search.PER_AREA], control[feature_search.PER_LEFT], control[feature_search.PER_STUCK] = weights
    control[feature_search.LEAST_CLOSED] = loops.UNBOUNDED
    return search


def _most_open(search: FeatureSearch) -> Root:
    return Root(search, int(search.control[feature_search.OPEN]))


def _squares(root: Root) -> Squares:
    return squares_of(root.search.nodes.boxes[root.node])


def _player(root: Root) -> int:
    return int(root.search.nodes.player[root.node])
