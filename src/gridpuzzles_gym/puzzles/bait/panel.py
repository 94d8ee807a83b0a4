"""The side panel: the status of the episode, the key, and the remaining things."""

import functools

import numpy as np
import pygame

from ...engine.pictures import painting, panel
from ...engine.pictures.panel import CARD, EDGE, FAINT, INK, part, split
from ...engine.scene import Scene
from .boards import things_of
from .rules import BOX, GOAL, GOALS, HOLE, KEY, MUSHROOM, WAIT
from .text import ACTIONS, score_of, state_line

ROWS = 23
"""The minimum height of the panel in units; it is at least as high as the board."""
GOLD = "#ffd24d"

# The icon and colour of each status.
STATES = {
    "ready": ("state_ready", "#7fb2e5"),
    "moving": ("state_moving", "#e8c386"),
    "stopped": ("state_blocked", "#ff9a7c"),
    "key in hand": ("key", GOLD),
    "died": ("death", "#ee5a5c"),
    "solved": ("open", "#7ed07a"),
}
LEFT_OVER = {
    GOAL: ("goal", "goals", 3.0),
    BOX: ("box", "boxes", 3.0),
    HOLE: ("hole", "holes", 3.0),
    MUSHROOM: ("mushroom", "mushrooms", 4.1),
}
"""The icon and name of each kind of thing, and the width of its card in units."""

sprite = functools.partial(painting.sprite, __package__)
faded = functools.partial(painting.faded, __package__)


def draw(surface: pygame.Surface, scene: Scene, box: pygame.Rect, unit: int) -> None:
    """Draw the contents of the panel into a box that is at least ROWS units high."""
    inside = box.inflate(-2 * unit, -2 * unit)
    u = functools.partial(part, inside, unit)
    panel.title(surface, "Bait", scene.title or "a level", u(0, 14, 0, 3.2))
    _state(surface, scene, u(0, 14, 3.8, 3.8), unit)
    panel.number(surface, "score", str(score_of(scene)), u(0, 6.8, 8.2, 3.2), unit)
    panel.number(surface, "step", str(scene.steps), u(7.2, 6.8, 8.2, 3.2), unit)
    panel.heading(surface, "in hand", u(0, 14, 11.9, 1.1), unit)
    _hand(surface, scene.state[KEY] == 1, u(0, 14, 13.1, 2.7), unit)
    panel.heading(surface, "left on the board", u(0, 14, 16.3, 1.1), unit)
    counts = _counts(scene)
    left = 0.0
    for thing, (icon, name, width) in LEFT_OVER.items():
        _count(surface, icon, name, counts[thing], u(left, width, 17.5, 3.5), unit)
        left += width + 0.3


def _state(surface: pygame.Surface, scene: Scene, box: pygame.Rect, unit: int) -> None:
    """Draw the status in large letters, and the reason for it."""
    line = state_line(scene)
    icon, color = STATES[line]
    action = scene.action if line in ("moving", "stopped") and scene.action != WAIT else None
    turns = 0 if action is None else painting.TURNS[action]
    picture = sprite(icon, panel.state_icon_size(box), turns)
    panel.state(surface, line, state_reason(scene), picture, color, box, unit)


def state_reason(scene: Scene) -> str:
    """Return the reason for the status in a few words."""
    line = state_line(scene)
    if line == "died":
        return "fell into a hole"
    if line == "solved":
        return "every goal is open"
    if scene.action is None:
        return "go to the goal" if scene.state[KEY] else "find the key"
    return ACTIONS[scene.action]


def _hand(surface: pygame.Surface, held: bool, box: pygame.Rect, unit: int) -> None:
    """Draw the key, bright while it is held."""
    painting.put_card(surface, box, CARD, GOLD if held else EDGE, unit // 2)
    size = round(2.1 * unit)
    painting.paste(surface, sprite("key", size) if held else faded("key", size), (box.left + 1.6 * unit, box.centery))
    words = pygame.Rect(box.left + 3 * unit, box.top, box.width - round(3.4 * unit), box.height)
    painting.write(surface, "a key: goals open" if held else "no key yet", words, INK if held else FAINT, unit, "left")


def _counts(scene: Scene) -> dict[int, int]:
    """Return the number of remaining things of each kind."""
    kinds = np.bincount(things_of(scene.level, scene.state), minlength=MUSHROOM + 1)
    boxes, goals = kinds[BOX:MUSHROOM].sum(), scene.state[GOALS]
    return {BOX: int(boxes), GOAL: int(goals), HOLE: int(kinds[HOLE]), MUSHROOM: int(kinds[MUSHROOM])}


def _count(surface: pygame.Surface, icon: str, name: str, count: int, box: pygame.Rect, unit: int) -> None:
    """Draw the icon, number and name of a kind of thing."""
    painting.put_card(surface, box, CARD, EDGE, unit // 2)
    upper, lower = split(box.inflate(-0.3 * unit, -0.5 * unit), 0.64)
    size = round(1.7 * unit)
    centre = (upper.left + 0.3 * upper.width, upper.centery)
    painting.paste(surface, sprite(icon, size) if count else faded(icon, size), centre)
    words = pygame.Rect(upper.centerx + 1, upper.top, upper.width // 2, upper.height)
    painting.write(surface, str(count), words, INK if count else FAINT, 1.2 * unit, bold=True)
    painting.write(surface, name, lower, INK if count else FAINT, 0.75 * unit)
