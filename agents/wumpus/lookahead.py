"""What a risk or a shot of the Bayesian agent is worth: a search over everything that it may know next.

The agent makes a choice, then chance decides what it feels. A *frame* is a state of knowledge at which it would choose
again: it visits the nearest safe square; if there is none, it takes the best of stopping, of the most promising risks
and of the shots. Frames that are reached with a probability below ``least`` are estimated by :mod:`.prospects`.
The frames from the agent's own knowledge down to the one in work are kept on a stack.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.compile.compilation import routine, rule
from gridpuzzles_gym.engine.compile.memory import copy_row

from .belief import DANGER, LAIR, believe
from .prospects import ARROW_COST, DEATH, TREASURE, beyond, first_look, outlook, stop_value
from .recollection import (
    ARROW,
    BREEZE,
    CELLS,
    CLIMB,
    CLOCK,
    DEAD,
    FACING,
    HIT,
    MISSED,
    SQUARE,
    START,
    STENCH,
    VISITED,
    open_neighbour,
)
from .walking import CERTAIN, FAR, nearest, survey

DEEPEST = 16
"""Number of frames."""
RISKS = 3
"""How many risks are considered in a frame."""
MARGIN = 200.0
"""A choice whose first estimate is worse than another by more than this is not considered."""
LARGEST = 200
"""Number of frames after which the others are only estimated: keeps decisions in large caves quick."""
LIKELY = 0.1
"""The minimum probability of a hit for a shot to be considered."""

WEIGHT, REACH, LIKELIHOOD, BEST, RUNNING, LEFT, STOP = range(7)
MODEL, CHOICES, TURN, OUTCOME, EXPANDED = range(5)


class Frames(NamedTuple):
    """The stack of D frames, for caves of S squares."""

    memory: npt.NDArray[np.int16]
    """int16[D, M]."""
    belief: npt.NDArray[np.float64]
    """float64[D, 4, S]."""
    steps: npt.NDArray[np.int16]
    """int16[D, 4*S]: from the agent's stance; see :func:`.walking.survey`."""
    choices: npt.NDArray[np.int64]
    """int64[D, 5*S]: a square to enter, or S plus the stance to shoot from."""
    promise: npt.NDArray[np.float64]
    """float64[D, 5*S]: first estimates of their values."""
    reals: npt.NDArray[np.float64]
    """float64[D, 7]: WEIGHT of the possible layouts. REACH: its probability, and LIKELIHOOD: that after the choice
    above it. BEST value of the finished choices; RUNNING: of the one in work, whose LEFT is the probability of the
    outcomes still to come. STOP: the value of stopping."""
    whole: npt.NDArray[np.int64]
    """int64[D, 5]: MODEL, as WEIGHT, from :func:`.belief.believe`. The number of CHOICES, the TURN of one of them and
    its next OUTCOME. EXPANDED (of the first frame): number of frames so far."""


@routine
def new_frames(squares, cells):
    """Return an empty stack."""
    return Frames(
        np.empty((DEEPEST, cells), np.int16),
        np.empty((DEEPEST, 4, squares)),
        np.empty((DEEPEST, 4 * squares), np.int16),
        np.empty((DEEPEST, 5 * squares), np.int64),
        np.empty((DEEPEST, 5 * squares)),
        np.zeros((DEEPEST, 7)),
        np.zeros((DEEPEST, 5), np.int64),
    )


@routine
def look_around(settings, frames, depth, queue):
    """Fill the ``steps`` and the STOP of a frame."""
    memory, steps = frames.memory[depth], frames.steps[depth]
    survey(settings, memory, frames.belief[depth], 4 * memory[SQUARE] + memory[FACING], steps, queue)
    frames.reals[depth, STOP] = stop_value(settings, memory, nearest(steps, memory[START]))


@routine
def nearest_safe(memory, belief, steps):
    """Return the nearest square to visit that is certainly safe, or -1."""
    found, least = -1, FAR
    for square in range(belief.shape[1]):
        safe = not memory[CELLS + square] & VISITED and belief[DANGER, square] < CERTAIN
        if safe and nearest(steps, square) < least:
            found, least = square, nearest(steps, square)
    return found


@rule
def add_choice(frames, depth, choice, promise):
    """Add a choice to a frame."""
    count = frames.whole[depth, CHOICES]
    frames.choices[depth, count] = choice
    frames.promise[depth, count] = promise
    frames.whole[depth, CHOICES] += 1


@rule
def is_possible(memory, steps, square):
    """Whether it is a square that the agent can enter next."""
    return not memory[CELLS + square] & VISITED and nearest(steps, square) < FAR


