"""What the mouse does on a puzzle's board, as rules: the record of its ``touch.py``."""

import dataclasses
import functools
from collections.abc import Callable, Set
from typing import Any

import numpy as np
import numpy.typing as npt

from ..compile.compilation import compiled, rule, tiered
from ..puzzle import UNFINISHED
from ..scene import Row
from .interaction import Actions, Gestures, Square

NOWHERE = -1


def action_limit(squares: int) -> int:
    """Return the maximum number of actions of a gesture."""
    return 32 * squares + 64


def cut_at_the_end(step: Callable[..., Any], outcome: Callable[..., Any]) -> Callable[..., Any]:
    """Return a rule ``until_over(level, state, out, n) -> n``: how many of n actions are taken until the episode ends.

    Args:
        step: The puzzle's rule; it needs no randomness.
        outcome: ``outcome(level, state)``, the puzzle's rule.
    """

    @rule
    def until_over(level: Any, state: Any, out: Any, n: Any) -> Any:
        after, random_bits = state.copy(), np.ones(1, np.uint64)
        for k in range(n):
            if outcome(level, after) != UNFINISHED:
                return k
            step(level, after, out[k], random_bits)
        return n

    return until_over


@dataclasses.dataclass(frozen=True, eq=False)
class Rules:
    """The rules of the mouse; squares are numbers, on the board, and rows are not changed.

    ``out`` has an entry, int64, for each action (:func:`action_limit`), or for each square.
    """

    area: Callable[..., Any]
    """The picture's ``area(level, out)``."""
    click: Callable[..., Any]
    """``click(level, state, square, out) -> n``: write the actions of a click, all legal, and return their number."""
    reach: Callable[..., Any]
    """``reach(level, state, grabbed, out)``: write 1 for each square on which a click has an effect if ``grabbed`` is
    -1, otherwise for those to which the thing on it can be dragged; 0 for the others."""
    actor: Callable[..., Any]
    """``actor(level, state) -> square``: the square of what the player moves."""
    drag: Callable[..., Any] | None = None
    """``drag(level, state, start, end, out) -> n``: as ``click``; None if nothing is dragged."""

    def functions(self) -> dict[str, Callable[..., Any]]:
        """Return the kernels of ``click`` and ``drag``, as plain functions."""
        click_rule, drag_rule = self.click, self.drag

        def click(level: Any, state: Any, square: Any, out: Any) -> Any:
            return click_rule(level, state, square, out)

        def drag(level: Any, state: Any, start: Any, end: Any, out: Any) -> Any:
            return drag_rule(level, state, start, end, out)  # type: ignore[misc]  # not None

        return {"click": click} if drag_rule is None else {"click": click, "drag": drag}

    def shape(self, level: Row) -> tuple[int, int]:
        """Return the board's (height, width) in squares."""
        out = np.zeros(6, np.int64)
        self.area(level, out)
        return int(out[0]), int(out[1])


class Touch(Gestures):
    """The gestures of a puzzle from rules."""

    rules: Rules

    def __init__(
        self, name: str, rules: Rules, click_words: str, drag_words: str = "", marks: tuple[str, ...] = ()
    ) -> None:
        kernels = _Kernels(name, rules)
        super().__init__(kernels.click, kernels.reachable, kernels.actor, click_words, kernels.drag, drag_words, marks)
        object.__setattr__(self, "rules", rules)


class _Kernels:
    """The rules as the functions of :class:`Gestures`."""

    def __init__(self, name: str, rules: Rules) -> None:
        self.name, self.rules = name, rules

    @functools.cached_property
    def kernels(self) -> dict[str, Callable[..., Any]]:
        reach_rule = self.rules.reach

        def reach(level: Any, state: Any, grabbed: Any, out: Any) -> None:
            reach_rule(level, state, grabbed, out)

        functions = {**self.rules.functions(), "reach": reach}
        return {part: compiled(kernel, f"{self.name}-{part}") for part, kernel in functions.items()}

    def click(self, level: Row, state: Row, options: Any, square: Square) -> Actions:
        """See :attr:`Gestures.click`."""
        return self._actions("click", level, state, square)

    def drag(self, level: Row, state: Row, options: Any, start: Square, end: Square) -> Actions:
        """See :attr:`Gestures.drag`."""
        return () if self.rules.drag is None else self._actions("drag", level, state, start, end)

    def reachable(self, level: Row, state: Row, options: Any, grabbed: Square | None) -> Set[Square]:
        """See :attr:`Gestures.reachable`."""
        shape = self.rules.shape(level)
        number = NOWHERE if grabbed is None else _number(shape, grabbed)
        if grabbed is not None and number == NOWHERE:
            return frozenset()
        out = np.zeros(shape[0] * shape[1], np.int64)
        tiered(self.kernels["reach"], level, state, number, out)
        return {divmod(square, shape[1]) for square in np.flatnonzero(out).tolist()}

    def actor(self, level: Row, state: Row) -> Square:
        """See :attr:`Gestures.actor`."""
        row, column = divmod(int(self.rules.actor(level, state)), self.rules.shape(level)[1])
        return row, column

    def _actions(self, kernel: str, level: Row, state: Row, *squares: Square) -> Actions:
        shape = self.rules.shape(level)
        numbers = [_number(shape, square) for square in squares]
        if NOWHERE in numbers:
            return ()
        out: npt.NDArray[np.int64] = np.zeros(action_limit(shape[0] * shape[1]), np.int64)
        count = tiered(self.kernels[kernel], level, state, *numbers, out)
        return tuple(out[:count].tolist())


def _number(shape: tuple[int, int], square: Square) -> int:
    row, column = square
    return row * shape[1] + column if 0 <= row < shape[0] and 0 <= column < shape[1] else NOWHERE
