"""Proximal policy optimization (J. Schulman et al., 2017), as Stable-Baselines3 does it: one update."""

from typing import Any, NamedTuple

import torch

from .learner import Experience, Learner, cross_entropy

VALUE_WEIGHT = 0.5
"""Weight of the squared error of values."""


class Coefficients(NamedTuple):
    """The coefficients of one update; see :class:`~gridpuzzles_gym.agents.training.settings.Settings`.

    They are tensors where a gradient step is captured.
    """

    learning_rate: float
    clip_range: float
    entropy: float
    pull: float = 0.0


def improve_policy(
    learner: Learner, experience: Experience, batch_size: int, epochs: int, coefficients: Coefficients
) -> None:
    """Take gradient steps on a rollout.

    Args:
        learner: The learner whose experience it is.
        experience: The rollout.
        batch_size: States per gradient step.
        epochs: Passes over the experience.
        coefficients: The coefficients of this update.
    """
    if not coefficients.pull:
        experience = experience._replace(labels=experience.labels[..., :0])
    step = learner.step(gradient_step)
    for _ in range(epochs):
        for batch in learner.minibatches(experience, batch_size):
            step(*batch, *coefficients)


def gradient_step(learner: Learner, *arguments: Any) -> None:
    """Improve a learner by a minibatch: the fields of an :class:`.Experience`, then those of :class:`Coefficients`."""
    fields = len(Experience._fields)
    batch, coefficients = Experience._make(arguments[:fields]), Coefficients._make(arguments[fields:])
    batch = batch._replace(advantages=normalized(batch.advantages))
    learner.improve(loss_of(learner, batch, coefficients), coefficients.learning_rate)


def normalized(advantages: torch.Tensor) -> torch.Tensor:
    """Return the advantages of a minibatch with mean 0 and standard deviation 1; a single one as it is."""
    return (advantages - advantages.mean()) / (advantages.std() + 1e-8) if advantages.numel() > 1 else advantages


def entropies(logs: torch.Tensor) -> torch.Tensor:
    """Return the entropy [N] of each policy, from its log-probabilities [N, A]."""
    return -(logs.exp() * logs).sum(1)


def loss_by_rewards(
    logs: torch.Tensor, values: torch.Tensor, batch: Experience, clip_range: float, entropy: float
) -> torch.Tensor:
    """Return the mean loss of N states by their rewards: clipped objective, error of values, entropy bonus.

    Args:
        logs: Log-probabilities [N, A].
        values: [N].
        batch: The states, with normalized advantages.
        clip_range: How far the ratio of probabilities may be from 1.
        entropy: Weight of the bonus.
    """
    actions, old, advantages = (x.flatten() for x in (batch.actions, batch.log_probabilities, batch.advantages))
    ratio = (logs.gather(1, actions[:, None])[:, 0] - old).exp()
    clipped = ratio.clamp(1 - clip_range, 1 + clip_range)
    policy_loss = -torch.minimum(advantages * ratio, advantages * clipped).mean()
    value_loss = (values - batch.returns.flatten()).square().mean()
    return policy_loss + VALUE_WEIGHT * value_loss - entropy * entropies(logs).mean()


def loss_of(learner: Learner, batch: Experience, coefficients: Coefficients) -> torch.Tensor:
    """Return the mean loss of some states: by their rewards, and the pull of the teacher if there are labels."""
    logs, values = learner.outputs(batch)
    loss = loss_by_rewards(logs, values, batch, coefficients.clip_range, coefficients.entropy)
    return loss + coefficients.pull * cross_entropy(logs, batch) if batch.labels.shape[-1] else loss
