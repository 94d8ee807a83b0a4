"""A trained model as an agent, the models that come with the suite, and a model as the evaluator of a search.

None of this needs PyTorch: NumPy computes the network, and kernels its convolutions.

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
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.config import EnvConfig, config_of, id_of, masks_of
from gridpuzzles_gym.engine.kernels import kernel, make_mask_batch, make_observe_batch
from gridpuzzles_gym.engine.messages import one_line, quote, shorten
from gridpuzzles_gym.engine.puzzle import Puzzle
from gridpuzzles_gym.engine.random import RandomBits
from gridpuzzles_gym.registration import bare_id, find_spec

from ..policy import State, advance, as_batch, seed_bits
from ..puzzle_agents import agents_record
from ..search.heuristic import Evaluation
from ..thoughts import Thoughts
from .model_file import Description, Model, model_file, read_description, read_model


class TrainedAgent:
    """An agent that plays by the policy of a trained network.

    Args:
        model: The model.
        env: The environment, single or vector; the agent asks it for action masks.
        seed: Random seed for sampling actions; environment ``i`` of a batch samples as ``seed + i`` does by itself.

    Raises:
        ValueError: The model does not play this environment.
    """

    rows: ClassVar[int] = 256
    """Observations that are computed at once; with more, the numbers between two layers leave the processor's cache."""
    most_seen: ClassVar[int] = 2**15
    """Observations whose outputs are kept, if the network is averaged."""

    def __init__(self, model: Model, env: Any, seed: int = 0) -> None:
        config, description = config_of(env), model.description
        mismatch = description.mismatch(config, id_of(env))
        if mismatch:
            raise ValueError(one_line(mismatch))
        self.network = description.network_for(config.space.shape)
        self.weights, self.seed = model.weights, seed
        self._ops = self.network.operations(model.weights)
        self._seen: dict[bytes, tuple[Any, Any]] = {}
        self._env = env if description.masks else None
        self._scale = description.reward_scale

    def predict(
        self,
        observation: npt.NDArray[Any],
        state: State | None = None,
        episode_start: npt.NDArray[np.bool_] | None = None,
        deterministic: bool = False,
    ) -> tuple[npt.NDArray[np.int64] | np.int64, State]:
        """Choose actions: sampled, or the likeliest ones if ``deterministic``.

        The state holds, for each environment: random bits uint64[B], and what led to the action: the probabilities of
        all actions float64[B, A] and the network's value float32[B].

        Raises:
            ValueError: The observation has another shape, or masks are needed and the environment has another size.
        """
        observations, single = as_batch(observation, self.network.shape)
        count = len(observations)
        random_bits = seed_bits(self.seed, count) if state is None else advance(state[0])
        probabilities, values = self._computed(observations, self._masks(count))
        actions = probabilities.argmax(axis=1) if deterministic else _sampled(probabilities, random_bits)
        return actions[0] if single else actions, (random_bits, probabilities, values)

    def thoughts(self, observation: npt.NDArray[Any], state: State | None, i: int = 0) -> Thoughts:
        """Return the probability of each action, and the return that the network expects, discounted as in training."""
        if state is None:
            _, state = self.predict(observation)
        chances, value = state[1][i], float(state[2][i]) / self._scale
        return Thoughts(probabilities=tuple(chances.tolist()), figures={"expected return": f"{value:+.4g}"})

    def _masks(self, count: int) -> npt.NDArray[np.bool_] | None:
        """Return the legal actions, bool[B, A], if the model uses masks; where there is none, all."""
        if self._env is None:
            return None
        masks = masks_of(self._env)
        if len(masks) != count:
            raise ValueError(f"the environment has {len(masks)} action masks for {count} observations")
        return masks | ~masks.any(axis=1, keepdims=True)

    def _computed(
        self, observations: npt.NDArray[Any], masks: npt.NDArray[np.bool_] | None
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float32]]:
        """Return the probabilities [B, A] and the values [B]."""
        logits, values = (self._recalled if self.network.averaged else self._output)(observations)
        logits = logits.astype(np.float64)
        if masks is not None:
            logits = np.where(masks, logits, -np.inf)
        chances = np.exp(logits - logits.max(axis=1, keepdims=True))
        return chances / chances.sum(axis=1, keepdims=True), values

    def _output(self, observations: npt.NDArray[Any]) -> list[npt.NDArray[np.float32]]:
        """Return the logits [B, A] and the values [B]."""
        firsts = range(0, len(observations), self.rows)
        parts = [observations[first : first + self.rows] for first in firsts]
        outputs = [self.network.forward(self._ops, self.weights, part) for part in parts]
        return [np.concatenate(arrays) for arrays in zip(*outputs, strict=True)]

    def _recalled(self, observations: npt.NDArray[Any]) -> list[npt.NDArray[np.float32]]:
        """Return the same, and compute what was not seen before: an agent that is stuck goes round in circles."""
        if len(self._seen) > self.most_seen:
            self._seen.clear()
        keys = [observation.tobytes() for observation in observations]
        new = {key: i for i, key in enumerate(keys) if key not in self._seen}
        if new:
            rows = list(new.values())
            logits, values = self._output(observations[rows])
            self._seen.update(zip(new, zip(logits, values, strict=True), strict=True))
        return [np.array(arrays) for arrays in zip(*(self._seen[key] for key in keys), strict=True)]


