"""Kernels that call one rule of a puzzle, for one environment or a batch, from Python or a search."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from collections.abc import Callable
from typing import Any

from numba import float64, int16, int64, uint64

from .compile.compilation import borrowed, compiled
from .kernels import rules_title
from .puzzle import Puzzle

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
