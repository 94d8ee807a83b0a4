"""What is said next to a board: the record of a puzzle's ``status.py``, and what it says of a scene.

The rule writes numbers; tables say them in words. All words are templates: ``{0}``, ``{1}`` … are the rule's own
numbers, ``{action}`` the name of the last action, ``{step}``, ``{return}``, and metrics by name.
"""

import dataclasses
import functools
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..compile.compilation import compiled, tiered
from ..scene import Scene
from .picture import Picture, rows_of

WORDS, REASON, TURNS, NUMBERS = range(4)
"""What a ``status`` rule writes, int64[NUMBERS + …]: the indices into ``states`` and ``reasons``, the quarter turns of
the icon, then its own numbers."""
GOOD, BAD, PLAIN = "good", "bad", "plain"


class State(NamedTuple):
    """A state of the game."""

    words: str
    icon: str
    """The name of a sprite."""
    color: str
    tone: str = PLAIN


class Sign(NamedTuple):
    """A thing or a percept: lit while its number is large enough."""

    icon: str
    number: int
    """Index of one of the rule's own numbers."""
    words: tuple[str, ...]
    """What it is called, for each number 0, 1 …; the last one also for larger numbers."""
    choice: int | None = None
    """Index of the number that chooses the words; None: the sign's own."""
    least: int = 1
    """The least number with which it is lit."""
    amount: str = ""
    """A template of what is shown next to its words; empty for nothing."""
    none: str = ""
    """The same while it is not lit."""
    color: str = ""
    """The colour in which it is lit; empty for the usual one."""


class Group(NamedTuple):
    """Signs below a heading."""

    heading: str
    signs: tuple[Sign, ...]
    columns: int = 1
    """Signs in a row; in one of more than two, words are below the icon."""
    height: float = 3.0
    """The height of a sign in units of the panel."""
    cards: bool = True
    """Whether each has a border."""


class Tally(NamedTuple):
    """How many of some things are done: a heading, an amount, and in the window an icon for each."""

    heading: str
    amount: str
    """A template."""
    done: int
    """Index of the number of those that are done."""
    total: int
    """Index of the number of all."""
    icon: str
    """The name of the sprite of one that is done."""
    none: str
    """That of the others."""


class SignText(NamedTuple):
    """A sign of a scene."""

    sign: Sign
    words: str
    amount: str
    lit: bool


class StatusLine(NamedTuple):
    """What is said of a scene."""

    title: str
    """The level's."""
    state: State
    words: str
    reason: str
    turns: int
    figures: dict[str, str]
    groups: list[list[SignText]]
    amount: str
    """Of the tally."""
    done: int
    total: int


@dataclasses.dataclass(frozen=True, eq=False)
class Status:
    """What is said next to a puzzle's board."""

    picture: Picture
    """Its picture, whose settings and metrics the rule reads, too."""
    rule: Callable[..., Any]
    """``status(level, start, before, state, scene, out)``, with the arguments of ``pieces``: write the numbers."""
    count: int
    """The number of its own numbers."""
    states: tuple[State, ...]
    reasons: tuple[str, ...]
    figures: Mapping[str, str] = dataclasses.field(default_factory=lambda: {"return": "{return}", "step": "{step}"})
    """The numbers next to the board, by name."""
    groups: tuple[Group, ...] = ()
    tally: Tally | None = None
    unnamed: str = "a level"
    """The title of a level without a name, a template."""

    def numbers_of(self, scene: Scene) -> list[int]:
        """Return the numbers that the rule writes for a scene; the same during a whole movement, so they are cached."""
        rows = [row.tobytes() for row in (scene.level, *rows_of(scene))]
        return list(_numbers(self, *rows, self.picture.numbers(scene).tobytes()))

    def describe(self, scene: Scene, actions: tuple[str, ...]) -> StatusLine:
        """Return what is said of a scene."""
        words, reason, turns, *numbers = self.numbers_of(scene)
        values = {
            **{str(k): str(number) for k, number in enumerate(numbers)},
            **{name: str(number) for name, number in scene.metrics.items()},
            "action": "" if scene.action is None else actions[scene.action],
            "step": str(scene.steps),
            "return": f"{scene.score:g}",
        }
        fill = functools.partial(filled, values=values)
        state = self.states[words]
        groups = [[_shown(sign, numbers, values) for sign in group.signs] for group in self.groups]
        figures = {name: fill(template) for name, template in self.figures.items()}
        tally, title = self.tally, scene.title or fill(self.unnamed)
        counted = ("", 0, 0) if tally is None else (fill(tally.amount), numbers[tally.done], numbers[tally.total])
        return StatusLine(title, state, fill(state.words), fill(self.reasons[reason]), turns, figures, groups, *counted)

    def icons(self) -> list[str]:
        """Return the names of all sprites."""
        signs = [sign for group in self.groups for sign in group.signs]
        return [state.icon for state in self.states] + [sign.icon for sign in signs]

    def kernel(self) -> Callable[..., Any]:
        """Return the rule's kernel, as a plain function."""
        status_rule = self.rule

        def status(level: Any, start: Any, before: Any, state: Any, scene: Any, out: Any) -> None:
            status_rule(level, start, before, state, scene, out)

        return status

    def tables(self) -> dict[str, Any]:
        """Return the tables, for pages."""
        return {
            "count": self.count,
            "states": [state._asdict() for state in self.states],
            "reasons": list(self.reasons),
            "figures": dict(self.figures),
            "groups": [
                {"heading": group.heading, "signs": [sign._asdict() for sign in group.signs]} for group in self.groups
            ],
            "tally": {} if self.tally is None else {self.tally.heading: self.tally.amount},
        }


def filled(template: str, values: Mapping[str, str]) -> str:
    """Return a template with its values; metrics that there are none of, outside an episode, are 0."""
    return re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], "0"), template)


def _shown(sign: Sign, numbers: list[int], values: Mapping[str, str]) -> SignText:
    number = numbers[sign.number]
    lit = number >= sign.least
    choice = number if sign.choice is None else numbers[sign.choice]
    words = sign.words[min(max(choice, 0), len(sign.words) - 1)]
    return SignText(sign, words, filled(sign.amount if lit else sign.none or sign.amount, values), lit)


@functools.cache
def _kernel(status: Status) -> Callable[..., Any]:
    return compiled(status.kernel(), f"{status.picture.package.rpartition('.')[2]}-status")


@functools.lru_cache(32)
def _numbers(status: Status, level: bytes, start: bytes, before: bytes, state: bytes, scene: bytes) -> tuple[int, ...]:
    rows = [np.frombuffer(bytearray(row), np.int16) for row in (level, start, before, state)]
    out = np.zeros(NUMBERS + status.count, np.int64)
    tiered(_kernel(status), *rows, np.frombuffer(bytearray(scene), np.int64), out)
    return tuple(out.tolist())
