"""The interface of agents: Stable-Baselines3's ``predict()``.

An agent maps observations to actions. Its memory of an episode is a state that one call returns and the next call
takes, so one agent can serve any number of environments, and
``stable_baselines3.common.evaluation.evaluate_policy`` accepts it like a PPO model.

An agent can have three more methods: :meth:`Recollecting.acted`, if it remembers what it did, :meth:`Valuing.values`,
if it knows what every action is worth, and :meth:`~.thoughts.Explaining.thoughts`, by which it tells what it thinks.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol, Self, runtime_checkable

import gymnasium as gym
import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.config import config_of
from gridpuzzles_gym.engine.random import RandomBits, initial_bits

State = tuple[npt.NDArray[Any], ...]
"""An agent's memory: arrays with a leading axis of environments."""


@runtime_checkable
class Policy(Protocol):
    """An agent: Stable-Baselines3's ``predict()``, with ``state`` as its only memory."""

    def predict(
        self,
        observation: npt.NDArray[Any],
        state: State | None = None,
        episode_start: npt.NDArray[np.bool_] | None = None,
        deterministic: bool = True,
    ) -> tuple[npt.NDArray[np.int64] | np.int64, State | None]:
        """Choose actions.

        Args:
            observation: One observation, or a batch ``[B, ...]``.
            state: The state returned by the last call; None starts with an empty memory.
            episode_start: bool[B]: this observation is the first of an episode, so discard the memory.
            deterministic: False samples, if the agent has a distribution to sample from.

        Returns:
            The action (np.int64), or int64[B] for a batch; and the state to pass to the next call.
        """
        ...


@runtime_checkable
class Recollecting(Policy, Protocol):
    """An agent that remembers more than its last observation shows, and what it did."""

    def acted(self, state: State, actions: npt.NDArray[np.integer[Any]]) -> State:
        """Return the memory as if it had chosen these actions, int[B], at the last call."""
        ...


@runtime_checkable
class Valuing(Policy, Protocol):
    """An agent that knows what every action is worth."""

    def values(self, observation: npt.NDArray[Any], state: State | None) -> npt.NDArray[np.float64]:
        """Return the expected return from here on after each action, if it then plays on as well as it can.

        Args:
            observation: A batch [B, ...].
            state: The memory that :meth:`Policy.predict` returned for this observation.

        Returns:
            float64[B, A]; NaN in rows of which it knows nothing.
        """
        ...


class Recollection(NamedTuple):
    """What an agent remembers of an episode that it does not play itself."""

    actions: tuple[int, ...] = ()
    """The actions taken so far."""
    action: int = -1
    """What it would do now."""
    state: State | None = None


def act_after(
    policy: Policy,
    observe: Callable[[int], npt.NDArray[Any]],
    actions: Sequence[int],
    before: Recollection | None = None,
) -> Recollection:
    """Return what an agent does in an episode that another player began.

    Args:
        policy: The agent.
        observe: ``observe(k)``: the observation after ``k`` actions.
        actions: The actions taken so far.
        before: The result of an earlier call in this episode, to continue from.
    """
    taken = tuple(actions)
    if not isinstance(policy, Recollecting):
        state = None if before is None else before.state  # its memory is discarded, and its randomness goes on
        action, state = policy.predict(observe(len(taken)), state, np.ones(1, np.bool_))
        return Recollection(taken, int(np.asarray(action).item()), state)
    if before is None or before.state is None or before.actions != taken[: len(before.actions)]:
        action, state = policy.predict(observe(0), None, np.ones(1, np.bool_))
        before = Recollection((), int(np.asarray(action).item()), state)
    while len(before.actions) < len(taken):
        done = len(before.actions) + 1
        state = policy.acted(before.state or (), np.array(taken[done - 1 : done]))
        action, state = policy.predict(observe(done), state, np.zeros(1, np.bool_))
        before = Recollection(taken[:done], int(np.asarray(action).item()), state)
    return before


def seed_bits(seed: int, count: int) -> RandomBits:
    """Return random bits for ``count`` environments: uint64[count]; entry ``i`` depends on ``seed + i`` alone."""
    return np.array([initial_bits(gym.utils.seeding.np_random(seed + i)[0]) for i in range(count)], np.uint64)


