"""Many items through an executor: in chunks that take about a second, with results in the order of the items."""

import dataclasses
import queue
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future
from itertools import islice
from typing import Any, Generic, NamedTuple, TypeVar

from .tasks import TaskExecutor, failure, task_name

Item = TypeVar("Item")
Result = TypeVar("Result")

RUNNING = 2
"""Chunks in progress for each slot of the executor, so that none of them is idle."""
AHEAD = 30
"""Chunks for each slot that are taken before the oldest is finished: a slow item does not hold up the others."""
LARGEST = 4_096
"""The maximum number of items in a chunk."""


def ordered(
    executor: TaskExecutor, work: Callable[[Item], Result], items: Iterable[Item]
) -> Generator[tuple[Item, Result], None, None]:
    """Call a function on items; yield each item with its result, in the order of the items.

    Chunks begin with one item, and become larger while they take less than the executor's ``chunk_seconds``. The
    result of an item must not depend on the others. What is in progress is cancelled when the iterator is closed.

    Args:
        executor: Where the function is called.
        work: As :class:`~.tasks.TaskExecutor` says.
        items: Any number, picklable; taken as needed.

    Raises:
        ValueError: The work cannot be sent to other processes.
        Exception: What the work on the next item raised, as :func:`~.tasks.failure` says.
    """
    return _Ordering(executor, work).run(iter(items))


class _Done(NamedTuple):
    """What became of a chunk."""

    results: list[Any]
    error: Exception | None
    """What the item after these results raised."""
    seconds: float


class _Chunk(Generic[Item]):
    """Items and the future of their results."""

    def __init__(self, items: list[Item], future: "Future[_Done]") -> None:
        self.items, self.future = items, future


@dataclasses.dataclass(frozen=True)
class _Each:
    """Calls a function on each item of a chunk; a failure keeps the results before it."""

    work: Callable[[Any], Any]

    def __call__(self, items: list[Any]) -> _Done:
        results: list[Any] = []
        begun = time.perf_counter()
        error: Exception | None = None
        for item in items:
            try:
                results.append(self.work(item))
            except Exception as raised:
                error = failure(raised, task_name((item,), {}))
                break
        return _Done(results, error, time.perf_counter() - begun)


class _Ordering(Generic[Item, Result]):
    """The chunks of one call of :func:`ordered`."""

    def __init__(self, executor: TaskExecutor, work: Callable[[Item], Result]) -> None:
        self.executor, self.work = executor, _Each(work)
        self.waiting: deque[_Chunk[Item]] = deque()
        self.finished: queue.SimpleQueue[Future[_Done]] = queue.SimpleQueue()
        self.running, self.size = 0, 1

    def run(self, items: Iterator[Item]) -> Generator[tuple[Item, Result], None, None]:
        """Yield the items with their results."""
        try:
            while True:
                self.submit(items)
                if not self.waiting:
                    return
                while not self.waiting[0].future.done():
                    self.account(self.finished.get())
                    self.submit(items)
                yield from self.results(self.waiting.popleft())
        finally:
            for chunk in self.waiting:
                chunk.future.cancel()

    def submit(self, items: Iterator[Item]) -> None:
        """Pass on as many chunks as the executor should have, but none while a result is there to be yielded."""
        slots = self.executor.slots
        while self.running < RUNNING * slots and len(self.waiting) < AHEAD * slots:
            if self.waiting and self.waiting[0].future.done():
                return
            some = list(islice(items, self.size))
            if not some:
                return
            future = self.executor.submit(self.work, some)
            self.running += 1
            self.waiting.append(_Chunk(some, future))
            future.add_done_callback(self.finished.put)

    def account(self, future: "Future[_Done]") -> None:
        """Note that a chunk is finished; the next ones are as large as its time suggests, at most twice as large."""
        self.running -= 1
        if future.cancelled() or future.exception() is not None:
            return
        done, seconds = future.result(), self.executor.chunk_seconds
        if done.results and seconds:
            fitting = int(seconds / max(done.seconds / len(done.results), 1e-9))
            self.size = max(1, min(fitting, 2 * self.size, LARGEST))

    def results(self, chunk: "_Chunk[Item]") -> Iterator[tuple[Item, Result]]:
        """Yield the items of a finished chunk with their results."""
        while not self.finished.empty():
            self.account(self.finished.get())
        done = chunk.future.result()
        yield from zip(chunk.items, done.results, strict=False)
        if done.error is not None:
            raise done.error
