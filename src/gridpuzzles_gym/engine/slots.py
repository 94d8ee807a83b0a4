"""Slots: memory for the observation and the action mask that a step of a single environment returns.

Every step returns new arrays. NumPy takes longer to copy two small arrays than the rules take for a step, and a third of
that for two views. Steps therefore return views of a few slots in turn, and a slot is used again once none of its views
is left. NumPy keeps them countable: each view, and each view of a view, holds one reference to the memory.
"""

from itertools import cycle
from sys import getrefcount
from typing import Any

import numpy as np
import numpy.typing as npt

from .form import Form

Array = npt.NDArray[Any]

COUNT = 8
"""The number of slots of an environment: enough for a loop that keeps the last observations, stacked frames say."""


class Slot:
    """Memory for one observation and one mask.

    Args:
        observation: An observation in the puzzle's own form; only its shape and dtype matter.
        mask: A mask; likewise.
        form: The form in which observations are returned.
        shared: True returns views, so that the slot must be free to be used; False returns copies.

    Attributes:
        address: Where the kernel copies the observation and, right behind it, the mask.
        observation: Returns a new array of the observation.
        mask: Returns a new array of the mask.
    """

    __slots__ = ("address", "mask", "memory", "observation", "references")

    def __init__(self, observation: Array, mask: Array, form: Form, shared: bool = True) -> None:
        size = observation.nbytes
        self.memory = np.empty(size + mask.nbytes, np.uint8)
        self.address = self.memory.ctypes.data
        kept = self.memory[:size].view(observation.dtype).reshape(observation.shape)
        self.observation = form.reader(kept, copy=not shared)
        self.mask = Form().reader(self.memory[size:].view(mask.dtype), copy=not shared)
        self.references = getrefcount(self.memory)


class Slots:
    """The slots of one environment; its arguments are those of a :class:`Slot`."""

    __slots__ = ("_copied", "_turns")

    def __init__(self, observation: Array, mask: Array, form: Form) -> None:
        self._turns = cycle([Slot(observation, mask, form) for _ in range(COUNT)])
        self._copied = Slot(observation, mask, form, shared=False)

    def take(self) -> Slot:
        """Return a slot to which the kernel may write."""
        slot = next(self._turns)
        return slot if getrefcount(slot.memory) == slot.references else self._copied
