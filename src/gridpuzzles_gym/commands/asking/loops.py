"""Running a coroutine to its end, also where the thread has an event loop already, as in notebooks."""

import asyncio
import concurrent.futures
import contextlib
from collections.abc import Callable, Coroutine
from typing import Any


def run_to_end(make: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run a coroutine in an event loop of its own.

    Args:
        make: Returns the coroutine.

    Raises:
        KeyboardInterrupt: Ctrl-C; the coroutine was cancelled, and has ended.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(make())
        return
    begun: concurrent.futures.Future[Callable[[], object]] = concurrent.futures.Future()

    async def main() -> None:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        begun.set_result(lambda: loop.call_soon_threadsafe(task.cancel))
        await make()

    with concurrent.futures.ThreadPoolExecutor(1) as thread:
        ended = thread.submit(lambda: asyncio.run(main()))
        try:
            ended.result()
        except KeyboardInterrupt:
            begun.result()()
            with contextlib.suppress(concurrent.futures.CancelledError, asyncio.CancelledError):
                ended.result()
            raise