@routine
def add_choices(settings, frames, depth):
    """Find the choices of a frame: the nearest safe square, or else the most promising risks, and the shots."""
    memory, belief, steps = frames.memory[depth], frames.belief[depth], frames.steps[depth]
    squares = belief.shape[1]
    frames.whole[depth, CHOICES] = 0
    frames.reals[depth, BEST] = -np.inf
    safe = nearest_safe(memory, belief, steps)
    if safe >= 0:
        add_choice(frames, depth, safe, np.inf)
        return
    stop = frames.reals[depth, STOP]
    frames.reals[depth, BEST] = stop
    further, looks = beyond(settings, memory, stop), np.full(squares, -np.inf)
    for square in range(squares):
        if is_possible(memory, steps, square):
            looks[square] = first_look(belief, square, further) - nearest(steps, square)
    for _ in range(min(RISKS, squares)):
        risk = np.argmax(looks)
        if looks[risk] == -np.inf:
            break
        add_choice(frames, depth, risk, looks[risk])
        looks[risk] = -np.inf
    for stance in range(4 * squares if memory[ARROW] else 0):
        if is_best_stance(settings, memory, belief, steps, stance):
            add_choice(frames, depth, squares + stance, np.inf)


@rule
def aim(settings, memory, belief, stance):
    """Return the probability that an arrow from a stance hits, and the last square in its path that may be hit."""
    hit, last, there = 0.0, -1, open_neighbour(settings, memory, stance >> 2, stance & 3)
    while there >= 0:
        if belief[LAIR, there] > 0:
            hit, last = hit + belief[LAIR, there], there
        there = open_neighbour(settings, memory, there, stance & 3)
    return hit, last


@routine
def is_best_stance(settings, memory, belief, steps, stance):
    """Whether a hit is likely enough from there, and no nearer stance is as good."""
    if steps[stance] == FAR or not memory[CELLS + (stance >> 2)] & VISITED:
        return False
    hit, last = aim(settings, memory, belief, stance)
    if hit < LIKELY:
        return False
    for other in range(stance & 3, len(steps), 4):
        nearer = steps[other] < steps[stance] or (steps[other] == steps[stance] and other < stance)
        nearer = nearer and memory[CELLS + (other >> 2)] & VISITED != 0
        if nearer and aim(settings, memory, belief, other) == (hit, last):
            return False
    return True


@routine
def enter(settings, memory, chance, weighed, square, percept, later, guess):
    """Return the weight of entering a square alive, without finding the gold, and feeling one of four percepts there.

    Percepts are 1 for a stench plus 2 for a breeze. ``later`` and ``guess`` become the memory and belief after that;
    ``weighed`` is from `believe`. Returns the probability, the weight and the model.
    """
    copy_row(memory, later)
    later[CELLS + square] |= VISITED | STENCH * (percept & 1) | BREEZE * (percept >> 1)
    weight, model = believe(settings, later, chance, guess)
    # A different model: no layout that was possible agrees.
    return weight / weighed[0] if model == weighed[1] else 0.0, weight, model


@rule
def fly(settings, memory, stance, killed):
    """Change a memory by a shot from a stance."""
    memory[ARROW], memory[DEAD] = 0, killed
    there = open_neighbour(settings, memory, stance >> 2, stance & 3)
    while there >= 0:
        memory[CELLS + there] |= HIT if killed else MISSED
        there = open_neighbour(settings, memory, there, stance & 3)


@rule
def arrival(steps, square):
    """Return the stance in which a square is reached first."""
    facing = 0
    for other in range(1, 4):
        if steps[4 * square + other] < steps[4 * square + facing]:
            facing = other
    return 4 * square + facing


@rule
def stand(memory, stance, steps):
    """Change a memory by a walk of some steps to a stance."""
    memory[SQUARE], memory[FACING] = stance >> 2, stance & 3
    memory[CLOCK] = min(memory[CLOCK] + steps, 32000)


@routine
def begin_choice(frames, depth):
    """Begin the choice of a frame whose turn it is; returns False if it cannot matter."""
    belief, reals, turn = frames.belief[depth], frames.reals[depth], frames.whole[depth, TURN]
    choice, squares = frames.choices[depth, turn], belief.shape[1]
    frames.whole[depth, OUTCOME] = 0
    reals[LEFT] = 1.0
    if choice >= squares:
        reals[RUNNING] = -ARROW_COST - frames.steps[depth, choice - squares]
        return True
    danger = belief[DANGER, choice]
    reals[RUNNING] = -danger * DEATH - nearest(frames.steps[depth], choice)
    reals[LEFT] -= danger
    at_best = reals[RUNNING] + reals[LEFT] * TREASURE
    return at_best > reals[BEST] and frames.promise[depth, turn] > reals[BEST] - MARGIN


