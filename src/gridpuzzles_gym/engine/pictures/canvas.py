"""Drawing scenes off-screen or in a window.

Only this file, ``atlas.py``, ``drawing.py``, ``sprites.py``, ``painting.py``, ``panel.py`` and ``status_panel.py``
import pygame.
"""

import io

import numpy as np
import numpy.typing as npt
import pygame

from ..scene import DrawnPuzzle, Scene
from .drawing import BoardAndPanel, Drawing
from .sprites import drawing_from

if not getattr(pygame, "IS_CE", False):
    raise ImportError(
        "pygame was installed over pygame-ce, which has the same files; to mend it: "
        "pip uninstall -y pygame; pip install --force-reinstall --no-deps pygame-ce"
    )

QUIT = "quit"
"""What :meth:`Canvas.poll` returns when the window was closed; no key has this name."""
MOST_PIXELS = 2**24
"""The maximum number of pixels of a picture: a large board is drawn with smaller squares."""
SMALLEST_TILE = 2
_HANDLED = (pygame.KEYDOWN, pygame.WINDOWCLOSE, pygame.QUIT)
_DESKTOP_SHARE = 0.9  # the maximum share of the screen that a window covers, because of title and task bars


def key_code(name: str) -> int:
    """Return pygame's code of a key by its name, such as ``"left"`` or ``"a"``; unlike pygame's, without a display."""
    code: int = getattr(pygame, f"K_{name if len(name) == 1 else name.upper().replace(' ', '')}")
    return code


def drawing_of(puzzle: DrawnPuzzle, without: frozenset[str] = frozenset()) -> BoardAndPanel:
    """Return the drawing of a puzzle.

    Args:
        puzzle: The puzzle.
        without: Names of figures that its panel leaves out.

    Raises:
        ValueError: It has no picture.
    """
    if puzzle.picture is None:
        raise ValueError(f"{puzzle.title} has no picture: its PUZZLE needs one, which a file picture.py defines")
    return drawing_from(puzzle, without)


