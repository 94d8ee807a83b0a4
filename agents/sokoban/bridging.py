"""Bridging: a level is opened from both ends, and the way between the two open positions is searched for.

In a crowded level most boxes have to be moved out of the way before one can come to its place, at both ends of the
solution. An *open* position is one with many moves. Searches that only open positions ignore where boxes have to go;
between an open position near the start and one near the end, boxes then have space to pass each other. Y. Shoham's
solver Festival also aims at an open position that it has found backwards.
"""

import itertools
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from ..search import loops
from . import feature_search
from .backwards import reversed_board
from .board import Board, aimed
from .features import FREEING, MATCHING, every_advisor_but
from .members import FeatureSearch, Member, PushSearch, Root, Squares
from .nodes import squares_of
from .packing import ANY, LEFT
from .position import ANYWHERE, NO_END

QUOTA = 50_000
"""Positions that each search generates at first; more each time that all weights have had their turn."""


class Weights(NamedTuple):
    """What makes a position open, compared with the number of moves: how many moves each of these outweighs."""

    area: int
    """One area of the floor less."""
    left: int
    """One more goal without a box; only near the end of the solution."""
    stuck: int
    """One box less that cannot be moved."""


WEIGHTS = Weights(20, 10, 10), Weights(0, 10, 0), Weights(100, 50, 50), Weights(0, 40, 0)
"""They take turns, since what is open enough differs from level to level."""


def bridging(board: Board, boxes: Squares, player: int) -> Iterator[tuple[Member, int]]:
    """Searches, and how many positions each is to generate before the next is asked for.

    Args:
        board: The level's board.
        boxes: int16[k]: the squares of the boxes at the start.
        player: The player's square at the start.
    """
    reverse, goals = reversed_board(board, boxes), board.goals
    # Following the matching forwards would bring boxes back into each other's way.
    opening = partial(FeatureSearch, advisors=every_advisor_but(MATCHING), counted=LEFT, end=NO_END)
    unpacking = partial(FeatureSearch, counted=LEFT)
    fore, back = opening(board, boxes, player), unpacking(reverse, goals, ANYWHERE, end=player)
    for turn in itertools.count():
        rounds, place = divmod(turn, len(WEIGHTS))
        quota, first_back = QUOTA * (1 + rounds), rounds % 2 == 0
        near_end = WEIGHTS[place]
        near_start = near_end._replace(left=0)
        # What the second finds must be connected to what the first has found, as far as a matching tells.
        if first_back:
            yield _weighing(back, near_end), quota
            second = opening(aimed(board, _squares(_most_open(back))), boxes, player)
            near, far = second, back
        else:
            yield _weighing(fore, near_start), quota
            second = unpacking(aimed(board, _squares(_most_open(fore)), pushed=0), goals, ANYWHERE, end=NO_END)
            near, far = fore, second
        yield _weighing(second, near_start if first_back else near_end), quota
        for search in _between(board, boxes, player, _most_open(near), _most_open(far)):
            yield search, quota
            search.close()
        second.close()


def _between(board: Board, boxes: Squares, player: int, near: Root, far: Root) -> Iterator[Member]:
    """Searches between the open positions near the start and near the end."""
    ahead, behind = aimed(board, _squares(far)), aimed(board, _squares(near), pushed=0)
    searches: tuple[Callable[..., Member], ...] = (
        partial(PushSearch, cost_weight=0, weight=1),
        FeatureSearch,
        partial(FeatureSearch, advisors=every_advisor_but(FREEING), counted=ANY),
    )
    for toward, squares, stands, root in (
        (ahead, boxes, player, None),
        (ahead, _squares(near), _player(near), near),
        (behind, _squares(far), _player(far), far),
    ):
        for search in searches:
            yield search(toward, squares, stands, end=NO_END, root=root)


def _weighing(search: FeatureSearch, weights: Weights) -> FeatureSearch:
    """The same search, which from now on looks for the most open position by these weights."""
    control = search.control
    control[feature_search.PER_AREA], control[feature_search.PER_LEFT], control[feature_search.PER_STUCK] = weights
    control[feature_search.LEAST_CLOSED] = loops.UNBOUNDED
    return search


def _most_open(search: FeatureSearch) -> Root:
    return Root(search, int(search.control[feature_search.OPEN]))


def _squares(root: Root) -> Squares:
    return squares_of(root.member.nodes.boxes[root.node])


def _player(root: Root) -> int:
    return int(root.member.nodes.player[root.node])
