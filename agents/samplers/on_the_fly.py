"""Levels made by background processes while others are played, with a bounded buffer."""

import os
import weakref
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from gridpuzzles_gym.engine.arguments import integer
from gridpuzzles_gym.engine.levels.sources import Sampler
from gridpuzzles_gym.engine.messages import quote
from gridpuzzles_gym.engine.puzzle import Extent, Level, Outcome

from .. import parallel
from ..parallel.executor import pickled
from .base import below, entries, mix


class OnTheFly:
    """An endless stream of new levels that are made in the background.

    The i-th level of the stream depends only on the seed and i, and levels are played in the order of the stream. If
    the next is not ready, one of the latest is played again, so episodes depend on timing; with ``wait=True`` they do
    not, and equal seeds give equal episodes.

    Processes start with the first sample and end with :meth:`close`, the environment's ``close()``, when the sampler
    is garbage-collected, or when this process ends; a killed one is replaced.

    Args:
        make: Makes a level from random bits (uint64) in another process: a picklable callable that other processes
            can import, for example the ``sample`` of a sampler; or such a sampler.
        workers: Number of processes; 0: levels are made in this process, and sampling waits for them.
        buffer: Number of levels made ahead, and of the latest levels that can be played again.
        wait: Wait for the next level instead of playing one again.
        warm_up: Number of levels to wait for at the start, for some variety.
        extent: The extent of the largest level; None: that of ``make``, a sampler or its method.
        seed: Seed of the stream; None: derived from the environment's.
        niceness: Niceness of the processes, 0 to 19.
        ray: The address of a Ray cluster that makes the levels instead: ``"auto"``, or a host and port.

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
        ray: str | None = None,
    ) -> None:
        if extent is None:
            extent = getattr(make, "extent", None) or getattr(getattr(make, "__self__", None), "extent", None)
            if extent is None:
                raise ValueError("extent=None: make= has no extent; give extent=")
        if not callable(make) and not isinstance(make, Sampler):
            raise ValueError(f"make={quote(make)}: must be a callable or a sampler")
        self.extent: Extent = tuple(extent)
        self._make: Callable[[int], Level] = make if callable(make) else make.sample
        self._count, self._niceness = integer("workers", workers, 0, 1024), integer("niceness", niceness, 0, 19)
        self._buffer, self._wait = integer("buffer", buffer, 1), bool(wait)
        self._warm_up = min(integer("warm_up", warm_up, 1), self._buffer)
        self._seed = None if seed is None else integer("seed", seed, 0, 2**64 - 1)
        self._recent: deque[Level] = deque(maxlen=self._buffer)
        self._entered = self._repeated = 0
        self._ray = ray
        self._executor: parallel.TaskExecutor | None = None
        self._coming: deque[Future[Level]] = deque()
        self._owner = 0
        if self._elsewhere:
            pickled(self._make)  # fails here if it cannot be sent

    def sample(self, random_bits: int) -> Level:
        """Return the next level of the stream, or one of the latest.

        Raises:
            WorkError: Making the level failed; a ValueError or an OSError is raised as it is.
        """
        if self._seed is None:
            self._seed = random_bits
        if not self._elsewhere:
            return self._enter(self._make(mix(self._seed, self._entered)))
        self._submit()
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

    def _submit(self) -> None:
        """Submit levels up to the buffer's capacity."""
        if self._executor is None or self._owner != os.getpid():
            self._executor, self._owner = self._open(), os.getpid()
            weakref.finalize(self, self._executor.close)
            self._coming.clear()
        while len(self._coming) < self._buffer:
            number = self._entered + len(self._coming)
            self._coming.append(self._executor.submit(self._make, mix(self._seed or 0, number)))

    @property
    def _elsewhere(self) -> bool:
        """Whether other processes make the levels."""
        return self._ray is not None or self._count > 0

    def _open(self) -> parallel.TaskExecutor:
        return parallel.local(self._count, self._niceness) if self._ray is None else parallel.ray(self._ray)

    def report(self, level: Level, outcome: Outcome, score: float) -> None:
        """Do nothing: the next level does not depend on the outcome."""

    def metrics(self) -> dict[str, float]:
        """Return the number of new levels played, and the share of samples that were repetitions."""
        sampled = self._entered + self._repeated
        return {"levels": self._entered, "repeated": self._repeated / sampled if sampled else 0.0}

    def get_state(self) -> dict[str, Any]:
        """Return the position in the stream, and the latest levels."""
        return {
            "seed": self._seed,
            "entered": self._entered,
            "repeated": self._repeated,
            "recent": list(self._recent),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Restore the result of ``get_state()``; pending levels are dropped.

        Raises:
            ValueError: The state is invalid.
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
        """End the processes. The next sample starts new ones, and the stream continues."""
        self._coming.clear()
        if self._executor is not None:
            self._executor.close()
            self._executor = None

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the processes: a copy starts its own."""
        return {**self.__dict__, "_executor": None, "_coming": deque()}
