"""Puzzles for language models: episodes as conversations, tasks with verifiers, and adapters for other libraries.

Nothing here needs a network or a model. Observations become text that shows exactly the same, and can be read back
(:class:`View`); replies are read by a :class:`ReplyReader`. Rewards are the environment's,
or success; ``REWARD_VERSION`` is raised when equal replies get others. Single-turn tasks are in :mod:`.tasks`.
"""

from .conversations import Conversation, Conversations, Turn
from .replies import REWARD_VERSION, ReplyReader
from .scripted import AgentModel, RandomModel
from .views import View

__all__ = [
    "REWARD_VERSION",
    "AgentModel",
    "Conversation",
    "Conversations",
    "RandomModel",
    "ReplyReader",
    "Turn",
    "View",
    "adapters",
    "asking",
    "replies",
    "tasks",
    "text_env",
]
