"""An executor without other processes: a task is done when it is submitted."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from .tasks import TaskExecutor, failure, task_name

Result = TypeVar("Result")


class SerialExecutor(TaskExecutor):
    """Runs tasks in this process, in the order in which they are submitted; Ctrl-C during one is raised there."""

    chunk_seconds = 0.0

    def __init__(self) -> None:
        self._closed = False

    def submit(self, fn: Callable[..., Result], /, *args: Any, **kwargs: Any) -> "Future[Result]":
        """Do a task; returns its future, which is done.

        Raises:
            ValueError: This executor is closed.
        """
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

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Refuse further tasks: none is in progress."""
        self.close()
