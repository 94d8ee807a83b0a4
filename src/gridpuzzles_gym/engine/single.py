"""A batch of one environment, whose kernel returns what a step returns, as Python's numbers."""

from typing import Any

import numpy as np

from . import kernels
from .batch import Batch
from .levels import LevelSource
from .memory import frame_of
from .puzzle import Puzzle


class Single(Batch):
    """A batch of one environment without autoreset, with masks.

    Args:
        puzzle: The puzzle.
        options: The puzzle's own options.
        observation: A key of ``puzzle.observations``; None selects the first.
        source: The level source.

    Raises:
        ValueError: ``observation`` is unknown.
    """

    def __init__(self, puzzle: Puzzle, options: Any, observation: str | None, source: LevelSource) -> None:
        super().__init__(puzzle, options, observation, source, size=1, masks=True)
        self._arguments = (puzzle, options, observation, source)

    def _kernel(self) -> Any:
        views, kinds = (self.views.dtype, self.views.ndim), tuple(self.metric_kinds.values())
        return kernels.kernel(kernels.make_step_one, self.puzzle, self.observation, views, kinds)

    def _connect(self) -> None:
        super()._connect()
        self._arguments_frame = frame_of((self._frame, self.views))
        self._address = self._arguments_frame.ctypes.data
        self._unseen = np.empty(self.views.nbytes + self.masks.nbytes, np.uint8)

    def _run(self) -> int:
        count: int = self._step_batch(self._address, int(self.actions[0]), self._unseen.ctypes.data)[0]
        return count

    def step_one(self, action: int, address: int) -> tuple[Any, ...]:
        """Apply an action.

        Args:
            action: The action.
            address: Where to copy the observation and, right behind it, the mask.

        Returns:
            1 if that has ended the episode, otherwise 0; the reward; the puzzle's metrics.

        Raises:
            ValueError: The action is out of range; nothing was changed.
            OverflowError: It is no int64; nothing was changed.
            ResetNeeded: The environment was never reset, or its episode has ended.
        """
        if not self.started:
            self.check_started()
        step_one = self._step_batch
        numbers: tuple[Any, ...] = step_one(self._address, action, address)
        if numbers[0]:
            self._follow(numbers[0])
        return numbers
