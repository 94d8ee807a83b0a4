"""Record an agent's episodes as a GIF or a film; no display is needed."""

import contextlib
import math
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ..engine.canvas import Canvas
from ..engine.env import RENDER_FPS, check_rendering
from ..engine.interrupts import Interruption, uninterrupted
from ..engine.puzzle import Scene
from .arguments import new_file
from .sessions import Watched
from .watch import HOLD, check_numbers

SUFFIXES = (".gif", ".mp4")
GRACE = 2.0
"""Seconds of drawing, after Ctrl-C while the episodes were played: that is a hundred times as fast."""
PALETTE_SAMPLES = 12
PALETTE_ROOT = 0.4
Picture = npt.NDArray[np.uint8]


def record(
    env_id: str,
    agent: str,
    path: str | Path,
    seed: int | None = None,
    episodes: int = 1,
    fps: float = RENDER_FPS,
    tile_size: int = 64,
    progress: bool = True,
    force: bool = False,
    **settings: Any,
) -> list[str]:
    """Let an agent play, and write what it did to a file.

    The episodes are played first, then drawn. Ctrl-C ends either early: what there is up to then is written, of
    what was only played as much as :data:`GRACE` is enough for, and the interrupt goes on. The file appears once
    it is complete.

    Args:
        env_id: A registered id.
        agent: A name in the table of agents, or the path of a trained model.
        path: ``*.gif`` or ``*.mp4``; folders on the way are made.
        seed: Of the first episode.
        episodes: How many, one after the other.
        fps: Actions a second.
        tile_size: Pixels a square is wide.
        progress: Show a progress bar.
        force: Overwrite the file.
        **settings: ``level``, ``notes`` and ``deterministic`` as for
            :class:`~.sessions.Watched`, and keyword arguments of the environment.

    Returns:
        One line for each episode.

    Raises:
        ValueError: There is no such id, agent or level, a setting is bad, or the file's name ends otherwise.
        OSError: The file is there already, and ``force`` is False; or it cannot be written.
        ImportError: imageio or imageio-ffmpeg is missing.
        KeyboardInterrupt: Somebody pressed Ctrl-C; it says what was written.
    """
    path = Path(path)
    check_numbers(episodes, fps)
    check_rendering("rgb_array", tile_size)
    new_file(path, force, *SUFFIXES)
    write = _write_gif if path.suffix.lower() == ".gif" else _write_mp4
    import imageio  # noqa: F401  (now, not after the episodes were played)

    session = Watched(env_id, agent, seed=seed, **settings)
    film: list[tuple[Scene, float]] = []
    log: list[str] = []
    columns = TextColumn("{task.description:>9}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    grace, shown = math.inf, 0
    with Progress(*columns, disable=not progress, transient=True) as bars:
        try:
            log.extend(bars.track(_play(session, episodes, fps, film), episodes, description="playing"))
        except KeyboardInterrupt:
            grace = GRACE
        if film:
            bar = bars.add_task("drawing", total=len(film))
            with _beside(path) as part:
                pictures = _Film(Canvas(session.puzzle, tile_size), film, grace)
                shown = write(part, pictures, fps, lambda: bars.advance(bar))
    session.close()
    if grace < math.inf or shown < len(film):
        kept = f"{path} shows the first {shown:,} of {len(film):,} pictures" if shown else "nothing is written"
        raise KeyboardInterrupt(f"stopped: {len(log):,} of {episodes:,} episodes were played; {kept}")
    return log


def _play(session: Watched, episodes: int, fps: float, film: list[tuple[Scene, float]]) -> Iterator[str]:
    """Play, adding to ``film`` each scene with the seconds it is shown; yields a line an episode."""
    for _ in range(episodes):
        session.begin()
        film.append((session.picture(), 1 / fps))
        while not session.over:
            session.advance()
            film.append((session.picture(), HOLD if session.over else 1 / fps))
        yield f"{session.summary()} ({session.where()})"


class _Film:
    """The pictures of a film, all of one size, drawn when asked for; going through them ends with the grace."""

    def __init__(self, canvas: Canvas, scenes: list[tuple[Scene, float]], grace: float) -> None:
        self.canvas, self.scenes, self.grace = canvas, scenes, grace
        measure = canvas.puzzle.drawing_module().measure
        sizes = {measure(scene, canvas.tile_size) for scene, _ in scenes}
        # Even, as films must be; levels of a pack may differ in size.
        self.width, self.height = (max(sides) + 1 & ~1 for sides in zip(*sizes, strict=True))

    def __len__(self) -> int:
        return len(self.scenes)

    def __iter__(self) -> Iterator[Picture]:
        deadline = time.monotonic() + self.grace
        for place in range(len(self)):
            if place and time.monotonic() > deadline:
                return
            yield self.picture(place)

    def picture(self, place: int) -> Picture:
        """uint8[height, width, 3], rims in the colour of the picture's corner."""
        small = self.canvas.picture(self.scenes[place][0])
        if small.shape[:2] == (self.height, self.width):
            return small
        whole = np.empty((self.height, self.width, 3), np.uint8)
        whole[...] = small[0, 0]
        top, left = (self.height - small.shape[0]) // 2, (self.width - small.shape[1]) // 2
        whole[top : top + small.shape[0], left : left + small.shape[1]] = small
        return whole


def _write_gif(path: Path, film: _Film, fps: float, advance: Callable[[], None]) -> int:
    """Write a GIF with one palette for all frames; how many there are, fewer than pictures if Ctrl-C cut it short."""
    from PIL import Image

    frames: list[Image.Image] = []
    with contextlib.suppress(KeyboardInterrupt):
        palette = _palette(film)
        for picture in film:
            frames.append(Image.fromarray(picture).quantize(palette=palette, dither=Image.Dither.NONE))
            advance()
    # Hundredths of a second is what the format knows, and viewers slow down below two of them.
    durations = [max(20, 10 * round(100 * seconds)) for _, seconds in film.scenes[: len(frames)]]
    if frames:
        with Interruption():  # it is nearly done now
            frames[0].save(path, "GIF", save_all=True, append_images=frames[1:], duration=durations, loop=0, disposal=1)
    return len(frames)


def _palette(film: _Film) -> Any:
    """A Pillow image whose palette serves a whole film.

    Colours count by a root of the pixels they cover: so small bright things keep theirs.
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
    """Write an H.264 film; how many of its pictures are in it, not all if Ctrl-C cut it short."""
    import imageio_ffmpeg

    writer = imageio_ffmpeg.write_frames(
        str(path), (film.width, film.height), fps=fps, codec="libx264", macro_block_size=1, quality=8
    )
    writer.send(None)
    written = 0
    with contextlib.closing(writer), contextlib.suppress(KeyboardInterrupt):
        for picture, (_, seconds) in zip(film, film.scenes, strict=False):
            for _ in range(max(1, round(seconds * fps))):
                writer.send(picture)
            written += 1
            advance()
    return written


@contextlib.contextmanager
def _beside(path: Path) -> Iterator[Path]:
    """A file to write to in the same folder, renamed to ``path`` at the end, or removed on an error."""
    part: Path | None = None
    try:
        with uninterrupted():  # from here on it is removed, whenever Ctrl-C is pressed
            handle, name = tempfile.mkstemp(path.suffix.lower(), f".{path.stem}-", path.parent)
            os.close(handle)
            part = Path(name)
        yield part
        if part.stat().st_size:
            part.chmod(0o666 & ~_umask())
            part.replace(path)
    finally:
        if part is not None:
            with uninterrupted():
                part.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
