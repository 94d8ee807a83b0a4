"""The environment of an OpenEnv server: many sessions in one process share one vector environment."""

# openenv need not be installed where types are checked.
# mypy: disable-error-code="misc"

import base64
import functools
from typing import Any
from uuid import uuid4

from fastapi import Request
from fastapi.responses import JSONResponse
from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import EnvironmentMetadata

import gridpuzzles_gym

from ...engine.messages import one_line, quote, shorten
from ..conversations import Conversations
from ..turns import Turn
from .body_limit import BodyLimit
from .openenv_types import TextAction, TextObservation, TextState
from .shared_conversations import SharedConversations

LONGEST_ID = 255
"""The maximum length of the name of an episode, in characters."""


class TextEnvironment(Environment[TextAction, TextObservation, TextState]):
    """One session: one of the shared conversations, from its first reset until it is closed.

    Args:
        shared: The conversations of the server.
        env_id: The id of the environment.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True
    REQUIRES_SINGLE_THREAD_EXECUTOR = True  # one thread makes and closes all sessions

    def __init__(self, shared: SharedConversations, env_id: str) -> None:
        super().__init__()
        self.shared = shared
        self.index: int | None = None
        self._state = TextState(env_id=env_id)

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, level: Any = None, **kwargs: Any
    ) -> TextObservation:
        """Begin an episode.

        Args:
            seed: Its random seed; None continues the session's random sequence.
            episode_id: A name for it; None: a random one.
            level: A level text, the name of a level of the environment or of a bundled one, or an index in the pack;
                None: the next one. Paths and URLs are not allowed; see
                :func:`~gridpuzzles_gym.engine.levels.remote.remote_level`.
            kwargs: Must be empty.

        Raises:
            ValueError: The level is invalid, an argument is unknown, or all conversations are in use.
        """
        if kwargs:
            raise ValueError(f"unknown arguments {shorten(', '.join(kwargs))}; allowed are seed, episode_id, level")
        if not (episode_id is None or (isinstance(episode_id, str) and len(episode_id) <= LONGEST_ID)):
            raise ValueError(f"episode_id={quote(episode_id)}: must be a text of at most {LONGEST_ID} characters")
        if self.index is None:
            self.index = self.shared.borrow()
        turn = self.shared.start(self.index, seed, level)
        self._state = TextState(env_id=self._state.env_id, episode_id=episode_id or str(uuid4()), seed=seed)
        conversations = self.shared.conversations
        return self._observation(turn, system=conversations.system, tools=conversations.tools)

    async def reset_async(
        self, seed: int | None = None, episode_id: str | None = None, **kwargs: Any
    ) -> TextObservation:
        """Begin an episode, in the thread of the server; see :meth:`reset`."""
        return self.reset(seed, episode_id, **kwargs)

    def step(self, action: TextAction, timeout_s: float | None = None, **kwargs: Any) -> TextObservation:
        """Perform a reply; ``timeout_s`` is ignored, because no reply takes long.

        Raises:
            ValueError: The episode has not begun, or is over.
        """
        return self._stepped(self.shared.reply(self._begun(), action.reply))

    async def step_async(self, action: TextAction, timeout_s: float | None = None, **kwargs: Any) -> TextObservation:
        """Perform a reply, together with those of other sessions that wait; see :meth:`step`."""
        return self._stepped(await self.shared.reply_soon(self._begun(), action.reply))

    @property
    def state(self) -> TextState:
        """The state of the episode."""
        if self.index is not None:
            self._state.messages = self.shared.conversations.messages(self.index)
        return self._state

    def get_metadata(self) -> EnvironmentMetadata:
        """Return the server's description of the environment."""
        return EnvironmentMetadata(
            name=self._state.env_id,
            description=self.shared.conversations.system,
            version=gridpuzzles_gym.__version__,
        )

    def close(self) -> None:
        """Give the conversation back."""
        if self.index is not None:
            self.shared.give_back(self.index)
            self.index = None

    def _begun(self) -> int:
        if self.index is None:
            raise ValueError("the episode has not begun: reset comes first")
        return self.index

    def _stepped(self, turn: Turn) -> TextObservation:
        self._state.step_count += 1
        return self._observation(turn)

    def _observation(self, turn: Turn, **start: Any) -> TextObservation:
        image = None
        if self.shared.conversations.images:
            png = base64.b64encode(self.shared.conversations.picture(self._begun())).decode()
            image = f"data:image/png;base64,{png}"
        info = {**turn.info, "actions": list(turn.info["actions"])}
        return TextObservation(
            text=turn.text, image=image, reward=turn.reward, done=turn.done, truncated=turn.truncated, **info, **start
        )


def conversations_app(env_id: str, sessions: int = 256, **options: Any) -> Any:
    """Return the server's application, for uvicorn or another ASGI server.

    Args:
        env_id: The id of the environment that all sessions play.
        sessions: The maximum number of sessions at a time.
        **options: Other arguments of :class:`~gridpuzzles_gym.text.Conversations`.

    Raises:
        ValueError: An option is invalid.
    """
    shared = SharedConversations(Conversations(env_id, sessions, **options))
    app = create_app(
        functools.partial(TextEnvironment, shared, env_id),
        TextAction,
        TextObservation,
        env_name=env_id,
        max_concurrent_envs=sessions,
    )
    app.add_middleware(BodyLimit)
    app.add_exception_handler(ValueError, _refused)
    return app


async def _refused(request: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"detail": one_line(error)}, 400)
