"""A network that plays: its weights on a device, and how it chooses actions."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from ...networks.network import Network, Output, Weights
from .operations import TorchOperations
from .weights import as_arrays, set_tensors, trainable

ILLEGAL = -1e8
"""The logit of an illegal action."""


class Decision(NamedTuple):
    """A network's actions in B environments, and its values of their states."""

    actions: npt.NDArray[np.int64]
    log_probabilities: npt.NDArray[np.float32]
    values: npt.NDArray[np.float32]


class ActingNetwork:
    """A network with its weights on a device, which samples actions.

    Args:
        network: The network.
        weights: Its weights, by name.
        device: The device. On a GPU, networks compute in bfloat16.
        seed: Random seed of the actions it samples.
    """

    def __init__(self, network: Network, weights: Weights, device: torch.device, seed: int = 0) -> None:
        self.network, self.device, self.ops = network, device, TorchOperations(device)
        self.weights = trainable(network, weights, device)
        self.generator = torch.Generator(device).manual_seed(seed)
        self._precision = (device.type, torch.bfloat16, device.type == "cuda")

    def precision(self) -> AbstractContextManager[Any]:
        """Return the precision in which the network computes."""
        kind, dtype, mixed = self._precision
        return torch.autocast(kind, dtype) if mixed else nullcontext()

    def arrays(self) -> dict[str, npt.NDArray[np.float32]]:
        """Return a copy of the weights as arrays."""
        return as_arrays(self.weights)

    def set_weights(self, weights: Weights) -> None:
        """Set weights, by name; others are not changed."""
        set_tensors(self.weights, weights)

    def tensor(self, array: npt.NDArray[Any]) -> torch.Tensor:
        """Return an array on the learner's device; on the CPU it shares the array's memory."""
        return torch.from_numpy(array).to(self.device, non_blocking=True)

    @torch.no_grad()
    def act(self, views: npt.NDArray[Any], masks: npt.NDArray[np.bool_] | None, memory: torch.Tensor) -> Decision:
        """Sample actions for B environments, and update a learned memory [B, M], else M = 0, in place."""
        output = self.read(self.tensor(views), memory)
        logs = log_probabilities(output.logits, None if masks is None else self.tensor(masks))
        noise = torch.empty_like(logs).exponential_(generator=self.generator)
        actions = (logs.exp() / noise).argmax(1)  # samples by probability: the fastest of A exponential clocks
        if output.memory is not None:
            memory.copy_(with_last_action(output.memory, actions, self.network.actions))
        chosen = logs.gather(1, actions[:, None])[:, 0]
        numbers = torch.stack([actions.float(), chosen, output.values]).cpu().numpy()  # one copy from the device
        return Decision(numbers[0].astype(np.int64), numbers[1], numbers[2])

    @torch.no_grad()
    def values(self, views: npt.NDArray[Any], memory: torch.Tensor) -> npt.NDArray[np.float32]:
        """Return the values of states, float32[B]."""
        values: npt.NDArray[np.float32] = self.read(self.tensor(views), memory).values.cpu().numpy()
        return values

    def read(self, views: torch.Tensor, memory: torch.Tensor) -> Output:
        """Compute the network's output, in float32, for views [B, ...] and a memory [B, M]."""
        with self.precision():
            output = self.network.read(self.ops, self.weights, views, memory if self.network.learns_memory else None)
        return Output(output.logits.float(), output.values.float(), output.memory)


def with_last_action(memory: torch.Tensor, actions: torch.Tensor, count: int) -> torch.Tensor:
    """Return memories [B, M] that end in these actions, int64[B] of ``count`` ones."""
    return torch.cat([memory[:, :-count], torch.nn.functional.one_hot(actions, count)], dim=1)


def log_probabilities(logits: torch.Tensor, masks: torch.Tensor | None) -> torch.Tensor:
    """Return log-probabilities [N, A]; with masks, bool[N, A], those of illegal actions are about -1e8."""
    if masks is not None:
        logits = logits.masked_fill(~masks, ILLEGAL)
    return logits.log_softmax(1)
