"""A command that serves conversations by OpenEnv's protocol.

Run ``python -m gridpuzzles_gym.text.adapters.openenv_server Sokoban-v0 --port 8000 --sessions 256``.
"""

import argparse
import gc
from collections.abc import Sequence
from typing import Any

import gymnasium as gym

from ...engine.messages import one_line
from ...engine.system.json_text import read_json
from .body_limit import LARGEST_BODY

SESSIONS = 256
"""The default maximum number of sessions at a time."""


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
        import uvicorn

        from .openenv_app import conversations_app
    except ModuleNotFoundError as error:
        parser.error(f'{error.name} is not installed; to install it: pip install "gridpuzzles_gym[openenv]"')
    try:
        app = conversations_app(given.env_id, given.sessions, **given.options)
    except (ValueError, TypeError, gym.error.Error) as error:
        parser.error(one_line(error))
    gc.collect()
    gc.freeze()  # a full collection of everything loaded so far would stop all sessions for 0.1 s
    uvicorn.run(app, host=given.host, port=given.port, log_level="warning", ws_max_size=LARGEST_BODY)


if __name__ == "__main__":
    main()
