"""Corrals that can never be opened, found by searches with a subset of the boxes."""

import functools

import numpy as np
import pytest
from naive_sokoban_positions import area_of, found_from, with_boxes
from naive_sokoban_search import STEPS as SIDES
from naive_sokoban_search import fewest_pushes
from sokoban_positions import Position
from sokoban_problems import random_levels

from gridpuzzles_gym.agents.sokoban.solver.board import FAR, aimed
from gridpuzzles_gym.agents.sokoban.solver.deadlocks.corrals import LOST, NO_CORRAL, find_corral, ways_in
from gridpuzzles_gym.agents.sokoban.solver.deadlocks.freezing import past_frozen
from gridpuzzles_gym.agents.sokoban.solver.deadlocks.subset_search import MAX_NODES
from gridpuzzles_gym.agents.sokoban.solver.flood import walk
from gridpuzzles_gym.agents.sokoban.solver.matching import match_all
from gridpuzzles_gym.agents.sokoban.solver.position import BOX_AT, QUEUE, REGION, STEPS, make_work
from gridpuzzles_gym.engine.compile.compilation import compiled

pytestmark = pytest.mark.xdist_group("corrals")  # one process explores the boards

# -- random positions ----------------------------------------------------------------------------

each_direction = pytest.mark.parametrize("pushed", [True, False], ids=["forwards", "backwards"])


@functools.cache
def examine():
    """``verdicts(board, boxes, players, stored)``: what is found out about each of many positions, compiled."""

    def verdicts(board, boxes, players, stored):
        found = np.empty(len(players), np.int64)
        work = make_work(board, boxes[0])
        for k in range(len(players)):
            if not stored:
                work = make_work(board, boxes[k])
            work.boxes[:] = boxes[k]
            work.flags[BOX_AT] = 0
            for box in boxes[k]:
                work.flags[BOX_AT, box] = 1
            walk(board.neighbours, work.flags[BOX_AT], players[k], work.squares[STEPS], work.squares[QUEUE])
            found[k] = find_corral(board, work, True)
            if board.pushed and match_all(past_frozen(board, work), work.boxes, work.match) >= FAR:
                found[k] = LOST
        return found

    return compiled(verdicts, "test-sokoban-corrals", returns_arrays=True)


def verdicts(drawn, pushed, positions, stored=True):
    """What find_corral returns for positions of a board, each of them the boxes and the player's area.

    LOST as well if frozen boxes, as walls, leave no solution.
    """
    board = drawn.board if pushed else aimed(drawn.board, drawn.work.boxes, pushed=0)
    number = {name: k for k, name in enumerate(drawn.names)}
    boxes = [sorted(number[box] for box in boxes) for boxes, _ in positions]
    players = [number[next(iter(area))] for _, area in positions]
    return examine()(board, np.array(boxes, np.int16), np.array(players), stored).tolist()


@functools.cache
def boards():
    """Random boards with two to four boxes: as drawn, and their floor."""
    drawn = [Position(*rows) for rows, _ in random_levels(60, boxes=4, fewest=2)]
    return [(position, frozenset(position.names)) for position in drawn]


@functools.cache
def explored():
    """For each of many boards: the positions that pushes lead to from the start, and pulls from the solved ones."""
    found = []
    for drawn, floor in boards():
        boxes = frozenset(drawn.named(drawn.work.boxes))
        start = boxes, area_of(floor, boxes, drawn.names[drawn.player])
        solved = with_boxes(floor, frozenset(drawn.named(drawn.board.goals)))
        from_start, from_solved = found_from(floor, {start}, True), found_from(floor, solved, False)
        assert (start in from_solved) == bool(from_start & solved)
        found.append((drawn, from_start, from_solved))
    return found


@pytest.mark.compiled
@pytest.mark.extended
@each_direction
def test_no_position_that_can_be_solved_is_called_lost(pushed):
    """What pushes from the start lead to can be solved if pulls lead there too, and the other way round."""
    lost = unsolvable = 0
    for drawn, *found in explored():
        examined, solvable = found if pushed else reversed(found)
        live = set(drawn.named(range(drawn.board.live)))
        positions = [position for position in examined if position[0] <= live]
        for position, verdict in zip(positions, verdicts(drawn, pushed, positions), strict=True):
            assert verdict != LOST or position not in solvable, (drawn.names, position)
            lost, unsolvable = lost + (verdict == LOST), unsolvable + (position not in solvable)
    assert lost > unsolvable / 10 > 50


@pytest.mark.extended
@each_direction
def test_stored_results_change_no_verdict(pushed):
    """Of random positions of a board, one with the player in each area."""
    rng = np.random.default_rng(0)
    lost = count = 0
    for drawn, floor in boards():
        positions = []
        for _ in range(100):
            boxes = rng.permutation(drawn.board.live)[: len(drawn.work.boxes)]
            positions += with_boxes(floor, frozenset(drawn.named(boxes)))
        fresh = verdicts(drawn, pushed, positions, stored=False)
        assert verdicts(drawn, pushed, positions) == fresh
        lost, count = lost + fresh.count(LOST), count + len(fresh)
    assert count / 10 < lost < count * 9 / 10


