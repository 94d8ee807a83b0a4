"""An agent of the user's own: a class in a Python file, named as ``agent.py`` or ``agents.py:NAME``.

A class whose constructor has a parameter ``env`` is made with the environment; it plays any number of environments at
once and has Stable-Baselines3's ``predict()`` (:mod:`.policy`). Any other has the simplest form,
as ``gridpuzzles grade`` takes it: ``predict(observation)`` returns an action. It may have further parameters, which are
passed by these names: ``action_masks`` (bool[A]), and Stable-Baselines3's ``state``, ``episode_start`` and
``deterministic``; with a parameter ``state`` it returns (action, state). The constructor has no parameter, or one with
the name ``task``, which has the fields of :func:`task_of`. A method ``reset``, if there is one, is called before each
episode. An attribute ``observation`` of the class is the ``observation=`` that its environment must have.
"""

import importlib.util
import inspect
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType, SimpleNamespace, TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.config import config_of, id_of, masks_of
from gridpuzzles_gym.engine.messages import quote
from gridpuzzles_gym.engine.puzzle import Puzzle

from .policy import Policy, State, as_batch, starts_of


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


SUFFIX = ".py"
_CHANGED = "__changed__"
"""The attribute of a module that holds when its file was changed."""


def is_own(agent: str) -> bool:
    """Whether this is the name of a class in a Python file."""
    return _parts(agent)[0].endswith(SUFFIX)


def own_observation(agent: str, puzzle: Puzzle) -> str | None:
    """Return the ``observation=`` that the agent's environment must have; None if it does not say.

    Raises:
        ValueError: There is no such agent, its file cannot be run, or the puzzle has no such observation.
    """
    needed = getattr(_class_of(agent), "observation", None)
    if needed is not None and needed not in puzzle.observations:
        allowed = ", ".join(puzzle.observations)
        raise ValueError(f"{agent}: observation = {quote(needed)}; allowed for {puzzle.title} are {allowed}")
    return needed


def load_own(agent: str, env: Any) -> Policy:
    """Return the agent, made for an environment. Its errors, and what it returns, are reported by file and line.

    Raises:
        ValueError: There is no such agent, or its file or its constructor fails; ``predict`` raises it, too.
    """
    own, config = _class_of(agent), config_of(env)
    needed = own_observation(agent, config.puzzle)
    if needed not in (None, config.observation):
        raise ValueError(
            f"{agent}: needs observation={quote(needed)}, this environment has {quote(config.observation)}"
        )
    if "env" in parameters_of(own):
        return _checked(agent, own, env)
    try:
        return _Reported(agent, Performers(own, env))
    except (Exception, SystemExit) as error:
        raise _failed(_parts(agent)[0], error) from error


class _Reported(Policy):
    """An agent whose errors are reported by file and line."""

    def __init__(self, agent: str, policy: Policy) -> None:
        self._agent, self._policy = agent, policy

    def predict(self, *arguments: Any, **named: Any) -> tuple[Any, Any]:
        try:
            return self._policy.predict(*arguments, **named)
        except InvalidActionError as error:
            raise ValueError(f"{self._agent}: predict {error}") from None
        except (Exception, SystemExit) as error:
            raise _failed(_parts(self._agent)[0], error) from error


def _checked(agent: str, own: type[Any], env: Any) -> Policy:
    """Return an agent that plays batches; what it returns is checked."""
    file, shape = _parts(agent)[0], config_of(env).space.shape or ()

    class Checked(own):  # type: ignore[misc]
        def predict(self, observation: npt.NDArray[Any], *memory: Any, **named: Any) -> tuple[npt.NDArray[Any], Any]:
            batch, single = as_batch(observation, shape)
            wanted = () if single else batch.shape[:1]
            try:
                returned = super().predict(observation, *memory, **named)
            except (Exception, SystemExit) as error:
                raise _failed(file, error) from error
            if not isinstance(returned, tuple) or len(returned) != 2:
                raise ValueError(f"{agent}: predict must return two values, (actions, state), not {quote(returned)}")
            actions = np.asarray(returned[0])
            if actions.shape != wanted or actions.dtype.kind not in "iu":
                got = f"{actions.dtype}, shape {actions.shape}"
                raise ValueError(f"{agent}: predict must return integer actions of shape {wanted}, not {got}")
            return actions, returned[1]

    try:
        policy: Policy = Checked(env)
    except (Exception, SystemExit) as error:
        raise _failed(file, error) from error
    return policy


def _class_of(agent: str) -> type[Any]:
    """Return the class with that name, or the only one of the file that has a method ``predict``."""
    file, name = _parts(agent)
    classes = agents_in(_module(file))
    if name in classes:
        return classes[name]
    if not classes:
        raise ValueError(f"{file}: no class with a method `predict`")
    if name:
        raise ValueError(f"{file}: no class {quote(name)} with a method `predict`; it has {', '.join(classes)}")
    if len(classes) > 1:
        raise ValueError(f"{file} has several agents: {', '.join(f'{file}:{each}' for each in classes)}")
    return next(iter(classes.values()))


def _module(file: str) -> ModuleType:
    """Return the file as a module, run once in each process, and again after a change."""
    name = _module_name(file)
    changed = Path(file).stat().st_mtime_ns if Path(file).is_file() else None
    if name in sys.modules and getattr(sys.modules[name], _CHANGED) == changed:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None or not Path(file).is_file():
        raise ValueError(f"{file}: no such file")
    folder = str(Path(file).absolute().parent)
    if folder not in sys.path:
        sys.path.append(folder)  # it may import its neighbours, as if Python ran it
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    setattr(module, _CHANGED, changed)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise _failed(file, error) from error
    return module


def _module_name(file: str) -> str:
    return f"own agent {Path(file).absolute()}"


def _parts(agent: str) -> tuple[str, str]:
    """Return the file and the name of the class; the latter is empty if it is not given."""
    file, _, name = agent.rpartition(f"{SUFFIX}:")
    return (file + SUFFIX, name) if file else (agent, "")


def _failed(file: str, error: BaseException) -> ValueError:
    """Return an error in the file, with the line where it happened."""
    line = error.lineno if isinstance(error, SyntaxError) else _line_in(file, error.__traceback__)
    where = file if line is None else f"{file}:{line}"
    return ValueError(f"{where}: {type(error).__name__}: {getattr(error, 'msg', None) or error}")


def _line_in(file: str, traceback: TracebackType | None) -> int | None:
    """Return the last line of the file that a traceback goes through."""
    line = None
    while traceback is not None:
        if Path(traceback.tb_frame.f_code.co_filename) == Path(file).absolute():
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line
