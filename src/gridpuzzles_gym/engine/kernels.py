"""The kernels of a puzzle, made from its rules: ``step_batch``, ``expand``, and smaller ones.

Each is a plain Python function that closes over the rules. It is compiled once per puzzle (``step_batch`` once per
observation too) and cached on disk by :mod:`~gridpuzzles_gym.engine.compile.compilation`. Its ``py_func`` is the same
function, interpreted: slow, but debuggable, and the reference that tests compare with.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import functools
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium.error import ResetNeeded
from numba import float64, int16, int64, types, uint8, uint64

from .compile.compilation import borrowed, compiled, rule
from .compile.indexing import FrontArray, from_front
from .compile.memory import copy_from, copy_row, frame_reader
from .pictures.pixels import observation_of
from .puzzle import SOLVED, Puzzle
from .random import below

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False


# control int64[6 + n]: the arguments of one call of `step_batch`, then the puzzle's n settings. POOL: the number of
# levels in the pool; BLOCK: the number in each of its blocks, of which the last may have fewer.
COMMAND, ACTIONS, LIMIT, AUTORESET, POOL, BLOCK, SETTINGS = range(7)
# control[COMMAND]: step every environment, reset those whose entry in `actions` is not 0, only recompute the
# observations of those and all masks, or step every environment whose entry in `actions` is not PASS.
STEP, RESET, OBSERVE, STEP_SOME = range(4)
PASS = -1
# control[AUTORESET]
NO_AUTORESET, NEXT_STEP, SAME_STEP = range(3)
# counters int32[6, B]: the place in the pool of the level in play (-1 if it was given or generated), steps taken, 1
# after the episode ended, 1 if a level is queued, the length of the last finished episode, 1 once the environment has
# been seeded.
PLACE, ELAPSED, ENDED, QUEUED, FINAL_LENGTH, SEEDED = range(6)
# scores float64[3, B]: the reward of this step, the return so far, the return of the last finished episode.
REWARD, RETURN, FINAL_RETURN = range(3)
# ends int8[5, B]: whether and how this step ended the episode; OUTCOME is a `puzzle.Outcome`, EITHER is 1
# if the episode is terminated or truncated, SUCCESS if it is solved.
TERMINATED, TRUNCATED, OUTCOME, EITHER, SUCCESS = range(5)
# idle int8[B]: not 0 if this step does not step an environment: its episode has ended and it WAITS for a reset, or its
# action is PASS.
WAITS, PASSES = 1, 2
# due int64[B + 1]: scratch memory; after a step, it begins with the environments whose episode has just ended.
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
    "befores": (np.int16, 2),
    "states": (np.int16, 2),
    "random_bits": (np.uint64, 1),
    "counters": (np.int32, 2),
    "metrics": (np.int64, 2),
    "scores": (np.float64, 2),
    "ends": (np.int8, 2),
    "idle": (np.int8, 1),
    "due": (np.int64, 1),
    "masks": (np.int8, 2),
    "blocks": (np.int64, 1),
    "control": (np.int64, 1),
}

arrays_of = frame_reader(FRAME.values(), FrontArray)
"""``arrays_of(frame)``: the arrays named in FRAME, as a tuple."""


def views_for(space: gym.Space[Any], count: int) -> npt.NDArray[Any]:
    """Return an array for observations; boards (C, H, W) have their squares in one row."""
    shape = space.shape or ()
    return np.zeros((count, *((shape[0], shape[1] * shape[2]) if len(shape) == 3 else shape)), space.dtype)


def error_of(result: int, actions: npt.NDArray[np.int64], names: Sequence[str]) -> Exception:
    """Return the error that a negative result of ``step_batch`` stands for.

    Args:
        result: The result.
        actions: int64[B]: the actions.
        names: The name of each action, in order.
    """
    size, i = len(actions), (-1 - result) % len(actions)
    place = "" if size == 1 else f" in environment {i}"
    if -1 - result >= size:
        return ResetNeeded(f"the episode{place} has ended; call reset() before the next step")
    allowed = ", ".join(f"{number} {name}" for number, name in enumerate(names))
    return ValueError(f"action {actions[i]}{place} is out of range; allowed are {allowed}")


# The loops of `step_batch` that use no rule of a puzzle. They have no branches, so that the compiler vectorizes them.


@rule
def check_actions(actions, counters, idle, control):
    """Fill ``idle``, and return the error that `step_batch` returns; 0 if there is none."""
    some, number, resets = control[COMMAND] == STEP_SOME, control[ACTIONS], control[AUTORESET] != NO_AUTORESET
    wrong = False
    for i in range(idle.shape[0]):
        passes = some & (actions[i] == PASS)
        waits = (counters[ENDED, i] != 0) & (not passes)
        idle[i] = passes * PASSES + waits * WAITS
        wrong |= (waits & (not resets)) | ((idle[i] == 0) & ((actions[i] < 0) | (actions[i] >= number)))
    if wrong:
        for i in range(idle.shape[0]):
            if idle[i] == WAITS and not resets:
                return -1 - idle.shape[0] - i
            if idle[i] == 0 and (actions[i] < 0 or actions[i] >= number):
                return -1 - i
    return 0


@rule
def clear(rewards, ends):
    """Fill both with 0."""
    for i in range(rewards.shape[0]):
        rewards[i] = 0.0
    for kind in range(ends.shape[0]):
        for i in range(ends.shape[1]):
            ends[kind, i] = 0


@rule
def finish_step(counters, scores, ends, idle, limit):
    """Count the steps, truncate at the limit, and add the rewards up."""
    for i in range(idle.shape[0]):
        counters[ELAPSED, i] += idle[i] == 0
        ends[TRUNCATED, i] = (idle[i] == 0) & (limit > 0) & (counters[ELAPSED, i] >= limit)
    for i in range(idle.shape[0]):
        ends[EITHER, i] = ends[TERMINATED, i] | ends[TRUNCATED, i]
    for i in range(idle.shape[0]):
        scores[RETURN, i] += scores[REWARD, i]


def make_step_batch(puzzle: Puzzle, observation: str) -> Callable[..., int]:
    """Compile :func:`step_batch_of`."""
    return compiled(step_batch_of(puzzle, observation), f"{puzzle.name}-{observation}-step", title=rules_title(puzzle))


def step_batch_of(
    puzzle: Puzzle, observation: str, arrays_of: Any = arrays_of, from_front: Any = from_front
) -> Callable[..., int]:
    """Make the loop over a batch of environments: commands, rules, time limit, autoreset, observations, masks.

    Args:
        puzzle: The puzzle.
        observation: A key of ``puzzle.observations``.
        arrays_of: The function that returns the arrays of a frame.
        from_front: The function that returns ``views`` with the type of these arrays.

    Returns:
        ``step_batch(frame, views) -> int``; the arrays are described at the top of
        :mod:`~gridpuzzles_gym.engine.batch`.
    """
    rules, seen = puzzle.rules, observation_of(puzzle, observation)
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
        arrays = arrays_of(frame)
        actions, levels, starts, befores, states, random_bits, counters, metrics = arrays[:8]
        scores, ends, idle, due, masks, blocks, control = arrays[8:]
        views, settings = from_front(views), control[SETTINGS:]
        size, metric_count = states.shape[0], metrics.shape[0] // 2
        current = metrics[:metric_count]
        # Read once, because the compiler cannot know that nothing below writes to `control`.
        command, limit, autoreset, pool = control[COMMAND], control[LIMIT], control[AUTORESET], control[POOL]
        block = control[BLOCK]
        steps = command in (STEP, STEP_SOME)
        if steps:
            fault = check_actions(actions, counters, idle, control)
            if fault < 0:
                return fault
            copy_row(states, befores)
            clear(scores[REWARD], ends)
            for i in range(size):
                if idle[i] == 0:
                    level, before, state = levels[i], befores[i], states[i]
                    reward, terminated = step(level, state, actions[i], random_bits[i : i + 1])
                    scores[REWARD, i] = reward
                    ends[TERMINATED, i] = terminated
                    if counts:
                        count(level, before, state, current[:, i])
                    if refreshes:
                        refresh(level, before, state, views[i])
                    else:
                        observe(level, state, views[i])
            finish_step(counters, scores, ends, idle, limit)
        # The environments that need more than that, without a branch for the others, which are many more.
        found = 0
        for i in range(size):
            due[found] = i
            if steps:
                found += int(ends[EITHER, i] | (idle[i] == WAITS))  # interpreted, int8 would overflow
            else:
                found += actions[i] != 0
        ended = 0
        for j in range(found):
            i = due[j]
            level, state, rng = levels[i], states[i], random_bits[i : i + 1]
            fresh = command != OBSERVE
            if steps and ends[EITHER, i]:
                ends[OUTCOME, i] = outcome(level, state)
                ends[SUCCESS, i] = ends[OUTCOME, i] == SOLVED
                counters[ENDED, i] = 1
                counters[FINAL_LENGTH, i] = counters[ELAPSED, i]
                scores[FINAL_RETURN, i] = scores[RETURN, i]
                if counts:
                    for k in range(metric_count):
                        metrics[metric_count + k, i] = metrics[k, i]
                fresh = autoreset == SAME_STEP
                if fresh:
                    copy_row(views[i], views[size + i])
                due[ended] = i
                ended += 1
            if fresh:
                place = -1
                if counters[QUEUED, i]:  # a level was given
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
                counters[PLACE, i] = place
                counters[ELAPSED, i] = counters[ENDED, i] = counters[QUEUED, i] = 0
                scores[RETURN, i] = 0.0
                if counts:
                    for k in range(metric_count):
                        metrics[k, i] = 0
                    count(level, state, state, current[:, i])
            if fresh or command == OBSERVE:
                observe(level, state, views[i])
        for i in range(masks.shape[0]):
            for action in range(masks.shape[1]):
                masks[i, action] = legal(levels[i], states[i], action)
        return ended

    return step_batch


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

    return compiled(expand, f"{puzzle.name}-expand", EXPAND_SIGNATURE, rules_title(puzzle))


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

    return compiled(expand_back, f"{puzzle.name}-expand-back", EXPAND_SIGNATURE, rules_title(puzzle))


def rules_title(puzzle: Puzzle) -> str:
    """Return the title of a puzzle's kernels, shown while they are compiled."""
    return f"the rules of {puzzle.title}"


