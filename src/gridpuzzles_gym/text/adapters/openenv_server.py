"""A server of conversations by OpenEnv's protocol.

Run ``python -m gridpuzzles_gym.text.adapters.openenv_server Sokoban-v0 --port 8000 --sessions 256``. Sessions are not
trusted: their levels are indices or texts, never paths.
"""

# openenv need not be installed where types are checked.
# mypy: disable-error-code="misc"

import argparse
import asyncio
import base64
import functools
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

import gymnasium as gym

import gridpuzzles_gym

from ...engine.arguments import integer
from ...engine.messages import one_line, quote, shorten
from ...engine.puzzle import Outcome
from ...engine.system.files import read_json
from ..conversations import Conversation, Turn, untrusted_level

try:
    from fastapi import Request
    from fastapi.responses import JSONResponse
    from openenv.core.env_server.http_server import create_app
    from openenv.core.env_server.interfaces import Environment
    from openenv.core.env_server.types import EnvironmentMetadata

    from .openenv_client import TextAction, TextObservation, TextState
except ImportError as error:
    if __name__ == "__main__":
        raise SystemExit(f"{error}: pip install 'gridpuzzles_gym[openenv]'") from None
    raise

SESSIONS = 256
"""The default maximum number of sessions at a time."""
PATIENCE = 20
"""Maximum time to wait for the next part of a request, in seconds."""
SHUTDOWN = 5
"""Maximum time to wait for open requests when the server is interrupted, in seconds."""
LONGEST_ID = 255
"""The maximum length of the name of an episode, in characters."""


class TextEnvironment(Environment[TextAction, TextObservation, TextState]):
    """One session: a conversation of its own.

    Args:
        env_id: The id of the environment.
        **options: Other arguments of :class:`~gridpuzzles_gym.text.Conversation`.

    Raises:
        ValueError: An option is invalid.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True
    REQUIRES_SINGLE_THREAD_EXECUTOR = True  # one thread makes and closes all sessions

    def __init__(self, env_id: str, **options: Any) -> None:
        super().__init__()
        self.conversation = Conversation(env_id, **options)
        self._begun = False
        self._state = TextState(env_id=env_id)

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, level: Any = None, **kwargs: Any
    ) -> TextObservation:
        """Begin an episode.

        Args:
            seed: Its random seed; None continues the session's random sequence.
            episode_id: A name for it; None: a random one.
            level: A level text, or an index in the pack; None: the next one. Paths are not allowed.
            kwargs: Must be empty.

        Raises:
            ValueError: The level is invalid, or an argument is unknown.
        """
        if kwargs:
            raise ValueError(f"unknown arguments {shorten(', '.join(kwargs))}; allowed are seed, episode_id, level")
        if not (episode_id is None or (isinstance(episode_id, str) and len(episode_id) <= LONGEST_ID)):
            raise ValueError(f"episode_id={quote(episode_id)}: must be a text of at most {LONGEST_ID} characters")
        of = self.conversation.of
        level = None if level is None else untrusted_level(of.config.puzzle, level)
        seed = None if seed is None else integer("seed", seed, 0, 2**128 - 1)
        turn = self.conversation.start(seed, level)
        self._begun = True
        self._state = TextState(env_id=of.env_id, episode_id=episode_id or str(uuid4()), seed=seed)
        return self._observation(turn, system=of.system, tools=of.tools)

    def step(self, action: TextAction, timeout_s: float | None = None, **kwargs: Any) -> TextObservation:
        """Perform a reply; ``timeout_s`` is ignored, because no reply takes long.

        Raises:
            ValueError: The episode has not begun or is over.
        """
        turn = self.conversation.reply(action.reply)
        self._state.step_count += 1
        return self._observation(turn)

    @property
    def state(self) -> TextState:
        """The state of the episode."""
        if self._begun:
            self._state.messages = self.conversation.messages
        return self._state

    def get_metadata(self) -> EnvironmentMetadata:
        """Return the server's description of the environment."""
        system, version = self.conversation.of.system, gridpuzzles_gym.__version__
        return EnvironmentMetadata(name=self._state.env_id, description=system, version=version)

    def close(self) -> None:
        """Close the conversation."""
        self.conversation.close()

    def _observation(self, turn: Turn, **start: Any) -> TextObservation:
        image, of = None, self.conversation.of
        if of.images:
            image = f"data:image/png;base64,{base64.b64encode(of.picture(0)).decode()}"
        info = {**turn.info, "actions": list(turn.info["actions"])}
        if turn.done:
            info["outcome"] = str(Outcome(info["outcome"]))
        return TextObservation(
            text=turn.text, image=image, reward=turn.reward, done=turn.done, truncated=turn.truncated, **info, **start
        )


def conversations_app(env_id: str, sessions: int = SESSIONS, **options: Any) -> Any:
    """Return the server's application, for uvicorn or another ASGI server.

    Args:
        env_id: The id of the environment that all sessions play.
        sessions: The maximum number of sessions at a time.
        **options: Other arguments of :class:`~gridpuzzles_gym.text.Conversation`.

    Raises:
        ValueError: An option is invalid.
    """
    TextEnvironment(env_id, **options).close()  # raises an error if an option is invalid
    app = create_app(
        functools.partial(TextEnvironment, env_id, **options),
        TextAction,
        TextObservation,
        env_name=env_id,
        max_concurrent_envs=sessions,
    )
    app.add_exception_handler(ValueError, _refused)
    app.add_middleware(_TimeLimit)
    return app


class _TimeLimit:
    """Refuses a request whose body does not arrive within :data:`PATIENCE` seconds."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def receive_soon() -> Any:
            return await asyncio.wait_for(receive(), PATIENCE)

        await self.app(scope, receive_soon if scope["type"] == "http" else receive, send)


async def _refused(request: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"detail": one_line(error)}, 400)


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve conversations of one environment by OpenEnv's protocol, until it is interrupted."""
    parser = argparse.ArgumentParser(
        prog="python -m gridpuzzles_gym.text.adapters.openenv_server", description=main.__doc__
    )
    parser.add_argument("env_id", help="the id of the environment, such as Sokoban-v0")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (127.0.0.1)")
    parser.add_argument("--port", type=int, default=8000, help="the port to listen on (8000)")
    parser.add_argument("--sessions", type=int, default=SESSIONS, help=f"maximum number of sessions ({SESSIONS})")
    parser.add_argument(
        "--options",
        type=read_json,
        default={},
        metavar="JSON",
        help='arguments of the conversations and of the environment: \'{"levels": "starter"}\'',
    )
    given = parser.parse_args(arguments)
    try:
        app = conversations_app(given.env_id, given.sessions, **given.options)
    except (ValueError, TypeError, gym.error.Error) as error:
        parser.error(one_line(error))
    import uvicorn

    uvicorn.run(app, host=given.host, port=given.port, log_level="warning", timeout_graceful_shutdown=SHUTDOWN)


if __name__ == "__main__":
    main()
