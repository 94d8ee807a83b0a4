"""What Sokoban's solver is made of: matching, frozen boxes, corrals, the packing order."""

import itertools

import numpy as np
import pytest
from naive_sokoban_positions import found_from, with_boxes
from naive_sokoban_search import STEPS
from sokoban_positions import Position
from sokoban_problems import random_levels

from gridpuzzles_gym.agents.sokoban.solver.board import FAR
from gridpuzzles_gym.agents.sokoban.solver.deadlocks.corrals import LOST, NO_CORRAL
from gridpuzzles_gym.agents.sokoban.solver.features import count_packed
from gridpuzzles_gym.agents.sokoban.solver.matching import GOAL_PRICE, MATCH_ROWS, match_again, match_all, match_priced
from gridpuzzles_gym.agents.sokoban.solver.packing import ANY, IN_ORDER, SAFE, planning

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


def test_two_boxes_side_by_side_at_a_wall_freeze():
    assert Position("#######", "#  $$ #", "#     #", "#.@ . #", "#######").freezes(1 + 3j) == (True, {1 + 3j, 1 + 4j})


def test_on_goals_they_freeze_and_do_no_harm():
    assert Position("#######", "#  ** #", "#     #", "# @   #", "#######").freezes(1 + 3j) == (False, {1 + 3j, 1 + 4j})


def test_one_astray_in_a_frozen_group_is_enough():
    assert Position("#######", "# .*$ #", "#     #", "# @   #", "#######").freezes(1 + 3j) == (True, {1 + 3j, 1 + 4j})


def test_a_box_that_can_be_pushed_away_frees_the_others():
    """Four in a square hold each other, three do not."""
    four = "########", "#      #", "#  $$  #", "#  $$  #", "# @....#", "########"
    assert Position(*four).freezes(2 + 3j) == (True, {2 + 3j, 2 + 4j, 3 + 3j, 3 + 4j})
    three = "########", "#      #", "#  $$  #", "#  $   #", "# @... #", "########"
    assert Position(*three).freezes(2 + 3j)[0] is False


def test_no_corral_where_the_player_goes_everywhere():
    assert Position("#######", "#     #", "# @$ .#", "#     #", "#######").corral() == NO_CORRAL


CLOSET = "#########", "#   #   #", "# @ $  .#", "#   #   #", "#########"
"""A room behind a door, and a box in the door."""


def test_a_corral_that_can_only_be_pushed_into_comes_first():
    assert Position(*CLOSET).corral() == {1 + 5j, 1 + 6j, 1 + 7j, 2 + 5j, 2 + 6j, 2 + 7j, 3 + 5j, 3 + 6j, 3 + 7j}


def test_a_corral_that_lacks_nothing_is_none():
    """The box is on its goal, and no goal is behind it: there is no need to push it in."""
    assert Position("#########", "#   #   #", "# @ *   #", "#.$ #   #", "#########").corral() == NO_CORRAL


def test_a_corral_whose_box_can_be_pushed_elsewhere_does_not_come_first():
    rows = "########", "#    . #", "# @ $  #", "#  $ $ #", "#   $  #", "#  ... #", "########"
    assert Position(*rows).corral() == NO_CORRAL


def test_a_corral_that_nothing_can_be_pushed_into_is_lost():
    """In the corner a box would be lost."""
    assert Position("#######", "# . $ #", "# @  $#", "#    .#", "#######").corral() == LOST


# -- the packing order ---------------------------------------------------------------------------


def packed(*rows):
    """The goals in the order in which they are filled."""
    position = Position(*rows)
    plan = planning(position.board, position.work.boxes)
    return position.named(position.board.goals[plan.order]), plan, position


def test_a_dead_end_is_filled_from_its_end():
    order, plan, position = packed("##########", "#    #####", "# $$$ ...#", "#  @ #####", "##########")
    assert order == [2 + 8j, 2 + 7j, 2 + 6j]
    start = position.number(2 + 3j)
    assert plan.way[:, start].tolist() == [5, 4, 3]
    # Once the first is filled, a box on the way can still come to the others; once all are, to none.
    assert plan.blocked[:, start].tolist() == [0, 0, 0, 1]


def test_a_goal_room_is_filled_from_its_far_corner():
    order, _, _ = packed("##########", "#    ##..#", "# $$     #", "# $@ ##..#", "# $  #####", "##########")
    assert set(order[:2]) == {1 + 8j, 3 + 8j}


# -- filled goals that count ---------------------------------------------------------------------

FORK = "##########", "# .  #####", "# $$$ ..##", "#  @ #####", "##########"
"""A goal near the player, and two in a dead end."""
NEAR, DOOR, END = 1 + 2j, 2 + 6j, 2 + 7j


def count(position, plan, filled):
    """How many goals count as packed when these are filled."""
    box_at = np.zeros(len(position.names), np.uint8)
    box_at[[position.number(goal) for goal in filled]] = 1
    return count_packed(plan, position.board.goals, box_at)


def some_of(goals):
    """Every set of goals."""
    return itertools.chain.from_iterable(itertools.combinations(goals, size) for size in range(len(goals) + 1))


def test_a_box_that_keeps_others_out_of_a_dead_end_does_not_count_as_safe():
    position = Position(*FORK)
    plan = planning(position.board, position.work.boxes, SAFE)
    expected = {(NEAR,): 1, (DOOR,): 0, (END,): 1, (NEAR, DOOR): 1, (NEAR, END): 2, (DOOR, END): 2}
    assert {filled: count(position, plan, filled) for filled in expected} == expected


def test_in_order_nothing_counts_after_an_empty_goal():
    order, plan, position = packed(*FORK)
    assert order.index(END) < order.index(DOOR)
    first, second, third = order
    expected = {(first,): 1, (second,): 0, (third,): 0, (first, third): 1, (first, second): 2, (second, third): 0}
    assert {filled: count(position, plan, filled) for filled in expected} == expected


def shuts_out(position, one, other):
    """Does a box on one goal keep every box of the start from another, or the player from the box there?"""
    floor = frozenset(position.names) - {one}
    starts = with_single(floor, position.named(position.work.boxes))
    found = found_from(floor, starts, position.board.pushed)
    return not any(boxes == {other} and area & {other + step for step in STEPS} for boxes, area in found)


def with_single(floor, squares):
    """The positions with one box, on one of these squares if it is floor."""
    return set().union(*(with_boxes(floor, frozenset({square})) for square in floor & set(squares)))


@pytest.mark.parametrize("pushed", [True, False], ids=["forwards", "backwards"])
def test_goals_count_as_packed_as_defined(pushed):
    """On random boards, for every set of filled goals."""
    safe = unsafe = 0
    for rows, _ in random_levels(60, boxes=4, fewest=2):
        position = Position(*rows)
        if not pushed:
            position = position.backwards(position.names[position.player])
        boxes, goals = position.work.boxes, position.named(position.board.goals)
        plans = [planning(position.board, boxes, counted) for counted in (ANY, SAFE, IN_ORDER)]
        order = position.named(position.board.goals[plans[0].order])
        shut = {(one, other) for one in goals for other in goals if other != one and shuts_out(position, one, other)}
        for filled in some_of(goals):
            empty = set(goals) - set(filled)
            packed = sum(not any((one, other) in shut for other in empty) for one in filled)
            prefix = min((order.index(goal) for goal in empty), default=len(order))
            assert [count(position, plan, filled) for plan in plans] == [len(filled), packed, prefix], (rows, filled)
            safe, unsafe = safe + packed, unsafe + len(filled) - packed
    assert safe > unsafe > 30
