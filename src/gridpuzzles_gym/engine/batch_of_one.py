"""A batch of one environment, whose kernel returns the numbers that a step returns.

A step of one environment takes as long as reading a few numbers from arrays. Its kernel is the loop of all batches
behind a shorter call: it takes the action as an integer, copies the observation and the mask to where the caller wants
them, and returns the rest.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from collections.abc import Callable
from ctypes import memmove
from typing import Any

import numpy as np

from . import kernels
from .batch import Batch
from .compile.compilation import compiled, rule
from .compile.memory import copy_to, frame_of, frame_reader, numbers_reader
from .kernels import FRAME, REWARD, arrays_of, rules_title, step_batch_of
from .levels.sources import LevelSource
from .puzzle import Puzzle


def make_step_one(
    puzzle: Puzzle, observation: str, views: tuple[np.dtype[Any], int], kinds: tuple[type, ...]
) -> Callable[..., tuple[Any, ...]]:
    """Make ``step_batch`` for a batch of one, behind a shorter call.

    Args:
        puzzle: The puzzle.
        observation: A key of ``puzzle.observations``.
        views: The dtype of ``views`` and the number of its axes.
        kinds: The types of the puzzle's metrics, int or bool.

    Returns:
        ``step_one(arguments, action, target) -> (ended, reward, *metrics)``: ``arguments`` is the address of a frame
        of the arguments of ``step_batch``, and ``ended`` is what that returns. The observation and, right behind it,
        the mask are copied to the address ``target``.
    """
    step_batch, numbers_of = rule(step_batch_of(puzzle, observation)), numbers_reader(kinds)
    arguments_of = frame_reader([(np.int64, 2), views])
    actions, metrics, scores, masks = map(list(FRAME).index, ("actions", "metrics", "scores", "masks"))

    def step_one(arguments, action, target):
        frame, views = arguments_of(arguments)
        arrays = arrays_of(frame)
        arrays[actions][0] = action
        ended = step_batch(frame, views)
        copy_to(views[0], target)
        copy_to(arrays[masks][0], target + views[0].nbytes)
        return (ended, float(arrays[scores][REWARD, 0]), *numbers_of(arrays[metrics][:, 0]))

    return compiled(step_one, f"{puzzle.name}-{observation}-step-one", title=rules_title(puzzle))


class BatchOfOne(Batch):
    """A batch of one environment, with masks and without autoreset.

    Args:
        puzzle: The puzzle.
        options: The puzzle's own options.
        observation: A key of ``puzzle.observations``, or ``"pixels"``; None selects the first.
        source: The level source.
        tile: The width of a square, in pixels, as for all batches.

    Raises:
        ValueError: ``observation`` is unknown, or ``tile`` is invalid.
    """

    def __init__(
        self, puzzle: Puzzle, options: Any, observation: str | None, source: LevelSource, tile: int | None = None
    ) -> None:
        super().__init__(puzzle, options, observation, source, size=1, masks=True, tile=tile)
        self._arguments = (puzzle, options, observation, source, tile)

    def _connect(self) -> None:
        self._unseen = np.empty(self.views.nbytes + self.masks.nbytes, np.uint8)
        super()._connect()
        self._arrays = frame_of((self._frame, self.views))
        self._address = self._arrays.ctypes.data
        self._unread = np.empty(self.observations.nbytes + self.masks.nbytes, np.uint8)
        self._nowhere = self._unread.ctypes.data

    def _step_with(self, step: Callable[..., Any]) -> None:
        # A step that draws copies the picture; the kernel copies the rows of which it is one, and those nobody reads.
        painter = self._painter
        if painter is None:
            return super()._step_with(step)
        rows, picture, mask = (array.ctypes.data for array in (self._unseen, painter.pixels, self.masks))
        size, mask_size = painter.pixels.nbytes, self.masks.nbytes

        def step_and_paint(arguments: int, action: int, target: int) -> Any:
            numbers = step(arguments, action, rows)
            painter.paint()
            memmove(target, picture, size)
            memmove(target + size, mask, mask_size)
            return numbers

        self._step_batch = step_and_paint

    def _kernel(self) -> Any:
        views, kinds = (self.views.dtype, self.views.ndim), tuple(self.metric_kinds.values())
        return kernels.kernel(make_step_one, self.puzzle, self.observation, views, kinds)

    def _first_steps(self, *arguments: Any) -> Any:
        if arguments[1].bit_length() > 63:  # for which numba would compile another kernel
            raise OverflowError
        return super()._first_steps(*arguments)

    def _run(self) -> int:
        self.numbers = self._step_batch(self._address, self.actions.item(), self._nowhere)
        return int(self.numbers[0])

    def step_one(self, action: int, target: int) -> tuple[Any, ...]:
        """Apply an action.

        Args:
            action: The action.
            target: The address to which the observation and, right behind it, the mask are copied.

        Returns:
            1 if the episode has ended, otherwise 0; the reward; the puzzle's metrics.

        Raises:
            ValueError: The action is out of range; nothing was changed.
            OverflowError: It does not fit into an int64; nothing was changed.
            ResetNeeded: The environment was never reset, or its episode has ended.
        """
        if not self.started:
            self.check_started()
        step_one = self._step_batch  # a local variable, because Python calls what an attribute holds more slowly
        numbers: tuple[Any, ...] = step_one(self._address, action, target)
        if numbers[0]:
            self._follow(numbers[0])
        return numbers
