"""Draws what is said next to a board: its title, the state of the game, numbers, and signs in groups."""

import functools

import pygame

from ..scene import DrawnPuzzle, Scene
from . import painting, panel
from .panel import Colors, part, split
from .status import BAD, GOOD, Group, SignText, Status, StatusLine, Tally

INNER = 14.0
"""The width inside the margins, in units."""
GAP, HEADING = 0.4, 1.2
FIGURE = 3.2
"""The height of a number."""
INSET = 8.0
"""The minimum height of the second picture."""
MOST = 2
"""The number of figures in a row, and of signs whose words are next to their icons."""
TALLY = 4
"""The height of the icons of a tally."""
TALLY_ICONS = {14: 2.0, 56: 1.0}
"""The size of its icons, by the maximum number of things: two or four lines of icons."""


def rows(status: Status) -> int:
    """Return the minimum height of the panel in units."""
    return round(_bottom(status) + (0.0 if status.picture.inset is None else HEADING + 0.5 + INSET) + 2.5)


def _bottom(status: Status) -> float:
    top = 8.2 + (FIGURE + GAP) * -(-len(status.figures) // MOST) - GAP
    for group in status.groups:
        lines = -(-len(group.signs) // group.columns)
        top += (0.5 + HEADING if group.heading else 0.6) + lines * group.height + (lines - 1) * GAP
    return top if status.tally is None else top + 2.2 + TALLY


def inset_box(status: Status, box: pygame.Rect, unit: int, shape: tuple[int, int]) -> pygame.Rect:
    """Return the box of the second picture, of (height, width) squares, in a panel: as large as possible."""
    inside = box.inflate(-2 * unit, -2 * unit)
    top = round((_bottom(status) + 0.5 + HEADING) * unit)
    space = pygame.Rect(inside.left, inside.top + top, inside.width, inside.height - top)
    side = max(1, min((space.width - unit) // shape[1], (space.height - unit // 3) // shape[0]))
    found = pygame.Rect(0, 0, side * shape[1], side * shape[0])
    found.midbottom = space.midbottom
    return found


def draw(
    puzzle: DrawnPuzzle,
    status: Status,
    surface: pygame.Surface,
    scene: Scene,
    box: pygame.Rect,
    unit: int,
    colors: Colors,
) -> None:
    """Draw the contents of the panel, except a second picture, into a box that is at least :func:`rows` units high."""
    inside = box.inflate(-2 * unit, -2 * unit)
    u = functools.partial(part, inside, unit)
    said = status.describe(scene, puzzle.actions(scene.options))
    panel.title(surface, colors, puzzle.title, said.title, u(0, INNER, 0, 3.2))
    state = u(0, INNER, 3.8, 3.8)
    icon = _picture(status, scene, said.state.icon, panel.state_icon_size(state), turns=said.turns)
    color = colors.text({GOOD: colors.good, BAD: colors.bad}.get(said.state.tone, said.state.color))
    panel.state(surface, colors, said.words, said.reason, icon, color, state, unit)
    top = 8.2
    for k, (name, value) in enumerate(said.figures.items()):
        left = (k % MOST) * 7.2
        panel.number(surface, colors, name, value, u(left, 6.8, top + (FIGURE + GAP) * (k // MOST), FIGURE), unit)
    top += (FIGURE + GAP) * -(-len(said.figures) // MOST) - GAP
    for group, signs in zip(status.groups, said.groups, strict=True):
        if group.heading:
            panel.heading(surface, colors, group.heading, u(0, INNER, top + 0.5, 1.1), unit)
        top += 0.5 + HEADING if group.heading else 0.6
        gap = GAP if group.columns <= MOST else 0.2
        width = (INNER - gap * (group.columns - 1)) / group.columns
        for k, shown in enumerate(signs):
            row, column = divmod(k, group.columns)
            cell = u(column * (width + gap), width, top + row * (group.height + GAP), group.height)
            _sign(surface, colors, status, scene, group, shown, cell, unit)
        lines = -(-len(signs) // group.columns)
        top += lines * group.height + (lines - 1) * GAP
    if status.picture.inset is not None:
        panel.heading(surface, colors, status.picture.inset.name, u(0, INNER, top + 0.5, 1.1), unit)
    if status.tally is not None:
        _tally(surface, colors, status, scene, status.tally, said, u(0, INNER, top + 0.7, 1.5 + TALLY), unit)


def _tally(
    surface: pygame.Surface,
    colors: Colors,
    status: Status,
    scene: Scene,
    tally: Tally,
    said: StatusLine,
    box: pygame.Rect,
    unit: int,
) -> None:
    """Draw a tally; those that are done first, none if there are too many."""
    u = functools.partial(part, box, unit)
    panel.heading(surface, colors, tally.heading, u(0, 9, 0, 1.1), unit)
    painting.write(surface, said.amount, u(8, 6, 0, 1.1), colors.ink, 0.9 * unit, "right")
    icons = u(0, INNER, 1.5, TALLY)
    size = next((round(size * unit) for most, size in TALLY_ICONS.items() if said.total <= most), 0)
    for place in range(said.total if size else 0):
        row, column = divmod(place, icons.width // size)
        icon = _picture(status, scene, tally.icon if place < said.done else tally.none, round(0.86 * size))
        surface.blit(icon, (icons.left + column * size, icons.top + row * size))


def _picture(status: Status, scene: Scene, name: str, size: int, opacity: int = 255, turns: int = 0) -> pygame.Surface:
    """Return an icon; one that is not opaque is grey."""
    picture = painting.picture(status.picture.art(name, scene.options), size, turns)
    if opacity == 255:
        return picture
    grey = pygame.transform.grayscale(picture)
    grey.set_alpha(opacity)
    return grey


def _sign(
    surface: pygame.Surface,
    colors: Colors,
    status: Status,
    scene: Scene,
    group: Group,
    shown: SignText,
    box: pygame.Rect,
    unit: int,
) -> None:
    """Draw a sign: its icon, its words and its amount."""
    sign, lit = shown.sign, shown.lit
    color = colors.text(sign.color) if lit and sign.color else colors.edge
    opacity = 255 if lit else colors.unlit
    if group.cards:
        painting.put_card(surface, box, colors.card, color, unit // 2)
    if group.columns > MOST:
        if group.cards and lit and sign.color:
            painting.put_card(surface, box, color, color, unit // 2, opacity=0.22)
        upper, lower = split(box.inflate(-0.3 * unit, -0.5 * unit if group.cards else 0), 0.64)
        icon = _picture(status, scene, sign.icon, round((1.8 if group.cards else 1.6) * unit), opacity)
        ink = (colors.lit if sign.color else colors.ink) if lit and group.cards else colors.faint
        if shown.amount:
            painting.paste(surface, icon, (upper.left + 0.3 * upper.width, upper.centery))
            count = pygame.Rect(upper.centerx + 1, upper.top, upper.width // 2, upper.height)
            painting.write(surface, shown.amount, count, ink, 1.2 * unit, bold=True)
        else:
            painting.paste(surface, icon, upper.center)
        painting.write(surface, shown.words, lower, ink, 0.75 * unit)
        return
    size = round(min(2.3, 0.77 * group.height) * unit)
    centre, left, right = (1.8, 3.5, 0.5) if group.columns == 1 else (1.5, 2.8, 0.3)
    painting.paste(surface, _picture(status, scene, sign.icon, size, opacity), (box.left + centre * unit, box.centery))
    ink = colors.ink if lit else colors.faint
    amount = 0 if not shown.amount else round(3.5 * unit)
    words = pygame.Rect(box.left + round(left * unit), box.top, 0, box.height)
    words.width = box.width - round((left + right) * unit) - amount
    painting.write(surface, shown.words, words, ink, unit, "left")
    if shown.amount:
        number = pygame.Rect(words.right, box.top, box.right - words.right - unit, box.height)
        painting.write(surface, shown.amount, number, ink, 1.5 * unit, "right", bold=True)
