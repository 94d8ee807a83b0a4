"""A trained model as an agent: NumPy computes its network, so that it needs no PyTorch."""

import os
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.config import config_of, id_of, masks_of
from gridpuzzles_gym.engine.messages import one_line, shorten
from gridpuzzles_gym.engine.random import RandomBits

from ..networks.network import Output
from ..networks.operations import NUMPY
from ..policy import State, as_batch, seed_bits, starts_of
from ..random_agent import advance
from ..thoughts import Thoughts
from .model_file import Model, model_file, read_model


class TrainedAgent:
    """An agent that plays by the policy of a trained network without a memory.

    Args:
        model: The model.
        env: The environment, single or vector; the agent asks it for action masks.
        seed: Random seed for sampling actions; environment ``i`` of a batch samples as ``seed + i`` does by itself.

    Raises:
        ValueError: The model does not play this environment.
    """

    rows: ClassVar[int] = 256
    """Observations that are computed at once; with more, the numbers between two layers leave the processor's cache."""

    def __init__(self, model: Model, env: Any, seed: int = 0) -> None:
        config, description = config_of(env), model.description
        mismatch = description.mismatch(config, id_of(env))
        if mismatch:
            raise ValueError(one_line(mismatch))
        self.network = description.network_for(config.space.shape)
        self.weights, self.seed = model.weights, seed
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

        The state holds, for each environment: random bits uint64[B], the network's memory float32[B, M], and what led
        to the action: the probabilities of all actions float64[B, A] and the network's value float32[B].

        Raises:
            ValueError: The observation has another shape, or masks are needed and the environment has another size.
        """
        observations, single = as_batch(observation, self.network.shape)
        count = len(observations)
        if state is None:
            random_bits, memory = seed_bits(self.seed, count), np.zeros((count, self.network.memory), np.float32)
        else:
            random_bits, memory = advance(state[0]), np.where(starts_of(episode_start, count)[:, None], 0, state[1])
        probabilities, values, memory = self._computed(observations, memory, self._masks(count))
        actions = probabilities.argmax(axis=1) if deterministic else _sampled(probabilities, random_bits)
        state = self.acted((random_bits, memory, probabilities, values), actions)
        return actions[0] if single else actions, state

    def acted(self, state: State, actions: npt.NDArray[np.integer[Any]]) -> State:
        """Return the memory as if it had chosen these actions, int[B], at the last call."""
        random_bits, memory, *decision = state
        if self.network.memory:
            memory = memory.copy()
            memory[:, -self.network.actions :] = np.eye(self.network.actions, dtype=np.float32)[actions]
        return random_bits, memory, *decision

    def thoughts(self, observation: npt.NDArray[Any], state: State | None, i: int = 0) -> Thoughts:
        """Return the probability of each action, and the return that the network expects, discounted as in training."""
        if state is None:
            _, state = self.predict(observation)
        chances, value = state[2][i], float(state[3][i]) / self._scale
        return Thoughts(probabilities=tuple(chances.tolist()), figures={"expected return": f"{value:+.4g}"})

    def _masks(self, count: int) -> npt.NDArray[np.bool_] | None:
        """Return the legal actions, bool[B, A], if the model uses masks; where there is none, all."""
        if self._env is None:
            return None
        masks = masks_of(self._env)
        if len(masks) != count:
            raise ValueError(f"the environment has {len(masks)} action masks for {count} observations")
        return masks | ~masks.any(axis=1, keepdims=True)

    def output(self, observations: npt.NDArray[Any], memory: npt.NDArray[np.float32]) -> Output:
        """Return the network's output for observations [B, ...] and memories [B, M], as arrays."""
        return self.network.forward(NUMPY, self.weights, observations, memory)

    def _computed(
        self, observations: npt.NDArray[Any], memory: npt.NDArray[np.float32], masks: npt.NDArray[np.bool_] | None
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Return the probabilities [B, A], the values [B], and the new memory [B, M]."""
        parts = []
        for first in range(0, len(observations), self.rows):
            rows = slice(first, first + self.rows)
            parts.append(self.output(observations[rows], memory[rows]))
        logits = np.concatenate([part.logits for part in parts]).astype(np.float64)
        if masks is not None:
            logits = np.where(masks, logits, -np.inf)
        chances = np.exp(logits - logits.max(axis=1, keepdims=True))
        values = np.concatenate([part.values for part in parts])
        remembered = [part.memory for part in parts if part.memory is not None]
        return chances / chances.sum(axis=1, keepdims=True), values, np.concatenate(remembered or [memory])


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