def load_trained(path: str | os.PathLike[str], env: Any, seed: int = 0) -> TrainedAgent:
    """Return the agent of a model file, or of the folder of a run.

    Args:
        path: The file or folder.
        env: The environment to play, single or vector.
        seed: As for :class:`TrainedAgent`.

    Raises:
        ValueError: There is no model, the file is damaged, or the model does not play this environment.
    """
    model = read_model(path)
    try:
        return TrainedAgent(model, env, seed)
    except ValueError as error:
        raise ValueError(shorten(f"{model_file(path)} {error}")) from None


def _sampled(probabilities: npt.NDArray[np.float64], random_bits: RandomBits) -> npt.NDArray[np.int64]:
    """Return an action for each environment, by inversion of its distribution: never one of probability 0."""
    bounds = np.cumsum(probabilities, axis=1)
    uniform = (random_bits >> np.uint64(11)).astype(np.float64) * 2.0**-53
    actions: npt.NDArray[np.int64] = (bounds <= uniform[:, None] * bounds[:, -1:]).sum(axis=1)
    return actions


PRETRAINED = "pretrained"
"""The name of the agent that plays them."""
_FOLDER = Path(__file__).parent / PRETRAINED
_SUFFIX = ".safetensors"


def model_to_start(name: str, env_id: str) -> Path:
    """Return the model of that name to begin training with: a path, or PRETRAINED.

    Args:
        name: The path of a model file or of the folder of a run, or PRETRAINED.
        env_id: The id of the environment to train on, with or without ``module:`` before it.

    Raises:
        ValueError: There is no pretrained model of this id.
    """
    path = _FOLDER / f"{bare_id(env_id)}{_SUFFIX}" if name == PRETRAINED else Path(name)
    if name == PRETRAINED and not path.is_file():
        raise ValueError(f"there is no pretrained model of {env_id}")
    return path


def pretrained_models(puzzle: Puzzle) -> dict[str, Path]:
    """Return the models of a puzzle, by the id of the environment that each was trained on."""
    found = {}
    for path in sorted(_FOLDER.glob(f"*{_SUFFIX}")):
        env_id = path.name.removesuffix(_SUFFIX)
        spec = find_spec(env_id)
        if spec is not None and spec.kwargs.get("puzzle") in (puzzle.module, puzzle):
            found[env_id] = path
    return found


def pretrained_observation(puzzle: Puzzle, env_id: str | None = None) -> str:
    """Return the ``observation=`` of an id's model; that of the puzzle's first model if the id has none.

    Raises:
        ValueError: There is no model of this puzzle, or its file is damaged.
    """
    return read_description(_ordered(puzzle, env_id)[0]).observation


def fits_pretrained(config: EnvConfig, env_id: str | None = None) -> bool:
    """Whether a model plays an environment of this configuration."""
    return any(not read_description(path).mismatch(config) for path in _ordered(config.puzzle, env_id))


def pretrained_for(config: EnvConfig, env_id: str | None = None, observed: bool = True) -> Path:
    """Return the model for an environment: that of its id, otherwise another one of the puzzle that plays it.

    The arguments are those of :meth:`~.model_file.Description.mismatch`.

    Raises:
        ValueError: No model plays this environment, or a file is damaged.
    """
    reasons = []
    for path in _ordered(config.puzzle, env_id):
        mismatch = read_description(path).mismatch(config, env_id, observed)
        if not mismatch:
            return path
        reasons.append(f"that of {path.name.removesuffix(_SUFFIX)} {mismatch}")
    raise ValueError(f"no pretrained model plays this environment: {'; '.join(reasons)}")


def load_pretrained(env: Any, seed: int = 0) -> TrainedAgent:
    """Return the agent for an environment, by the model of :func:`pretrained_for`.

    Raises:
        ValueError: No model plays this environment, or a file is damaged.
    """
    return load_trained(pretrained_for(config_of(env), id_of(env)), env, seed)


def _ordered(puzzle: Puzzle, env_id: str | None) -> list[Path]:
    """Return the models of a puzzle, that of the id first."""
    models = pretrained_models(puzzle)
    own = models.pop((env_id or "").rpartition(":")[2], None)
    if own is None and not models:
        raise ValueError(f"there is no pretrained model of {puzzle.title}")
    return [*([] if own is None else [own]), *models.values()]


MOST_DISTANCE = 1e4
"""The distance of states in which a network expects no more than it would get without ever reaching the goal."""


class ModelEvaluator:
    """Evaluates states by a network.

    Args:
        model: The model.
        config: The configuration of the environment whose states it evaluates; its observation does not matter.

    Raises:
        ValueError: The model does not play this environment, or its values imply no distances.
    """

    def __init__(self, model: Model, config: EnvConfig) -> None:
        description = model.description
        mismatch = description.mismatch(config, observed=False)
        if mismatch:
            raise ValueError(one_line(mismatch))
        seen = config.puzzle.observations[description.observation]
        network, self.weights = description.network_for(seen.space(config.extent).shape), model.weights
        self.network, self._plain = network, dataclasses.replace(network, averaged=False)
        self._ops = network.operations(model.weights)
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
        """Evaluate states: :meth:`~..search.heuristic.Evaluator.evaluate`."""
        count, shape = len(states), self.network.shape
        views = np.empty((count, shape[0], math.prod(shape[1:])), np.uint8)
        self._observe(levels, states, views)
        masks = np.ones((count, self.network.actions), np.bool_)
        if self._masked:
            self._masks(levels, states, masks)
        network = self.network if as_played else self._plain
        output = network.forward(self._ops, self.weights, views.reshape(count, *shape))
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
