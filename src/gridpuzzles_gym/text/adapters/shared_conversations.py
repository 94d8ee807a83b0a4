"""Conversations that the sessions of a server share: a session has one of them while it plays."""

import asyncio
import threading
from collections import deque
from collections.abc import Mapping
from typing import Any

from ..conversations import Conversations
from ..turns import Turn

Reply = str | Mapping[str, Any]


class SharedConversations:
    """Hands out the conversations of one object to sessions.

    Replies that arrive while the server is busy with others are gathered, and performed by one kernel call for each
    action. All methods may be called from any thread; :meth:`reply_soon` from an event loop, always the same.

    Args:
        conversations: Nobody else may use them.
    """

    def __init__(self, conversations: Conversations) -> None:
        self.conversations = conversations
        self._free = deque(range(conversations.count))
        self._lock = threading.Lock()
        self._waiting: dict[int, tuple[Reply, asyncio.Future[Turn]]] = {}

    def borrow(self) -> int:
        """Return the number of a conversation that no other session has.

        Raises:
            ValueError: All have a session.
        """
        try:
            return self._free.popleft()
        except IndexError:
            raise ValueError(f"all {self.conversations.count} conversations are in use; try again later") from None

    def give_back(self, index: int) -> None:
        """Let other sessions have a conversation; a reply in it that was not performed yet never will be."""
        waiting = self._waiting.pop(index, None)
        if waiting is not None:
            waiting[1].get_loop().call_soon_threadsafe(_refuse, waiting[1])
        self._free.append(index)

    def start(self, index: int, seed: int | None, level: Any) -> Turn:
        """Begin an episode; the arguments are those of :meth:`~..conversations.Conversations.start`."""
        with self._lock:
            return self.conversations.start([index], [seed], level)[0]

    def reply(self, index: int, reply: Reply) -> Turn:
        """Reply in one conversation.

        Raises:
            ValueError: It has not begun, or is over.
        """
        with self._lock:
            return self.conversations.reply({index: reply})[index]

    async def reply_soon(self, index: int, reply: Reply) -> Turn:
        """Reply in one conversation, together with all others that have a reply by then.

        Raises:
            ValueError: It has not begun, is over, or has a reply already.
        """
        if index in self._waiting and not self._waiting[index][1].done():
            raise ValueError(f"conversation {index} has a reply already, which was not performed yet")
        if self.conversations.turn(index).done:
            return self.reply(index, reply)  # raises the error, without the others
        loop = asyncio.get_running_loop()
        if not self._waiting:
            loop.call_soon(self._perform)
        future: asyncio.Future[Turn] = loop.create_future()
        self._waiting[index] = reply, future
        return await future

    def _perform(self) -> None:
        waiting, self._waiting = self._waiting, {}
        futures = {index: future for index, (_, future) in waiting.items() if not future.done()}  # cancelled: gone
        try:
            with self._lock:
                turns = self.conversations.reply({index: waiting[index][0] for index in futures})
        except Exception as error:
            for future in futures.values():
                future.set_exception(error)
        else:
            for index, future in futures.items():
                future.set_result(turns[index])


def _refuse(future: asyncio.Future[Turn]) -> None:
    if not future.done():
        future.set_exception(ValueError("the session is over"))
