"""Pictures of the Wumpus World: the arrow's flight, the legend, and what was done in vain."""

import dataclasses

import numpy as np
import pytest
from pictures import TILE, at, board, scenes

from gridpuzzles_gym.engine.pictures.placement import FROM, SPRITE, UNIT, X, Y
from gridpuzzles_gym.puzzles.wumpus import PUZZLE
from gridpuzzles_gym.puzzles.wumpus.picture import FLYING_ARROW, STUCK

LEFT, RIGHT, FORWARD, GRAB, RELEASE, SHOOT, CLIMB = range(7)
OPEN = "...G\n....\n....\nA..P\n"


def shot(level, show, *actions):
    puzzle, found = scenes("Wumpus-v0", (*actions, SHOOT), levels=level, show=show)
    return puzzle, found[-1]


def flight(scene):
    """How far an arrow flies, in squares."""
    (arrow,) = (row for row in PUZZLE.picture.pieces_of(scene) if row[SPRITE] == FLYING_ARROW)
    return (abs(arrow[X] - arrow[X + FROM]) + abs(arrow[Y] - arrow[Y + FROM])) / UNIT


def reason(scene):
    return PUZZLE.status.describe(scene, PUZZLE.actions(scene.options)).reason


@pytest.mark.parametrize("show", ["world", "knowledge"])
def test_the_arrow_flies_to_the_end_of_the_cave(show):
    puzzle, scene = shot(OPEN, show, LEFT)
    assert flight(scene) == pytest.approx(3 + STUCK / UNIT)
    still = dataclasses.replace(scene, action=LEFT)
    rows = []
    for phase in (0.3, 0.6, 1.0):
        differ = (board(puzzle, at(scene, phase)) != board(puzzle, at(still, phase))).any(axis=2)
        assert not differ[:, TILE:].any(), "it is in the first column"
        rows.append(np.flatnonzero(differ.any(axis=1)).min())
    assert rows == sorted(rows, reverse=True)
    assert rows[-1] < TILE / 2


def test_the_arrow_stops_at_the_wumpus_rock_and_edge():
    assert flight(shot("...G\nW...\n....\nA...\n", "world", LEFT)[1]) == 2
    assert flight(shot("...G\n#...\n....\nA...\n", "world", LEFT)[1]) == pytest.approx(1 + STUCK / UNIT)
    assert flight(shot("...G\n....\n....\nA...\n", "world", RIGHT)[1]) == pytest.approx(STUCK / UNIT)
    assert flight(shot("...G\n....\n#...\nA...\n", "world", LEFT)[1]) == pytest.approx(STUCK / UNIT)


@pytest.mark.parametrize("actions", [(LEFT,), (LEFT, FORWARD), (SHOOT,), (LEFT, FORWARD, LEFT, SHOOT)])
def test_no_moment_of_a_movement_shows_what_the_player_does_not_know(actions):
    """Both caves smell at [1,2] and nowhere else on the way, for different reasons."""
    moments = []
    for level in ("G..P\nW..P\n....\nA...\n", "..PP\n...G\n.W..\nA...\n"):
        puzzle, (*_, last) = scenes("Wumpus-v0", actions, levels=level, show="knowledge")
        moments.append([board(puzzle, at(last, phase)) for phase in (0.0, 0.5, 0.9, 1.0)])
    np.testing.assert_array_equal(*moments)


@pytest.mark.parametrize("actions", [(LEFT, FORWARD), (LEFT, FORWARD, LEFT, SHOOT), (SHOOT,)])
def test_placements_hold_nothing_that_the_player_does_not_know(actions):
    """Films have them as numbers; both caves smell and blow alike where the agent has been."""
    placements = []
    for level in ("G..P\nW..P\n....\nA...\n", "..PP\n...G\n.W..\nA...\n"):
        _, found = scenes("Wumpus-v0", actions, levels=level, show="knowledge")
        numbers = PUZZLE.picture.numbers(found[0])
        placements.append([PUZZLE.picture.ground_of(found[0].level, numbers).tolist()])
        placements[-1] += [PUZZLE.picture.pieces_of(scene).tolist() for scene in found]
    assert placements[0] == placements[1]
