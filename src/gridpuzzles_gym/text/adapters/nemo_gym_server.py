"""A resources server of NeMo Gym whose sessions are conversations, played by its ``gymnasium_agent``.

NeMo Gym needs Python 3.12 or later. ``examples/nemo_gym`` is the folder that it expects for a resources server.
"""

# nemo_gym need not be installed where types are checked.
# mypy: disable-error-code="misc"

from collections import OrderedDict
from typing import Any

from fastapi import HTTPException
from nemo_gym.base_resources_server import BaseResourcesServerConfig
from nemo_gym.openai_utils import NeMoGymResponse
from pydantic import Field, PrivateAttr
from resources_servers.gymnasium import GymnasiumServer, extract_text

from ..conversations import Conversations
from ..turns import Turn
from .body_limit import BodyLimit
from .shared_conversations import SharedConversations


class ConversationServerConfig(BaseResourcesServerConfig):
    """The episodes of the sessions; ``name``, ``host`` and others are NeMo Gym's."""

    env_id: str = "Sokoban-v0"
    """The id of the environment."""
    sessions: int = 1024
    """The maximum number of episodes at a time; if exceeded, the one that has waited longest for a reply is dropped."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Other arguments of :class:`~gridpuzzles_gym.text.Conversations`."""


class ConversationServer(GymnasiumServer):
    """Serves episodes. A row of the data set (:func:`rows`) has a ``seed``, or a ``level``: a text, a name or an index.

    Raises:
        ValueError: An option is invalid.
    """

    config: ConversationServerConfig
    _shared: SharedConversations = PrivateAttr()
    _playing: OrderedDict[str, int] = PrivateAttr(default_factory=OrderedDict)

    def model_post_init(self, context: Any) -> None:
        """Make the environment that all sessions share."""
        super().model_post_init(context)
        config = self.config
        self._shared = SharedConversations(Conversations(config.env_id, config.sessions, **config.options))

    def setup_webserver(self) -> Any:
        """Return the server's application, which refuses large requests."""
        app = super().setup_webserver()
        app.add_middleware(BodyLimit)
        return app

    async def reset(self, metadata: dict[str, Any], session_id: str | None = None) -> tuple[str, dict[str, Any]]:
        """Begin an episode; an invalid level gives status 400."""
        session = str(session_id)
        if session not in self._playing:
            if len(self._playing) == self.config.sessions:
                self._shared.give_back(self._playing.popitem(last=False)[1])
            self._playing[session] = self._shared.borrow()
        try:
            turn = self._shared.start(self._playing[session], metadata.get("seed"), metadata.get("level"))
        except ValueError as error:
            await self.close_session(session_id)
            raise HTTPException(400, str(error)) from None
        self._playing.move_to_end(session)
        return turn.text, dict(turn.info)

    async def step(
        self, action: NeMoGymResponse, metadata: dict[str, Any], session_id: str | None = None
    ) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Perform a model's response; without an episode, the status is 400."""
        index = self._playing.get(str(session_id))
        if index is None:
            raise HTTPException(400, "the session has no episode: /reset comes first")
        self._playing.move_to_end(str(session_id))
        message = message_of(action)
        try:
            turn: Turn = await self._shared.reply_soon(index, message)
        except ValueError as error:
            raise HTTPException(400, str(error)) from None
        info = dict(turn.info)
        if message["tool_calls"]:
            info["tool_outputs"] = [{"call_id": call["id"], "output": "received"} for call in message["tool_calls"]]
        return turn.text, turn.reward, turn.terminated, turn.truncated, info

    async def close_session(self, session_id: str | None) -> None:
        """End a session and free its conversation."""
        index = self._playing.pop(str(session_id), None)
        if index is not None:
            self._shared.give_back(index)


def message_of(response: NeMoGymResponse) -> dict[str, Any]:
    """Return a model's response as an assistant message of OpenAI's chat form."""
    calls = [
        {"id": item.call_id, "type": "function", "function": {"name": item.name, "arguments": item.arguments}}
        for item in response.output
        if item.type == "function_call"
    ]
    return {"role": "assistant", "content": extract_text(response), "tool_calls": calls}


def rows(
    env_id: str, count: int, seed: int = 0, agent: str = "gridpuzzles_agent", **options: Any
) -> list[dict[str, Any]]:
    """Return the rows of a data set, one for each episode, for a file of JSON lines.

    Args:
        env_id: The id of the environment, which must be the server's.
        count: The number of episodes.
        seed: The random seed of the first; later ones use seed+1, seed+2, ….
        agent: The name of the agent that plays them, in NeMo Gym's configuration.
        **options: The server's options.

    Raises:
        ValueError: An option is invalid.
    """
    conversations = Conversations(env_id, **options)
    asked: dict[str, Any] = {"input": [{"role": "system", "content": conversations.system}]}
    if conversations.tools:
        asked["tools"] = [{"type": "function", **tool["function"], "strict": False} for tool in conversations.tools]
    agent_ref = {"type": "responses_api_agents", "name": agent}
    return [{"responses_create_params": asked, "seed": seed + i, "agent_ref": agent_ref} for i in range(count)]