class Canvas:
    """Draws the scenes of one puzzle.

    Args:
        puzzle: The puzzle.
        tile_size: The width of a square, in pixels.
        drawing: How to draw scenes; None uses the puzzle's own drawing.
        panel: False draws the board only.
    """

    def __init__(self, puzzle: DrawnPuzzle, tile_size: int, drawing: Drawing | None = None, panel: bool = True) -> None:
        self.puzzle, self.tile_size = puzzle, tile_size
        self._drawing = drawing or (drawing_of(puzzle) if panel else drawing_of(puzzle).without_panel())
        self._surface: pygame.Surface | None = None
        self._window: pygame.Window | None = None
        self._clock = pygame.time.Clock()
        self._closed_by_user = False

    def picture(self, scene: Scene) -> npt.NDArray[np.uint8]:
        """Draw a scene off-screen, without a display.

        Returns:
            uint8[height, width, 3], a new array.
        """
        surface = self._drawn(scene)
        pixels = np.frombuffer(pygame.image.tobytes(surface, "RGB"), np.uint8)
        return pixels.reshape(surface.get_height(), surface.get_width(), 3).copy()

    def png(self, scene: Scene, board_only: bool = False) -> bytes:
        """Draw a scene off-screen, without a display, as a PNG; ``board_only`` leaves out what is next to the board."""
        return self._encoded(scene, board_only, "png")

    def jpg(self, scene: Scene) -> bytes:
        """Draw the board of a scene off-screen, without a display, as a JPEG: a third of a PNG, not as sharp."""
        return self._encoded(scene, True, "jpg")

    def _encoded(self, scene: Scene, board_only: bool, kind: str) -> bytes:
        surface, encoded = self._drawn(scene), io.BytesIO()
        part = self._drawing.board(scene, self._bounded_tile(scene)) if board_only else surface.get_rect()
        pygame.image.save(surface.subsurface(part), encoded, f"scene.{kind}")
        return encoded.getvalue()

    def _drawn(self, scene: Scene) -> pygame.Surface:
        """Draw a scene on the off-screen surface and return it."""
        tile_size = self._bounded_tile(scene)
        size = self._drawing.measure(scene, tile_size)
        if self._surface is None or self._surface.get_size() != size:
            self._surface = pygame.Surface(size, 0, 32)
        self._drawing.draw(self._surface, scene, tile_size)
        return self._surface

    def measure(self, scene: Scene) -> tuple[int, int]:
        """Return the width and height of the picture of a scene."""
        return self._drawing.measure(scene, self._bounded_tile(scene))

    def _bounded_tile(self, scene: Scene) -> int:
        """Return the largest tile size, up to the requested one, with :data:`MOST_PIXELS` or fewer."""
        for tile_size in range(self.tile_size, SMALLEST_TILE, -1):
            width, height = self._drawing.measure(scene, tile_size)
            if width * height <= MOST_PIXELS:
                return tile_size
        return min(self.tile_size, SMALLEST_TILE)

    def show(self, scene: Scene, fps: float) -> None:
        """Draw a scene in the window, and wait as long as the frame rate requires.

        The window opens at the first call. Once the user has closed it, calls do nothing. A picture that would be
        larger than the screen is drawn with smaller squares.

        Args:
            scene: The scene to show.
            fps: The maximum number of frames per second; 0 does not wait.

        Raises:
            RuntimeError: No window can be opened on this machine.
        """
        if self._closed_by_user:
            return
        tile_size = self._fitting_tile(scene)
        window = self._open(self._drawing.measure(scene, tile_size))
        self._drawing.draw(window.get_surface(), scene, tile_size)
        window.flip()
        self.poll()
        if fps:
            self._clock.tick(fps)

    def poll(self) -> list[str]:
        """Return the events of the window since the last call.

        Returns:
            The pygame names of the keys pressed, in order, followed by ``"quit"`` if the user closed the window.
        """
        if self._window is None or not pygame.display.get_init():
            return [QUIT] if self._closed_by_user else []
        names = []
        for event in pygame.event.get(_HANDLED):
            owner = getattr(event, "window", None)
            if owner is not None and owner is not self._window:
                pygame.event.post(event)  # belongs to another canvas, which will read it from the queue
            elif event.type == pygame.KEYDOWN:
                names.append(pygame.key.name(event.key))
            else:
                self.close()
                self._closed_by_user = True
                return [*names, QUIT]
        pygame.event.get(exclude=_HANDLED)  # discard all others, so that the queue does not fill up
        return names

    def close(self) -> None:
        """Close the window, if one is open."""
        if self._window is not None and pygame.display.get_init():
            self._window.destroy()
        self._window = None

    def _open(self, size: tuple[int, int]) -> pygame.Window:
        """Return the window, resized to ``size``; it is opened if necessary."""
        if not pygame.display.get_init():
            self._window = None  # closed by a pygame.quit() elsewhere
            self._start_display()
        if self._window is None:
            self._window = pygame.Window(f"{self.puzzle.title} - gridpuzzles_gym", size)
        elif self._window.size != size:
            self._window.size = size
        return self._window

    def _start_display(self) -> None:
        try:
            pygame.display.init()
        except pygame.error as error:
            raise RuntimeError(f"cannot open a window ({error}); render_mode='rgb_array' needs none") from None

    def _fitting_tile(self, scene: Scene) -> int:
        """Return the largest tile size, up to the requested one, with which the picture fits the screen."""
        if not pygame.display.get_init():
            self._start_display()
            self._window = None
        largest = [_DESKTOP_SHARE * side for side in pygame.display.get_desktop_sizes()[0]]
        for tile_size in range(self.tile_size, SMALLEST_TILE, -1):
            if all(side <= most for side, most in zip(self._drawing.measure(scene, tile_size), largest, strict=True)):
                return tile_size
        return min(self.tile_size, SMALLEST_TILE)
