"""Record an agent's episodes as a GIF or MP4; no display is needed."""

import contextlib
import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pygame
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ..engine.board.interaction import Square
from ..engine.env import RENDER_FPS, check_rendering
from ..engine.messages import plural
from ..engine.pictures import painting
from ..engine.pictures.canvas import Canvas, drawing_of
from ..engine.pictures.drawing import Drawing
from ..engine.puzzle import Puzzle
from ..engine.scene import Scene
from ..engine.system.files import replacing
from ..engine.system.process import Interruption
from .arguments import new_file
from .session import Watched, WatchOptions, short_name

SUFFIXES = (".gif", ".mp4")
FIRST, LAST = 1.0, 2.0
"""Minimum duration of the first and the last picture of an episode, in seconds."""
GRACE = 2.0
"""Seconds spent on drawing after Ctrl-C during play, which is a hundred times as fast as drawing."""
PALETTE_SAMPLES = 12
PALETTE_ROOT = 0.4
Picture = npt.NDArray[np.uint8]
STRIP, INK = "#17141d", "#ffd98a"
"""The colours of the line of text below a picture."""


class Shot(NamedTuple):
    """One picture of a recording, not yet drawn."""

    scene: Scene
    caption: str
    """The agent and the episode; written below the picture."""
    seconds: float


