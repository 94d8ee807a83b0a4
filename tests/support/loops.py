"""Coroutines in tests."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def finish(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Return a coroutine's result; it runs in another thread, since Playwright leaves a loop running in this one."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(asyncio.run, coroutine).result()
