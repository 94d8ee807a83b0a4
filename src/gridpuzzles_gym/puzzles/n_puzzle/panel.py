"""The side panel: the status of the episode, the number of tiles at home, and the goal."""

import functools

import pygame

from ...engine.pictures import painting, panel
from ...engine.pictures.panel import CARD, EDGE, INK, part
from ...engine.scene import Scene
from .last_move import last_move
from .rules import DOWN, HEIGHT, LEFT, MISPLACED, RIGHT, UP, WIDTH
from .text import ACTIONS

ROWS = 27
"""The minimum height of the panel in units; it is at least as high as the board."""
GOAL_TOP = 16.3
BAR, BAR_EDGE = "#9cc46f", "#c9e39f"

# The icon and colour of each status.
STATES = {
    "scrambled": ("state_start", "#7fb2e5"),
    "sliding": ("state_moved", "#e8c386"),
    "blocked": ("state_wall", "#ff9a7c"),
    "solved": ("state_solved", "#7ed07a"),
}
NEXT_TO = {UP: "above", DOWN: "below", LEFT: "left of", RIGHT: "right of"}
TILE_MOVED = {UP: "down", DOWN: "up", LEFT: "right", RIGHT: "left"}

sprite = functools.partial(painting.sprite, __package__)


def goal_box(box: pygame.Rect, unit: int, rows: int, columns: int) -> pygame.Rect:
    """Return the box of the goal in a panel, as large as possible."""
    inside = box.inflate(-2 * unit, -2 * unit)
    space = pygame.Rect(inside.left, inside.top + round(GOAL_TOP * unit), inside.width, 0)
    space.height = inside.bottom - space.top
    side = max(1, min((space.width - unit) // columns, (space.height - unit // 3) // rows))
    found = pygame.Rect(0, 0, side * columns, side * rows)
    found.midbottom = space.midbottom
    return found


def draw(surface: pygame.Surface, scene: Scene, box: pygame.Rect, unit: int) -> None:
    """Draw the contents of the panel except the goal into a box that is at least ROWS units high."""
    inside = box.inflate(-2 * unit, -2 * unit)
    u = functools.partial(part, inside, unit)
    squares = f"{scene.level[WIDTH]}×{scene.level[HEIGHT]} squares"
    panel.title(surface, "Sliding tiles", scene.title or squares, u(0, 14, 0, 3.2))
    _state(surface, scene, u(0, 14, 3.8, 3.8), unit)
    panel.number(surface, "return", f"{scene.score:g}", u(0, 6.8, 8.2, 3.2), unit)
    panel.number(surface, "step", str(scene.steps), u(7.2, 6.8, 8.2, 3.2), unit)
    tiles = int(scene.level[WIDTH]) * int(scene.level[HEIGHT]) - 1
    home = tiles - int(scene.state[MISPLACED])
    panel.heading(surface, "tiles at home", u(0, 9, 11.9, 1.1), unit)
    painting.write(surface, f"{home} of {tiles}", u(8, 6, 11.9, 1.1), INK, 0.9 * unit, "right")
    _bar(surface, home / tiles, u(0, 14, 13.3, 0.9), unit)
    panel.heading(surface, "goal", u(0, 14, 15, 1.1), unit)


def _state(surface: pygame.Surface, scene: Scene, box: pygame.Rect, unit: int) -> None:
    """Draw the status in large letters, and the reason for it."""
    line, move = state_line(scene), last_move(scene)
    icon, color = STATES[line]
    turns = 0
    if move is not None and line in ("sliding", "blocked"):  # a tile slides opposite to the blank
        turns = painting.TURNS[move.action] + (2 if line == "sliding" else 0)
    picture = sprite(icon, panel.state_icon_size(box), turns)
    panel.state(surface, line, state_reason(scene), picture, color, box, unit)


def state_line(scene: Scene) -> str:
    """Return the status of the episode in a word."""
    if scene.state[MISPLACED] == 0:
        return "solved"
    if scene.action is None:
        return "scrambled"
    move = last_move(scene)
    return "sliding" if move is None or move.tile else "blocked"


def state_reason(scene: Scene) -> str:
    """Return the reason for the status in a few words."""
    move = last_move(scene)
    if move is not None and move.tile:
        return f"tile {move.tile} {TILE_MOVED[move.action]}"
    if move is not None:
        return f"nothing {NEXT_TO[move.action]} the blank"
    return f"arrows move the {scene.options.arrows}" if scene.action is None else f"blank {ACTIONS[scene.action]}"


def _bar(surface: pygame.Surface, share: float, box: pygame.Rect, unit: int) -> None:
    """Draw the progress: the number of tiles at home."""
    radius = box.height // 2
    painting.put_card(surface, box, CARD, EDGE, radius)
    if share > 0:
        done = pygame.Rect(box.left, box.top, max(box.height, round(share * box.width)), box.height)
        painting.put_card(surface, done, BAR, BAR_EDGE, radius, sheen=0.2)
