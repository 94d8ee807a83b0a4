"""What an executor is here, the one of this process, and how many items are passed on in order."""

import abc
import dataclasses
import pickle
import queue
import reprlib
import time
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import CancelledError, Future
from itertools import islice
from typing import Any, Self, TypeVar

from gridpuzzles_gym.engine.messages import quote

Item = TypeVar("Item")
Result = TypeVar("Result")

RUNNING = 2
"""Chunks in progress for each worker of the executor, so that none of them is idle."""
AHEAD = 30
"""Chunks for each worker that are taken before the oldest is finished: a slow item does not hold up the others."""
LARGEST = 4_096
"""The maximum number of items in a chunk."""


class WorkError(RuntimeError):
    """A task failed: the message names it, and contains the traceback of the process that failed.

    Attributes:
        reason: What went wrong, in one line.
    """

    def __init__(self, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


class TaskExecutor(abc.ABC):
    """Runs long jobs; a ``with`` block ends by :meth:`close`.

    A task whose process is killed is given to another; one that has killed several is not. If it fails, its future
    raises what :func:`failure` says. ``fn`` must be picklable, and other processes must be able to import it: a
    function of a module, or an instance of a frozen dataclass with ``__call__``. Its caches survive to the next task
    with the same function.
    """

    chunk_seconds = 1.0
    """Seconds that a task should take, so that passing it on costs little; 0: passing on costs nothing."""

    @property
    def slots(self) -> int:
        """The number of tasks that run at the same time."""
        return 1

    @abc.abstractmethod
    def submit(self, fn: Callable[..., Result], /, *args: Any, **kwargs: Any) -> "Future[Result]":
        """Queue a task; returns its future.

        Raises:
            ValueError: This executor is closed, or the function cannot be sent to other processes.
        """

    @abc.abstractmethod
    def close(self) -> None:
        """End immediately: tasks in progress are lost, waiting ones are cancelled."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class SerialExecutor(TaskExecutor):
    """Runs tasks in this process when they are submitted; Ctrl-C during one is raised there."""

    chunk_seconds = 0.0

    def __init__(self) -> None:
        self._closed = False

    def submit(self, fn: Callable[..., Result], /, *args: Any, **kwargs: Any) -> "Future[Result]":
        """Do a task; returns its future, which is done. Raises ValueError if this executor is closed."""
        if self._closed:
            raise ValueError("this executor is closed")
        future: Future[Result] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(failure(error, task_name(args, kwargs)))
        return future

    def close(self) -> None:
        """Refuse further tasks."""
        self._closed = True


def task_name(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Return the arguments of a task in a few words, for messages."""
    return ", ".join([*map(reprlib.repr, args), *(f"{name}={reprlib.repr(value)}" for name, value in kwargs.items())])


def pickled(work: Callable[..., Any]) -> bytes:
    """Return a function, pickled for another process.

    Raises:
        ValueError: It cannot be pickled, or other processes cannot import it.
    """
    try:
        pickled = pickle.dumps(work)
    except Exception as error:
        raise ValueError(f"work={quote(work)} cannot be sent to other processes: {error}") from None
    if b"__main__" in pickled:
        raise ValueError(
            f"work={quote(work)} is defined in the running script, which other processes do not import: "
            "move it to a module, or use 0 processes"
        )
    return pickled


def failure(error: BaseException, name: str) -> Exception:
    """Return what a task's future raises, in the process that waits for it.

    Args:
        error: What the task raised; this is called while it is handled.
        name: The task's arguments, as :func:`task_name` returns them.

    Returns:
        A ValueError or an OSError as it is, since these are about input and files; otherwise a :class:`WorkError`.
    """
    if isinstance(error, ValueError | OSError):
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:  # an exception with another constructor
            return ValueError(str(error))
        return error
    reason = f"{type(error).__name__}: {error}"
    return WorkError(f"the work on {name} failed: {reason}\n{traceback.format_exc()}", reason)


class Caller:
    """Calls functions that come pickled. The latest one is kept: its caches survive to the next task.

    Args:
        report: Gets what a generator function yields; it may raise KeyboardInterrupt, to end it.
    """

    def __init__(self, report: Callable[[Any], object] | None = None) -> None:
        self._report = report
        self._pickled, self._function = b"", None

    def __call__(self, function: bytes | None, arguments: bytes, name: str) -> bytes:
        """Call a function.

        Args:
            function: The pickled function; None: the one before.
            arguments: Its pickled arguments, a tuple and a dict.
            name: The task's name, for messages.

        Returns:
            A pickled ``(True, result)`` or ``(False, exception)``.
        """
        try:
            if function not in (None, self._pickled):
                self._pickled, self._function = function, None
            work: Any = self._function or pickle.loads(self._pickled)
            self._function = work
            args, kwargs = pickle.loads(arguments)
            result = work(*args, **kwargs)
            if self._report is not None and isinstance(result, Iterator):
                for update in result:
                    self._report(update)
                result = None
            return pickle.dumps((True, result))
        except KeyboardInterrupt:
            return pickle.dumps((True, None))
        except BaseException as error:
            return pickle.dumps((False, failure(error, name)))


# -- many items ------------------------------------------------------------------------------------


@dataclasses.dataclass
class _Chunk:
    """Some items and their results."""

    items: list[Any]
    results: list[Any] = dataclasses.field(default_factory=list)
    error: BaseException | None = None
    finished: bool = False
    singly: bool = False
    """Whether items are passed on one at a time, since together they killed their processes."""


@dataclasses.dataclass(frozen=True)
class _Each:
    """Calls a function on items; returns the results, what the next item raised, and the seconds that it took."""

    work: Callable[[Any], Any]
    seconds: float
    """After twice this time, the rest is left for another task."""

    def __call__(self, items: list[Any]) -> tuple[list[Any], Exception | None, float]:
        results: list[Any] = []
        begun = time.perf_counter()
        for item in items:
            if results and time.perf_counter() - begun > 2 * self.seconds:
                break
            try:
                results.append(self.work(item))
            except Exception as raised:
                return results, failure(raised, task_name((item,), {})), time.perf_counter() - begun
        return results, None, time.perf_counter() - begun


def ordered(
    executor: TaskExecutor, work: Callable[[Item], Result], items: Iterable[Item]
) -> Generator[tuple[Item, Result], None, None]:
    """Call a function on items; yield each item with its result, in the order of the items.

    Chunks begin with one item, and become larger while they take less than the executor's ``chunk_seconds``; one that
    takes longer is split. The result of an item must not depend on the others. When the iterator is closed, the
    chunks that wait are cancelled.

    Args:
        executor: Where the function is called.
        work: As :class:`TaskExecutor` says.
        items: Any number, picklable; taken as needed.

    Raises:
        ValueError: The work cannot be sent to other processes.
        Exception: What the work on the next item raised, as :func:`failure` says.
    """
    each = _Each(work, executor.chunk_seconds)
    items, size = iter(items), 1
    waiting: deque[_Chunk] = deque()
    running: dict[Future[Any], _Chunk] = {}
    ended: queue.SimpleQueue[Future[Any]] = queue.SimpleQueue()

    def start(chunk: _Chunk) -> None:
        """Pass on what a chunk has no results of yet."""
        rest = chunk.items[len(chunk.results) :]
        future = executor.submit(each, rest[:1] if chunk.singly else rest)
        running[future] = chunk
        future.add_done_callback(ended.put)

    def account(future: "Future[Any]") -> None:
        """Take the results of a task that has ended, and pass on the rest of its chunk."""
        nonlocal size
        chunk = running.pop(future)
        error = CancelledError() if future.cancelled() else future.exception()
        if isinstance(error, WorkError) and not chunk.singly and len(chunk.items) - len(chunk.results) > 1:
            chunk.singly = True
        elif error is not None:
            chunk.error, chunk.finished = error, True
        else:
            results, chunk.error, seconds = future.result()
            chunk.results += results
            chunk.finished = chunk.error is not None or len(chunk.results) == len(chunk.items)
            if results and executor.chunk_seconds:
                fitting = int(executor.chunk_seconds / max(seconds / len(results), 1e-9))
                size = max(1, min(fitting, 2 * size, LARGEST))
        if not chunk.finished:
            start(chunk)

    try:
        while True:
            while not ended.empty():
                account(ended.get())
            slots = executor.slots
            if waiting and waiting[0].finished:
                chunk = waiting.popleft()
                yield from zip(chunk.items, chunk.results, strict=False)
                if chunk.error is not None:
                    raise chunk.error
            elif len(running) < RUNNING * slots and len(waiting) < AHEAD * slots and (some := [*islice(items, size)]):
                waiting.append(_Chunk(some))
                start(waiting[-1])
            elif waiting:
                account(ended.get())
            else:
                return
    finally:
        for future in list(running):
            future.cancel()
