"""The side panel: the status of the episode, its metrics, and the boxes on goals."""

import functools

import pygame

from ...engine.pictures import painting, panel
from ...engine.pictures.panel import INK, part
from ...engine.scene import Scene
from .boards import stuck_boxes
from .last_move import Move, last_move
from .rules import ASTRAY, COUNT
from .styles import Style, pictures
from .text import ACTIONS

ROWS = 24
"""The minimum height of the panel in units; it is at least as high as the board."""
TO_GO, SOLVED, DEADLOCK = "#e8b36a", "#7ed07a", "#ee5a5c"
ICONS = {14: 2.0, 56: 1.0}
"""The size of the icons in units, by the maximum number of boxes: two or four lines of icons."""


def draw(surface: pygame.Surface, scene: Scene, box: pygame.Rect, unit: int) -> None:
    """Draw the contents of the panel into a box that is at least ROWS units high."""
    inside = box.inflate(-2 * unit, -2 * unit)
    u = functools.partial(part, inside, unit)
    count, metrics = int(scene.level[COUNT]), scene.metrics
    home = count - int(scene.state[ASTRAY])
    panel.title(surface, "Sokoban", scene.title or "an unknown level", u(0, 14, 0, 3.2))
    _state(surface, scene, u(0, 14, 3.8, 3.8), unit)
    panel.number(surface, "return", f"{scene.score:g}", u(0, 6.8, 8.2, 3.2), unit)
    panel.number(surface, "step", str(scene.steps), u(7.2, 6.8, 8.2, 3.2), unit)
    panel.number(surface, "pushes", str(metrics.get("pushes", 0)), u(0, 6.8, 11.8, 3.2), unit)
    panel.number(surface, "moves", str(metrics.get("moves", 0)), u(7.2, 6.8, 11.8, 3.2), unit)
    panel.heading(surface, "boxes on goals", u(0, 9, 15.7, 1.1), unit)
    painting.write(surface, f"{home} of {count}", u(8, 6, 15.7, 1.1), INK, 0.9 * unit, "right")
    _boxes(surface, scene, home, u(0, 14, 17.2, 4), unit)


def _state(surface: pygame.Surface, scene: Scene, box: pygame.Rect, unit: int) -> None:
    """Draw the status in large letters, and the reason for it."""
    size, style, line = panel.state_icon_size(box), scene.options.style, state_line(scene)
    if line == "deadlock":
        icon, color = painting.sprite(__package__, "deadlock", size), DEADLOCK
    elif line == "solved":
        icon, color = sprite(style, "box_on_goal", size), SOLVED
    else:
        icon, color = sprite(style, "box", size), TO_GO
    panel.state(surface, line, state_reason(scene), icon, color, box, unit)


def state_line(scene: Scene) -> str:
    """Return the status of the episode in a few words."""
    astray = int(scene.state[ASTRAY])
    if astray == 0:
        return "solved"
    if scene.metrics.get("deadlock") or (scene.options.warn and stuck_boxes(scene.level, scene.state).any()):
        return "deadlock"
    return f"{astray} to go"


def state_reason(scene: Scene) -> str:
    """Return the reason for the status in a few words."""
    return "no longer solvable" if state_line(scene) == "deadlock" else _last_action(scene, last_move(scene))


def _last_action(scene: Scene, move: Move | None) -> str:
    """Return the effect of the last action in words."""
    if scene.action is None:
        return "push boxes to the goals" if scene.steps == 0 else f"after {scene.steps} steps"
    direction = ACTIONS[scene.action]
    if move is None:
        return direction
    if not move.moved:
        return f"blocked {direction}"
    return f"{'pushed' if move.pushed else 'walked'} {direction}"


def _boxes(surface: pygame.Surface, scene: Scene, home: int, box: pygame.Rect, unit: int) -> None:
    """Draw an icon for each box, those on goals first; none if there are too many."""
    count = int(scene.level[COUNT])
    size = next((round(size * unit) for most, size in ICONS.items() if count <= most), 0)
    if not size:
        return
    for place in range(count):
        row, column = divmod(place, box.width // size)
        name = "box_on_goal" if place < home else "goal"
        icon = sprite(scene.options.style, name, round(0.86 * size))
        surface.blit(icon, (box.left + column * size, box.top + row * size))


def sprite(style: Style, name: str, size: int, turns: int = 0) -> pygame.Surface:
    """Return a sprite of a style; see :func:`~gridpuzzles_gym.engine.pictures.painting.picture`."""
    return painting.picture(pictures(style)[name], size, turns)
