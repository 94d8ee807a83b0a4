"""The side panel: the status of the episode, and the agent's percepts and items."""

import functools

import pygame

from ...engine.pictures import painting, panel
from ...engine.pictures.panel import CARD, EDGE, FAINT, INK, LIT, part, split
from ...engine.scene import Scene
from . import ACTIONS
from .observing import PERCEPTS
from .rules import (
    ARROW,
    BUMP,
    CLIMB_OUT,
    EATEN,
    ENDING,
    FELL,
    FORWARD,
    GOLD,
    GRAB,
    HELD,
    RELEASE,
    RUNNING,
    SCREAM,
    SHOOT,
)
from .text import percept_words, state_line

ROWS = 27
"""The minimum height of the panel in units; it is at least as high as the board."""

# The icon and colour of each status of the original program.
STATES = {
    "waiting": ("state_waiting", "#7fb2e5"),
    "moving": ("state_moving", "#e0bd84"),
    "gold found": ("gold", "#ffc745"),
    "wumpus killed": ("wumpus_dead", "#b98cf0"),
    "died": ("state_died", "#ee5a5c"),
    "back home": ("state_home", "#7ed07a"),
}
GLOWS = {"stench": "#a6dc45", "breeze": "#9bd8ff", "glitter": "#ffd24d", "bump": "#ff9a4a", "scream": "#ff8fa6"}
LEGEND = {"agent": "you", "wumpus": "wumpus", "pit": "pit", "gold": "gold", "stairs": "way out"}

sprite = functools.partial(painting.sprite, __package__)
faded = functools.partial(painting.faded, __package__)


def draw(surface: pygame.Surface, scene: Scene, box: pygame.Rect, unit: int) -> None:
    """Draw the contents of the panel into a box that is at least ROWS units high."""
    inside = box.inflate(-2 * unit, -2 * unit)
    u = functools.partial(part, inside, unit)
    panel.title(surface, "Wumpus World", scene.title or "an unknown cave", u(0, 14, 0, 3.2))
    _state(surface, scene, u(0, 14, 3.8, 3.8), unit)
    panel.number(surface, "return", f"{scene.score:g}", u(0, 6.8, 8.2, 3.2), unit)
    panel.number(surface, "step", str(scene.steps), u(7.2, 6.8, 8.2, 3.2), unit)
    panel.heading(surface, "percepts", u(0, 14, 11.9, 1.1), unit)
    felt = percept_words(scene.level, scene.state)
    for place, name in enumerate(PERCEPTS):
        _badge(surface, f"icon_{name}", name, name in felt, GLOWS[name], u(2.84 * place, 2.64, 13.1, 3.9), unit)
    panel.heading(surface, "in hand", u(0, 14, 17.5, 1.1), unit)
    arrow, gold = scene.state[ARROW] == 1, scene.state[GOLD] == HELD
    _item(surface, "arrow", "arrow" if arrow else "no arrow", arrow, "#d0a064", u(0, 6.8, 18.7, 3), unit)
    _item(surface, "gold", "gold" if gold else "no gold", gold, "#ffd24d", u(7.2, 6.8, 18.7, 3), unit)
    for place, (icon, name) in enumerate(LEGEND.items()):
        _explained(surface, icon, name, u(2.84 * place, 2.64, 22.3, 2.7), unit)


def _state(surface: pygame.Surface, scene: Scene, box: pygame.Rect, unit: int) -> None:
    """Draw the status in large letters, and the reason for it."""
    line = state_line(scene)
    icon, color = STATES[line]
    panel.state(surface, line, _reason(scene), sprite(icon, panel.state_icon_size(box)), color, box, unit)


def _reason(scene: Scene) -> str:
    ending = scene.state[ENDING]
    if ending == FELL:
        return "fell into a pit"
    if ending == EATEN:
        return "eaten by the wumpus"
    if ending != RUNNING:
        return "with the gold" if scene.state[GOLD] == HELD else "empty-handed"
    if scene.action is None:
        return "find the gold"
    return _in_vain(scene, scene.action) or ACTIONS[scene.action]


def _in_vain(scene: Scene, action: int) -> str:
    """Return why the last action did not have the intended effect, if that is known."""
    before, state = scene.before, scene.state
    if before is None:
        return ""
    if action == SHOOT and not state[SCREAM]:
        return "missed" if before[ARROW] else "no arrow left"
    changed = before[GOLD] != state[GOLD]
    reasons = {
        FORWARD: (not state[BUMP], "a wall is in the way"),
        GRAB: (changed, "nothing to grab"),
        RELEASE: (changed, "nothing to release"),
        CLIMB_OUT: (False, "no way out here"),
    }
    done, reason = reasons.get(action, (True, ""))
    return "" if done else reason


def _badge(surface: pygame.Surface, icon: str, name: str, lit: bool, color: str, box: pygame.Rect, unit: int) -> None:
    """Draw one percept, bright if it is currently perceived."""
    painting.put_card(surface, box, CARD, color if lit else EDGE, unit // 2)
    if lit:
        painting.put_card(surface, box, color, color, unit // 2, opacity=0.22)
    upper, lower = split(box.inflate(-0.3 * unit, -0.5 * unit), 0.64)
    size = round(1.8 * unit)
    painting.paste(surface, sprite(icon, size) if lit else faded(icon, size), upper.center)
    painting.write(surface, name, lower, LIT if lit else FAINT, 0.75 * unit)


def _item(surface: pygame.Surface, icon: str, name: str, held: bool, color: str, box: pygame.Rect, unit: int) -> None:
    """Draw an item, bright while the agent holds it."""
    painting.put_card(surface, box, CARD, color if held else EDGE, unit // 2)
    size = round(2.1 * unit)
    painting.paste(surface, sprite(icon, size) if held else faded(icon, size), (box.left + 1.5 * unit, box.centery))
    words = pygame.Rect(box.left + round(2.8 * unit), box.top, box.width - round(3.1 * unit), box.height)
    painting.write(surface, name, words, INK if held else FAINT, 0.95 * unit, "left")


def _explained(surface: pygame.Surface, icon: str, name: str, box: pygame.Rect, unit: int) -> None:
    """Draw one entry of the legend: a picture and the name of what it shows."""
    upper, lower = split(box, 0.64)
    painting.paste(surface, sprite(icon, round(1.6 * unit)), upper.center)
    painting.write(surface, name, lower, FAINT, 0.75 * unit)
