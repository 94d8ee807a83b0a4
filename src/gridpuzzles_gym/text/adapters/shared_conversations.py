"""Conversations that the sessions of a server share; each session borrows one while it plays.

Sessions are not trusted: :mod:`~gridpuzzles_gym.engine.levels.remote` checks their levels and seeds, and the size of
replies is limited.
"""

import asyncio
import math
import threading
from collections import deque
from collections.abc import Mapping
from typing import Any

from ...engine.levels.remote import remote_level, remote_seed
from ..conversations import Conversations
from ..turns import Turn

Reply = str | Mapping[str, Any]

MOST_CHARACTERS = 2**24
"""The maximum length of all replies in an episode, in characters."""
DEEPEST = 16
"""The maximum nesting of objects and lists in a reply."""


class SharedConversations:
    """Lends conversations to sessions.

    Replies that arrive while the server is busy with others are collected, and performed by one kernel call for each
    action. All methods may be called from any thread, except :meth:`reply_soon`: only from one event loop.

    Args:
        conversations: The conversations; nothing else may use them.
    """

    def __init__(self, conversations: Conversations) -> None:
        self.conversations = conversations
        self._free = deque(range(conversations.count))
        self._lock = threading.Lock()
        self._characters = [0] * conversations.count
        self._waiting: dict[int, tuple[Reply, asyncio.Future[Turn]]] = {}

    def borrow(self) -> int:
        """Return the number of a conversation that no other session has.

        Raises:
            ValueError: All are in use.
        """
        try:
            return self._free.popleft()
        except IndexError:
            raise ValueError(f"all {self.conversations.count} conversations are in use; try again later") from None

    def give_back(self, index: int) -> None:
        """Make a conversation available to other sessions; a reply that still waits in it is refused."""
        waiting = self._waiting.pop(index, None)
        if waiting is not None:
            waiting[1].get_loop().call_soon_threadsafe(_refuse, waiting[1])
        self._free.append(index)

    def start(self, index: int, seed: Any, level: Any) -> Turn:
        """Begin an episode.

        Args:
            index: The conversation.
            seed: As for :func:`.remote_seed`.
            level: As for :func:`.remote_level`; None: the next one.

        Raises:
            ValueError: The seed or the level is invalid.
        """
        with self._lock:
            conversations = self.conversations
            if level is not None:
                batch = conversations.envs.batch
                level = remote_level(conversations.config.puzzle, batch.source, level, batch.check_fits)
            turn = conversations.start([index], [remote_seed(seed)], level)[0]
            self._characters[index] = 0
            return turn

    def reply(self, index: int, reply: Reply) -> Turn:
        """Perform a reply in one conversation.

        Raises:
            ValueError: The conversation has not begun or is over, or the reply is too large.
        """
        self._check(index, reply)
        with self._lock:
            return self.conversations.reply({index: reply})[index]

    def _check(self, index: int, reply: Reply) -> None:
        characters = self._characters[index] + size_of(reply)
        if characters > MOST_CHARACTERS:
            raise ValueError(f"the replies of this episode have over {MOST_CHARACTERS:,} characters: begin another one")
        self._characters[index] = characters

    async def reply_soon(self, index: int, reply: Reply) -> Turn:
        """Perform a reply in one conversation, together with all others that wait by then.

        Raises:
            ValueError: The conversation has not begun, is over or already has a reply, or the reply is too large.
        """
        if index in self._waiting and not self._waiting[index][1].done():
            raise ValueError(f"conversation {index} has a reply already, which was not performed yet")
        if self.conversations.turn(index).done:
            return self.reply(index, reply)  # raises the error for this conversation only
        self._check(index, reply)
        loop = asyncio.get_running_loop()
        if not self._waiting:
            loop.call_soon(self._perform)
        future: asyncio.Future[Turn] = loop.create_future()
        self._waiting[index] = reply, future
        return await future

    def _perform(self) -> None:
        waiting, self._waiting = self._waiting, {}
        futures = {
            index: future for index, (_, future) in waiting.items() if not future.done()
        }  # others were cancelled
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


def size_of(reply: Any) -> int:
    """Return the size of a reply: its characters, plus one for each value.

    Raises:
        ValueError: It is nested deeper than :data:`DEEPEST`, or has a number that is not finite.
    """
    size, left = 0, [(reply, 0)]
    while left:
        value, depth = left.pop()
        size += 1 + (len(value) if isinstance(value, str) else 0)
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError("a reply with a number that is not finite")
        if isinstance(value, Mapping | list | tuple):
            if depth == DEEPEST:
                raise ValueError(f"a reply with over {DEEPEST} objects or lists within each other")
            within = [*value, *value.values()] if isinstance(value, Mapping) else value
            left.extend((each, depth + 1) for each in within)
    return size
