"""Watch an agent play in a window."""

import time
from typing import Any

from ..engine.env import RENDER_FPS, TILE_SIZE
from .sessions import Replayed, Watched
from .window import FASTER, LEAVE, NEXT, SLOWER, Window

HOLD = 1.5
"""Seconds for which the end of an episode is shown."""
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
        agent: The name of an agent, or the path of a trained model.
        episodes: Number of episodes; None plays until the window is closed. The end of the last one is shown until a
            key is pressed.
        fps: Actions per second.
        tile_size: Size of a square in pixels.
        **settings: ``level``, ``seed``, ``notes``, ``deterministic`` and ``trust_pickle`` as for
            :class:`~.sessions.Watched`, and keyword arguments of the environment.

    Returns:
        One line for each finished episode.

    Raises:
        ValueError: The id, agent or level is unknown, or a setting is invalid.
        NoWindowError: No window can be opened.
    """
    check_numbers(episodes, fps)
    return show(Watched(env_id, agent, **settings), agent, episodes, fps, tile_size)


def show(
    session: Watched | Replayed,
    player: str,
    episodes: int | None = None,
    fps: float = RENDER_FPS,
    tile_size: int = TILE_SIZE,
) -> list[str]:
    """Open a window that shows a session without a human player.

    Args:
        session: The session; it is closed at the end.
        player: The name of the player.
        episodes: As for :func:`watch`.
        fps: Actions per second.
        tile_size: Size of a square in pixels.

    Returns:
        One line for each finished episode.

    Raises:
        NoWindowError: No window can be opened.
    """
    show = _Show(session, player, episodes, fps)
    window = Window(show.session.puzzle, tile_size, _KEYS)
    try:
        while not show.finished:
            for key in window.refresh(show.session.picture(), show.status()):
                if key in LEAVE:
                    return show.log
                show.press(key)
            show.tick()
    finally:
        window.close()
        show.session.close()
    return show.log


def check_numbers(episodes: int | None, fps: float) -> None:
    """Raise ValueError if the number of episodes or the speed is invalid."""
    if episodes is not None and episodes < 1:
        raise ValueError(f"episodes={episodes}: must be a positive integer")
    if not SLOWEST <= fps <= FASTEST:
        raise ValueError(f"fps={fps:g}: must be a number from {SLOWEST:g} to {FASTEST:g}")


class _Show:
    """The state of a window: its session, speed and pause, changed by keys and by time."""

    def __init__(self, session: Watched | Replayed, player: str, episodes: int | None, fps: float) -> None:
        self.session, self.player, self.episodes, self.fps = session, player, episodes, fps
        self.paused = self.finished = False
        self.log: list[str] = []
        session.begin()
        self._due = time.monotonic() + 1 / fps

    @property
    def last(self) -> bool:
        """Is this the last episode?"""
        return self.episodes is not None and self.session.episode + 1 >= self.episodes

    def status(self) -> str:
        """The line below the picture."""
        session = self.session
        if session.over:
            hint = "Press any key to close." if self.last else "n: next episode"
            return f"{self.player}: {session.summary()}. {hint}"
        speed = "paused" if self.paused else f"{self.fps:g} steps/s"
        return f"{self.player}, {session.label()}, {speed}"

    def press(self, key: str) -> None:
        """Handle a key."""
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
        """Play the actions that are due; after the end of an episode start the next."""
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
        # Relative to now, not to when the action was due: a slow agent does not have to catch up.
        self._due = max(self._due, time.monotonic() - 0.25) + 1 / self.fps
        if self.session.over:
            self.log.append(f"{self.session.summary()} ({self.session.label()})")
            self._due = time.monotonic() + HOLD

    def _next(self) -> None:
        if self.last:
            self.finished = True
            return
        self.session.begin()
        self._due = time.monotonic() + 1 / self.fps
