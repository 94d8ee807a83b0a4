"""Behaviour cloning: one update towards the teacher's actions, on the latest labelled states."""

from collections.abc import Iterator

import torch

from .learner import Experience, Learner, cross_entropy
from .ppo import VALUE_WEIGHT


class LabelledStates:
    """The latest labelled states, from which cloning samples: a ring buffer.

    Args:
        capacity: Maximum number of states.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.count = self._next = 0
        self._stored: list[torch.Tensor] = []

    def add(self, experience: Experience) -> None:
        """Store the states of a rollout in which the teacher has advice."""
        known = experience.known.flatten().nonzero()[:, 0]
        rows = [x.flatten(0, 1)[known][-self.capacity :] for x in experience[:-1]]
        if not self._stored:
            self._stored = [x.new_zeros(self.capacity, *x.shape[1:]) for x in rows]
        count = len(rows[0])
        places = (self._next + torch.arange(count, device=known.device)) % self.capacity
        for stored, new in zip(self._stored, rows, strict=True):
            stored[places] = new
        self._next = (self._next + count) % self.capacity
        self.count = min(self.count + count, self.capacity)

    def sample(self, learner: Learner, size: int, times: int) -> Iterator[Experience]:
        """Yield ``times`` random minibatches of ``size`` states."""
        for _ in range(times if self.count else 0):
            rows = torch.randint(self.count, (size,), device=learner.device, generator=learner.generator)
            yield Experience._make([*(x[rows] for x in self._stored), self._stored[0].new_zeros(0)])


def imitate(
    learner: Learner, experience: Experience, stored: LabelledStates | None, batch_size: int, epochs: int, rate: float
) -> float:
    """Take gradient steps towards the teacher's actions, and the values towards the returns.

    Args:
        learner: The learner.
        experience: The last rollout.
        stored: The states to sample from; None: only those of this rollout.
        batch_size: States per gradient step.
        epochs: Passes over as many states as the rollout has.
        rate: Adam's learning rate.

    Returns:
        The mean loss.
    """
    batches: Iterator[Experience]
    if stored is None:
        batches = (batch for _ in range(epochs) for batch in learner.minibatches(experience, batch_size))
    else:
        stored.add(experience)
        batches = stored.sample(learner, batch_size, -(-epochs * experience.actions.numel() // batch_size))
    losses = []
    for batch in batches:
        logs, values = learner.outputs(batch)
        loss = cross_entropy(logs, batch) + VALUE_WEIGHT * (values - batch.returns.flatten()).square().mean()
        learner.improve(loss, rate)
        losses.append(loss.detach())
    return float(torch.stack(losses).mean()) if losses else float("nan")