@routine
def next_outcome(settings, chance, frames, depth, choice):
    """Write the next outcome of a choice to the frame below, and return its probability; -1 if there are no more."""
    memory, belief, later, guess = (
        frames.memory[depth],
        frames.belief[depth],
        frames.memory[depth + 1],
        frames.belief[depth + 1],
    )
    outcome, squares = frames.whole[depth, OUTCOME], belief.shape[1]
    if outcome == (4 if choice < squares else 2):
        return -1.0
    frames.whole[depth, OUTCOME] += 1
    if choice < squares:
        weighed = frames.reals[depth, WEIGHT], frames.whole[depth, MODEL]
        likely, weight, model = enter(settings, memory, chance, weighed, choice, outcome, later, guess)
        stance = arrival(frames.steps[depth], choice)
        stand(later, stance, frames.steps[depth, stance])
    else:
        stance = choice - squares
        hit, _ = aim(settings, memory, belief, stance)
        likely = hit if outcome else 1 - hit
        copy_row(memory, later)
        fly(settings, later, stance, outcome)
        weight, model = believe(settings, later, chance, guess) if likely > CERTAIN else (0.0, 0)
        stand(later, stance, frames.steps[depth, stance] + 1)
    frames.reals[depth, LEFT] -= likely
    frames.reals[depth + 1, WEIGHT], frames.whole[depth + 1, MODEL] = weight, model
    frames.reals[depth + 1, LIKELIHOOD] = likely
    frames.reals[depth + 1, REACH] = likely * frames.reals[depth, REACH]
    return likely


@routine
def add_gold(settings, frames, depth, choice, queue):
    """Add the rest of the outcomes to the value of a choice: there the agent finds the gold, and carries it home."""
    found, memory, later = frames.reals[depth, LEFT], frames.memory[depth], frames.memory[depth + 1]
    if choice < frames.belief.shape[2] and found > CERTAIN:
        copy_row(memory, later)
        later[CELLS + choice] |= VISITED
        stance, steps = arrival(frames.steps[depth], choice), frames.steps[depth + 1]
        survey(settings, later, frames.belief[depth], stance, steps, queue)
        home = nearest(steps, memory[START]) + settings[CLIMB]
        frames.reals[depth, RUNNING] += found * (TREASURE - 1 - home)


@routine
def expected(settings, chance, frames, choice, least):
    """The expected return of a choice of the first frame, whose memory, belief, WEIGHT, MODEL and steps are given.

    Args:
        settings: See :mod:`.recollection`.
        chance: See :func:`.belief.believe`.
        frames: The stack.
        choice: See :class:`Frames`.
        least: The probability below which frames are only estimated.
    """
    reals, whole = frames.reals, frames.whole
    queue = np.empty(frames.steps.shape[1], np.int16)
    reals[0, REACH], reals[0, BEST] = 1.0, -np.inf
    whole[0, CHOICES], whole[0, TURN], whole[0, EXPANDED] = 0, -1, 0
    add_choice(frames, 0, choice, np.inf)
    depth, running = 0, False
    while True:
        if not running:
            whole[depth, TURN] += 1
            if whole[depth, TURN] < whole[depth, CHOICES]:
                running = begin_choice(frames, depth)
            elif depth == 0:
                return reals[0, BEST]
            else:
                depth, running = depth - 1, True
                reals[depth, RUNNING] += reals[depth + 1, LIKELIHOOD] * reals[depth + 1, BEST]
            continue
        current = frames.choices[depth, whole[depth, TURN]]
        likely = next_outcome(settings, chance, frames, depth, current)
        if likely < 0:
            add_gold(settings, frames, depth, current, queue)
            reals[depth, BEST] = max(reals[depth, BEST], reals[depth, RUNNING])
            running = False
        elif likely > CERTAIN:
            look_around(settings, frames, depth + 1, queue)
            whole[0, EXPANDED] += 1
            if reals[depth + 1, REACH] < least or depth + 2 == DEEPEST or whole[0, EXPANDED] > LARGEST:
                stop = reals[depth + 1, STOP]
                value = outlook(settings, frames.memory[depth + 1], frames.belief[depth + 1], stop)
                reals[depth, RUNNING] += likely * value
            else:
                depth, running = depth + 1, False
                whole[depth, TURN] = -1
                add_choices(settings, frames, depth)
