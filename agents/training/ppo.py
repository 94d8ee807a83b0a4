"""Proximal policy optimization (J. Schulman et al., 2017), as Stable-Baselines3 does it: one update."""

from typing import NamedTuple

import torch

from .learner import Experience, Learner, cross_entropy

VALUE_WEIGHT = 0.5
"""Weight of the squared error of values."""


class Coefficients(NamedTuple):
    """The coefficients of one update; see :class:`~gridpuzzles_gym.agents.training.settings.Settings`."""

    learning_rate: float
    clip_range: float
    entropy: float
    pull: float = 0.0


def improve_policy(
    learner: Learner, experience: Experience, batch_size: int, epochs: int, coefficients: Coefficients
) -> None:
    """Take gradient steps on what was just experienced.

    Args:
        learner: The learner whose experience it is.
        experience: All of a rollout.
        batch_size: States per gradient step.
        epochs: Passes over the experience.
        coefficients: Those of this update.
    """
    for _ in range(epochs):
        for batch in learner.minibatches(experience, batch_size):
            learner.improve(loss_of(learner, batch, coefficients), coefficients.learning_rate)


def loss_of(learner: Learner, batch: Experience, coefficients: Coefficients) -> torch.Tensor:
    """Return the loss of a minibatch: the clipped objective, the values' error, the entropy bonus, the teacher's pull."""
    logs, values = learner.outputs(batch)
    actions, old = batch.actions.flatten(), batch.log_probabilities.flatten()
    advantages = batch.advantages.flatten()
    if len(advantages) > 1:
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    ratio = (logs.gather(1, actions[:, None])[:, 0] - old).exp()
    clipped = ratio.clamp(1 - coefficients.clip_range, 1 + coefficients.clip_range)
    policy_loss = -torch.minimum(advantages * ratio, advantages * clipped).mean()
    value_loss = (values - batch.returns.flatten()).square().mean()
    entropy = -(logs.exp() * logs).sum(1).mean()
    loss = policy_loss + VALUE_WEIGHT * value_loss - coefficients.entropy * entropy
    if coefficients.pull:
        loss = loss + coefficients.pull * cross_entropy(logs, batch.labels.flatten(0, -2), batch.known.flatten())
    return loss
