"""A network in training: its optimiser, and its experience."""

import functools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import torch

from ..networks.network import Network, Weights
from .checkpoints import GENERATOR
from .devices.captured import captured
from .torch_networks.acting import ActingNetwork, log_probabilities, with_last_action
from .torch_networks.adam import Arrays, adam_for, adam_state, set_adam_state

MAX_GRADIENT = 0.5
"""Maximum norm of a gradient."""


class Experience(NamedTuple):
    """What happened in T steps of B environments, as tensors [T, B, ...] on the learner's device; or a minibatch of it.

    A minibatch has one axis [N, ...]; for networks with a learned memory it is [T, b, ...], whole environments.
    """

    views: torch.Tensor
    """The input of the first layer, :meth:`~gridpuzzles_gym.agents.networks.network.Network.remember`."""
    masks: torch.Tensor
    """bool[T, B, A]: legal actions; [T, B, 0] if the policy is not masked."""
    actions: torch.Tensor
    """int64[T, B]"""
    log_probabilities: torch.Tensor
    """float32[T, B], of these actions when they were chosen."""
    values: torch.Tensor
    """float32[T, B], estimated when the actions were chosen."""
    advantages: torch.Tensor
    """float32[T, B], by generalized advantage estimation."""
    returns: torch.Tensor
    """float32[T, B]: advantages plus values."""
    labels: torch.Tensor
    """float32[T, B, A]: the teacher's probabilities of actions; [T, B, 0] without a teacher."""
    known: torch.Tensor
    """bool[T, B]: True where the teacher has advice."""
    starts: torch.Tensor
    """bool[T, B]: True in the first state of an episode."""
    memory: torch.Tensor
    """float32[B, M], before the first step; M = 0 unless the network has a learned memory."""


class Learner(ActingNetwork):
    """A network whose weights are trained by Adam.

    Args:
        network: The network.
        weights: Its initial weights, by name.
        device: Where they are trained. On a GPU, networks compute in bfloat16.
        seed: Random seed of the actions it samples and the minibatches it is given.
        threads: Number of threads on a CPU.
    """

    def __init__(
        self, network: Network, weights: Weights, device: torch.device, seed: int = 0, threads: int = 1
    ) -> None:
        super().__init__(network, weights, device, seed)
        self.optimiser = adam_for(self.weights)
        self._steps: dict[Callable[..., None], Callable[..., None]] = {}
        torch.set_num_threads(threads)

    def outputs(self, batch: Experience) -> tuple[torch.Tensor, torch.Tensor]:
        """Return log-probabilities [N, A] and values [N] for a minibatch with N states in all."""
        masks = batch.masks.flatten(0, -2)
        if not self.network.learns_memory:
            output = self.read(batch.views, batch.memory)
            return log_probabilities(output.logits, masks), output.values
        logits, values, memory = [], [], batch.memory
        for step, going_on in enumerate((~batch.starts).float()):
            output = self.read(batch.views[step], memory * going_on[:, None])
            logits.append(output.logits)
            values.append(output.values)
            assert output.memory is not None
            memory = with_last_action(output.memory, batch.actions[step], self.network.actions)
        return log_probabilities(torch.cat(logits), masks), torch.cat(values)

    def minibatches(self, experience: Experience, size: int) -> Iterator[Experience]:
        """Yield all of an experience once, in random order, in minibatches of about ``size`` states."""
        steps, count = experience.actions.shape
        if self.network.learns_memory:
            order = torch.randperm(count, device=self.device, generator=self.generator)
            for columns in order.split(max(size // steps, 1)):
                yield Experience._make([*(x[:, columns] for x in experience[:-1]), experience.memory[columns]])
        else:
            flat = [x.flatten(0, 1) for x in experience[:-1]]
            order = torch.randperm(steps * count, device=self.device, generator=self.generator)
            for rows in order.split(size):
                yield Experience._make([*(x[rows] for x in flat), experience.memory[:0]])

    def step(self, function: Callable[..., None]) -> Callable[..., None]:
        """Return ``function(learner, *arguments)``, a gradient step, as a function of the other arguments.

        On a GPU it is captured as a CUDA graph, :class:`.Captured`.
        """
        if function not in self._steps:
            self._steps[function] = captured(functools.partial(function, self), self.device)
        return self._steps[function]

    def improve(self, loss: torch.Tensor, rate: Any) -> None:
        """Take one step of Adam, with this learning rate, a number or a tensor, to reduce the loss of a minibatch."""
        self.optimiser.zero_grad()
        loss.backward()
        [group] = self.optimiser.param_groups
        torch.nn.utils.clip_grad_norm_(group["params"], MAX_GRADIENT, foreach=True)
        group["lr"] = rate
        group["capturable"] = loss.is_cuda and torch.cuda.is_current_stream_capturing()
        self.optimiser.step()

    def get_state(self) -> Arrays:
        """Return the weights, the optimiser's moments and the state of the random numbers, for a checkpoint."""
        return adam_state(self.weights, self.optimiser) | {GENERATOR: self.generator.get_state().cpu().numpy()}

    def set_state(self, state: Arrays) -> None:
        """Restore a state that :meth:`get_state` returned, on this kind of device or another."""
        set_adam_state(self.weights, self.optimiser, state)
        saved, own = torch.from_numpy(state[GENERATOR]), self.generator.get_state()
        if saved.shape == own.shape and saved.dtype == own.dtype:  # else it was saved on another kind of device
            self.generator.set_state(saved)


def cross_entropy(logs: torch.Tensor, batch: Experience) -> torch.Tensor:
    """Return the mean cross-entropy of a policy [N, A] with the teacher's; 0 in states where it is unknown."""
    return -((batch.labels.flatten(0, -2) * logs).sum(1) * batch.known.flatten()).mean()
