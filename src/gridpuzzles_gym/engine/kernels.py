"""The compiled kernels of a puzzle, made from its rules; the main two are ``step_batch`` and ``expand``.

Each is a plain Python function that closes over the rules. It is compiled once per puzzle (``step_batch`` once per
observation too) and cached on disk by :mod:`~gridpuzzles_gym.engine.compilation`. Its ``py_func`` is the same
function, interpreted: slow, but debuggable, and the reference that tests compare with.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import float64, int16, int64, types, uint8, uint64

from .compilation import borrowed, compiled
from .memory import copy_from, copy_row, frame_reader
from .puzzle import SOLVED, Puzzle
from .random import below

# control int64[6 + n]: the arguments of one call of `step_batch`, then the puzzle's n settings. POOL: the number of
# levels in the pool; BLOCK: the number in each of its blocks, of which the last may have fewer.
COMMAND, ACTIONS, LIMIT, AUTORESET, POOL, BLOCK, SETTINGS = range(7)
# control[COMMAND]: step every environment, reset those whose entry in `actions` is not 0, only recompute the
# observations of those and all masks, or step every environment whose entry in `actions` is not PASS.
STEP, RESET, OBSERVE, STEP_SOME = range(4)
PASS = -1
# control[AUTORESET]
NO_AUTORESET, NEXT_STEP, SAME_STEP = range(3)
# counters int32[B, 6]: the place in the pool of the level in play (-1 if it was given or generated), steps taken, 1
# after the episode ended, 1 if a level is queued, the length of the last finished episode, 1 once the environment has
# been seeded.
PLACE, ELAPSED, ENDED, QUEUED, FINAL_LENGTH, SEEDED = range(6)
# scores float64[3, B]: the reward of this step, the return so far, the return of the last finished episode.
REWARD, RETURN, FINAL_RETURN = range(3)
# ends int8[3, B]: whether and how this step ended the episode; OUTCOME is an index into `puzzle.OUTCOMES`.
TERMINATED, TRUNCATED, OUTCOME = range(3)
# `step_batch` returns the number of episodes that ended. On an error it changes nothing and returns -1 - i if the
# action of environment i is out of range, or -1 - B - i if its episode has ended and it must be reset.

# flags uint8[A] of `expand`: bits.
LEGAL, TERMINAL, GOAL = 1, 2, 4


# The arrays of a batch, in the order of its frame, with their dtypes and numbers of axes; `batch` describes them. Only
# the type of `views` depends on the observation, so it is a separate argument of the kernel.
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
    "blocks": (np.int64, 1),
    "control": (np.int64, 1),
}

arrays_of = frame_reader(FRAME.values())
"""``arrays_of(frame)``: the arrays named in FRAME, as a tuple."""


def make_step_batch(puzzle: Puzzle, observation: str) -> Callable[..., int]:
    """Make the loop over a batch of environments: commands, rules, time limit, autoreset, observations, masks.

    Args:
        puzzle: The puzzle.
        observation: A key of ``puzzle.observations``.

    Returns:
        ``step_batch(frame, views) -> int``; the arrays are described at the top of
        :mod:`~gridpuzzles_gym.engine.batch`.
    """
    rules, seen = puzzle.rules, puzzle.observations[observation]
    step, outcome, legal = rules.step, rules.outcome, rules.legal
    # Numba removes a branch whose condition is a constant closure variable, so None is never called.
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
        actions, levels, starts, states, random_bits, counters, metrics, scores, ends, masks, blocks, control = (
            arrays_of(frame)
        )
        views, settings, before = borrowed(views), control[SETTINGS:], starts[starts.shape[0] - 1]
        size, told = states.shape[0], metrics.shape[0] // 2
        # Read once, because the compiler cannot know that nothing below writes to `control`.
        command, limit, autoreset, pool = control[COMMAND], control[LIMIT], control[AUTORESET], control[POOL]
        block = control[BLOCK]
        some = command == STEP_SOME
        steps = some or command == STEP
        if steps:
            for i in range(size):
                if some and actions[i] == PASS:
                    continue
                if counters[i, ENDED]:
                    if autoreset == NO_AUTORESET:
                        return -1 - size - i
                elif actions[i] < 0 or actions[i] >= control[ACTIONS]:
                    return -1 - i
        ended = 0
        for i in range(size):
            if some and actions[i] == PASS:
                continue
            level, state = levels[i], states[i]
            rng = random_bits[i : i + 1]
            fresh = command == RESET and actions[i] != 0
            if steps:
                scores[REWARD, i] = 0.0
                ends[TERMINATED, i] = ends[TRUNCATED, i] = ends[OUTCOME, i] = 0
                fresh = counters[i, ENDED] == 1
                if not fresh:
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
                place = -1
                if counters[i, QUEUED]:  # a level was given
                    copy_row(levels[size + i], level)
                    copy_row(starts[i], state)
                elif generates and pool == 0:
                    generate(settings, rng, level, state)
                else:
                    place = below(rng, pool)
                    level_size, row_size = level.shape[0], level.shape[0] + state.shape[0]
                    row = blocks[place // block] + place % block * row_size * level.itemsize
                    copy_from(row, level)
                    copy_from(row + level_size * level.itemsize, state)
                if begins:
                    begin(level, state, rng)
                counters[i, PLACE] = place
                counters[i, ELAPSED] = counters[i, ENDED] = counters[i, QUEUED] = 0
                scores[RETURN, i] = 0.0
                if counts:
                    for k in range(told):
                        metrics[k, i] = 0
                    count(level, state, state, metrics[:told, i])
            if fresh or (command == OBSERVE and actions[i] != 0):
                observe(level, state, views[i])
            if i < masks.shape[0]:
                for action in range(masks.shape[1]):
                    masks[i, action] = legal(level, state, action)
        return ended

    return compiled(step_batch, f"{puzzle.name}-{observation}-step", title=_title(puzzle))


EXPAND_SIGNATURE = int64(int16[::1], int16[::1], uint64[::1], types.Array(int16, 2, "C"), float64[::1], uint8[::1])
"""The signature of every ``expand``, so that one compiled search loop works with any puzzle's."""


