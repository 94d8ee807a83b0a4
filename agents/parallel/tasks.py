"""What an executor is here: ``concurrent.futures.Executor``, with a size and an immediate end."""

import pickle
import reprlib
import traceback
from collections.abc import Callable
from concurrent.futures import Executor
from types import TracebackType
from typing import Any

from gridpuzzles_gym.engine.messages import quote


class WorkError(RuntimeError):
    """A task failed: the message names it, and contains the traceback of the process that failed."""


class TaskExecutor(Executor):
    """An executor for long jobs.

    A task whose process is killed is given to another; one that has killed several is not. If it fails, its future
    raises what :func:`failure` says. ``fn`` must be picklable, and other processes must be able to import it: a
    function of a module, or an instance of a frozen dataclass with ``__call__``. What it caches in itself stays in its
    process for the next task with the same function.

    Unlike the standard library's, a ``with`` block ends by :meth:`close`: leaving it early does not wait.
    """

    chunk_seconds = 1.0
    """Seconds that a task should take, so that passing it on costs little; 0: passing on costs nothing."""

    @property
    def slots(self) -> int:
        """The number of tasks that run at the same time."""
        return 1

    def close(self) -> None:
        """End immediately: tasks in progress are lost, waiting ones are cancelled."""
        raise NotImplementedError

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def task_name(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Return the arguments of a task in a few words, for messages."""
    parts = [*map(reprlib.repr, args), *(f"{name}={reprlib.repr(value)}" for name, value in kwargs.items())]
    return ", ".join(parts)


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
    return WorkError(f"the work on {name} failed: {type(error).__name__}: {error}\n{traceback.format_exc()}")
