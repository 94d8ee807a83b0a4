"""A maximum size of requests, for servers whose library has none."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

LARGEST_BODY = 4 * 2**20
"""The maximum size of a request, in bytes."""

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]


class BodyLimit:
    """An ASGI application that refuses larger requests with status 413 before they are processed.

    Args:
        app: The application that gets all other requests.
        largest: The maximum size in bytes.
    """

    def __init__(self, app: App, largest: int = LARGEST_BODY) -> None:
        self.app, self.largest = app, largest

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        parts, size, more = [], 0, True
        while more:
            part = await receive()
            size += len(part.get("body", b""))
            if size > self.largest:
                await _refuse(send)
                return
            parts.append(part)
            more = part.get("more_body", False)
        parts.reverse()

        async def replay() -> Message:
            return parts.pop() if parts else await receive()

        await self.app(scope, replay, send)


async def _refuse(send: Send) -> None:
    text = b"the request is too large"
    headers = [
        (b"content-type", b"text/plain"),
        (b"content-length", str(len(text)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": text})
