"""Record an agent's episodes as a GIF or a film; no display is needed."""

import contextlib
import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ..engine.canvas import Canvas
from ..engine.drawing import drawing_of
from ..engine.env import RENDER_FPS, check_rendering
from ..engine.files import replacing
from ..engine.interrupts import Interruption
from ..engine.puzzle import Puzzle, Scene
from .arguments import new_file
from .drawing import Framed
from .sessions import Watched, short_name
from .watch import check_numbers

SUFFIXES = (".gif", ".mp4")
FIRST, LAST = 1.0, 2.0
"""Seconds that the first and the last picture of an episode are shown, at least."""
GRACE = 2.0
"""Seconds of drawing, after Ctrl-C while the episodes were played: that is a hundred times as fast."""
PALETTE_SAMPLES = 12
PALETTE_ROOT = 0.4
Picture = npt.NDArray[np.uint8]


class Shot(NamedTuple):
    """One picture of a film, not yet drawn."""

    scene: Scene
    caption: str
    """Who plays, and what; written below the picture."""
    seconds: float


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

    Below each picture stands who plays; the first and the last picture of an episode stay for a while. The episodes
    are played first, then drawn. Ctrl-C ends either early: what there is up to then is written, of
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
        **settings: ``level``, ``notes``, ``deterministic`` and ``trust_pickle`` as for
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
        played = f"stopped: {len(log):,} of {episodes:,} episodes were played"
        if film:
            bar = bars.add_task("drawing", total=len(film))
            with replacing(path) as unfinished:
                pictures = _Film(session.puzzle, tile_size, film, grace)
                shown = write(unfinished, pictures, fps, lambda: bars.advance(bar))
                if not shown:
                    raise KeyboardInterrupt(f"{played}; nothing is written")
    session.close()
    if grace < math.inf or shown < len(film):
        kept = f"{path} shows the first {shown:,} of {len(film):,} pictures" if shown else "nothing is written"
        raise KeyboardInterrupt(f"{played}; {kept}")
    return log


def _play(session: Watched, who: str, episodes: int, fps: float, film: list[Shot]) -> Iterator[str]:
    """Play, adding each moment to ``film``; yields a line an episode."""
    for _ in range(episodes):
        session.begin()
        playing = f"{who}, {session.where()}"
        film.append(Shot(session.picture(), playing, max(FIRST, 1 / fps)))
        while not session.over:
            session.advance()
            if session.over:
                film.append(Shot(session.picture(), f"{who}: {session.summary()}", max(LAST, 1 / fps)))
            else:
                film.append(Shot(session.picture(), playing, 1 / fps))
        yield f"{session.summary()} ({session.where()})"


class _Film:
    """The pictures of a film, all of one size, drawn when asked for; going through them ends with the grace."""

    def __init__(self, puzzle: Puzzle, tile_size: int, shots: list[Shot], grace: float) -> None:
        self.shots, self.grace = shots, grace
        self._framed = Framed(drawing_of(puzzle))
        self._canvas = Canvas(puzzle, tile_size, self._framed)
        sizes = {self._framed.measure(shot.scene, tile_size) for shot in shots}
        # Even, as films must be; levels of a pack may differ in size.
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
        """uint8[height, width, 3], rims in the colour of the picture's corner."""
        shot = self.shots[place]
        self._framed.news = shot.caption
        small = self._canvas.picture(shot.scene)
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
    durations = [max(20, 10 * round(100 * shot.seconds)) for shot in film.shots[: len(frames)]]
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
        for picture, shot in zip(film, film.shots, strict=False):
            for _ in range(max(1, round(shot.seconds * fps))):
                writer.send(picture)
            written += 1
            advance()
    return written
