"""Saved states with something wrong in them, and what must hold for those that are taken all the same."""

import copy
import re
import sys
from typing import Any

import numpy as np
from helpers import case_name, state_bytes

from gridpuzzles_gym.engine.kernels import SEEDED
from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.engine.puzzle import SOLVED, UNFINISHED, LevelError

ODD = (-32768, -1000, -129, -2, -1, 0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 63, 64, 99, 100, 127, 255, 256, 4096, 32767)
ROWS = ("states", "levels", "befores")
NUMBERS = ("counters", "random_bits", "level_random_bits", "metrics", "scores", "ends", "begun")
# Why the text of a board is not a level: its episode is over, or it cannot be won any more.
OVER = re.compile("solved already|end of a game|no goal in|no start in")
LOST = re.compile("can never be brought|frozen from the start")


def mutated(saved: dict[str, Any], numbers: np.random.Generator) -> dict[str, Any]:
    """A copy of a saved state with one to three changes, most of them in its rows."""
    mutant = copy.copy(saved)
    for _ in range(int(numbers.integers(1, 4))):
        kind = numbers.random()
        if kind < 0.02:
            name = str(numbers.choice(["playing", "waiting", "sampler", "action", *ROWS, *NUMBERS]))
            mutant[name] = [None, 3, [], {}, "x", np.zeros(2), [3], {0: 3}, True][int(numbers.integers(9))]
            continue
        name = str(numbers.choice(ROWS if kind < 0.85 else NUMBERS))
        if not isinstance(mutant[name], np.ndarray) or not mutant[name].size:
            continue
        array = mutant[name].copy()
        flat, place = array.reshape(-1), int(numbers.integers(array.size))
        if array.dtype == bool:
            flat[place] = not flat[place]
        elif array.dtype.kind == "f":
            flat[place] = numbers.choice([np.nan, np.inf, -1.0, 0.0, 1e308])
        elif array.dtype.kind == "u":
            flat[place] = numbers.choice([0, 1, 2**63])
        elif kind < 0.3:  # two numbers change places: most likely to look right
            other = int(numbers.integers(array.size))
            flat[[place, other]] = flat[[other, place]]
        elif kind < 0.5:
            near = int(flat[place]) + int(numbers.choice([-2, -1, 1, 2]))
            flat[place] = min(max(near, np.iinfo(array.dtype).min), np.iinfo(array.dtype).max)
        elif kind < 0.6:
            flat[place] ^= array.dtype.type(1 << int(numbers.integers(0, 8 * array.itemsize - 1)))
        else:
            flat[place] = min(max(int(numbers.choice(ODD)), np.iinfo(array.dtype).min), np.iinfo(array.dtype).max)
        mutant[name] = array
    return mutant


def fuzz(env: Any, case: Any, count: int, seed: int) -> int:
    """Hand an environment so many mutants of states that it comes to; how many it takes."""
    numbers = np.random.default_rng(seed)
    taken = 0
    env.reset(seed=seed)
    saved = env.get_state()
    for number in range(count):
        if number % 25 == 0:
            saved = _next(env, numbers, saved)
        mutant = mutated(saved, numbers)
        before = state_bytes(env)
        rejection = refused(env, mutant)
        if rejection is not None:
            assert rejection.startswith("not a state of this environment"), (case_name(case), rejection)
            assert state_bytes(env) == before, case_name(case)
            continue
        taken += 1
        check_random_bits(env.batch)
        if mutant["begun"].all():
            check_taken(env, numbers)
        else:
            env.reset()
    return taken


def refused(env: Any, saved: Any) -> str | None:
    """What is wrong with a saved state; None where the environment has taken it."""
    try:
        env.set_state(saved)
    except ValueError as error:
        return str(error)
    return None


def _next(env: Any, numbers: np.random.Generator, saved: dict[str, Any]) -> dict[str, Any]:
    """A state some random steps on; of an episode's end sometimes."""
    env.set_state(saved)
    for _ in range(int(numbers.integers(1, 12))):
        if env.batch.counters[2, 0]:
            env.reset()
        env.step(int(numbers.integers(env.action_space.n)))
    return env.get_state()


def check_random_bits(batch: Any) -> None:
    """No generator is at 0, where it stays for ever: rules that sample again until something fits would not return."""
    for name in ("random_bits", "level_random_bits"):
        assert getattr(batch, name)[batch.counters[SEEDED] == 1].all(), f"a state with {name} 0 was accepted"


def check_taken(env: Any, numbers: np.random.Generator, steps: int = 20) -> None:
    """The board is one that its text says too, and play goes on without a row that is invalid."""
    batch, puzzle = env.batch, env.batch.puzzle
    rows = batch.levels[0].copy(), batch.states[0].copy()
    check_text(puzzle, rows, batch)
    for _ in range(steps):
        if batch.counters[2, 0]:
            env.reset()
        env.step(int(numbers.integers(env.action_space.n)))
    puzzle.check_rows(batch.levels[0], batch.states[0], batch.options)
    assert env.observation_space.contains(batch.observations[0])


def check_text(puzzle: Any, rows: Any, batch: Any) -> None:
    """Level text of a board parses back to its rows, unless its episode is over or lost."""
    level, state = rows
    if all(observation.decode is None for observation in puzzle.observations.values()):  # its text hides what was done
        state = np.zeros_like(state)
        sys.modules[puzzle.rules.step.__module__].begin(level, state)
    ending = puzzle.rules.outcome(level, state)
    found = as_level(puzzle, puzzle.format(level, state))
    if isinstance(found, str):
        assert (LOST if ending == UNFINISHED else OVER).search(found), found
        return
    again = puzzle.encode(found, tuple(batch.extent), batch.options)
    assert all(map(np.array_equal, again, (level, state)))
    assert ending != SOLVED or puzzle.rules.goal is not None  # where there is one goal state, it may be a start too


def as_level(puzzle: Any, text: str) -> Any:
    """The one level in a text, or why it is none."""
    try:
        (level,) = find_levels(puzzle, text)
    except LevelError as error:
        return str(error)
    return level
