"""The two compiled kernels of a puzzle, made from its rules: ``step_batch`` and ``expand``.

Each is a plain Python function that closes over the rules, compiled once a puzzle (and once an
observation) and kept on disk by :mod:`~gridpuzzles_gym.engine.compilation`. Its ``py_func`` is the
same function, interpreted: slow, debuggable, and the tests' oracle.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import float64, int16, int64, types, uint8, uint64

from .compilation import borrowed, compiled
from .memory import copy_row, frame_reader
from .puzzle import SOLVED, Puzzle
from .random import below

# control int64[5 + n]: what one call of `step_batch` is to do, then the puzzle's n settings.
COMMAND, ACTIONS, LIMIT, AUTORESET, POOL, SETTINGS = range(6)
# control[COMMAND]: step every environment, reset those whose entry in `actions` is not 0, or only write all
# observations and masks, from scratch.
STEP, RESET, OBSERVE = range(3)
# control[AUTORESET]
NO_AUTORESET, NEXT_STEP, SAME_STEP = range(3)
# counters int32[B, 6]: the row of `levels` in play, steps taken, 1 after the end, 1 if a level waits,
# the length of the episode that ended last, 1 once its randomness was seeded.
LEVEL, ELAPSED, ENDED, QUEUED, FINAL_LENGTH, SEEDED = range(6)
# scores float64[3, B]: the reward of this step, the sum over the episode, that of the episode that ended last.
REWARD, RETURN, FINAL_RETURN = range(3)
# ends int8[3, B]: how this step ended; OUTCOME is one of `puzzle.OUTCOMES`, by number.
TERMINATED, TRUNCATED, OUTCOME = range(3)
# What `step_batch` answers: how many episodes ended; or, with nothing changed, -1 - i where the action
# of environment i is out of range, and -1 - B - i where its episode has ended and awaits a reset.

# flags uint8[A] of `expand`: bits.
LEGAL, TERMINAL, GOAL = 1, 2, 4


# The arrays of a batch, in the order of its frame, with their dtypes and numbers of axes; `batch` draws them. Only the
# type of `views` varies, which is therefore handed to the kernel beside it.
FRAME: dict[str, tuple[Any, int]] = {
    "actions": (np.int64, 1),
    "levels": (np.int16, 2),
    "starts": (np.int16, 2),
    "states": (np.int16, 2),
    "random_bits": (np.uint64, 1),
    "counters": (np.int32, 2),
    "metrics": (np.int64, 2),
    "scores": (np.float64, 2),
    "ends": (np.int8, 2),
    "masks": (np.int8, 2),
    "control": (np.int64, 1),
}

arrays_of = frame_reader(FRAME.values())
"""The arrays named in FRAME."""


def make_step_batch(puzzle: Puzzle, observation: str) -> Callable[..., int]:
    """The loop over a batch of environments: commands, rules, time limit, autoreset, observation, mask.

    Args:
        puzzle: Whose rules.
        observation: A key of ``puzzle.observations``.

    Returns:
        ``step_batch(frame, views) -> int``; what these stand for is drawn at the top of
        :mod:`~gridpuzzles_gym.engine.batch`.
    """
    rules, seen = puzzle.rules, puzzle.observations[observation]
    step, outcome, legal = rules.step, rules.outcome, rules.legal
    # Numba leaves out a branch whose condition is a constant it closes over, so None is never called.
    generate: Any = puzzle.generation.generate if puzzle.generation is not None else None
    generates = generate is not None
    begin: Any = rules.begin
    begins = begin is not None
    observe = seen.observe
    refresh: Any = seen.refresh
    refreshes = refresh is not None
    count: Any = puzzle.metrics.count if puzzle.metrics is not None else None
    counts = count is not None

    def step_batch(frame, views):
        actions, levels, starts, states, random_bits, counters, metrics, scores, ends, masks, control = arrays_of(frame)
        views, settings, before = borrowed(views), control[SETTINGS:], starts[starts.shape[0] - 1]
        size, told = states.shape[0], metrics.shape[0] // 2
        # Read once: the compiler cannot know that nothing below writes into `control`.
        command, limit, autoreset, pool = control[COMMAND], control[LIMIT], control[AUTORESET], control[POOL]
        if command == STEP:
            for i in range(size):
                if counters[i, ENDED]:
                    if autoreset == NO_AUTORESET:
                        return -1 - size - i
                elif actions[i] < 0 or actions[i] >= control[ACTIONS]:
                    return -1 - i
        ended = 0
        for i in range(size):
            state = states[i]
            rng = random_bits[i : i + 1]
            fresh = command == RESET and actions[i] != 0
            if command == STEP:
                scores[REWARD, i] = 0.0
                ends[TERMINATED, i] = ends[TRUNCATED, i] = ends[OUTCOME, i] = 0
                fresh = counters[i, ENDED] == 1
                if not fresh:
                    level = levels[counters[i, LEVEL]]
                    copy_row(state, before)
                    reward, terminated = step(level, state, actions[i], rng)
                    counters[i, ELAPSED] += 1
                    truncated = 0 < limit <= counters[i, ELAPSED]
                    scores[REWARD, i] = reward
                    scores[RETURN, i] += reward
                    if counts:
                        count(level, before, state, metrics[:told, i])
                    if refreshes:
                        refresh(level, before, state, views[i])
                    else:
                        observe(level, state, views[i])
                    if terminated or truncated:
                        ends[TERMINATED, i] = terminated
                        ends[TRUNCATED, i] = truncated
                        ends[OUTCOME, i] = outcome(level, state)
                        ended += 1
                        counters[i, ENDED] = 1
                        counters[i, FINAL_LENGTH] = counters[i, ELAPSED]
                        scores[FINAL_RETURN, i] = scores[RETURN, i]
                        if counts:
                            for k in range(told):
                                metrics[told + k, i] = metrics[k, i]
                        if autoreset == SAME_STEP:
                            copy_row(views[i], views[size + i])
                            fresh = True
            if fresh:
                own = pool + i
                if counters[i, QUEUED]:  # a level was handed in: it waits one batch further on
                    copy_row(levels[own + size], levels[own])
                    copy_row(starts[own + size], state)
                elif generates and pool == 0:
                    generate(settings, rng, levels[own], state)
                else:
                    own = below(rng, pool)
                    copy_row(starts[own], state)
                if begins:
                    begin(levels[own], state, rng)
                counters[i, LEVEL] = own
                counters[i, ELAPSED] = counters[i, ENDED] = counters[i, QUEUED] = 0
                scores[RETURN, i] = 0.0
                if counts:
                    for k in range(told):
                        metrics[k, i] = 0
                    count(levels[own], state, state, metrics[:told, i])
            if fresh or (command == OBSERVE and actions[i] != 0):
                observe(levels[counters[i, LEVEL]], state, views[i])
            if i < masks.shape[0]:
                for action in range(masks.shape[1]):
                    masks[i, action] = legal(levels[counters[i, LEVEL]], state, action)
        return ended

    return compiled(step_batch, f"{puzzle.name}-{observation}-step", title=_title(puzzle))


EXPAND_SIGNATURE = int64(int16[::1], int16[::1], uint64[::1], types.Array(int16, 2, "C"), float64[::1], uint8[::1])
"""The type of every ``expand``: a search loop compiled for it takes any puzzle's as an argument."""


