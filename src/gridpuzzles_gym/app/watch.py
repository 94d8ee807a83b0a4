"""Watch an agent play."""

import time
from typing import Any

from ..engine.env import RENDER_FPS, TILE_SIZE
from .sessions import Replayed, Watched
from .window import FASTER, LEAVE, NEXT, SLOWER, Window

HOLD = 1.5
"""Seconds that the end of an episode is shown."""
SLOWEST, FASTEST = 0.25, 120.0
_KEYS = (("space", "pause"), ("right", "one step"), ("+", "faster"), ("-", "slower"), ("n", "next episode"),
         ("escape", "quit"))  # fmt: skip


def watch(
    env_id: str,
    agent: str,
    episodes: int | None = None,
    fps: float = RENDER_FPS,
    tile_size: int = TILE_SIZE,
    **settings: Any,
) -> list[str]:
    """Open a window in which an agent plays.

    Args:
        env_id: A registered id.
        agent: A name in the table of agents, or the path of a trained model.
        episodes: How many; None plays until the window is closed. The end of the last one stays
            until a key is pressed.
        fps: Actions a second.
        tile_size: Pixels a square is wide.
        **settings: ``level``, ``seed``, ``notes``, ``deterministic`` and ``trust_pickle`` as for
            :class:`~.sessions.Watched`, and keyword arguments of the environment.

    Returns:
        One line for each episode that was seen to its end.

    Raises:
        ValueError: There is no such id, agent or level, or a setting is bad.
        NoWindowError: No window can be opened on this machine.
    """
    check_numbers(episodes, fps)
    return show(Watched(env_id, agent, **settings), agent, episodes, fps, tile_size)


def show(
    session: Watched | Replayed,
    who: str,
    episodes: int | None = None,
    fps: float = RENDER_FPS,
    tile_size: int = TILE_SIZE,
) -> list[str]:
    """Open a window on a session that plays by itself.

    Args:
        session: What plays; it is closed at the end.
        who: The player's name.
        episodes: As for :func:`watch`.
        fps: Actions a second.
        tile_size: Pixels a square is wide.

    Returns:
        One line for each episode that was seen to its end.

    Raises:
        NoWindowError: No window can be opened on this machine.
    """
    show = _Show(session, who, episodes, fps)
    window = Window(show.session.puzzle, tile_size, _KEYS)
    try:
        while not show.finished:
            for key in window.refresh(show.session.picture(), show.news()):
                if key in LEAVE:
                    return show.log
                show.press(key)
            show.tick()
    finally:
        window.close()
        show.session.close()
    return show.log


def check_numbers(episodes: int | None, fps: float) -> None:
    """Raise ValueError unless both can be."""
    if episodes is not None and episodes < 1:
        raise ValueError(f"episodes={episodes}: a positive number is needed")
    if not SLOWEST <= fps <= FASTEST:
        raise ValueError(f"fps={fps:g}: a number from {SLOWEST:g} to {FASTEST:g} is needed")


class _Show:
    """What the viewer's keys and the clock make of a session."""

    def __init__(self, session: Watched | Replayed, who: str, episodes: int | None, fps: float) -> None:
        self.session, self.who, self.episodes, self.fps = session, who, episodes, fps
        self.paused = self.finished = False
        self.log: list[str] = []
        session.begin()
        self._due = time.monotonic() + 1 / fps

    @property
    def last(self) -> bool:
        """Is this the last episode?"""
        return self.episodes is not None and self.session.episode + 1 >= self.episodes

    def news(self) -> str:
        """The line below the picture."""
        session = self.session
        if session.over:
            after = "Press a key to close." if self.last else "n: next episode"
            return f"{self.who}: {session.summary()}. {after}"
        pace = "paused" if self.paused else f"{self.fps:g} steps/s"
        return f"{self.who}, {session.where()}, {pace}"

    def press(self, key: str) -> None:
        """Answer a key."""
        if self.session.over and self.last:
            self.finished = True
        elif key in NEXT:
            self._next()
        elif key == "space":
            self.paused = not self.paused
        elif key == "right":
            self.paused = True
            self._advance()
        elif key in FASTER or key in SLOWER:
            self.fps = min(max(self.fps * (1.5 if key in FASTER else 1 / 1.5), SLOWEST), FASTEST)
            self.fps = round(self.fps, 2)
            self._due = min(self._due, time.monotonic() + 1 / self.fps)

    def tick(self) -> None:
        """Let the agent act, as often as it is due; at the end of an episode go on to the next."""
        while not self.paused and time.monotonic() >= self._due:
            if not self.session.over:
                self._advance()
            elif self.last:
                return
            else:
                self._next()

    def _advance(self) -> None:
        if self.session.over:
            return
        self.session.advance()
        # From now, not from when it was due: a slow agent does not have to catch up.
        self._due = max(self._due, time.monotonic() - 0.25) + 1 / self.fps
        if self.session.over:
            self.log.append(f"{self.session.summary()} ({self.session.where()})")
            self._due = time.monotonic() + HOLD

    def _next(self) -> None:
        if self.last:
            self.finished = True
            return
        self.session.begin()
        self._due = time.monotonic() + 1 / self.fps
