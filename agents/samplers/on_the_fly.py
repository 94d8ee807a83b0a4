"""Levels made while others are played: by processes in the background, behind a bounded buffer."""

import os
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from gridpuzzles_gym.engine.levels import Sampler
from gridpuzzles_gym.engine.puzzle import Extent, Level

from ..parallel.workers import Workers
from ..search.parameters import whole
from .base import entries
from .mixing import below, mix


class OnTheFly:
    """An endless stream of new levels that nobody waits for.

    The i-th level of the stream is made from a word that depends on the seed and i only, and levels enter play in the
    order of the stream. Where the next is not ready yet, one of the latest is played again: then it is a matter of
    time which levels are played how often. With ``wait=True`` it is not, and equal seeds give equal episodes.

    Processes start with the first sample and end with :meth:`close`, the environment's ``close()``, when the sampler
    is collected, or with this process, however it ends; a killed one is replaced.

    Args:
        make: Makes the level of a random word (uint64), in another process: a picklable callable that other processes
            can import, e.g. the ``sample`` of a sampler; or such a sampler.
        workers: How many processes; 0: levels are made in this one, and sampling waits for them.
        buffer: Levels that are made ahead, and the latest ones that are kept to play again.
        wait: Wait for the next level rather than play one again.
        warm_up: Levels to wait for at the start, so that there is some variety.
        extent: The room that the largest level needs; None: ``make`` is a sampler, or its method, and tells.
        seed: Of the stream; None: it follows from the environment's.
        niceness: By how much the processes give way to others, 0 to 19.

    Raises:
        ValueError: A number is out of range, ``extent`` is missing, or ``make`` cannot be sent to processes.
    """

    def __init__(
        self,
        make: Callable[[int], Level] | Sampler,
        workers: int = 1,
        buffer: int = 64,
        wait: bool = False,
        warm_up: int = 16,
        extent: Extent | None = None,
        seed: int | None = None,
        niceness: int = 19,
    ) -> None:
        if extent is None:
            extent = getattr(make, "extent", None) or getattr(getattr(make, "__self__", None), "extent", None)
            if extent is None:
                raise ValueError("extent=None: make= does not tell what room its levels need; give extent=")
        if not callable(make) and not isinstance(make, Sampler):
            raise ValueError(f"make={make!r}: a callable or a sampler is needed")
        self.extent: Extent = tuple(extent)
        self._make: Callable[[int], Level] = make if callable(make) else make.sample
        self._count, self._niceness = whole("workers", workers, 0, 1024), whole("niceness", niceness, 0, 19)
        self._buffer, self._wait = whole("buffer", buffer, 1), bool(wait)
        self._warm_up = min(whole("warm_up", warm_up, 1), self._buffer)
        self._seed = None if seed is None else whole("seed", seed, 0, 2**64 - 1)
        self._recent: deque[Level] = deque(maxlen=self._buffer)
        self._entered = self._repeated = 0
        self._workers: Workers[int, Level] | None = None
        self._coming: deque[Future[Level]] = deque()
        self._owner = 0
        if self._count:
            Workers(self._make, self._count).close()  # refuses here what cannot be pickled

    def sample(self, random_bits: int) -> Level:
        """The next level of the stream, or one of the latest.

        Raises:
            WorkError: Making the level has failed.
        """
        if self._seed is None:
            self._seed = random_bits
        if not self._count:
            return self._enter(self._make(mix(self._seed, self._entered)))
        self._order()
        if self._wait or len(self._recent) < self._warm_up or self._coming[0].done():
            level = self._coming[0].result()
            self._coming.popleft()
            return self._enter(level)
        self._repeated += 1
        return self._recent[below(random_bits, len(self._recent))]

    def _enter(self, level: Level) -> Level:
        self._recent.append(level)
        self._entered += 1
        return level

    def _order(self) -> None:
        """Have as many levels made ahead as there is room for."""
        if self._workers is None or self._owner != os.getpid():
            self._workers, self._owner = Workers(self._make, self._count, self._niceness), os.getpid()
            self._coming.clear()
        while len(self._coming) < self._buffer:
            number = self._entered + len(self._coming)
            self._coming.append(self._workers.submit(mix(self._seed or 0, number)))

    def report(self, level: Level, outcome: str, score: float) -> None:
        """Not used: what comes next does not depend on how it went."""

    def metrics(self) -> dict[str, float]:
        """How many new levels have entered play, and the share of all samples that were repetitions."""
        sampled = self._entered + self._repeated
        return {"levels": self._entered, "repeated": self._repeated / sampled if sampled else 0.0}

    def get_state(self) -> dict[str, Any]:
        """Where the stream stands, and the latest levels."""
        return {
            "seed": self._seed,
            "entered": self._entered,
            "repeated": self._repeated,
            "recent": list(self._recent),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from ``get_state()``; what was being made and does not come next is dropped.

        Raises:
            ValueError: The state is none of such a stream.
        """
        seed, entered, repeated, recent = entries(state, "seed", "entered", "repeated", "recent")
        for name, number in ("entered", entered), ("repeated", repeated), ("seed", 0 if seed is None else seed):
            if type(number) is not int or not 0 <= number < 2**64:
                raise ValueError(f"not a state of this stream: {name} must be a non-negative integer, uint64")
        if not isinstance(recent, list) or not all(isinstance(level, Level) for level in recent):
            raise ValueError("not a state of this stream: recent must be a list of levels")
        self._seed, self._entered, self._repeated = seed, entered, repeated
        self._recent = deque(recent, maxlen=self._buffer)
        for future in self._coming:
            future.cancel()
        self._coming.clear()

    def close(self) -> None:
        """End the processes. The next sample starts others, and the stream goes on where it was."""
        self._coming.clear()
        if self._workers is not None:
            self._workers.close()
            self._workers = None

    def __getstate__(self) -> dict[str, Any]:
        """Pickle and copy without the processes: a copy starts its own."""
        return {**self.__dict__, "_workers": None, "_coming": deque()}
