"""The panel next to a board: its title, the state of the game, numbers, and signs in groups.

The layout of a panel is given in units, the height of one line: it is ``COLUMNS`` wide, and its puzzle sets its height.
"""

import functools
from typing import NamedTuple

import pygame

from ..scene import DrawnPuzzle, Scene
from . import painting
from .status import BAD, GOOD, Group, SignText, Status, StatusLine, Tally

COLUMNS = 16
"""The panel's width in units."""
LEAST_UNIT, LARGEST_UNIT = 13, 34
"""The minimum and maximum size of a unit, in pixels."""
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


class Colors(NamedTuple):
    """The colours of what is around a board, as ``"#rrggbb"``."""

    ground: str = "#120f17"
    paper: str = "#221c29"
    """The panel."""
    card: str = "#2f2737"
    edge: str = "#463a4c"
    ink: str = "#f6e9cf"
    """Text."""
    faint: str = "#a2939f"
    lit: str = "#fff1c9"
    """Titles."""
    good: str = "#7ed07a"
    bad: str = "#ee5a5c"
    unlit: int = 70
    """The opacity of icons that are not lit, up to 255."""


COLORS = Colors()
"""The colours of all pictures; the window has others, too."""


def part(inside: pygame.Rect, unit: int, left: float, width: float, top: float, height: float) -> pygame.Rect:
    """Return a box whose position in another box and whose size are given in units."""
    return pygame.Rect(
        inside.left + round(left * unit), inside.top + round(top * unit), round(width * unit), round(height * unit)
    )


def split(box: pygame.Rect, top: float) -> tuple[pygame.Rect, pygame.Rect]:
    """Split a box into its upper part, with the share ``top`` of its height, and its lower part."""
    height = round(top * box.height)
    return (
        pygame.Rect(box.left, box.top, box.width, height),
        pygame.Rect(box.left, box.top + height, box.width, box.height - height),
    )


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


