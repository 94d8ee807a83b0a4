"""Puzzles for language models: episodes as conversations, tasks with verifiers, and adapters for other libraries.

Nothing here needs a network or a model. Observations become text that shows exactly the same, and can be read back
(:class:`View`; ``VIEWS`` has them by name); replies are read by a :class:`ReplyReader`, in one of ``REPLY_FORMATS``;
rewards are the environment's, success, or potential-based progress (:class:`Potential`). Single-turn tasks are in
:mod:`.tasks`.
"""

from .conversation import Conversation
from .conversations import Conversations
from .replies import REPLY_FORMATS, ReplyReader
from .rewards import Potential
from .scripted import AgentModel, RandomModel
from .turns import Turn
from .views import VIEWS, View

__all__ = [
    "REPLY_FORMATS",
    "VIEWS",
    "AgentModel",
    "Conversation",
    "Conversations",
    "Potential",
    "RandomModel",
    "ReplyReader",
    "Turn",
    "View",
    "action_lines",
    "adapters",
    "prompts",
    "tasks",
    "text_env",
    "text_observation",
]
