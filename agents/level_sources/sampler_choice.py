"""Samplers by name, as ``gridpuzzles train --sampler`` asks for them: one table, and what each puzzle brings to it."""

import inspect
import json
import re
import reprlib
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import gymnasium as gym

from gridpuzzles_gym.engine.levels import Sampler, find_levels
from gridpuzzles_gym.engine.puzzle import Puzzle, load_puzzle

from ..puzzle_agents import agents_record
from ..samplers import Avoiding, Curriculum, LevelReplay, OnTheFly
from .makers import make_source, maker_of

BY_FILE = "order"
"""Difficulty of a pack's levels that is their order in the file."""
_NO_OPTIONS = ("observation", "max_episode_steps")


class Choice(NamedTuple):
    """A sampler's name and its parameters."""

    name: str
    parameters: dict[str, Any]


class Setting(NamedTuple):
    """What a sampler is for."""

    puzzle: Puzzle
    levels: Any
    """As the environment was given them; None is its own."""
    options: Mapping[str, Any]
    """The puzzle's own, where given."""

    @classmethod
    def of(cls, env_id: str, env_kwargs: Mapping[str, Any]) -> "Setting":
        """From the id of an environment, and its keyword arguments beside those that it is registered with."""
        kwargs = {**gym.spec(env_id).kwargs, **env_kwargs}
        puzzle = load_puzzle(kwargs.pop("puzzle"))
        levels = kwargs.pop("levels", None)
        return cls(puzzle, levels, {name: value for name, value in kwargs.items() if name not in _NO_OPTIONS})


def read_choice(text: str) -> Choice:
    """``"curriculum:up=0.7,episodes=500"`` as a name and parameters; values are JSON, or else plain text.

    Raises:
        ValueError: There is no such sampler, or a parameter has no name, no value, or comes twice.
    """
    name, _, rest = text.partition(":")
    if name not in SAMPLERS:
        raise ValueError(f"sampler={name!r} is not known; there are {', '.join(SAMPLERS)}")
    parameters: dict[str, Any] = {}
    for pair in re.split(r",(?=\s*\w+\s*=)", rest) if rest else ():
        key, equals, value = (part.strip() for part in pair.partition("="))
        if not equals or not key.isidentifier() or not value:
            raise ValueError(f"sampler={text!r}: after the colon name=value is needed, e.g. {name}:seed=1")
        if key in parameters:
            raise ValueError(f"sampler={text!r}: {key} is given twice")
        parameters[key] = _value(value)
    return Choice(name, parameters)


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
    except RecursionError:
        raise ValueError(f"{reprlib.repr(text)} is nested too deeply") from None


def make_sampler(text: str, env_id: str, env_kwargs: Mapping[str, Any]) -> Sampler | None:
    """The sampler that a choice means for an environment.

    Args:
        text: See :func:`read_choice`.
        env_id: A registered id.
        env_kwargs: Keyword arguments of the environment, ``levels`` among them.

    Returns:
        What it takes as ``levels=``; None: as it is, uniformly from its levels or its own drawing.

    Raises:
        ValueError: There is no such sampler or parameter, a value is not allowed, or it is not for this puzzle.
    """
    name, parameters = read_choice(text)
    return SAMPLERS[name](Setting.of(env_id, env_kwargs), parameters)


def _uniform(setting: Setting, parameters: dict[str, Any]) -> None:
    if parameters:
        raise ValueError(f"sampler 'uniform' has no parameter {next(iter(parameters))!r}: it has none")


def _curriculum(setting: Setting, parameters: dict[str, Any]) -> Sampler:
    by = parameters.pop("by", None)
    own = _taken("curriculum", Curriculum, parameters, "by")
    stages = agents_record(setting.puzzle).stages
    if setting.levels is None and stages:
        if by is not None:
            raise ValueError(f"sampler 'curriculum': by={by!r} is for levels of a pack; give levels")
        sources = [make_source(setting.puzzle, stage, setting.options) for stage in stages]
        if maker_of(setting.puzzle) is not None:  # which takes its time
            sources = [OnTheFly(source) for source in sources]
        return Curriculum(sources, **own)
    levels = find_levels(setting.puzzle, _levels(setting))
    return Curriculum(levels, _difficulties(setting, by), **own)


def _difficulties(setting: Setting, by: str | None) -> list[float] | None:
    """A number for each level of the pack, from the table beside it; None: as they stand in their file."""
    levels, grades = _levels(setting), agents_record(setting.puzzle).grades
    table = grades is not None and isinstance(levels, str) and "\n" not in levels
    if by == BY_FILE or (by is None and not table):
        return None
    if grades is None or not table:
        what = f"packs of {setting.puzzle.title}" if grades is None else "levels given as text"
        raise ValueError(f"by={by!r}: {what} have no table of difficulties; allowed is {BY_FILE}")
    columns = grades(levels)
    by = by or next(iter(columns))
    if by not in columns:
        raise ValueError(f"by={by!r} is no number that is known of levels; allowed are {', '.join(columns)}, {BY_FILE}")
    return list(columns[by])


def _replay(setting: Setting, parameters: dict[str, Any]) -> Sampler:
    own = {"scores": "learner"} | _taken("replay", LevelReplay, parameters)
    if setting.levels is None and _draws(setting):
        return LevelReplay(make_source(setting.puzzle, {}, setting.options), **own)
    return LevelReplay(find_levels(setting.puzzle, _levels(setting)), **own)


def _on_the_fly(setting: Setting, parameters: dict[str, Any]) -> Sampler:
    if setting.levels is not None:
        raise ValueError("sampler 'on-the-fly' makes levels of its own: it goes without levels")
    known = [*inspect.signature(OnTheFly).parameters]
    own = {name: parameters.pop(name) for name in known[1:] if name in parameters}
    avoid = parameters.pop("avoid", None)
    source = make_source(setting.puzzle, parameters, setting.options)
    return OnTheFly(source if avoid is None else Avoiding(source, avoid, setting.puzzle), **own)


SAMPLERS: dict[str, Callable[[Setting, dict[str, Any]], Sampler | None]] = {
    "uniform": _uniform,
    "curriculum": _curriculum,
    "replay": _replay,
    "on-the-fly": _on_the_fly,
}
"""By name: makes the sampler for a setting, from parameters that it may use up."""


def _draws(setting: Setting) -> bool:
    """Does the environment draw its levels by itself?"""
    options = setting.puzzle.read_options(**setting.options)
    return setting.puzzle.generation_with(options) is not None


def _levels(setting: Setting) -> Any:
    levels = setting.puzzle.default_levels if setting.levels is None else setting.levels
    if levels is None:
        raise ValueError(f"{setting.puzzle.title} has no pack of its own to choose from: give levels")
    return levels


def _taken(name: str, kind: Callable[..., Any], parameters: dict[str, Any], *more: str) -> dict[str, Any]:
    """The parameters; raises ValueError on one that the sampler does not have."""
    known = [parameter for parameter in inspect.signature(kind).parameters if parameter not in _FILLED_IN]
    for parameter in parameters:
        if parameter not in known:
            raise ValueError(f"sampler {name!r} has no parameter {parameter!r}; it has {', '.join([*more, *known])}")
    return parameters


_FILLED_IN = ("levels", "source", "difficulties", "puzzle")
"""Parameters that do not come from the person who asks."""
