"""What Sokoban's solver is made of: matching, frozen boxes, corrals, the packing plan, heaps."""

import itertools

import numpy as np
import pytest
from naive_sokoban_search import STEPS
from sokoban_positions import Position
from sokoban_problems import random_levels

from gridpuzzles_gym.agents.search import loops
from gridpuzzles_gym.agents.sokoban.solver.board import FAR
from gridpuzzles_gym.agents.sokoban.solver.deadlocks.corrals import LOST, NO_CORRAL
from gridpuzzles_gym.agents.sokoban.solver.deadlocks.freezing import past_frozen
from gridpuzzles_gym.agents.sokoban.solver.features import count_packed
from gridpuzzles_gym.agents.sokoban.solver.hotspots import find_hotspots
from gridpuzzles_gym.agents.sokoban.solver.matching import GOAL_PRICE, MATCH_ROWS, match_again, match_all, match_priced
from gridpuzzles_gym.agents.sokoban.solver.packing import NEVER
from gridpuzzles_gym.agents.sokoban.solver.position import COUNT
from gridpuzzles_gym.agents.sokoban.solver.sub_searches import FeatureSearch

# -- matching ------------------------------------------------------------------------------------


def cheapest(distance, boxes):
    return min(sum(distance[box, goal] for box, goal in zip(boxes, goals, strict=True)) for goals in orders(len(boxes)))


def orders(count):
    return itertools.permutations(range(count))


@pytest.mark.parametrize("far", [0.0, 0.3, 0.7])
@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_matching_is_the_cheapest_of_all(count, far):
    rng = np.random.default_rng(count)
    for _ in range(15):
        distance = rng.integers(0, 30, (12, count)).astype(np.int32)
        distance[rng.random(distance.shape) < far] = FAR
        table = distance.astype(int).tolist()
        boxes = rng.permutation(12)[:count].astype(np.int16)
        match = np.zeros((MATCH_ROWS, count), np.int32)
        match[GOAL_PRICE] = rng.integers(-40, 40, count)  # of another position
        assert match_priced(distance, boxes, match) == cheapest(np.array(table), boxes)
        cost = match_all(distance, boxes, match)
        assert cost == cheapest(np.array(table), boxes)
        if cost >= FAR:
            continue
        for moved, square in itertools.product(range(count), range(12)):
            others = boxes.copy()
            others[moved] = square
            again, expected = match_again(distance, others, match, moved, cost), cheapest(np.array(table), others)
            assert again == expected or min(again, expected) >= FAR


# -- positions drawn by hand ---------------------------------------------------------------------


FROZEN = [
    (("#######", "#  $$ #", "#     #", "#.@ . #", "#######"), 1 + 3j, (True, {1 + 3j, 1 + 4j})),  # at a wall
    (("#######", "#  ** #", "#     #", "# @   #", "#######"), 1 + 3j, (False, {1 + 3j, 1 + 4j})),  # on goals: no harm
    (("#######", "# .*$ #", "#     #", "# @   #", "#######"), 1 + 3j, (True, {1 + 3j, 1 + 4j})),  # one astray is enough
    (  # four in a square hold each other
        ("########", "#      #", "#  $$  #", "#  $$  #", "# @....#", "########"),
        2 + 3j,
        (True, {2 + 3j, 2 + 4j, 3 + 3j, 3 + 4j}),
    ),
]


def test_which_boxes_freeze():
    assert [Position(*rows).freezes(box) for rows, box, _ in FROZEN] == [expected for *_, expected in FROZEN]
    three = "########", "#      #", "#  $$  #", "#  $   #", "# @... #", "########"
    assert Position(*three).freezes(2 + 3j)[0] is False, "one of them can be pushed away"


def test_frozen_boxes_on_goals_may_cut_off_a_box_or_a_goal():
    """Two columns of boxes on goals halve the room; in each half are three squares below each other."""
    for left, right, lost in ((" $ ", "$..", True), ("$.$", " . ", True), (" .$", "$. ", False)):
        middle = [f"# {here} ** {there} #" for here, there in zip(left, right, strict=True)]
        rows = "##########", "#   **   #", *middle, "#@  **   #", "##########"
        assert Position(*rows).freezes(1 + 4j)[0] is lost, rows


def test_frozen_boxes_are_walls_for_the_distances():
    boxes = "##########", "#   ** . #", "#   ##   #", "# $      #", "#@       #", "##########"
    frozen, walls = Position(*boxes), Position(*(row.replace("*", "#") for row in boxes))
    goal, alone = frozen.board.goal_at[frozen.number(1 + 7j)], walls.board.distance[:, 0].tolist()
    with np.errstate(over="ignore"):  # of hashes, as in machine code
        past = past_frozen(frozen.board, frozen.work)
    assert [past[frozen.number(square), goal] for square in walls.names] == alone
    assert [frozen.board.distance[frozen.number(square), goal] for square in walls.names] != alone


CORRALS = [
    (("#######", "#     #", "# @$ .#", "#     #", "#######"), NO_CORRAL),  # the player goes everywhere
    (  # a room behind a door, and a box in the door, which can only be pushed in
        ("#########", "#   #   #", "# @ $  .#", "#   #   #", "#########"),
        {1 + 5j, 1 + 6j, 1 + 7j, 2 + 5j, 2 + 6j, 2 + 7j, 3 + 5j, 3 + 6j, 3 + 7j},
    ),
    (("#########", "#   #   #", "# @ *   #", "#.$ #   #", "#########"), NO_CORRAL),  # on its goal, none behind it
    (  # the box can be pushed elsewhere
        ("########", "#    . #", "# @ $  #", "#  $ $ #", "#   $  #", "#  ... #", "########"),
        NO_CORRAL,
    ),
    (("#######", "# . $ #", "# @  $#", "#    .#", "#######"), LOST),  # in the corner a box would be lost
]