@functools.cache
def kernel(make: Callable[..., Any], *arguments: Any) -> Any:
    """Return the kernel that ``make`` makes; it is made on first use and shared by all environments of the process."""
    return make(*arguments)


STEP_SIGNATURE = int64(int16[::1], int16[::1], int64, uint64[::1], float64[::1])
"""The signature of every ``step``, so that one compiled search loop works with any puzzle's."""


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

    return compiled(generate, f"{puzzle.name}-generate", title=rules_title(puzzle))


def make_mask_batch(puzzle: Puzzle) -> Callable[..., None]:
    """Make ``mask_batch(levels, states, masks)``, which fills ``masks`` (bool[B, A]: the legal actions)."""
    legal = puzzle.rules.legal

    def mask_batch(levels, states, masks):
        for i in range(masks.shape[0]):
            for action in range(masks.shape[1]):
                masks[i, action] = legal(levels[i], states[i], action)

    return compiled(mask_batch, f"{puzzle.name}-masks", title=rules_title(puzzle))


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

    return compiled(observe_batch, f"{puzzle.name}-{observation}-observe", title=rules_title(puzzle))


def make_step(puzzle: Puzzle) -> Callable[..., int]:
    """Make the function that applies one action; its signature is the same for every puzzle.

    Returns:
        ``step(level, state, action, rng, reward) -> int``: changes ``state`` in place, writes ``reward[0]``, and
        returns whether the episode is over. The state must not be at the end of an episode.
    """
    apply = puzzle.rules.step

    def step(level, state, action, rng, reward):
        reward[0], terminated = apply(borrowed(level), borrowed(state), action, borrowed(rng))
        return int(terminated)

    return compiled(step, f"{puzzle.name}-apply", STEP_SIGNATURE, rules_title(puzzle))
