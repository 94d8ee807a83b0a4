"""The original program's evaluation of a finished level.

    reward = (w_b P_b + w_c P_c + w_n n + w_d d) / k

``P_b`` is the number of 3×3 blocks of the board, overlapping ones included, that are neither all wall nor all floor,
``n`` the number of boxes. ``P_c``, the congestion, sums ``(α b + β g) / (γ (A - w))`` over boxes and goals, paired in
the order of their squares, row by row. A is the area of the rectangle spanned by box and goal, and b, g and w are
the numbers of boxes, goals and walls in it at the start, when the boxes are where they were placed. The displacement
``d`` is not in the original: it sums the rows and columns between the first and the last square of each box.
Boxoban's levels were chosen by displacement, times how often another box is pushed (S. Racanière et al.,
"Imagination-augmented agents for deep reinforcement learning", NeurIPS 2017).

Kartal, Sohre and Guy (see :mod:`.generation.building`) fitted the weights of these three terms to what people found
hard; later programs use yet other weights for the terms (for example 4, 4, 1 for α, β, γ). Here all are settings.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.arguments import real
from gridpuzzles_gym.engine.compile.compilation import routine

from ...search.monte_carlo.score_mcts import Game, make_simulate
from . import building
from .building import HEIGHT, PLACED, WALL, WIDTH, at, cell, moved, origin, roll_out


@dataclasses.dataclass(frozen=True)
class Weights:
    """The parameters of the evaluation; the defaults are the original program's.

    Raises:
        ValueError: A number is negative, or a divisor is 0.
    """

    blocks: float = 10.0
    """w_b."""
    congestion: float = 5.0
    """w_c."""
    boxes: float = 1.0
    """w_n."""
    divisor: float = 50.0
    """k."""
    box: float = 10.0
    """α."""
    goal: float = 5.0
    """β."""
    space: float = 1.0
    """γ."""
    displacement: float = 0.0
    """w_d."""

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            least = 1e-6 if field.name in ("divisor", "space") else 0.0
            real(field.name, getattr(self, field.name), least, 1e6)

    def row(self) -> npt.NDArray[np.float64]:
        """Return float64[8], in the order of the fields."""
        return np.array(dataclasses.astuple(self), np.float64)


@routine
def evaluate(spec, state, weights, marks):
    """Return the reward of a finished level.

    Args:
        spec: See :mod:`.generation.building`.
        state: See :mod:`.generation.building`.
        weights: float64[8]; see :class:`Weights`.
        marks: int16[N]: scratch array.
    """
    blocks, congestion, boxes = terms(spec, state, weights, marks)
    total = weights[0] * blocks + weights[1] * congestion + weights[2] * boxes
    return (total + weights[7] * displacement(spec, state)) / weights[3]


@routine
def displacement(spec, state):
    """Return the term d."""
    width, total = spec[WIDTH], 0
    for box in range(state[PLACED]):
        if state[moved(spec, box)]:
            start, end = state[origin(spec, box)], state[at(spec, box)]
            total += abs(start // width - end // width) + abs(start % width - end % width)
    return total


DISPLACEMENT = Weights(blocks=0, congestion=0, boxes=0, divisor=1, displacement=1)
"""The displacement alone: more displacement takes more pushes, and is known without a solver."""


@routine
def terms(spec, state, weights, marks):
    """Return P_b, P_c and n."""
    height, width = spec[HEIGHT], spec[WIDTH]
    blocks = 0
    for row in range(height - 2):
        for column in range(width - 2):
            walls = 0
            for k in range(9):
                walls += state[cell(spec, (row + k // 3) * width + column + k % 3)] == WALL
            blocks += 0 < walls < 9
    # marks: bit 1 where a box starts, bit 2 where a goal is.
    for square in range(height * width):
        marks[square] = 0
    boxes = 0
    for box in range(state[PLACED]):
        if state[moved(spec, box)]:
            marks[state[origin(spec, box)]] |= 1
            marks[state[at(spec, box)]] |= 2
            boxes += 1
    congestion, box, goal = 0.0, -1, -1
    for _ in range(boxes):
        box, goal = box + 1, goal + 1
        while not marks[box] & 1:
            box += 1
        while not marks[goal] & 2:
            goal += 1
        top, bottom = min(box // width, goal // width), max(box // width, goal // width)
        left, right = min(box % width, goal % width), max(box % width, goal % width)
        space, weight = 0, 0.0
        for row in range(top, bottom + 1):
            for column in range(left, right + 1):
                square = row * width + column
                space += state[cell(spec, square)] != WALL
                weight += weights[4] * (marks[square] & 1) + weights[5] * (marks[square] >> 1)
        congestion += weight / (weights[6] * space)
    return blocks, congestion, boxes


@routine
def score(spec, state, weights, scratch):
    """Return a score, and whether it is final: if there are no weights, Python is asked for it.

    With weights, it is the original program's evaluation; without a valid level, 0.
    """
    if not building.valid(spec, state):
        return 0.0, True
    if weights.shape[0] == 0:
        return 0.0, False
    return evaluate(spec, state, weights, scratch[0]), True


def make_generate_loop() -> Callable[..., Any]:
    """``simulate(spec, root, state, rng, weights, tree, control, scratch, score, asked)``, compiled."""
    game = Game(building.actions, building.legal, building.play, building.finished, roll_out, score)
    return make_simulate(game, "sokoban-generator")
