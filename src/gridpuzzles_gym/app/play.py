"""Play a puzzle by hand."""

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
        level: A level file, a shipped pack or a level's title; None draws as the environment does.
        seed: Of the first episode.
        tile_size: Pixels a square is wide.
        **settings: Keyword arguments of the environment.

    Returns:
        One line for each episode that was played to its end.

    Raises:
        ValueError: There is no such id or level, or a setting is bad.
        NoWindowError: No window can be opened on this machine.
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
            for key in window.refresh(session.scene(), _news(session)):
                # The puzzle's own keys come first; what they hide has a second key.
                if key in actions:
                    if not session.over:
                        session.play(actions[key])
                        if session.over:
                            log.append(f"{session.summary()} ({session.where()})")
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


def _news(session: Session) -> str:
    if session.over:
        return f"{session.summary()}. Press n for a new episode, u to undo, esc to quit."
    left = "" if session.limit is None else f"{plural(session.limit - session.scene().steps, 'step')} left, "
    return left + session.where()