def test_which_corral_comes_first():
    assert [Position(*rows).corral() for rows, _ in CORRALS] == [expected for _, expected in CORRALS]


# -- the packing plan ----------------------------------------------------------------------------


def plan_of(position, ordered=True):
    """The plan of a level with boxes and player of a position."""
    search = FeatureSearch(position.board, position.work.boxes, position.player, ordered)
    while not len(search.plan.square) and search.control[COUNT] == 0:
        search.control[loops.BUDGET] = 1
        search.advance()
    return search.plan


def test_a_dead_end_is_filled_from_its_end():
    position = Position("##########", "#    #####", "# $$$ ...#", "#  @ #####", "##########")
    plan = plan_of(position)
    assert position.named(plan.square) == [2 + 8j, 2 + 7j, 2 + 6j]
    assert set(plan.until) == {NEVER}


FORK = "###############", "#.     ########", "#    $$$   ..##", "#     @########", "###############"
"""A goal in the room of the player, and two in a dead end."""
DOOR, END = 2 + 11j, 2 + 12j


@pytest.mark.parametrize("ordered", [True, False])
def test_a_step_waits_for_those_before_it(ordered):
    position = Position(*FORK)
    plan = plan_of(position, ordered)
    order = position.named(plan.square)
    assert order.index(END) < order.index(DOOR)
    first, second, third = order
    for filled in some_of(order):
        box_at = np.zeros(len(position.names), np.uint8)
        box_at[[position.number(square) for square in filled]] = 1
        expected = len(filled) - (DOOR in filled and END not in filled)
        if ordered:
            expected = 0 if first not in filled else 1 if second not in filled else 2 if third not in filled else 3
        assert count_packed(plan, box_at) == expected


def some_of(squares):
    """Every set of squares."""
    return itertools.chain.from_iterable(itertools.combinations(squares, size) for size in range(len(squares) + 1))


def sources(position, walls, targets):
    """The squares from which a box can be brought to one of the targets, if the player may be anywhere."""
    free, found, new = set(position.names) - walls, set(targets) - walls, list(set(targets) - walls)
    while new:
        here = new.pop()
        for step in STEPS:
            before, player = here - step, here - 2 * step if position.board.pushed else here + step
            if {before, player} <= free and before not in found:
                found.add(before)
                new.append(before)
    return found


def test_a_box_that_stayed_on_a_hotspot_would_take_a_goal_from_another():
    hot = 0
    for rows, _ in random_levels(20, boxes=3, fewest=2):
        position = Position(*rows)
        found, board = find_hotspots(position.board), position.board
        squares = [name for name in position.names[: board.live] if board.goal_at[position.number(name)] < 0]
        goals = position.named(board.goals)
        for first in squares:
            lost = set().union(*(sources(position, set(), {g}) - sources(position, {first}, {g}) for g in goals))
            expected = sorted(position.number(second) for second in set(squares) & lost - {first})
            assert np.flatnonzero(found[position.number(first)]).tolist() == expected
            hot += len(expected)
    assert hot > 50


@pytest.mark.extended
def test_plans_are_as_defined():
    """On random boards: what each step fills, blocks and waits for."""
    parked = waiting = 0
    for rows in [FORK, *(rows for rows, _ in random_levels(60, boxes=4, fewest=2))]:
        position = Position(*rows)
        goals, starts = (set(position.named(some)) for some in (position.board.goals, position.work.boxes))
        plan, loose = plan_of(position), plan_of(position, ordered=False)
        if not len(plan.square):  # no matching of boxes and goals
            continue
        squares, until = position.named(plan.square), plan.until.tolist()
        stays = [square for square, step in zip(squares, until, strict=True) if step == NEVER]
        assert sorted(stays, key=str) == sorted(goals, key=str)
        assert position.named(loose.square) == stays
        assert all(step < later for step, later in enumerate(until))
        for step in range(len(squares)):
            last = next((later for later in range(step, len(squares)) if until[later] == NEVER), len(squares))
            walls = {squares[k] for k in range(min(last + 1, len(squares))) if until[k] == NEVER}
            good = sources(position, walls, squares[last + 1 :]) | walls
            blocked = set(position.named(np.flatnonzero(plan.blocked[step])))
            assert blocked == (set(position.names) - good if last + 1 < len(squares) else set())
        for step, later in itertools.combinations(range(len(stays)), 2):
            waits = not sources(position, {*stays[:step], stays[later]}, {stays[step]}) & starts
            assert loose.before[later, step] == waits
            waiting += waits
        parked += len(squares) - len(stays)
        rng = np.random.default_rng(0)
        for _ in range(20):
            box_at = rng.integers(0, 2, len(position.names)).astype(np.uint8)
            filled = {square for square in position.names if box_at[position.number(square)]}
            done = [squares[k] in filled for k in range(len(squares))]
            longest = max(n for n in range(len(squares) + 1) if all(done[k] or until[k] < n for k in range(n)))
            assert count_packed(plan, box_at) == longest
            free = [k for k in range(len(stays)) if stays[k] in filled]
            ready = sum(all(stays[m] in filled or not loose.before[k, m] for m in range(k)) for k in free)
            assert count_packed(loose, box_at) == ready
    assert waiting > 0
    assert parked > 0
