"""The side panel: the status of the episode, and the mouse's distances to the exit and to the nearest cat."""

import functools

import pygame

from ...engine.pictures import painting, panel
from ...engine.pictures.panel import CARD, EDGE, FAINT, INK, part
from ...engine.scene import Scene
from .boards import CATS_THERE, EXITS, MICE, steps_from, symbols_of
from .rules import BLOCKED, CAT, CATS, MOUSE
from .text import ACTIONS, state_line

ROWS = 22
"""The minimum height of the panel in units; it is at least as high as the board."""

# The icon and colour of each status.
STATES = {
    "ready": ("mouse", "#7fb2e5"),
    "running": ("state_running", "#e8c386"),
    "stopped": ("state_stopped", "#ff9a7c"),
    "caught": ("cat", "#ee5a5c"),
    "escaped": ("cheese", "#7ed07a"),
}

sprite = functools.partial(painting.sprite, __package__)
faded = functools.partial(painting.faded, __package__)


def draw(surface: pygame.Surface, scene: Scene, box: pygame.Rect, unit: int) -> None:
    """Draw the contents of the panel into a box that is at least ROWS units high."""
    inside = box.inflate(-2 * unit, -2 * unit)
    u = functools.partial(part, inside, unit)
    panel.title(surface, "Cat and Mouse", scene.title or "a maze", u(0, 14, 0, 3.2))
    line = state_line(scene)
    icon, color = STATES[line]
    state = u(0, 14, 3.8, 3.8)
    turns = painting.TURNS[scene.action] if line == "running" and scene.action is not None else 0
    picture = sprite(icon, panel.state_icon_size(state), turns)
    panel.state(surface, line, _reason(scene, line), picture, color, state, unit)
    panel.number(surface, "return", f"{scene.score:g}", u(0, 6.8, 8.2, 3.2), unit)
    panel.number(surface, "step", str(scene.steps), u(7.2, 6.8, 8.2, 3.2), unit)
    panel.heading(surface, "steps from the mouse to", u(0, 14, 11.9, 1.1), unit)
    cheese, cat = distances(scene)
    _distance(surface, "cheese", "the cheese", cheese, u(0, 14, 13.1, 3), unit)
    _distance(surface, "cat", "the cat" if scene.level[CATS] < 2 else "the nearest cat", cat, u(0, 14, 16.5, 3), unit)


def distances(scene: Scene) -> tuple[int, int]:
    """Return the distances of the mouse to the exit and to the nearest cat, in steps; -1 if there is none."""
    symbols = symbols_of(scene.level, scene.state)
    steps = steps_from(symbols, MICE[symbols])
    cats = steps[CATS_THERE[symbols] & (steps >= 0)]
    return int(steps[EXITS[symbols]][0]), int(min(cats, default=-1))


def _reason(scene: Scene, line: str) -> str:
    if line == "escaped":
        return "reached the cheese"
    if line == "caught":
        ran = scene.before is not None and scene.state[MOUSE] in scene.before[CAT:]
        return "ran into the cat" if ran else "by the cat"
    if line == "stopped" and scene.level[BLOCKED]:
        return "something is in the way"
    if line == "stopped":
        return "by a wall"
    return "on to the cheese" if scene.action is None else ACTIONS[scene.action]


def _distance(surface: pygame.Surface, icon: str, name: str, steps: int, box: pygame.Rect, unit: int) -> None:
    """Draw an icon with a distance."""
    painting.put_card(surface, box, CARD, EDGE, unit // 2)
    size = round(2.3 * unit)
    picture = sprite(icon, size) if steps >= 0 else faded(icon, size)
    painting.paste(surface, picture, (box.left + 1.8 * unit, box.centery))
    words = pygame.Rect(box.left + round(3.5 * unit), box.top, round(7 * unit), box.height)
    painting.write(surface, name, words, INK if steps >= 0 else FAINT, unit, "left")
    number = pygame.Rect(words.right, box.top, box.right - words.right - unit, box.height)
    amount = str(steps) if steps >= 0 else "none"
    painting.write(surface, amount, number, INK if steps >= 0 else FAINT, 1.5 * unit, "right", bold=True)
