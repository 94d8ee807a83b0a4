"""An agent of the user's own: a class in a Python file, named as ``agent.py`` or ``agents.py:NAME``.

A class whose constructor has a parameter ``env`` is made with the environment; it plays any number of environments at
once and has Stable-Baselines3's ``predict()`` (:mod:`.policy`). Any other has the form described in
:mod:`.simple_agent`, as ``gridpuzzles grade`` takes it. An attribute ``observation`` of the class is the
``observation=`` that its environment must have.
"""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.config import config_of
from gridpuzzles_gym.engine.messages import quote
from gridpuzzles_gym.engine.puzzle import Puzzle

from .policy import Policy, as_batch
from .simple_agent import InvalidActionError, Performers, agents_in, parameters_of

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
