"""A server of conversations by OpenEnv's protocol.

Run ``python -m gridpuzzles_gym.text.adapters.openenv_server Sokoban-v0 --port 8000 --sessions 256``. Sessions are not
trusted: :mod:`~gridpuzzles_gym.engine.levels.remote` checks their levels and seeds, and the size of requests and of
all replies in an episode is limited.
"""

# openenv need not be installed where types are checked.
# mypy: disable-error-code="misc"

import argparse
import base64
import functools
import math
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

import gymnasium as gym
from fastapi import Request
from fastapi.responses import JSONResponse
from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import EnvironmentMetadata

import gridpuzzles_gym

from ...engine.levels.remote import remote_level, remote_seed
from ...engine.messages import one_line, quote, shorten
from ...engine.system.files import read_json
from ..conversations import Conversation, Turn
from .openenv_client import TextAction, TextObservation, TextState

SESSIONS = 256
"""The default maximum number of sessions at a time."""
LONGEST_ID = 255
"""The maximum length of the name of an episode, in characters."""
MOST_CHARACTERS = 2**24
"""The maximum length of all replies in an episode, in characters."""
LARGEST_BODY = 4 * 2**20
"""The maximum size of a request, in bytes."""


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
        self._begun, self._characters = False, 0
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
            ValueError: The level is invalid, or an argument is unknown.
        """
        if kwargs:
            raise ValueError(f"unknown arguments {shorten(', '.join(kwargs))}; allowed are seed, episode_id, level")
        if not (episode_id is None or (isinstance(episode_id, str) and len(episode_id) <= LONGEST_ID)):
            raise ValueError(f"episode_id={quote(episode_id)}: must be a text of at most {LONGEST_ID} characters")
        of = self.conversation.of
        if level is not None:
            level = remote_level(of.config.puzzle, of.envs.batch.source, level, of.envs.batch.check_fits)
        turn = self.conversation.start(remote_seed(seed), level)
        self._begun, self._characters = True, 0
        self._state = TextState(env_id=of.env_id, episode_id=episode_id or str(uuid4()), seed=seed)
        return self._observation(turn, system=of.system, tools=of.tools)

    def step(self, action: TextAction, timeout_s: float | None = None, **kwargs: Any) -> TextObservation:
        """Perform a reply; ``timeout_s`` is ignored, because no reply takes long.

        Raises:
            ValueError: The episode has not begun or is over, or the reply is too large.
        """
        self._characters += size_of(action.reply)
        if self._characters > MOST_CHARACTERS:
            raise ValueError(f"the replies of this episode have over {MOST_CHARACTERS:,} characters: begin another one")
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
        return TextObservation(
            text=turn.text, image=image, reward=turn.reward, done=turn.done, truncated=turn.truncated, **info, **start
        )


def size_of(reply: Any, depth: int = 16) -> int:
    """Return the size of a reply: its characters, plus one for each value.

    Raises:
        ValueError: Objects or lists are nested too deeply, or a number is not finite.
    """
    if isinstance(reply, float) and not math.isfinite(reply):
        raise ValueError("a reply with a number that is not finite")
    if not isinstance(reply, Mapping | list | tuple):
        return 1 + (len(reply) if isinstance(reply, str) else 0)
    if depth == 0:
        raise ValueError("a reply with too many objects or lists within each other")
    within = [*reply, *reply.values()] if isinstance(reply, Mapping) else reply
    return 1 + sum(size_of(each, depth - 1) for each in within)


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
    app.add_middleware(BodyLimit)
    app.add_exception_handler(ValueError, _refused)
    return app


async def _refused(request: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"detail": one_line(error)}, 400)


class BodyLimit:
    """An ASGI application that refuses larger requests with status 413 before they are processed.

    Args:
        app: The application that gets all other requests.
        largest: The maximum size in bytes.
    """

    def __init__(self, app: Any, largest: int = LARGEST_BODY) -> None:
        self.app, self.largest = app, largest

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
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

        async def replay() -> Any:
            return parts.pop() if parts else await receive()

        await self.app(scope, replay, send)


async def _refuse(send: Any) -> None:
    text = b"the request is too large"
    headers = [
        (b"content-type", b"text/plain"),
        (b"content-length", str(len(text)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": text})


def _port(text: str) -> int:
    """Return a port number; raises an error that argparse shows if it is invalid."""
    if text.isdecimal() and int(text) < 2**16:
        return int(text)
    raise argparse.ArgumentTypeError(f"must be an integer from 0 to {2**16 - 1:,}")


def _sessions(text: str) -> int:
    """Return a number of sessions; raises an error that argparse shows if it is invalid."""
    if text.isdecimal() and 1 <= int(text) <= 2**16:
        return int(text)
    raise argparse.ArgumentTypeError(f"must be an integer from 1 to {2**16:,}")


def _object(text: str) -> dict[str, Any]:
    """Return the object in a JSON text; raises an error that argparse shows if it is invalid."""
    try:
        found = read_json(text)
    except ValueError:
        found = None
    if isinstance(found, dict):
        return found
    raise argparse.ArgumentTypeError("must be a JSON object")


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve conversations of one environment by OpenEnv's protocol, until it is interrupted."""
    parser = argparse.ArgumentParser(
        prog="python -m gridpuzzles_gym.text.adapters.openenv_server", description=main.__doc__
    )
    parser.add_argument("env_id", help="the id of the environment, such as Sokoban-v0")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (127.0.0.1)")
    parser.add_argument("--port", type=_port, default=8000, help="the port to listen on (8000)")
    parser.add_argument("--sessions", type=_sessions, default=SESSIONS, help=f"maximum number of sessions ({SESSIONS})")
    parser.add_argument(
        "--options",
        type=_object,
        default={},
        metavar="JSON",
        help='arguments of the conversations and of the environment: \'{"view": "facts", "levels": "starter"}\'',
    )
    given = parser.parse_args(arguments)
    try:
        app = conversations_app(given.env_id, given.sessions, **given.options)
    except (ValueError, TypeError, gym.error.Error) as error:
        parser.error(one_line(error))
    import uvicorn

    uvicorn.run(app, host=given.host, port=given.port, log_level="warning", ws_max_size=LARGEST_BODY)


if __name__ == "__main__":
    main()
