"""One episode as a conversation."""

from typing import Any

from .conversations import Conversations
from .history import Message, Reply
from .turns import Turn


class Conversation:
    """One episode as a conversation: :class:`~.Conversations` of size one.

    Args:
        env_id: A registered id.
        **settings: The other arguments of :class:`~.Conversations`.

    Attributes:
        of: The :class:`~.Conversations` of size one, with ``config``, ``system``, ``tools`` and others.

    Raises:
        ValueError: An argument is invalid.
    """

    def __init__(self, env_id: str, **settings: Any) -> None:
        self.of = Conversations(env_id, 1, **settings)

    def start(self, seed: int | None = None, level: Any = None) -> Turn:
        """Begin an episode and return its first turn.

        Args:
            seed: The random seed; None continues the current random sequence.
            level: The level, as for ``reset(options={"level": …})``; None: the next of ``levels=``.

        Raises:
            ValueError: The level is invalid.
        """
        return self.of.start([0], [seed], level)[0]

    def reply(self, reply: Reply) -> Turn:
        """Perform a model's reply, a text or an assistant message in OpenAI's form, and return the next turn.

        Raises:
            ValueError: The conversation has not begun, or it is over.
        """
        return self.of.reply({0: reply})[0]

    @property
    def messages(self) -> list[Message]:
        """The messages to which the model must reply; raises ValueError before the start."""
        return self.of.messages(0)

    @property
    def turn(self) -> Turn:
        """The last turn; raises ValueError before the start."""
        return self.of.turn(0)

    def close(self) -> None:
        """Close the environment."""
        self.of.close()