class Panel(NamedTuple):
    """A panel that is being drawn."""

    puzzle: DrawnPuzzle
    status: Status
    surface: pygame.Surface
    scene: Scene
    box: pygame.Rect
    """At least :func:`rows` units high."""
    unit: int
    """The size of a unit, in pixels."""
    colors: Colors

    def draw(self) -> None:
        """Draw the contents, except a second picture."""
        status, unit = self.status, self.unit
        u = functools.partial(part, self.box.inflate(-2 * unit, -2 * unit), unit)
        line = status.describe(self.scene, self.puzzle.actions(self.scene.options))
        upper, lower = split(u(0, INNER, 0, 3.2), 0.64)
        painting.write(self.surface, self.puzzle.title, upper, self.colors.lit, upper.height, "left", bold=True)
        painting.write(self.surface, line.title, lower, self.colors.faint, 0.85 * lower.height, "left")
        self._state(line, u(0, INNER, 3.8, 3.8))
        top = 8.2
        for k, (name, value) in enumerate(line.figures.items()):
            left = (k % MOST) * 7.2
            self._number(name, value, u(left, 6.8, top + (FIGURE + GAP) * (k // MOST), FIGURE))
        top += (FIGURE + GAP) * -(-len(line.figures) // MOST) - GAP
        for group, signs in zip(status.groups, line.groups, strict=True):
            if group.heading:
                self._heading(group.heading, u(0, INNER, top + 0.5, 1.1))
            top += 0.5 + HEADING if group.heading else 0.6
            gap = GAP if group.columns <= MOST else 0.2
            width = (INNER - gap * (group.columns - 1)) / group.columns
            for k, shown in enumerate(signs):
                row, column = divmod(k, group.columns)
                cell = u(column * (width + gap), width, top + row * (group.height + GAP), group.height)
                self._sign(group, shown, cell)
            lines = -(-len(signs) // group.columns)
            top += lines * group.height + (lines - 1) * GAP
        if status.picture.inset is not None:
            self._heading(status.picture.inset.name, u(0, INNER, top + 0.5, 1.1))
        if status.tally is not None:
            self._tally(status.tally, line, u(0, INNER, top + 0.7, 1.5 + TALLY))

    def _state(self, line: StatusLine, box: pygame.Rect) -> None:
        """Draw the status of the episode in large letters, and the reason for it."""
        surface, unit = self.surface, self.unit
        color = {GOOD: self.colors.good, BAD: self.colors.bad}.get(line.state.tone, line.state.color)
        painting.put_card(surface, box, self.colors.card, color, unit // 2)
        painting.put_card(surface, box, color, color, unit // 2, opacity=0.16)
        icon = self._icon(line.state.icon, round(0.74 * box.height), turns=line.turns)
        painting.paste(surface, icon, (box.left + 0.5 * box.height, box.centery))
        words = pygame.Rect(box.left + box.height, box.top, box.width - box.height - unit // 2, box.height)
        upper, lower = split(words.inflate(0, -0.9 * unit), 0.58)
        painting.write(surface, line.words, upper, color, 1.45 * unit, "left", bold=True)
        painting.write(surface, line.reason, lower, self.colors.ink, 0.92 * unit, "left")

    def _heading(self, words: str, box: pygame.Rect) -> None:
        """Draw a small grey heading above a group."""
        painting.write(self.surface, words, box, self.colors.faint, 0.9 * self.unit, "left")

    def _number(self, name: str, value: str, box: pygame.Rect) -> None:
        """Draw a number with its name above it."""
        unit = self.unit
        painting.put_card(self.surface, box, self.colors.card, self.colors.edge, unit // 2)
        upper, lower = split(box.inflate(-unit, -0.5 * unit), 0.36)
        self._heading(name, upper)
        painting.write(self.surface, value, lower, self.colors.ink, 1.5 * unit, "left", bold=True)

    def _tally(self, tally: Tally, line: StatusLine, box: pygame.Rect) -> None:
        """Draw a tally; those that are done first, none if there are too many."""
        u = functools.partial(part, box, self.unit)
        self._heading(tally.heading, u(0, 9, 0, 1.1))
        painting.write(self.surface, line.amount, u(8, 6, 0, 1.1), self.colors.ink, 0.9 * self.unit, "right")
        icons = u(0, INNER, 1.5, TALLY)
        size = next((round(size * self.unit) for most, size in TALLY_ICONS.items() if line.total <= most), 0)
        for place in range(line.total if size else 0):
            row, column = divmod(place, icons.width // size)
            icon = self._icon(tally.icon if place < line.done else tally.none, round(0.86 * size))
            self.surface.blit(icon, (icons.left + column * size, icons.top + row * size))

    def _icon(self, name: str, size: int, opacity: int = 255, turns: int = 0) -> pygame.Surface:
        """Return an icon; one that is not opaque is grey."""
        picture = painting.picture(self.status.picture.art(name, self.scene.options), size, turns)
        if opacity == 255:
            return picture
        grey = pygame.transform.grayscale(picture)
        grey.set_alpha(opacity)
        return grey

    def _sign(self, group: Group, shown: SignText, box: pygame.Rect) -> None:
        """Draw a sign: its icon, its words and its amount."""
        surface, unit, sign, lit = self.surface, self.unit, shown.sign, shown.lit
        color = sign.color if lit and sign.color else self.colors.edge
        opacity = 255 if lit else self.colors.unlit
        if group.cards:
            painting.put_card(surface, box, self.colors.card, color, unit // 2)
        if group.columns > MOST:
            if group.cards and lit and sign.color:
                painting.put_card(surface, box, color, color, unit // 2, opacity=0.22)
            upper, lower = split(box.inflate(-0.3 * unit, -0.5 * unit if group.cards else 0), 0.64)
            icon = self._icon(sign.icon, round((1.8 if group.cards else 1.6) * unit), opacity)
            ink = (self.colors.lit if sign.color else self.colors.ink) if lit and group.cards else self.colors.faint
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
        painting.paste(surface, self._icon(sign.icon, size, opacity), (box.left + centre * unit, box.centery))
        ink = self.colors.ink if lit else self.colors.faint
        amount = 0 if not shown.amount else round(3.5 * unit)
        words = pygame.Rect(box.left + round(left * unit), box.top, 0, box.height)
        words.width = box.width - round((left + right) * unit) - amount
        painting.write(surface, shown.words, words, ink, unit, "left")
        if shown.amount:
            number = pygame.Rect(words.right, box.top, box.right - words.right - unit, box.height)
            painting.write(surface, shown.amount, number, ink, 1.5 * unit, "right", bold=True)
