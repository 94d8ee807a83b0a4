"""A trained model as the evaluator of a search: its policy, its values, and the distances to the goal they imply.

A network predicts the return V of its training, which is scaled, discounted, and of that environment's rewards. If
every action costs c, the goal gives G, and nothing else counts, the return from a state that is n actions away from
the goal is::

    V(n) = G · γ^(n-1) - c · (1 + γ + … + γ^(n-1)) = γ^n · (G/γ + c/(1-γ)) - c/(1-γ)

which is solved for n. A network that expects to fail now and then, or to take a detour, has a lower V, and so a
larger n: an estimate of its own effort, not a bound. In a reward scheme that also pays on the way to the goal, such
as for every box, n is too low at first, and rises by what was paid.
"""

import dataclasses
import math
import os
from typing import Any

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.config import EnvConfig, config_of, id_of
from gridpuzzles_gym.engine.kernels import kernel, make_mask_batch, make_observe_batch
from gridpuzzles_gym.engine.messages import one_line, quote, shorten
from gridpuzzles_gym.engine.puzzle import Puzzle

from ..networks.operations import NUMPY
from ..puzzle_agents import agents_record
from ..search.guided.evaluator import Evaluation
from .description import Description
from .model_file import Model, model_file, read_model
from .pretrained import PRETRAINED, pretrained_for

MOST_DISTANCE = 1e4
"""The distance of states in which a network expects no more than it would get without ever reaching the goal."""


class ModelEvaluator:
    """Evaluates states by a network without a memory; NumPy computes it.

    Args:
        model: The model.
        config: The configuration of the environment whose states it evaluates; its observation does not matter.

    Raises:
        ValueError: The model does not play this environment, has a memory, or its values imply no distances.
    """

    def __init__(self, model: Model, config: EnvConfig) -> None:
        description = model.description
        mismatch = description.mismatch(config, observed=False)
        if mismatch:
            raise ValueError(one_line(mismatch))
        seen = config.puzzle.observations[description.observation]
        network, self.weights = description.network_for(seen.space(config.extent).shape), model.weights
        self.network, self._plain = network, dataclasses.replace(network, averaged=False)
        if self.network.memory:
            raise ValueError("has a memory, and cannot evaluate a state by itself")
        self.discount = _discount(description)
        self._scale = description.reward_scale
        # Where something else moves, an action that changes nothing is a way to wait.
        self._masked = description.masks or config.puzzle.deterministic
        self._masks = kernel(make_mask_batch, config.puzzle)
        self._observe = kernel(make_observe_batch, config.puzzle, description.observation)
        self.options = config.options
        if hasattr(self.options, "reward"):
            scheme: Any = description.env_kwargs.get("reward", type(self.options).reward)
            self.options = dataclasses.replace(self.options, reward=scheme)
        self._rewards = Rewards.of(config.puzzle, self.options)

    def evaluate(
        self, levels: npt.NDArray[np.int16], states: npt.NDArray[np.int16], as_played: bool = False
    ) -> Evaluation:
        """Evaluate states: :meth:`~..search.guided.evaluator.Evaluator.evaluate`."""
        count, shape = len(states), self.network.shape
        views = np.empty((count, shape[0], math.prod(shape[1:])), np.uint8)
        self._observe(levels, states, views)
        masks = np.ones((count, self.network.actions), np.bool_)
        if self._masked:
            self._masks(levels, states, masks)
        network = self.network if as_played else self._plain
        output = network.forward(NUMPY, self.weights, views.reshape(count, *shape))
        returns = output.values.astype(np.float64) / self._scale
        distances = self._rewards.distances(returns, self.discount)
        return Evaluation(_log_softmax(output.logits.astype(np.float64), masks), returns, distances)


@dataclasses.dataclass(frozen=True)
class Rewards:
    """What an environment pays for reaching its goal."""

    step: float = -1.0
    """The reward of every action."""
    goal: float = 1000.0
    """The further reward of the action that reaches the goal."""

    @classmethod
    def of(cls, puzzle: Puzzle, options: Any) -> "Rewards":
        """Return those of a puzzle with these options."""
        scheme: Any = getattr(options, "reward", None)
        schemes = agents_record(puzzle).reward_schemes
        return cls(*schemes[scheme]) if scheme in schemes else cls()

    def distances(self, returns: npt.NDArray[np.float64], discount: float) -> npt.NDArray[np.float64]:
        """Return the numbers of actions that such returns imply, from 0 to MOST_DISTANCE."""
        if discount == 1:
            return np.clip((self.goal - returns) / max(-self.step, 1e-9), 0, MOST_DISTANCE)
        limit = self.step / (1 - discount)
        left = np.maximum((returns - limit) / (self.goal / discount - limit), 0.0)
        with np.errstate(divide="ignore"):
            return np.clip(np.log(left) / math.log(discount), 0, MOST_DISTANCE)


def load_evaluator(name: str | os.PathLike[str], env: Any) -> ModelEvaluator:
    """Return the evaluator for the states of an environment.

    Args:
        name: ``"pretrained"``, a model file, or the folder of a run.
        env: One of the suite's environments, single or vector, wrapped or not.

    Raises:
        ValueError: There is no such model, the file is damaged, or the model does not play this environment.
    """
    config = config_of(env)
    path = pretrained_for(config, id_of(env), observed=False) if name == PRETRAINED else model_file(str(name))
    model = read_model(path)
    try:
        return ModelEvaluator(model, config)
    except ValueError as error:
        raise ValueError(shorten(f"{path} {error}")) from None


def _discount(description: Description) -> float:
    gamma: Any = description.settings.get("gamma")
    if type(gamma) not in (int, float) or not 0 < gamma <= 1:
        raise ValueError(f"was trained with gamma={quote(gamma)}: its values imply no distances")
    return float(gamma)


def _log_softmax(logits: npt.NDArray[np.float64], masks: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """Return the logarithms of the probabilities of the legal actions; of all, where none is legal."""
    logits = np.where(masks | ~masks.any(axis=1, keepdims=True), logits, -np.inf)
    logits = logits - logits.max(axis=1, keepdims=True)
    log_policy: npt.NDArray[np.float64] = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    return log_policy