def as_batch(observation: npt.NDArray[Any], shape: tuple[int, ...]) -> tuple[npt.NDArray[Any], bool]:
    """Return observations of that shape as a batch, and whether the input was a single one.

    Args:
        observation: One observation or a batch; flattened ones are taken too. Floating-point numbers become uint8 if
            that changes none of them.
        shape: The shape of one observation.

    Raises:
        ValueError: It is neither one nor a batch.
    """
    observation = np.asarray(observation)
    if observation.shape[-1:] == (math.prod(shape),):
        observation = observation.reshape(*observation.shape[:-1], *shape)
    if observation.dtype.kind == "f":
        with np.errstate(invalid="ignore"):
            whole = observation.astype(np.uint8)
        observation = whole if np.array_equal(whole, observation) else observation
    if observation.shape[observation.ndim - len(shape) :] != shape or observation.ndim > len(shape) + 1:
        raise ValueError(
            f"invalid observation shape {observation.shape}: must be {shape}, or a batch with one axis in front"
        )
    single = observation.ndim == len(shape)
    return (observation[None] if single else observation), single


def starts_of(episode_start: npt.NDArray[np.bool_] | None, count: int) -> npt.NDArray[np.bool_]:
    """Return ``episode_start`` as bool[count]; None is False everywhere.

    Raises:
        ValueError: It has another length.
    """
    if episode_start is None:
        return np.zeros(count, np.bool_)
    starts = np.asarray(episode_start, np.bool_).reshape(-1)
    if len(starts) != count:
        raise ValueError(f"episode_start has {len(starts)} entries for {count} observations")
    return starts


class BatchAgent:
    """An agent that chooses for a batch of environments, and copies its memory before it changes it."""

    shape: tuple[int, ...]
    """The shape of one observation."""
    remembers: Callable[[Iterable[npt.NDArray[Any]]], State] = tuple
    """Makes its memory of arrays."""

    def views_of(self, observation: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], bool]:
        """Return observations as a batch, and whether the input was a single one; errors as for :func:`as_batch`."""
        return as_batch(observation, self.shape)

    def fresh_memory(self, count: int) -> State:
        """Return the initial memory for ``count`` environments."""
        return ()

    def choose(self, views: npt.NDArray[Any], starting: npt.NDArray[np.bool_], memory: Any) -> npt.NDArray[np.int64]:
        """Return actions, int64[B], for a batch; may modify ``memory``."""
        raise NotImplementedError

    def predict(
        self,
        observation: npt.NDArray[Any],
        state: State | None = None,
        episode_start: npt.NDArray[np.bool_] | None = None,
        deterministic: bool = True,
    ) -> tuple[npt.NDArray[np.int64] | np.int64, State]:
        """Choose actions: :meth:`Policy.predict`; ``deterministic`` has no effect.

        Raises:
            ValueError: The observation, or the state, has another shape, or shows too little for the agent.
        """
        views, single = self.views_of(observation)
        count = len(views)
        starting = starts_of(episode_start, count)
        if state is None:
            memory, starting = self.fresh_memory(count), np.ones(count, np.bool_)
        else:
            memory = self.remembers(array.copy() for array in state)
            if memory and len(memory[0]) != count:
                raise ValueError(f"the state has {len(memory[0])} environments, the observation {count}")
        actions = self.choose(views, starting, memory)
        return actions[0] if single else actions, memory


class RandomAgent:
    """Samples actions uniformly, whatever the observation.

    Args:
        n_actions: Number of actions.
        observation_shape: The shape of one observation; an input with one axis more is a batch.
        seed: Environment ``i`` of a batch gets the actions that ``seed + i`` gives by itself.
    """

    def __init__(self, n_actions: int, observation_shape: tuple[int, ...], seed: int = 0) -> None:
        self.n_actions, self.observation_shape, self.seed = n_actions, observation_shape, seed

    @classmethod
    def for_env(cls, env: Any, seed: int = 0) -> Self:
        """Return the agent for one of the suite's environments, single or vector, wrapped or not."""
        config = config_of(env)
        return cls(len(config.action_names), config.space.shape or (), seed)

    def predict(
        self,
        observation: npt.NDArray[Any],
        state: State | None = None,
        episode_start: npt.NDArray[np.bool_] | None = None,
        deterministic: bool = True,
    ) -> tuple[npt.NDArray[np.int64] | np.int64, State]:
        """Sample actions; the state holds random bits for each environment, uint64[B].

        Raises:
            ValueError: The observation has another shape.
        """
        batch, single = as_batch(observation, self.observation_shape)
        random_bits = seed_bits(self.seed, len(batch)) if state is None else advance(state[0])
        # 32 bits times a small number of actions fits in 64; the upper half is uniform below n_actions.
        actions = ((random_bits >> np.uint64(32)) * np.uint64(self.n_actions) >> np.uint64(32)).astype(np.int64)
        return actions[0] if single else actions, (random_bits,)


def advance(random_bits: RandomBits) -> RandomBits:
    """One xorshift64 step of each entry, like :func:`gridpuzzles_gym.engine.random.next_bits`."""
    random_bits = random_bits ^ (random_bits << np.uint64(13))
    random_bits = random_bits ^ (random_bits >> np.uint64(7))
    return random_bits ^ (random_bits << np.uint64(17))
