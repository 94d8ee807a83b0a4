"""What a saved state of a batch must be before it is played on: rules run without a look at the ends of arrays."""

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from . import kernels
from .kernels import ELAPSED, ENDED, FINAL_LENGTH, QUEUED, SEEDED
from .levels import LevelSource, Sampler
from .puzzle import OUTCOMES, UNFINISHED, Extent, Level, LevelError, Puzzle, Row

ARRAYS = ("states", "random_bits", "level_random_bits", "counters", "metrics", "scores", "ends")
"""The arrays of a batch that are saved as they are."""


class Saved(Protocol):
    """What is looked at of a batch whose state is restored; :mod:`.batch` says what each of these is."""

    size: int
    puzzle: Puzzle
    options: Any
    extent: Extent
    source: LevelSource
    metric_kinds: dict[str, type]
    levels: npt.NDArray[np.int16]
    starts: npt.NDArray[np.int16]

    def encode(self, level: Level) -> tuple[Row, Row]:
        """The rows of a level on the boards of the batch."""

    def check_fits(self, level: Level) -> None:
        """Raise LevelError unless the level can be played there."""


def checked(batch: Saved, saved: Any) -> dict[str, Any]:
    """The entries of a saved state.

    Args:
        batch: That is to go on from there.
        saved: What :meth:`Batch.get_state` returned, or a pickle held.

    Raises:
        ValueError: It is not a state that the batch can come to: what is wrong, and in which environment.
    """
    try:
        new = _entries(batch, saved)
        _check_numbers(batch, new)
        _check_levels(batch, new)
        for i in np.flatnonzero(new["begun"]).tolist():
            _check_environment(batch, new, i)
    except LevelError as error:
        raise ValueError(f"not a state of this environment: {error}") from None
    except ValueError as error:
        raise ValueError(f"not a state of this environment: {error}") from None
    # Where no episode has begun, the rows are not looked at, and never read.
    new["states"] = np.where(new["begun"][:, None], new["states"], 0)
    new["levels"] = np.where(new["begun"][:, None], new["levels"], 0)
    return new


def set_sampler(sampler: Sampler, state: Any) -> None:
    """Give a sampler its state back; raises ValueError, the sampler being as it was, where it does not take it."""
    kept = sampler.get_state()
    try:
        sampler.set_state(state)
    except Exception as error:  # a sampler may be anybody's, and fail in any way
        sampler.set_state(kept)
        raise ValueError(f"not a state of this environment: its sampler does not take its own ({error!r})") from error


def _entries(batch: Saved, saved: Any) -> dict[str, Any]:
    """What is saved, each of its type and the arrays of their shapes."""
    if not isinstance(saved, Mapping):
        raise ValueError(f"it is a {type(saved).__name__}; get_state() makes a dict")
    wanted = {name: getattr(batch, name) for name in ARRAYS} | {
        "levels": batch.levels[: batch.size],
        "before": batch.starts[-1],
        "begun": np.zeros(batch.size, bool),
    }
    missing = [name for name in (*wanted, "playing", "waiting", "sampler") if name not in saved]
    if missing:
        raise ValueError(f"it has no {missing[0]!r}; get_state() makes a whole one")
    for name, array in wanted.items():
        found = np.asarray(saved[name])
        if found.shape != array.shape or found.dtype != array.dtype:
            raise ValueError(f"{name} is {found.dtype}{list(found.shape)}, here it is {array.dtype}{list(array.shape)}")
    return {**saved, **{name: np.asarray(saved[name]) for name in wanted}}


def _check_numbers(batch: Saved, new: dict[str, Any]) -> None:
    """See that counters, randomness, scores and figures are such as the kernel writes them."""
    counters, begun = new["counters"], new["begun"]
    for name, column in (("ELAPSED", ELAPSED), ("FINAL_LENGTH", FINAL_LENGTH)):
        _refuse(counters[:, column] < 0, f"the counter {name} is negative")
    for name, column in (("ENDED", ENDED), ("QUEUED", QUEUED), ("SEEDED", SEEDED)):
        _refuse((counters[:, column] != 0) & (counters[:, column] != 1), f"the counter {name} is neither 0 nor 1")
    _refuse(begun & (counters[:, SEEDED] == 0), "an episode has begun without randomness")
    for name in "random_bits", "level_random_bits":
        _refuse((counters[:, SEEDED] == 1) & (new[name] == 0), f"{name} is 0, from which no randomness comes")
    _refuse(~np.isfinite(new["scores"]).all(axis=0), "a score is not a finite number")
    flags, outcome = new["ends"][: kernels.OUTCOME], new["ends"][kernels.OUTCOME]
    _refuse(((flags != 0) & (flags != 1)).any(axis=0), "TERMINATED or TRUNCATED is neither 0 nor 1")
    _refuse((outcome < 0) | (outcome >= len(OUTCOMES)), "OUTCOME is none of those there are")
    for k, (name, kind) in enumerate(2 * list(batch.metric_kinds.items())):
        if kind is bool:
            _refuse((new["metrics"][k] != 0) & (new["metrics"][k] != 1), f"the figure {name} is neither 0 nor 1")


def _check_levels(batch: Saved, new: dict[str, Any]) -> None:
    """See that the levels in play, and those that wait, can be played here."""
    playing, waiting = new["playing"], new["waiting"]
    if not isinstance(playing, list) or len(playing) != batch.size:
        raise ValueError(f"playing must be a list of {batch.size}: a level for each environment, or None")
    if not isinstance(waiting, dict) or not all(type(i) is int and 0 <= i < batch.size for i in waiting):
        raise ValueError("waiting must be a dict of levels by the numbers of environments")
    for level in (*playing, *waiting.values()):
        if level is not None and not isinstance(level, Level):
            raise ValueError(f"{level!r:.80} is a {type(level).__name__}; a Level is needed")
    queued = np.isin(np.arange(batch.size), list(waiting))
    _refuse(queued != (new["counters"][:, QUEUED] == 1), "the counter QUEUED does not say whether a level waits")
    if batch.source.sampler is not None:
        _refuse(new["begun"] & ~queued, "no level of the sampler waits")
    for level in waiting.values():
        batch.check_fits(level)


def _check_environment(batch: Saved, new: dict[str, Any], i: int) -> None:
    """See that the rows of one environment are those of its level, and how its episode stands."""
    level, state, counters, title = new["levels"][i], new["states"][i], new["counters"][i], new["playing"][i]
    rows = [("state", state)]
    if batch.size == 1 and counters[ELAPSED]:  # else nobody looks at the state before the last step
        rows.append(("state before", new["before"]))
    place = "" if batch.size == 1 else f" of environment {i}"
    for name, row in rows:
        try:
            extent = batch.puzzle.check_rows(level, row, batch.options)
        except ValueError as error:
            raise ValueError(f"the {name}{place} is invalid: {error}") from None
        if extent != tuple(batch.extent):
            raise ValueError(f"the {name}{place} is on a board of extent {extent}, here it is {tuple(batch.extent)}")
    if title is not None and not np.array_equal(batch.encode(title)[0], level):
        raise ValueError(f"the level{place} is not {title.name!r}, which it is said to be")
    if counters[ELAPSED] and not counters[ENDED] and batch.puzzle.rules.outcome(level, state) != UNFINISHED:
        raise ValueError(f"the state{place} is the end of an episode, but the counter ENDED is 0")


def _refuse(wrong: Any, what: str) -> None:
    """Raise ValueError where the condition, bool[B], holds in an environment."""
    if wrong.any():
        raise ValueError(f"{what} (environment {int(np.flatnonzero(wrong)[0])})")