def record(
    env_id: str,
    agent: str,
    path: str | Path,
    options: WatchOptions,
    tile_size: int = 64,
    progress: bool = True,
    force: bool = False,
) -> list[str]:
    """Record an agent's episodes to a file.

    The agent's name is written below each picture; the first and the last picture of an episode are shown longer. All
    episodes are played first, then drawn. Ctrl-C ends either phase early: what is drawn by then is written (during
    play: what can be drawn in :data:`GRACE`), and the interrupt is raised again. The file appears once it is complete.

    Args:
        env_id: A registered id.
        agent: The name of an agent, or the path of a trained model.
        path: ``*.gif`` or ``*.mp4``; its folder is created.
        options: How it is watched.
        tile_size: Size of a square in pixels.
        progress: Show a progress bar.
        force: Overwrite an existing file.

    Returns:
        One line for each episode.

    Raises:
        ValueError: The id, agent or level is unknown, a setting is invalid, or the file has another suffix.
        OSError: The file exists and ``force`` is False, or it cannot be written.
        ImportError: imageio or imageio-ffmpeg is not installed.
        KeyboardInterrupt: Ctrl-C was pressed; its message says what was written.
    """
    path, episodes, fps = Path(path), options.episodes or 1, options.fps or RENDER_FPS
    check_rendering("rgb_array", tile_size)
    new_file(path, force, *SUFFIXES)
    write = _write_gif if path.suffix.lower() == ".gif" else _write_mp4
    import imageio  # noqa: F401  (fail now, not after playing)

    session = Watched(env_id, agent, options)
    film: list[Shot] = []
    log: list[str] = []
    columns = TextColumn("{task.description:>9}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    grace, shown = math.inf, 0
    with Progress(*columns, disable=not progress, transient=True) as bars:
        try:
            log.extend(
                bars.track(_play(session, short_name(agent), episodes, fps, film), episodes, description="playing")
            )
        except KeyboardInterrupt:
            grace = GRACE
        played = f"stopped: played {len(log):,} of {plural(episodes, 'episode')}"
        if film:
            bar = bars.add_task("drawing", total=len(film))
            with replacing(path) as unfinished:
                pictures = _Film(session.puzzle, tile_size, film, grace)
                shown = write(unfinished, pictures, fps, lambda: bars.advance(bar))
                if not shown:
                    raise KeyboardInterrupt(f"{played}; nothing was written")
    session.close()
    if grace < math.inf or shown < len(film):
        kept = f"{path} has the first {shown:,} of {plural(len(film), 'picture')}" if shown else "nothing was written"
        raise KeyboardInterrupt(f"{played}; {kept}")
    return log


def _play(session: Watched, player: str, episodes: int, fps: float, film: list[Shot]) -> Iterator[str]:
    """Play, appending each picture to ``film``; yields one line per episode."""
    for _ in range(episodes):
        session.begin()
        playing = f"{player}, {session.label()}"
        film.append(Shot(session.picture(), playing, max(FIRST, 1 / fps)))
        while not session.over:
            session.advance()
            if session.over:
                film.append(Shot(session.picture(), f"{player}: {session.summary()}", max(LAST, 1 / fps)))
            else:
                film.append(Shot(session.picture(), playing, 1 / fps))
        yield f"{session.summary()} ({session.label()})"


class _Film:
    """The pictures of a recording, all of one size, drawn when requested; iteration ends after the grace period."""

    def __init__(self, puzzle: Puzzle, tile_size: int, shots: list[Shot], grace: float) -> None:
        self.shots, self.grace = shots, grace
        self._captioned = Captioned(drawing_of(puzzle))
        self._canvas = Canvas(puzzle, tile_size, self._captioned)
        sizes = {self._canvas.measure(shot.scene) for shot in shots}
        # The largest size of all levels, made even as H.264 needs it.
        self.width, self.height = (max(sides) + 1 & ~1 for sides in zip(*sizes, strict=True))

    def __len__(self) -> int:
        return len(self.shots)

    def __iter__(self) -> Iterator[Picture]:
        deadline = time.monotonic() + self.grace
        for place in range(len(self)):
            if place and time.monotonic() > deadline:
                return
            yield self.picture(place)

    def picture(self, place: int) -> Picture:
        """Return uint8[height, width, 3]; smaller pictures get a margin in the colour of their corner."""
        shot = self.shots[place]
        self._captioned.caption = shot.caption
        small = self._canvas.picture(shot.scene)
        if small.shape[:2] == (self.height, self.width):
            return small
        whole = np.empty((self.height, self.width, 3), np.uint8)
        whole[...] = small[0, 0]
        top, left = (self.height - small.shape[0]) // 2, (self.width - small.shape[1]) // 2
        whole[top : top + small.shape[0], left : left + small.shape[1]] = small
        return whole


def _write_gif(path: Path, film: _Film, fps: float, advance: Callable[[], None]) -> int:
    """Write a GIF with one palette for all frames; return the number of frames, fewer after Ctrl-C."""
    from PIL import Image

    frames: list[Image.Image] = []
    with contextlib.suppress(KeyboardInterrupt):
        palette = _palette(film)
        for picture in film:
            frames.append(Image.fromarray(picture).quantize(palette=palette, dither=Image.Dither.NONE))
            advance()
    # The format counts hundredths of a second, and viewers slow down below two of them.
    durations = [max(20, 10 * round(100 * shot.seconds)) for shot in film.shots[: len(frames)]]
    if frames:
        with Interruption():  # nearly finished: Ctrl-C waits
            frames[0].save(path, "GIF", save_all=True, append_images=frames[1:], duration=durations, loop=0, disposal=1)
    return len(frames)


def _palette(film: _Film) -> Any:
    """Return a Pillow image with a palette for a whole recording.

    Colours are weighted by a root of their number of pixels, so that small bright details keep theirs.
    """
    from PIL import Image

    samples = np.unique(np.linspace(0, len(film) - 1, PALETTE_SAMPLES).round().astype(int))
    pixels = np.concatenate([film.picture(place)[::2, ::2].reshape(-1, 3) for place in samples.tolist()])
    packed = (pixels.astype(np.uint32) & 0xFC) @ np.array([1 << 16, 1 << 8, 1], np.uint32)
    colours, counts = np.unique(packed, return_counts=True)
    shown = np.repeat(colours, np.ceil(counts**PALETTE_ROOT).astype(int))
    strip = np.stack([shown >> 16, shown >> 8, shown], axis=-1).astype(np.uint8) | 2
    return Image.fromarray(strip[None]).quantize(256, Image.Quantize.MEDIANCUT, kmeans=2, dither=Image.Dither.NONE)


def _write_mp4(path: Path, film: _Film, fps: float, advance: Callable[[], None]) -> int:
    """Write an H.264 video; return the number of pictures written, fewer after Ctrl-C."""
    import imageio_ffmpeg

    writer = imageio_ffmpeg.write_frames(
        str(path), (film.width, film.height), fps=fps, codec="libx264", macro_block_size=1, quality=8
    )
    writer.send(None)
    written = 0
    with contextlib.closing(writer), contextlib.suppress(KeyboardInterrupt):
        for picture, shot in zip(film, film.shots, strict=False):
            for _ in range(max(1, round(shot.seconds * fps))):
                writer.send(picture)
            written += 1
            advance()
    return written


class Captioned:
    """A puzzle's drawing with a line of text below it, itself a drawing.

    Args:
        inner: The drawing of the puzzle.
    """

    def __init__(self, inner: Drawing) -> None:
        self.inner = inner
        self.caption = ""

    def measure(self, scene: Scene, tile_size: int) -> tuple[int, int]:
        """Return the width and height of the picture with its text."""
        width, height = self.inner.measure(scene, tile_size)
        return width, height + 2 * _line(width)

    def board(self, scene: Scene, tile_size: int) -> pygame.Rect:
        """Return the rectangle of the board, including its border."""
        return self.inner.board(scene, tile_size)

    def square(self, scene: Scene, tile_size: int, row: int, column: int) -> pygame.Rect:
        """Return the rectangle of a square."""
        return self.inner.square(scene, tile_size, row, column)

    def square_at(self, scene: Scene, tile_size: int, point: tuple[int, int]) -> Square | None:
        """Return the (row, column) of the square at a pixel, if any."""
        return self.inner.square_at(scene, tile_size, point)

    def draw(self, surface: pygame.Surface, scene: Scene, tile_size: int) -> None:
        """Draw the picture and the text over the whole surface."""
        width, height = self.inner.measure(scene, tile_size)
        self.inner.draw(surface.subsurface((0, 0, width, height)), scene, tile_size)
        line = _line(width)
        surface.fill(STRIP, (0, height, width, 2 * line))
        box = pygame.Rect(line // 2, height + line // 2, width - line, line)
        painting.write(surface, self.caption, box, INK, 0.85 * line, "left")


def _line(width: int) -> int:
    """Return the height of a line of text below a picture of this width, in pixels."""
    return min(max(width // 36, 12), 22)