def make_expand(puzzle: Puzzle) -> Callable[..., int]:
    """All successors of one state, under one explicit signature for every puzzle.

    Returns:
        ``expand(level, state, rng, successors, rewards, flags) -> int``: fills, for each action
        ``a``, ``successors[a]`` (int16[A, S]), ``rewards[a]`` (float64[A]) and ``flags[a]``
        (uint8[A]: the bits LEGAL, TERMINAL, GOAL; 0 where the action changes nothing, and then the
        other two rows are not written). Answers the number of legal actions. ``state`` is untouched.
    """
    step, legal, outcome = puzzle.rules.step, puzzle.rules.legal, puzzle.rules.outcome

    def expand(level, state, rng, successors, rewards, flags):
        level, state, rng, successors = borrowed(level), borrowed(state), borrowed(rng), borrowed(successors)
        count = 0
        for action in range(successors.shape[0]):
            flags[action] = 0
            if legal(level, state, action):
                child = successors[action]
                copy_row(state, child)
                reward, terminated = step(level, child, action, rng)
                rewards[action] = reward
                flags[action] = LEGAL
                if terminated:
                    flags[action] |= TERMINAL
                if outcome(level, child) == SOLVED:
                    flags[action] |= GOAL
                count += 1
        return count

    return compiled(expand, f"{puzzle.name}-expand", EXPAND_SIGNATURE, _title(puzzle))


def make_expand_back(puzzle: Puzzle) -> Callable[..., int]:
    """All predecessors of one state, under the signature of ``expand``: for searches that also start at the goal.

    Returns:
        ``expand_back(level, state, rng, predecessors, rewards, flags) -> int``: as ``expand``, but
        ``predecessors[a]`` is the state that action ``a`` led from, and no reward is written.

    Raises:
        ValueError: The puzzle has no rule ``undo``.
    """
    if puzzle.rules.undo is None:
        raise ValueError(f"{puzzle.title} cannot be played backwards: it has no rule `undo`")
    undo: Any = puzzle.rules.undo

    def expand_back(level, state, rng, predecessors, rewards, flags):
        level, state, predecessors = borrowed(level), borrowed(state), borrowed(predecessors)
        count = 0
        for action in range(predecessors.shape[0]):
            copy_row(state, predecessors[action])
            flags[action] = undo(level, predecessors[action], action)
            count += flags[action]
        return count

    return compiled(expand_back, f"{puzzle.name}-expand-back", EXPAND_SIGNATURE, _title(puzzle))


def make_generate(puzzle: Puzzle) -> Callable[..., None]:
    """The puzzle's own rule ``generate(settings, rng, level, state)``, for callers that are not compiled.

    Raises:
        ValueError: The puzzle has no such rule.
    """
    if puzzle.generation is None:
        raise ValueError(f"{puzzle.title} generates no levels of its own")
    fill: Any = puzzle.generation.generate

    def generate(settings, rng, level, state):
        fill(settings, rng, level, state)

    return compiled(generate, f"{puzzle.name}-generate", title=_title(puzzle))


def make_mask_batch(puzzle: Puzzle) -> Callable[..., None]:
    """``mask_batch(levels, counters, states, masks)``: fills ``masks`` (bool[B, A]), the legal actions."""
    legal = puzzle.rules.legal

    def mask_batch(levels, counters, states, masks):
        for i in range(masks.shape[0]):
            for action in range(masks.shape[1]):
                masks[i, action] = legal(levels[counters[i, LEVEL]], states[i], action)

    return compiled(mask_batch, f"{puzzle.name}-masks", title=_title(puzzle))


def _title(puzzle: Puzzle) -> str:
    return f"the rules of {puzzle.title}"


@functools.cache
def kernel(make: Callable[..., Any], *arguments: Any) -> Any:
    """One of the kernels above, made at its first use and shared by all environments of the process."""
    return make(*arguments)
