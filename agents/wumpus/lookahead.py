"""What a risk or a shot of the Bayesian agent is worth: a search over everything that it may know next.

The agent makes a choice, then chance decides what it feels. A *frame* is a state of knowledge at which it would choose
again: it visits the nearest safe square; if there is none, it takes the best of stopping, of the most promising risks
and of the shots. Frames that are reached with a probability below ``least`` are estimated (:func:`outlook`).
The frames from the agent's own knowledge down to the one in work are kept on a stack.

The agent maximises the expected return:

1. It grabs visible gold, and carries it home over squares that are visited or certainly safe.
2. It visits the nearest certainly safe square.
3. If there is none, it compares the expected returns of stopping, of each possible risk, and of each shot: first by
   their next percepts, then the best of them by :func:`expected`.

Stopping is climbing out, or turning on the spot until the step limit, which costs the remaining steps.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import functools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.compile.compilation import compiled, routine, rule
from gridpuzzles_gym.engine.compile.memory import copy_row
from gridpuzzles_gym.puzzles.wumpus import rules
from gridpuzzles_gym.puzzles.wumpus.rules import CLIMB_OUT, FORWARD, GRAB, SHOOT, TURN_LEFT, TURN_RIGHT

from .belief import (
    ARROW,
    BREEZE,
    CELLS,
    CLIMB,
    CLOCK,
    DANGER,
    DEAD,
    FACING,
    GLITTER,
    GOAL,
    GOLD,
    HELD,
    HIT,
    LAIR,
    LAST,
    LIMIT,
    MISSED,
    MODEL_PITS,
    PIT,
    ROCK,
    SQUARE,
    START,
    STENCH,
    VISITED,
    begin,
    believe,
    open_neighbour,
    perceive,
)
from .cave_agent import HEIGHT, WIDTH

CERTAIN = 1e-9
"""Probabilities below this are rounding errors."""
FAR = 1 << 14


@rule
def leave(settings, memory, belief):
    """Go back to the start, and climb out."""
    if memory[SQUARE] == memory[START]:
        return CLIMB_OUT if settings[CLIMB] else TURN_LEFT
    return approach(settings, memory, belief, memory[START], -1)


@rule
def passable(memory, belief, square):
    """Whether the agent can walk there without risk."""
    return memory[CELLS + square] & VISITED or belief[DANGER, square] < CERTAIN


@routine
def survey(settings, memory, belief, stance, steps, queue):
    """Fill ``steps`` (int16[4*H*W]): from a stance to all others over squares without risk, or onto one with risk."""
    steps[:] = FAR
    steps[stance] = 0
    queue[0] = stance
    head, tail = 0, 1
    while head < tail:
        here = queue[head]
        head += 1
        square, facing = here >> 2, here & 3
        if not passable(memory, belief, square):
            continue
        ahead = open_neighbour(settings, memory, square, facing)
        for there in (
            4 * ahead + facing if ahead >= 0 else here,
            4 * square + (facing + 3 & 3),
            4 * square + (facing + 1 & 3),
        ):
            if steps[there] == FAR:
                steps[there] = steps[here] + 1
                queue[tail] = there
                tail += 1


@rule
def nearest(steps, square):
    """Return the fewest steps to a square, in any facing."""
    return min(min(steps[4 * square], steps[4 * square + 1]), min(steps[4 * square + 2], steps[4 * square + 3]))


@routine
def approach(settings, memory, belief, square, facing):
    """One action towards a square (facing -1), or towards a stance to shoot from."""
    stances = 4 * settings[HEIGHT] * settings[WIDTH]
    steps, queue = np.empty(stances, np.int16), np.empty(stances, np.int16)
    here = 4 * memory[SQUARE] + memory[FACING]
    if facing >= 0 and here == 4 * square + facing:
        return SHOOT
    best, action = FAR, TURN_LEFT
    ahead = open_neighbour(settings, memory, memory[SQUARE], memory[FACING])
    for first in range(3):
        if first == 0 and (ahead < 0 or not (passable(memory, belief, ahead) or ahead == square)):
            continue
        there = (
            4 * ahead + memory[FACING]
            if first == 0
            else here - memory[FACING] + (memory[FACING] + (0, 3, 1)[first]) % 4
        )
        if first == 0 and ahead == square and facing < 0:
            return FORWARD
        survey(settings, memory, belief, there, steps, queue)
        distance = nearest(steps, square) if facing < 0 else steps[4 * square + facing]
        if distance < best:
            best, action = distance, (FORWARD, TURN_LEFT, TURN_RIGHT)[first]
    return action


PROSPECT = 2.5
"""Number of further squares the agent expects to examine once all safe ones are visited; tuned."""
PROSPECT_OF_COUNT = 5.0
"""The same if the number of pits is known: the more of them were found, the safer is what is left."""
ARMED = 1.0
"""How many more squares it then expects to examine while it has its arrow; tuned."""
TREASURE, DEATH = rules.TREASURE, -rules.DEATH
ARROW_COST = -rules.ARROW_COST - rules.EACH_STEP


@rule
def stop_value(settings, memory, home):
    """Return the value of stopping now, this many steps from home."""
    return -1.0 - home if settings[CLIMB] else -1.0 * (settings[LIMIT] - memory[CLOCK])


@routine
def outlook(settings, memory, belief, stop):
    """Return the value of a belief: the gold on squares that are safe to reach, and prospects beyond."""
    squares = settings[HEIGHT] * settings[WIDTH]
    reached, queue = np.zeros(squares, np.bool_), np.empty(squares, np.int64)
    tail, gold, new = 0, 0.0, 0
    for square in range(squares):
        if memory[CELLS + square] & VISITED:
            reached[square] = True
            queue[tail] = square
            tail += 1
    head = 0
    while head < tail:
        square = queue[head]
        head += 1
        for facing in range(4):
            there = open_neighbour(settings, memory, square, facing)
            if there >= 0 and not reached[there] and belief[DANGER, there] < CERTAIN:
                reached[there] = True
                queue[tail] = there
                tail += 1
                new += 1
                gold += belief[GOLD, there]
    if new == 0:
        risk = best_risk(settings, memory, belief, stop)
        return max(risk, best_shot(settings, memory, belief, stop, risk)) if memory[ARROW] else risk
    return gold * TREASURE + (1 - gold) * beyond(settings, memory, stop) - 2 * new


@rule
def beyond(settings, memory, stop):
    """Return the value of going on without a plan: stopping, or finding the gold."""
    unknown = 0
    for square in range(settings[HEIGHT] * settings[WIDTH]):
        unknown += memory[CELLS + square] & (VISITED | ROCK) == 0
    prospect = PROSPECT if settings[MODEL_PITS] < 0 else PROSPECT_OF_COUNT + ARMED * memory[ARROW]
    share = min(prospect / max(unknown, 1), 0.5)
    return stop + share * (TREASURE - stop)


@routine
def best_risk(settings, memory, belief, stop):
    """Return the approximate value of the best risk."""
    best, further = stop, beyond(settings, memory, stop)
    for square in range(settings[HEIGHT] * settings[WIDTH]):
        if on_edge(settings, memory, square):
            best = max(best, first_look(belief, square, further))
    return best


@routine
def best_shot(settings, memory, belief, stop, risk):
    """Return the approximate value of shooting where the wumpus most likely is, if a miss leaves the best risk."""
    hit, best, further = 0.0, stop, beyond(settings, memory, stop)
    for square in range(settings[HEIGHT] * settings[WIDTH]):
        if on_edge(settings, memory, square):
            hit = max(hit, belief[LAIR, square])
            gold, pit = belief[GOLD, square], belief[PIT, square]
            best = max(best, gold * TREASURE - pit * DEATH + max(1 - pit - gold, 0.0) * further)
    return -ARROW_COST + hit * best + (1 - hit) * risk


@rule
def first_look(belief, square, further):
    """Return the approximate value of entering a square."""
    danger, gold = belief[DANGER, square], belief[GOLD, square]
    return gold * TREASURE - danger * DEATH + max(1 - danger - gold, 0.0) * further


@rule
def on_edge(settings, memory, square):
    """Whether it is not visited, but next to a visited square."""
    if memory[CELLS + square] & (VISITED | ROCK):
        return False
    for facing in range(4):
        there = open_neighbour(settings, memory, square, facing)
        if there >= 0 and memory[CELLS + there] & VISITED:
            return True
    return False


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
    """int16[D, 4*S]: from the agent's stance; see :func:`.lookahead.survey`."""
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
def first_stance(steps, square):
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
        stance = first_stance(frames.steps[depth], choice)
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
        stance, steps = first_stance(frames.steps[depth], choice), frames.steps[depth + 1]
        survey(settings, later, frames.belief[depth], stance, steps, queue)
        home = nearest(steps, memory[START]) + settings[CLIMB]
        frames.reals[depth, RUNNING] += found * (TREASURE - 1 - home)