def make_expand(puzzle: Puzzle) -> Callable[..., int]:
    """Make the function that generates all successors of a state; its signature is the same for every puzzle.

    Returns:
        ``expand(level, state, rng, successors, rewards, flags) -> int``: fills, for each action
        ``a``, ``successors[a]`` (int16[A, S]), ``rewards[a]`` (float64[A]) and ``flags[a]``
        (uint8[A]: the bits LEGAL, TERMINAL, GOAL). For an illegal action, ``flags[a]`` is 0 and the
        other two are not written. Returns the number of legal actions; ``state`` is not changed.
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
    """Make the function that generates all predecessors of a state, for bidirectional searches.

    Returns:
        ``expand_back(level, state, rng, predecessors, rewards, flags) -> int``: like ``expand``, but
        ``predecessors[a]`` is the state from which action ``a`` leads to ``state``, and no reward is written.

    Raises:
        ValueError: The puzzle has no rule ``undo``.
    """
    if puzzle.rules.undo is None:
        raise ValueError(f"{puzzle.title} cannot be searched backwards: it has no rule `undo`")
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
    """Compile the puzzle's rule ``generate(settings, rng, level, state)``, to be called from Python.

    Raises:
        ValueError: The puzzle has no such rule.
    """
    if puzzle.generation is None:
        raise ValueError(f"{puzzle.title} does not generate levels")
    fill: Any = puzzle.generation.generate

    def generate(settings, rng, level, state):
        fill(settings, rng, level, state)

    return compiled(generate, f"{puzzle.name}-generate", title=_title(puzzle))


def make_mask_batch(puzzle: Puzzle) -> Callable[..., None]:
    """Make ``mask_batch(levels, states, masks)``, which fills ``masks`` (bool[B, A]: the legal actions)."""
    legal = puzzle.rules.legal

    def mask_batch(levels, states, masks):
        for i in range(masks.shape[0]):
            for action in range(masks.shape[1]):
                masks[i, action] = legal(levels[i], states[i], action)

    return compiled(mask_batch, f"{puzzle.name}-masks", title=_title(puzzle))


def make_observe_batch(puzzle: Puzzle, observation: str) -> Callable[..., None]:
    """Make ``observe_batch(levels, states, views)``, which fills ``views`` [B, C, H*W] with an observation.

    Args:
        puzzle: The puzzle.
        observation: A key of ``puzzle.observations``.
    """
    observe = puzzle.observations[observation].observe

    def observe_batch(levels, states, views):
        views = borrowed(views)
        for i in range(states.shape[0]):
            observe(levels[i], states[i], views[i])

    return compiled(observe_batch, f"{puzzle.name}-{observation}-observe", title=_title(puzzle))


def _title(puzzle: Puzzle) -> str:
    return f"the rules of {puzzle.title}"


@functools.cache
def kernel(make: Callable[..., Any], *arguments: Any) -> Any:
    """Return one of the kernels above; it is made on first use and shared by all environments of the process."""
    return make(*arguments)
