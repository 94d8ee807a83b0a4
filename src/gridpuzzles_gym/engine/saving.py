"""Validation of saved states: the rules do not check array bounds, so every state must be valid before play."""

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from . import kernels
from .kernels import ELAPSED, ENDED, FINAL_LENGTH, QUEUED, SEEDED
from .levels.sources import LevelSource, Sampler
from .messages import one_line, quote, shorten
from .puzzle import UNFINISHED, Extent, Level, Outcome, Puzzle
from .scene import Row

ARRAYS = ("befores", "states", "random_bits", "level_random_bits", "counters", "metrics", "scores", "ends")
"""The arrays of a batch that are saved unchanged."""


class CheckedParts(Protocol):
    """The parts of a batch that are checked when its state is restored; :mod:`.batch` describes each."""

    size: int
    puzzle: Puzzle
    options: Any
    extent: Extent
    source: LevelSource
    metric_kinds: dict[str, type]
    levels: npt.NDArray[np.int16]

    def encode(self, level: Level) -> tuple[Row, Row]:
        """The rows of a level on the boards of the batch."""

    def check_fits(self, level: Level) -> None:
        """Raise LevelError unless the level can be played there."""


def checked(batch: CheckedParts, saved: Any) -> dict[str, Any]:
    """Check a saved state and return its entries.

    Args:
        batch: The batch that is to continue from it.
        saved: What :meth:`Batch.get_state` returned, possibly through a pickle.

    Raises:
        ValueError: The batch cannot reach this state; the message says what is wrong, and in which environment.
    """
    try:
        new = _entries(batch, saved)
        _check_numbers(batch, new)
        _check_levels(batch, new)
        for i in np.flatnonzero(new["begun"]).tolist():
            _check_environment(batch, new, i)
    except ValueError as error:
        raise ValueError(shorten(one_line(f"not a state of this environment: {error}"))) from None
    # Rows of environments that have not begun an episode are neither checked nor used.
    for name in ("befores", "states", "levels"):
        new[name] = np.where(new["begun"][:, None], new[name], 0)
    return new


def set_sampler(sampler: Sampler, state: Any) -> None:
    """Restore a sampler's state; raises ValueError, leaving the sampler unchanged, if the sampler rejects it."""
    before = sampler.get_state()
    try:
        sampler.set_state(state)
    except Exception as error:  # a user's sampler may raise anything
        sampler.set_state(before)
        raise ValueError(f"not a state of this environment: its sampler rejects it ({quote(error)})") from error


def _entries(batch: CheckedParts, saved: Any) -> dict[str, Any]:
    """Return the entries of a saved state; raises ValueError on a missing entry or an array of the wrong shape."""
    if not isinstance(saved, Mapping):
        raise ValueError(f"it is a {type(saved).__name__}; it must be a dict from get_state()")
    wanted = {name: getattr(batch, name) for name in ARRAYS} | {
        "levels": batch.levels[: batch.size],
        "begun": np.zeros(batch.size, bool),
    }
    missing = [name for name in (*wanted, "playing", "waiting", "sampler") if name not in saved]
    if missing:
        raise ValueError(f"it has no entry {quote(missing[0])}; it must be a dict from get_state()")
    for name, array in wanted.items():
        found = np.asarray(saved[name])
        if found.shape != array.shape or found.dtype != array.dtype:
            raise ValueError(f"{name} is {found.dtype}{list(found.shape)}; it must be {array.dtype}{list(array.shape)}")
    return {**saved, **{name: np.asarray(saved[name]) for name in wanted}}


def _check_numbers(batch: CheckedParts, new: dict[str, Any]) -> None:
    """Check that counters, random bits, scores and metrics are values that the kernel can write."""
    counters, begun = new["counters"], new["begun"]
    for name, column in (("ELAPSED", ELAPSED), ("FINAL_LENGTH", FINAL_LENGTH)):
        _reject(counters[column] < 0, f"the counter {name} is negative")
    for name, column in (("ENDED", ENDED), ("QUEUED", QUEUED), ("SEEDED", SEEDED)):
        _reject((counters[column] != 0) & (counters[column] != 1), f"the counter {name} is neither 0 nor 1")
    _reject(begun & (counters[SEEDED] == 0), "an episode has begun, but the counter SEEDED is 0")
    for name in "random_bits", "level_random_bits":
        _reject((counters[SEEDED] == 1) & (new[name] == 0), f"{name} is 0; the generator needs a non-zero value")
    _reject(~np.isfinite(new["scores"]).all(axis=0), "a score is not a finite number")
    flags, outcome = np.delete(new["ends"], kernels.OUTCOME, axis=0), new["ends"][kernels.OUTCOME]
    _reject(((flags != 0) & (flags != 1)).any(axis=0), "TERMINATED, TRUNCATED, EITHER or SUCCESS is neither 0 nor 1")
    _reject((outcome < 0) | (outcome >= len(Outcome)), f"OUTCOME must be from 0 to {len(Outcome) - 1}")
    for k, (name, kind) in enumerate(2 * list(batch.metric_kinds.items())):
        if kind is bool:
            _reject((new["metrics"][k] != 0) & (new["metrics"][k] != 1), f"the metric {name} is neither 0 nor 1")


def _check_levels(batch: CheckedParts, new: dict[str, Any]) -> None:
    """Check that the levels in play, and those queued, can be played here."""
    playing, waiting = new["playing"], new["waiting"]
    if not isinstance(playing, list) or len(playing) != batch.size:
        raise ValueError(f"playing must be a list of length {batch.size}, with a level or None for each environment")
    if not isinstance(waiting, dict) or not all(type(i) is int and 0 <= i < batch.size for i in waiting):
        raise ValueError("waiting must be a dict from environment numbers to levels")
    for level in (*playing, *waiting.values()):
        if level is not None and not isinstance(level, Level):
            raise ValueError(f"{quote(level)} is a {type(level).__name__}; it must be a Level")
    queued = np.isin(np.arange(batch.size), list(waiting))
    _reject(queued != (new["counters"][QUEUED] == 1), "the counter QUEUED disagrees with the levels in waiting")
    if batch.source.sampler is not None:
        _reject(new["begun"] & ~queued, "no level of the sampler is queued")
    for level in waiting.values():
        batch.check_fits(level)


def _check_environment(batch: CheckedParts, new: dict[str, Any], i: int) -> None:
    """Check that the rows of one environment match its level, its extent and its counters."""
    level, state, counters, title = new["levels"][i], new["states"][i], new["counters"][:, i], new["playing"][i]
    rows = [("state", state)]
    if counters[ELAPSED]:
        rows.append(("state before", new["befores"][i]))
    place = "" if batch.size == 1 else f" of environment {i}"
    for name, row in rows:
        try:
            extent = batch.puzzle.check_rows(level, row, batch.options)
        except ValueError as error:
            raise ValueError(f"the {name}{place} is invalid: {error}") from None
        if extent != tuple(batch.extent):
            raise ValueError(f"the {name}{place} has extent {extent}; it must be {tuple(batch.extent)}")
    if title is not None and not np.array_equal(batch.encode(title)[0], level):
        raise ValueError(f"the level{place} is not the level {quote(title.name)} of the entry playing")
    if counters[ELAPSED] and not counters[ENDED] and batch.puzzle.rules.outcome(level, state) != UNFINISHED:
        raise ValueError(f"the state{place} ends an episode, but the counter ENDED is 0")


def _reject(wrong: Any, what: str) -> None:
    """Raise ValueError if the condition, bool[B], is true in any environment."""
    if wrong.any():
        raise ValueError(f"{what} (environment {int(np.flatnonzero(wrong)[0])})")
