"""Work on each level of a file or pack, with a progress bar: what ``levels solve`` and ``levels rate`` share."""

import contextlib
from collections.abc import Callable, Generator, Sequence
from typing import TypeVar

from gridpuzzles_gym.agents.parallel import open_executor, ordered

from ...engine.puzzle import Level
from ...engine.system.progress_bar import progress

Result = TypeVar("Result")


def results_of(
    work: Callable[[Level], Result], levels: Sequence[Level], done: int, workers: int | None, ray: str | None
) -> Generator[Result, None, None]:
    """Yield the results of levels in order, and show the progress.

    Args:
        work: A callable that other processes can import.
        levels: All levels.
        done: How many of them, the first ones, are done already.
        workers: The number of processes; None is one for each core.
        ray: The address of a Ray cluster that works instead; None: this machine.

    Raises:
        ValueError, OSError: As ``work`` raises them, and as :func:`~gridpuzzles_gym.agents.parallel.open_executor`.
    """
    with (
        open_executor(workers, ray) as executor,
        progress(len(levels), done) as advance,
        contextlib.closing(ordered(executor, work, levels[done:])) as results,
    ):
        for _, result in results:
            yield result
            advance()
