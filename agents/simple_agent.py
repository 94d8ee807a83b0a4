"""Agents in their simplest form: a class with a method ``predict``, which plays one environment.

``predict(observation)`` returns an action. It may have further parameters, which are passed by these names:
``action_masks`` (bool[A]), and Stable-Baselines3's ``state``, ``episode_start`` and ``deterministic``; with a parameter
``state`` it returns (action, state). The constructor has no parameter, or one with the name ``task``, which has the
fields of :func:`task_of`. A method ``reset``, if there is one, is called before each episode. An attribute
``observation`` of the class names the observation that its environment must have.
"""

import inspect
from collections.abc import Mapping
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.config import config_of, id_of, masks_of

from .policy import Policy, State, starts_of


class InvalidActionError(ValueError):
    """What ``predict`` returned is no action; the message says what it is."""


def agents_in(module: ModuleType) -> dict[str, type[Any]]:
    """Return the classes of a module that are agents, by name, in the order of the file.

    They are defined there, have a method ``predict``, and a name without a leading underscore.
    """
    return {
        name: kind
        for name, kind in vars(module).items()
        if isinstance(kind, type)
        and kind.__module__ == module.__name__
        and not name.startswith("_")
        and callable(getattr(kind, "predict", None))
    }


def parameters_of(function: Any) -> frozenset[str]:
    """Return the names of the parameters of a function or of a class; none if they are unknown."""
    try:
        return frozenset(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return frozenset()


def task_of(env: Any) -> dict[str, Any]:
    """Return what an agent knows about its environment in advance, as a JSON object.

    Args:
        env: One of the suite's environments, as for :func:`.config_of`.
    """
    config = config_of(env)
    space = getattr(env, "single_observation_space", None) or env.observation_space
    return {
        "env_id": id_of(env),
        "actions": list(config.action_names),
        "observation": config.observation,
        "channels": list(config.seen.channels(config.extent)),
        "shape": list(space.shape or ()),
        "max_episode_steps": config.limit,
    }


class Performer:
    """One object of such a class, in one environment.

    Args:
        kind: The class.
        task: What it knows in advance: :func:`task_of`.
    """

    def __init__(self, kind: type[Any], task: Mapping[str, Any]) -> None:
        given = SimpleNamespace(**{**task, "actions": tuple(task["actions"]), "channels": tuple(task["channels"])})
        self.agent = kind(given) if "task" in parameters_of(kind) else kind()
        self._wanted, self._state = parameters_of(self.agent.predict), None

    def act(self, observation: npt.NDArray[Any], start: bool, masks: npt.NDArray[np.bool_]) -> int:
        """Return its action, which may be out of range.

        Args:
            observation: One observation.
            start: Whether it is the first of an episode.
            masks: The legal actions, bool[A].

        Raises:
            InvalidActionError: It returned no action.
        """
        if start:
            self._state = None
            reset = getattr(self.agent, "reset", None)
            if callable(reset):
                reset()
        offered = {
            "state": self._state,
            "episode_start": np.array([start]),
            "deterministic": True,
            "action_masks": masks,
        }
        found = self.agent.predict(observation, **{name: offered[name] for name in offered if name in self._wanted})
        if "state" in self._wanted:
            if not isinstance(found, tuple) or len(found) != 2:
                raise InvalidActionError(f"returned {_kind(found)}: with a parameter state, it must be (action, state)")
            found, self._state = found
        return _integer(found)


def _integer(action: Any) -> int:
    """Return an action as an int; raises InvalidActionError if it is not one integer."""
    array = np.asarray(action)
    if array.dtype.kind not in "iu" or array.size != 1:
        raise InvalidActionError(f"returned {_kind(action)}: an action is one integer")
    return int(array.item())


def _kind(value: Any) -> str:
    """Return what something is, in a few words."""
    if isinstance(value, np.ndarray | np.generic):
        return f"{value.dtype} of shape {value.shape}"
    return type(value).__name__


class Performers(Policy):
    """Objects of such a class as an agent for any number of environments, one object for each.

    Args:
        kind: The class.
        env: One of the suite's environments, single or vector.
    """

    def __init__(self, kind: type[Any], env: Any) -> None:
        self._kind, self._env, self._task = kind, env, task_of(env)
        self._shape = tuple(self._task["shape"])
        self._performers = [Performer(kind, self._task)]  # to report errors of its constructor now

    def predict(
        self,
        observation: npt.NDArray[Any],
        state: State | None = None,
        episode_start: npt.NDArray[np.bool_] | None = None,
        deterministic: bool = True,
    ) -> tuple[npt.NDArray[np.int64] | np.int64, State]:
        """Choose actions: :meth:`.Policy.predict`; the state holds the number of each environment's object."""
        views = np.asarray(observation)
        single = views.ndim == len(self._shape)
        views = views[None] if single else views
        count = len(views)
        numbers = np.arange(count) if state is None else state[0]
        starts = np.ones(count, np.bool_) if state is None else starts_of(episode_start, count)
        while len(self._performers) <= max(numbers, default=0):
            self._performers.append(Performer(self._kind, self._task))
        masks = masks_of(self._env)
        if len(masks) != count:
            raise ValueError(f"the environment has {len(masks)} action masks for {count} observations")
        rows = zip(numbers.tolist(), views, starts.tolist(), masks, strict=True)
        actions = np.array([self._performers[number].act(view, *rest) for number, view, *rest in rows], np.int64)
        return (actions[0] if single else actions), (numbers,)