def is_shut(floor, goals, boxes, area, pushed):
    """Can some corral not be entered by moving the boxes around it alone, nor these all be brought to goals?"""
    for _, corral in with_boxes(floor, boxes) - {(boxes, area)}:
        around = frozenset(box for box in boxes if corral & {box + step for step in SIDES})
        found = found_from(floor, {(around, area_of(floor, around, next(iter(area))))}, pushed)
        opened = any(others <= goals or reach & corral for others, reach in found)
        if len(found) < MAX_NODES and not opened:
            return True
    return False


@pytest.mark.compiled
@pytest.mark.extended
@each_direction
def test_a_position_is_lost_if_the_boxes_around_a_corral_can_never_open_it(pushed):
    shut = 0
    for drawn, *found in explored():
        floor, start = frozenset(drawn.names), drawn.work.boxes
        goals = frozenset(drawn.named(drawn.board.goals if pushed else start))
        live = set(drawn.named(range(drawn.board.live)))
        positions = [position for position in found[not pushed] if position[0] <= live][::10]
        for position, verdict in zip(positions, verdicts(drawn, pushed, positions), strict=True):
            must = is_shut(floor, goals, *position, pushed)
            assert verdict == LOST or not must, (drawn.names, position)
            shut += must
    assert shut > 50


# -- positions drawn by hand ---------------------------------------------------------------------

CORRIDOR = "#########", "#   #####", "# @$ $..#", "#   #####", "#########"
"""The first box can be pushed up to the second, and no further."""


def test_what_can_be_pushed_into_may_be_a_deadlock():
    position = Position(*CORRIDOR)
    assert position.corral() == LOST
    corral = position.work.squares[REGION].max()  # the last that was looked at
    assert ways_in(position.board, position.work, corral) != 0
    single = "#########", "#   #####", "# @$  . #", "#   #####", "#########"
    assert Position(*single).corral() == {2 + 4j, 2 + 5j, 2 + 6j, 2 + 7j}


def test_a_box_that_opens_a_corral_must_not_freeze():
    """Pushed once, it is next to another box at the wall: harmless if both are on goals then."""
    off_goals = "#########", "#. @$ $.#", "####    #", "#########"
    assert fewest_pushes(off_goals) is None
    assert Position(*off_goals).corral() == LOST
    home = "#########", "#  @$.* #", "####    #", "#########"
    assert fewest_pushes(home) == 1
    assert Position(*home).corral() == {1 + 5j, 1 + 7j, 2 + 4j, 2 + 5j, 2 + 6j, 2 + 7j}


def test_a_corral_is_not_open_while_boxes_shut_the_squares_around_it():
    """The box beside the player can be pushed over to the other two; below them is another corral then."""
    plugged = (
        "##########",
        "#        #",
        "#  ##### #",
        "## #  ## #",
        "# @$  ## #",
        "#  #$ ##.#",
        "#### $ ..#",
        "#####    #",
        "##########",
    )
    assert fewest_pushes(plugged) is None
    assert Position(*plugged).corral() == LOST


def tunnel(length):
    """A level whose box is pushed along a tunnel, away from its blind end, and where it turns."""
    return "#" * (length + 8), "#@$." + " " * length + "  #", "#" * (length + 3) + "   #", "#" * (length + 8)


def ring(length):
    """A level whose two boxes are pushed along two of the four sides of a ring, which turns at all corners."""
    side = "# $." + " " * length + " #"
    return "#" * len(side), side, "#@" + "#" * (len(side) - 4) + " #", side, "#" * len(side)


def test_pulled_boxes_keep_the_player_out():
    """On his side of the box he can pull it further away, but never come to where it must go."""
    for length in (1, 5):
        straight = "#" * (length + 6), "#@$." + " " * length + " #", "#" * (length + 6)
        assert Position(*straight).backwards(1 + 1j).corral() == NO_CORRAL
        assert Position(*straight).backwards(1 + 5j).corral() == LOST
    assert Position(*tunnel(1)).backwards(1 + 5j).corral() == NO_CORRAL
    assert Position(*ring(1)).backwards(2 + 1j).corral() == NO_CORRAL
    assert Position(*ring(1)).backwards(2 + 5j).corral() == LOST


def test_a_search_that_was_cut_short_is_repeated_when_its_result_has_been_wanted_often():
    position = Position(*ring(12)).backwards(2 + 16j)
    found = [position.corral() for _ in range(16)]
    assert found == [NO_CORRAL] * 15 + [LOST]
