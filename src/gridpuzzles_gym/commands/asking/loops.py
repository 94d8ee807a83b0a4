"""Running a coroutine to its end, even in a thread that already has an event loop, as in notebooks."""

import asyncio
import concurrent.futures
import contextlib
from collections.abc import Callable, Coroutine
from typing import Any


def run_to_end(make: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run a coroutine in a new event loop.

    Args:
        make: Function that returns the coroutine.

    Raises:
        KeyboardInterrupt: Ctrl-C; the coroutine was cancelled, and has ended.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(make())
        return
    cancel_function: concurrent.futures.Future[Callable[[], object]] = concurrent.futures.Future()

    async def main() -> None:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        cancel_function.set_result(lambda: loop.call_soon_threadsafe(task.cancel))
        await make()

    with concurrent.futures.ThreadPoolExecutor(1) as thread:
        ended = thread.submit(lambda: asyncio.run(main()))
        try:
            ended.result()
        except KeyboardInterrupt:
            cancel_function.result()()
            with contextlib.suppress(concurrent.futures.CancelledError, asyncio.CancelledError):
                ended.result()
            raise
