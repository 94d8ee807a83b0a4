"""One interface for long jobs: an executor, whose tasks run in this process, in others on this machine, or on Ray.

    with local(workers=4) as executor:
        for level, result in ordered(executor, solve, levels):
            ...

Results are the same for any executor, and come in the order of the items; nothing above this folder knows where the
work is done.
"""

from gridpuzzles_gym.engine.system.process import usable_cores

from .executor import SerialExecutor, TaskExecutor, WorkError, ordered

__all__ = ["SerialExecutor", "TaskExecutor", "WorkError", "local", "open_executor", "ordered", "ray"]


def local(workers: int, niceness: int = 0) -> TaskExecutor:
    """Return an executor on this machine.

    Args:
        workers: Number of processes, up to 1,024; 0: this process does the work.
        niceness: Niceness of the processes, 0 to 19.

    Raises:
        ValueError: A number is out of range.
    """
    from .workers import LocalExecutor

    return LocalExecutor(workers, niceness) if workers else SerialExecutor()


def ray(address: str = "auto") -> TaskExecutor:
    """Return an executor on a Ray cluster.

    Args:
        address: ``"auto"`` finds the cluster of this machine; ``"local"`` starts one; otherwise a host and port.

    Raises:
        ImportError: Ray is not installed.
        ValueError: The address is invalid, or the cluster has another version of Ray or Python.
        OSError: No cluster can be reached there.
    """
    from .on_ray import RayExecutor

    return RayExecutor(address)


def open_executor(workers: int | None = None, address: str | None = None) -> TaskExecutor:
    """Return the executor chosen by the options ``--workers`` and ``--ray`` of a command.

    Args:
        workers: Number of processes on this machine; 1: this process does the work. None: one for each core.
        address: A Ray cluster, as for :func:`ray`; None: this machine.

    Raises:
        ValueError: Both are given; or as :func:`local` and :func:`ray` raise it.
        ImportError, OSError: As :func:`ray` raises them.
    """
    if address is None:
        count = usable_cores() if workers is None else workers
        return local(0 if count == 1 else count)
    if workers is not None:
        raise ValueError("--workers and --ray cannot be combined: with --ray, all cores of the cluster are used")
    return ray(address)
