"""The levels that a sampler or a caller gives to the environments of a batch, one ahead of play."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernels import ELAPSED, ENDED, QUEUED
from ..puzzle import Level, Outcome
from ..random import next_bits
from ..scene import Row
from .sources import Sampler


class LevelQueue:
    """The queued levels of a batch: the kernel takes one when it resets its environment, and a sampler gives the next.

    Args:
        sampler: The sampler, if there is one.
        encode: Returns the rows of a level.
        rows: int16[B, L]: receives the queued levels.
        starts: int16[B, S]: receives their start states.
        counters: int32[6, B]: those of the batch.
        random_bits: uint64[B]: the random states from which levels are sampled.

    Attributes:
        playing: The levels that environments have taken and play.
        waiting: The queued levels, by environment.
    """

    def __init__(
        self,
        sampler: Sampler | None,
        encode: Callable[[Level], tuple[Row, Row]],
        rows: npt.NDArray[np.int16],
        starts: npt.NDArray[np.int16],
        counters: npt.NDArray[np.int32],
        random_bits: npt.NDArray[np.uint64],
    ) -> None:
        self._sampler, self._encode = sampler, encode
        self._rows, self._starts, self._counters, self._random_bits = rows, starts, counters, random_bits
        self.playing: dict[int, Level] = {}
        self.waiting: dict[int, Level] = {}

    def prepare(self, which: Iterable[int], level: Level | None, returns: npt.NDArray[np.float64]) -> None:
        """Report the episodes that a reset abandons, and queue the levels of the next ones.

        Args:
            which: The environments to be reset.
            level: The level to play; None samples one, unless it is queued already.
            returns: float64[B]: the returns of the episodes so far.
        """
        for i in which:
            if self._counters[ELAPSED, i] and not self._counters[ENDED, i]:  # or truncated by a wrapper
                self.report(i, Outcome.UNFINISHED, returns[i])
            if level is not None:
                self._put(i, level)
            elif i not in self.waiting:
                self._sample(i)

    def discard(self, i: int) -> None:
        """Remove the level that is queued for environment ``i``."""
        self._counters[QUEUED, i] = 0
        self.waiting.pop(i, None)

    def take(self, which: Sequence[int]) -> None:
        """Note that the environments ``which`` have begun an episode, and sample the level of the next one."""
        for i in which:
            self.playing.pop(i, None)
            if i in self.waiting:
                self.playing[i] = self.waiting.pop(i)
        for i in which:
            self._sample(i)

    def begun(self) -> list[int]:
        """Return the environments that have begun an episode in this step: on a queued level, or after a given one."""
        taken = [i for i in self.waiting if not self._counters[QUEUED, i]]
        return taken + [i for i in self.playing if i not in self.waiting and not self._counters[ELAPSED, i]]

    def report(self, i: int, outcome: Outcome, score: float) -> None:
        """Report to the sampler that environment ``i`` has ended an episode."""
        playing = self.playing.get(i)
        if self._sampler is not None and playing is not None:
            self._sampler.report(playing, outcome, float(score))

    def restore(self, playing: Iterable[Level | None], waiting: dict[int, Level]) -> None:
        """Continue with these levels in play, None for others, and these queued ones."""
        self.playing = {i: level for i, level in enumerate(playing) if level is not None}
        self.waiting = {}
        for i, level in waiting.items():
            self._put(i, level)

    def close(self) -> None:
        """Close the sampler if it has a method ``close``; its next sample starts it again."""
        close = getattr(self._sampler, "close", None)
        if close is not None:
            close()

    def _put(self, i: int, level: Level) -> None:
        """Queue a level for environment ``i``."""
        self._rows[i], self._starts[i] = self._encode(level)
        self._counters[QUEUED, i] = 1
        self.waiting[i] = level

    def _sample(self, i: int) -> None:
        if self._sampler is not None:
            word: Any = self._random_bits[i : i + 1]
            self._put(i, self._sampler.sample((int(next_bits(word)) << 32) | int(next_bits(word))))
