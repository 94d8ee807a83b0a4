"""A network that plays: its weights on a device, and how it chooses actions."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from ...networks.network import Network, Output, Weights
from ..devices.captured import captured
from .operations import TorchOperations
from .weights import as_arrays, set_tensors, trainable

ILLEGAL = -1e8
"""The logit of an illegal action."""


class Decision(NamedTuple):
    """A network's actions in B environments, and its values of their states, on its device.

    The next decision overwrites them on a GPU.
    """

    actions: torch.Tensor
    """int64[B]"""
    log_probabilities: torch.Tensor
    """float32[B]"""
    values: torch.Tensor
    """float32[B]"""


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
        self._decide = captured(self._decision, device)

    def precision(self) -> AbstractContextManager[Any]:
        """Return the precision in which the network computes."""
        mixed = self.device.type == "cuda"
        return torch.autocast("cuda", torch.bfloat16, cache_enabled=False) if mixed else nullcontext()

    def arrays(self) -> dict[str, npt.NDArray[np.float32]]:
        """Return a copy of the weights as arrays."""
        return as_arrays(self.weights)

    def set_weights(self, weights: Weights) -> None:
        """Set weights, by name; others are not changed."""
        set_tensors(self.weights, weights)

    @torch.no_grad()
    def act(self, views: torch.Tensor, masks: torch.Tensor, memory: torch.Tensor) -> Decision:
        """Sample actions for B environments, and update a learned memory [B, M], else M = 0, in place.

        Args:
            views: What :meth:`read` reads, [B, ...].
            masks: bool[B, A]: legal actions; [B, 0] if all are allowed.
            memory: float32[B, M].
        """
        noise = torch.empty(len(views), self.network.actions, device=self.device)
        noise.exponential_(generator=self.generator)
        decision, after = self._decide(views, masks, memory, noise)
        memory.copy_(after)
        return decision

    def _decision(
        self, views: torch.Tensor, masks: torch.Tensor, memory: torch.Tensor, noise: torch.Tensor
    ) -> tuple[Decision, torch.Tensor]:
        """Return the decision and the memory after it; ``noise`` are exponential random numbers [B, A]."""
        output = self.read(views, memory)
        logs = log_probabilities(output.logits, masks)
        actions = (logs.exp() / noise).argmax(1)  # samples by probability: the fastest of A exponential clocks
        if output.memory is not None:
            memory = with_last_action(output.memory, actions, self.network.actions)
        return Decision(actions, logs.gather(1, actions[:, None])[:, 0], output.values), memory

    @torch.no_grad()
    def values(self, views: torch.Tensor, memory: torch.Tensor) -> torch.Tensor:
        """Return the values of states, float32[B]."""
        values: torch.Tensor = self.read(views, memory).values
        return values

    def read(self, views: torch.Tensor, memory: torch.Tensor) -> Output:
        """Compute the network's output, in float32, for views [B, ...] and a memory [B, M]."""
        with self.precision():
            output = self.network.read(self.ops, self.weights, views, memory if self.network.learns_memory else None)
        return Output(output.logits.float(), output.values.float(), output.memory)


def with_last_action(memory: torch.Tensor, actions: torch.Tensor, count: int) -> torch.Tensor:
    """Return memories [B, M] that end in these actions, int64[B] of ``count`` ones."""
    return torch.cat([memory[:, :-count], torch.nn.functional.one_hot(actions, count)], dim=1)


def log_probabilities(logits: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """Return log-probabilities [N, A]; with masks, bool[N, A] instead of [N, 0], those of illegal actions are -1e8."""
    if masks.shape[1]:
        logits = logits.masked_fill(~masks, ILLEGAL)
    return logits.log_softmax(1)
