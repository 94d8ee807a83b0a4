"""Many items through an executor: in chunks that take about a second, with results in the order of the items."""

import dataclasses
import queue
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import CancelledError, Future
from itertools import islice
from typing import Any, Generic, NamedTuple, TypeVar

from .tasks import TaskExecutor, WorkError, failure, task_name

Item = TypeVar("Item")
Result = TypeVar("Result")

RUNNING = 2
"""Chunks in progress for each worker of the executor, so that none of them is idle."""
AHEAD = 30
"""Chunks for each worker that are taken before the oldest is finished: a slow item does not hold up the others."""
LARGEST = 4_096
"""The maximum number of items in a chunk."""


def ordered(
    executor: TaskExecutor,
    work: Callable[[Item], Result],
    items: Iterable[Item],
    arrived: Callable[[Item, Result], object] | None = None,
) -> Generator[tuple[Item, Result], None, None]:
    """Call a function on items; yield each item with its result, in the order of the items.

    Chunks begin with one item, and become larger while they take less than the executor's ``chunk_seconds``; one that
    takes longer is split. The result of an item must not depend on the others. When the iterator is closed, the
    chunks that wait are cancelled.

    Args:
        executor: Where the function is called.
        work: As :class:`~.TaskExecutor` says.
        items: Any number, picklable; taken as needed.
        arrived: Called with each item and its result as soon as it is there, in any order: to save it.

    Raises:
        ValueError: The work cannot be sent to other processes.
        Exception: What the work on the next item raised, as :func:`~.tasks.failure` says.
    """
    return _Ordering(executor, work, arrived).run(iter(items))


class _Done(NamedTuple):
    """What became of a chunk, or of the first part of it."""

    results: list[Any]
    error: Exception | None
    """What the item after these results raised."""
    seconds: float


class _Chunk(Generic[Item, Result]):
    """Some items and their results."""

    def __init__(self, items: list[Item]) -> None:
        self.items = items
        self.results: list[Result] = []
        self.error: BaseException | None = None
        self.finished = False
        self.singly = False
        """Whether items are passed on one at a time, since together they killed their processes."""


@dataclasses.dataclass(frozen=True)
class _Each:
    """Calls a function on each item of a chunk; after a failure, the earlier results remain."""

    work: Callable[[Any], Any]
    seconds: float
    """After twice this time, the rest of the chunk is left for another task."""

    def __call__(self, items: list[Any]) -> _Done:
        results: list[Any] = []
        begun = time.perf_counter()
        error: Exception | None = None
        for item in items:
            if results and time.perf_counter() - begun > 2 * self.seconds:
                break
            try:
                results.append(self.work(item))
            except Exception as raised:
                error = failure(raised, task_name((item,), {}))
                break
        return _Done(results, error, time.perf_counter() - begun)


class _Ordering(Generic[Item, Result]):
    """The chunks of one call of :func:`ordered`."""

    def __init__(
        self,
        executor: TaskExecutor,
        work: Callable[[Item], Result],
        arrived: Callable[[Item, Result], object] | None,
    ) -> None:
        self.executor, self.arrived = executor, arrived
        self.work = _Each(work, executor.chunk_seconds)
        self.waiting: deque[_Chunk[Item, Result]] = deque()
        self.running: dict[Future[_Done], _Chunk[Item, Result]] = {}
        self.ended: queue.SimpleQueue[Future[_Done]] = queue.SimpleQueue()
        self.size = 1

    def run(self, items: Iterator[Item]) -> Generator[tuple[Item, Result], None, None]:
        """Yield the items with their results."""
        try:
            while True:
                self.submit(items)
                if not self.waiting:
                    return
                while not self.waiting[0].finished:
                    self.account(self.ended.get())
                    self.submit(items)
                chunk = self.waiting.popleft()
                yield from zip(chunk.items, chunk.results, strict=False)
                if chunk.error is not None:
                    raise chunk.error
        finally:
            for future in list(self.running):
                future.cancel()

    def submit(self, items: Iterator[Item]) -> None:
        """Pass on as many chunks as the executor should have, but none while a result is there to be yielded."""
        slots = self.executor.slots
        while True:
            while not self.ended.empty():
                self.account(self.ended.get())
            if self.waiting and self.waiting[0].finished:
                return
            if len(self.running) >= RUNNING * slots or len(self.waiting) >= AHEAD * slots:
                return
            some = list(islice(items, self.size))
            if not some:
                return
            self.waiting.append(_Chunk(some))
            self.start(self.waiting[-1])

    def start(self, chunk: "_Chunk[Item, Result]") -> None:
        """Pass on what a chunk has no results of yet."""
        rest = chunk.items[len(chunk.results) :]
        future = self.executor.submit(self.work, rest[:1] if chunk.singly else rest)
        self.running[future] = chunk
        future.add_done_callback(self.ended.put)

    def account(self, future: "Future[_Done]") -> None:
        """Take the results of a task that has ended, and pass on the rest of its chunk.

        The next chunks are as large as its time suggests, at most twice as large as before.
        """
        chunk = self.running.pop(future)
        error = CancelledError() if future.cancelled() else future.exception()
        if error is not None:
            if isinstance(error, WorkError) and not chunk.singly and len(chunk.items) - len(chunk.results) > 1:
                chunk.singly = True
                self.start(chunk)
            else:
                chunk.error, chunk.finished = error, True
            return
        done = future.result()
        first, seconds = len(chunk.results), self.executor.chunk_seconds
        chunk.results += done.results
        chunk.error = done.error
        chunk.finished = done.error is not None or len(chunk.results) == len(chunk.items)
        if done.results and seconds:
            fitting = int(seconds / max(done.seconds / len(done.results), 1e-9))
            self.size = max(1, min(fitting, 2 * self.size, LARGEST))
        if not chunk.finished:
            self.start(chunk)
        if self.arrived is not None:
            for item, result in zip(chunk.items[first:], done.results, strict=False):
                self.arrived(item, result)
