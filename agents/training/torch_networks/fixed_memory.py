"""Memories without weights, in training: computed once per step, and used like observations."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ...networks.network import Network
from ...networks.operations import NUMPY


class FixedMemory:
    """The memories of a batch of episodes that :meth:`.Network.remember` computes; empty if a network has none.

    Args:
        network: The network; the numbers of its memory are integers from 0 to 255.
        count: B, the number of environments.
    """

    def __init__(self, network: Network, count: int) -> None:
        self._network = network
        self._memory = np.zeros((count, 0 if network.learns_memory else network.memory), np.uint8)

    def seen(
        self, observations: npt.NDArray[Any], envs: npt.NDArray[np.intp] | slice = slice(None)
    ) -> npt.NDArray[Any]:
        """Return the input of the network's first layer; changes nothing.

        Args:
            observations: The observations of these environments.
            envs: Their numbers.
        """
        seen: npt.NDArray[Any] = self._network.remember(
            NUMPY, self._network.view(NUMPY, observations), self._memory[envs]
        )
        return seen

    def acted(self, seen: npt.NDArray[Any], actions: npt.NDArray[np.int64]) -> None:
        """Add a step to the memories: the input in all environments, and the chosen actions, int[B]."""
        if self._memory.shape[1]:
            count = self._network.actions
            self._memory[:, :-count] = seen
            self._memory[:, -count:] = np.arange(count) == actions[:, None]

    def forget(self, envs: npt.NDArray[np.bool_]) -> None:
        """Reset the memories of some environments, bool[B], where episodes begin."""
        self._memory[envs] = 0
