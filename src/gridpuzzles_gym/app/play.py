"""Play a puzzle with the keyboard."""

from typing import Any

from ..engine.env import TILE_SIZE
from ..engine.messages import plural
from .sessions import Session
from .window import HELP, LEAVE, NEXT, UNDO, Window

_ALWAYS = (("n", "new episode"), ("u", "undo"), ("h", "hide keys"), ("escape", "quit"))


def play(
    env_id: str, level: str | None = None, seed: int | None = None, tile_size: int = TILE_SIZE, **settings: Any
) -> list[str]:
    """Open a window and play until it is closed.

    Args:
        env_id: A registered id.
        level: A level file, a bundled pack or a level's title; None plays the levels of the environment.
        seed: Seed of the first episode.
        tile_size: Size of a square in pixels.
        **settings: Keyword arguments of the environment.

    Returns:
        One line for each finished episode.

    Raises:
        ValueError: The id or level is unknown, or a setting is invalid.
        NoWindowError: No window can be opened.
    """
    session = Session(env_id, level, seed, **settings)
    names = session.puzzle.actions(session.env.options)
    actions = {key: action for key, action in session.puzzle.keys.items() if action < len(names)}
    keys = (*((key, names[action]) for key, action in actions.items()), *_ALWAYS)
    window = Window(session.puzzle, tile_size, keys)
    log: list[str] = []
    help_shown = True
    session.begin()
    try:
        while True:
            for key in window.refresh(session.scene(), _status(session)):
                # The puzzle's own keys take precedence; the functions they replace have a second key.
                if key in actions:
                    if not session.over:
                        session.play(actions[key])
                        if session.over:
                            log.append(f"{session.summary()} ({session.label()})")
                elif key in LEAVE:
                    return log
                elif key in NEXT:
                    session.begin()
                elif key in UNDO:
                    session.undo()
                elif key in HELP:
                    help_shown = not help_shown
                    window.set_keys(keys if help_shown else (("h", "show keys"),))
    finally:
        window.close()
        session.close()


def _status(session: Session) -> str:
    if session.over:
        return f"{session.summary()}. Press n for a new episode, u to undo, esc to quit."
    left = "" if session.limit is None else f"{plural(session.limit - session.scene().steps, 'step')} left, "
    return left + session.label()