@routine
def expected(settings, chance, frames, choice, least):
    """The expected return of a choice of the first frame, whose memory, belief, WEIGHT, MODEL and steps are given.

    Args:
        settings: See :mod:`.belief`.
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


WEIGHED = 4
"""How many choices are looked into."""
AT_ONCE = 2.0
"""A probability that nothing has: looks no further than the next percepts."""
LEAST = 0.02
"""The probability of the least likely future that is looked into."""
NOTHING, STAY = -1, -2
"""Values of GOAL: undecided; stop. Others: a square to enter, or H*W + 4 * square + facing to shoot from."""


@routine
def decide(settings, memory, percepts, chance, belief):
    """Return the next action; ``belief`` (float64[4, H*W]) is computed again if the memory has changed."""
    if perceive(settings, memory, percepts):
        memory[GOAL] = NOTHING
        believe(settings, memory, chance, belief)
    action = choose(settings, memory, chance, belief)
    memory[LAST] = action
    return action


@routine
def choose(settings, memory, chance, belief):
    """Return the next action, given memory and belief."""
    squares = settings[HEIGHT] * settings[WIDTH]
    if memory[CELLS + memory[SQUARE]] & GLITTER and not memory[HELD]:
        return GRAB
    if memory[HELD]:
        return leave(settings, memory, belief)
    if memory[GOAL] == NOTHING:
        memory[GOAL] = find_goal(settings, memory, chance, belief)
    goal = memory[GOAL]
    if goal == STAY:
        return leave(settings, memory, belief) if settings[CLIMB] else TURN_LEFT
    if goal < squares:
        return approach(settings, memory, belief, goal, -1)
    goal -= squares
    return approach(settings, memory, belief, goal >> 2, goal & 3)


@routine
def find_goal(settings, memory, chance, belief):
    """Return the next goal: see NOTHING and STAY."""
    squares = settings[HEIGHT] * settings[WIDTH]
    frames = new_frames(squares, len(memory))
    copy_row(memory, frames.memory[0])
    copy_row(belief, frames.belief[0])
    look_around(settings, frames, 0, np.empty(4 * squares, np.int16))
    steps = frames.steps[0]
    safe = nearest_safe(memory, belief, steps)
    if safe >= 0:
        return safe
    frames.reals[0, WEIGHT], frames.whole[0, MODEL] = believe(settings, memory, chance, belief)
    best, goal = frames.reals[0, STOP], STAY
    values = np.full(5 * squares, -np.inf)
    for square in range(squares):
        if is_possible(memory, steps, square):
            values[square] = expected(settings, chance, frames, square, AT_ONCE)
    for stance in range(4 * squares if memory[ARROW] else 0):
        if is_best_stance(settings, memory, belief, steps, stance):
            values[squares + stance] = expected(settings, chance, frames, squares + stance, AT_ONCE)
    least = max(best, values.max()) - MARGIN
    for _ in range(WEIGHED):
        choice = int(np.argmax(values))
        if values[choice] < least:
            break
        values[choice] = -np.inf
        value = expected(settings, chance, frames, choice, LEAST)
        if value > best:
            best, goal = value, choice
    return goal


@functools.cache
def make_decide_batch() -> Callable[..., None]:
    """``decide_batch(settings, percepts, chance, starting, starts, known, memory, beliefs, actions)``, compiled once.

    ``starting`` (bool[B]) rows of ``memory`` (int16[B, M]) are reset to ``starts`` (int16[B, 2]: square,
    facing) and what is ``known`` of the squares (int16[B, H*W]: ROCK); then every row decides, and
    ``actions`` (int64[B]) is filled. ``beliefs`` is float64[B, 4, H*W].
    """

    def decide_batch(settings, percepts, chance, starting, starts, known, memory, beliefs, actions):
        for i in range(len(actions)):
            if starting[i]:
                begin(memory[i], starts[i, 0], starts[i, 1])
                copy_row(known[i], memory[i, CELLS:])
            actions[i] = decide(settings, memory[i], percepts[i], chance, beliefs[i])

    return compiled(decide_batch, "wumpus-bayesian")
