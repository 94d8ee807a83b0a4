"""Samplers by name, for training: ``--sampler curriculum:up=0.7,episodes=500``."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from gridpuzzles_gym.engine.levels.sources import Sampler, find_levels
from gridpuzzles_gym.engine.messages import did_you_mean, quote
from gridpuzzles_gym.engine.puzzle import Level

from ..game import Game
from ..parameters import NameAndParameters, read_parameters
from ..samplers import Avoiding, Curriculum, LevelReplay, OnTheFly, Pack
from .backwards import Backwards
from .makers import make_source, maker_of

BY_FILE = "order"
"""The name of the measure of difficulty that is the order of levels in the file."""


def read_sampler(text: str) -> NameAndParameters:
    """Parse ``"curriculum:up=0.7,episodes=500"`` into a name and parameters; values are JSON or plain text.

    Raises:
        ValueError: There is no such sampler, or a parameter has no name, no value, or is given twice.
    """
    if not isinstance(text, str):
        raise ValueError(f"sampler={quote(text)}: must be a text")
    name = text.partition(":")[0]
    if name not in SAMPLERS:
        raise ValueError(f"sampler={quote(name)} is not known; {did_you_mean(name, SAMPLERS)}")
    return read_parameters(text, "sampler")


def make_sampler(text: str, game: Game) -> Sampler | None:
    """Return the sampler chosen for a game.

    Args:
        text: See :func:`read_sampler`.
        game: The game; its levels are those that samplers choose from.

    Returns:
        What the environment takes as ``levels=``; None: its default, uniform over its levels or generated ones.

    Raises:
        ValueError: There is no such sampler or parameter, a value is invalid, or it does not apply to this puzzle.
    """
    name, parameters = read_sampler(text)
    return SAMPLERS[name](game, parameters)


def _uniform(game: Game, parameters: dict[str, Any]) -> None:
    if parameters:
        raise ValueError(f"sampler 'uniform' has no parameter {quote(next(iter(parameters)))}: it has none")


def _curriculum(game: Game, parameters: dict[str, Any]) -> Sampler:
    by = parameters.pop("by", None)
    own = _taken("curriculum", Curriculum, parameters, "by")
    stages = game.agents.stages
    if game.source is None and stages:
        if by is not None:
            raise ValueError(f"sampler 'curriculum': by={quote(by)} requires levels of a pack; give levels")
        sources = [make_source(game.puzzle, stage, game.own_settings) for stage in stages]
        if maker_of(game.puzzle) is not None:  # making levels takes time
            sources = [OnTheFly(source) for source in sources]
        return Curriculum(sources, **own)
    levels = find_levels(game.puzzle, _levels(game), game.strict)
    return Curriculum(levels, _difficulties(game, by), **own)


def _backwards(game: Game, parameters: dict[str, Any]) -> Sampler:
    given: dict[str, Any] = {"teacher": "auto", "games": 1000, "usual": 0.0}
    given |= {name: parameters.pop(name) for name in given if name in parameters}
    curriculum = _taken("backwards", Curriculum, parameters, *given)
    own = _own_levels(game)
    return Backwards(game, own if isinstance(own, Sampler) else Pack(own), **given, curriculum=curriculum)


def _difficulties(game: Game, by: str | None) -> list[float] | None:
    """Return a number for each level of the pack, from the table next to it; None: use the order of the file."""
    levels, grades = _levels(game), game.agents.grades
    table = grades is not None and isinstance(levels, str) and "\n" not in levels
    if by == BY_FILE or (by is None and not table):
        return None
    if grades is None or not table:
        what = f"packs of {game.puzzle.title}" if grades is None else "levels given as text"
        raise ValueError(f"by={quote(by)}: {what} have no table of difficulties; allowed is {BY_FILE}")
    columns = grades(levels)
    by = by or next(iter(columns))
    if by not in columns:
        raise ValueError(
            f"by={quote(by)} is not a measure of these levels; allowed are {', '.join(columns)}, {BY_FILE}"
        )
    return list(columns[by])


def _replay(game: Game, parameters: dict[str, Any]) -> Sampler:
    own = {"scores": "learner"} | _taken("replay", LevelReplay, parameters)
    return LevelReplay(_own_levels(game), **own)


def _on_the_fly(game: Game, parameters: dict[str, Any]) -> Sampler:
    if game.source is not None:
        raise ValueError("sampler 'on-the-fly' makes its own levels: do not give levels")
    known = [*inspect.signature(OnTheFly).parameters]
    own = {name: parameters.pop(name) for name in known[1:] if name in parameters}
    avoid = parameters.pop("avoid", None)
    source = make_source(game.puzzle, parameters, game.own_settings)
    return OnTheFly(source if avoid is None else Avoiding(source, avoid, game.puzzle), **own)


SAMPLERS: dict[str, Callable[[Game, dict[str, Any]], Sampler | None]] = {
    "uniform": _uniform,
    "curriculum": _curriculum,
    "backwards": _backwards,
    "replay": _replay,
    "on-the-fly": _on_the_fly,
}
"""Functions by name that make the sampler for a game; they remove the parameters they use."""


def _own_levels(game: Game) -> Sampler | Sequence[Level]:
    """Return the levels of a game: its pack, or a sampler if the rules of the puzzle generate them."""
    if game.source is None and game.puzzle.generation_with(game.options) is not None:
        return make_source(game.puzzle, {}, game.own_settings)
    return find_levels(game.puzzle, _levels(game), game.strict)


def _levels(game: Game) -> Any:
    levels = game.puzzle.default_levels if game.source is None else game.source
    if levels is None:
        raise ValueError(f"{game.puzzle.title} has no bundled levels: give levels")
    return levels


def _taken(name: str, kind: Callable[..., Any], parameters: dict[str, Any], *more: str) -> dict[str, Any]:
    """Return the parameters; raises ValueError for an unknown one."""
    known = [parameter for parameter in inspect.signature(kind).parameters if parameter not in _FILLED_IN]
    for parameter in parameters:
        if parameter not in known:
            raise ValueError(
                f"sampler {quote(name)} has no parameter {quote(parameter)}; it has {', '.join([*more, *known])}"
            )
    return parameters


_FILLED_IN = ("levels", "source", "difficulties", "puzzle")
"""Parameters that users cannot set."""
