"""What Sokoban's solver is made of: matching, frozen boxes, corrals, the packing order."""

import itertools

import numpy as np
import pytest
from sokoban_problems import problem_of

from gridpuzzles_gym.agents.sokoban.board import FAR, survey
from gridpuzzles_gym.agents.sokoban.corrals import LOST, NO_CORRAL, find_corral
from gridpuzzles_gym.agents.sokoban.flood import walk
from gridpuzzles_gym.agents.sokoban.freezing import freezes
from gridpuzzles_gym.agents.sokoban.matching import GOAL_PRICE, MATCH_ROWS, match_again, match_all, match_priced
from gridpuzzles_gym.agents.sokoban.packing import planning
from gridpuzzles_gym.agents.sokoban.position import BOX_AT, HELD, QUEUE, REGION, STEPS, make_work

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


class Position:
    """A board drawn as rows, in the numbers that the solver gives its squares."""

    def __init__(self, *rows):
        problem = problem_of(rows)
        self.board, boxes, player = survey(problem.level, problem.state)
        self.work, self.width = make_work(self.board, boxes), len(rows[0])
        self.box_at = self.work.flags[BOX_AT]
        self.box_at[boxes] = 1
        walk(self.board.beside, self.box_at, player, self.work.squares[STEPS], self.work.squares[QUEUE])

    def named(self, numbers):
        """Squares as row + column * 1j."""
        return [complex(*divmod(int(self.board.place[number]), self.width)) for number in numbers]

    def number(self, square):
        return self.named(range(len(self.box_at))).index(square)

    def freezes(self, moved):
        """Whether a box freezes off the goals, and what is frozen."""
        held = self.work.flags[HELD]
        astray = freezes(self.board, self.work, self.number(moved))
        return bool(astray), set(self.named(np.flatnonzero(held)))

    def corral(self):
        """NO_CORRAL, LOST, or the squares of the corral."""
        found = find_corral(self.board, self.work, True)
        return found if found <= 0 else set(self.named(np.flatnonzero(self.work.squares[REGION] == found)))


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
    assert plan.shut[:, start].tolist() == [0, 0, 0, 1]


def test_a_goal_room_is_filled_from_its_far_corner():
    order, _, _ = packed("##########", "#    ##..#", "# $$     #", "# $@ ##..#", "# $  #####", "##########")
    assert set(order[:2]) == {1 + 8j, 3 + 8j}
