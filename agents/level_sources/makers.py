"""Makes new levels of each puzzle from settings, and samplers by name, for training and ``gridpuzzles generate``.

A setting has the same name everywhere: after ``--sampler on-the-fly:``, as a flag or ``--set`` of
``gridpuzzles generate``, and as a keyword argument in Python.
"""

import dataclasses
import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from gridpuzzles_gym.engine.levels.sources import Sampler, find_levels
from gridpuzzles_gym.engine.messages import did_you_mean, quote
from gridpuzzles_gym.engine.puzzle import Puzzle
from gridpuzzles_gym.engine.system.files import NestingError, read_json

from ..candidates import UNFINISHED, Candidate, CandidateMaker, past
from ..game import Game
from ..puzzle_agents import LevelMaker, agents_record, board_of
from ..samplers import Avoiding, Curriculum, GeneratedLevels, LevelReplay, OnTheFly, Pack


@dataclasses.dataclass(frozen=True)
class SampledCandidates:
    """Makes candidates of any puzzle from a sampler without memory.

    Args:
        puzzle: The puzzle.
        sampler: The source of its levels.
    """

    puzzle: Puzzle
    sampler: Sampler

    def __call__(self, random_bits: int, deadline: float | None = None) -> Candidate:
        """Return the candidate of these random bits: always accepted if started before the deadline."""
        if past(deadline):
            return Candidate(random_bits, UNFINISHED)
        level = self.sampler.sample(random_bits)
        board = board_of(self.puzzle, level)
        return Candidate(random_bits, "", board, board.encode(), level.name)


SIDES = ("width", "height")
"""The settings that ``size`` sets."""


def maker_of(puzzle: Puzzle) -> LevelMaker | None:
    """Return the level maker of a puzzle; None if its own rules generate levels."""
    make = agents_record(puzzle).level_maker
    return None if make is None else make()


def settings_of(puzzle: Puzzle) -> tuple[str, ...]:
    """Return the names of all settings for generating levels of a puzzle."""
    maker = maker_of(puzzle)
    names = maker.settings if maker else tuple(field.name for field in dataclasses.fields(puzzle.options))
    return ("size", *names) if set(SIDES) <= set(names) else names


def bounds_of(puzzle: Puzzle) -> tuple[str, ...]:
    """Return the names of all bounds by which levels of a puzzle can be rejected: empty if they are not measured."""
    maker = maker_of(puzzle)
    return maker.bounds if maker else ()


def make_source(puzzle: Puzzle, settings: Mapping[str, Any], options: Mapping[str, Any] | None = None) -> Sampler:
    """Return a source of new levels of a puzzle.

    Args:
        puzzle: The puzzle.
        settings: Settings among those that :func:`settings_of` returns.
        options: Options of an environment, which apply if its rules generate the levels and settings do not differ.

    Raises:
        ValueError: There is no such setting, a value is invalid, or the puzzle generates no levels.
    """
    known = settings_of(puzzle)
    for name in settings:
        if name not in known:
            raise ValueError(f"levels of {puzzle.title} have no setting {quote(name)}; {did_you_mean(name, known)}")
    chosen = _with_sides(settings) if set(SIDES) <= set(known) else {**settings}
    maker = maker_of(puzzle)
    if maker is not None:
        return maker.sampler(**chosen)
    needed = agents_record(puzzle).generated_with
    chosen = {**needed, **(options or {}), **chosen}
    for name, value in needed.items():
        if chosen[name] != value:
            raise ValueError(
                f"{name}={quote(chosen[name])}: {puzzle.title} generates new levels with {name}={quote(value)} only"
            )
    return GeneratedLevels(puzzle, **chosen)


def make_candidates(
    puzzle: Puzzle,
    settings: Mapping[str, Any],
    bounds: Mapping[str, Any],
    options: Mapping[str, Any] | None = None,
) -> CandidateMaker:
    """Return a maker of candidates for packs.

    Args:
        puzzle: The puzzle.
        settings: See :func:`make_source`.
        bounds: Bounds on the difficulty of levels, among those that :func:`bounds_of` returns.
        options: See :func:`make_source`.

    Raises:
        ValueError: A value is invalid, or the puzzle generates no levels.
    """
    return candidates_from(puzzle, make_source(puzzle, settings, options), bounds)


def candidates_from(puzzle: Puzzle, source: Sampler, bounds: Mapping[str, Any]) -> CandidateMaker:
    """Return a maker of candidates for packs, which are the levels of a source.

    Args:
        puzzle: The puzzle.
        source: What :func:`make_source` returned for it.
        bounds: See :func:`make_candidates`.

    Raises:
        ValueError: A bound is invalid.
    """
    maker = maker_of(puzzle)
    if maker is None or maker.candidates is None:
        return SampledCandidates(puzzle, source)
    return maker.candidates(source, bounds)


def _with_sides(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings with ``size`` replaced by both sides."""
    settings = {**settings}
    if "size" in settings:
        if any(side in settings for side in SIDES):
            raise ValueError(f"size={quote(settings['size'])} sets both sides: do not give width or height as well")
        settings |= dict.fromkeys(SIDES, settings.pop("size"))
    return settings


BY_FILE = "order"
"""The name of the measure of difficulty that is the order of levels in the file."""


class NameAndParameters(NamedTuple):
    """A sampler's name and its parameters."""

    name: str
    parameters: dict[str, Any]


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


def read_parameters(text: str, what: str) -> NameAndParameters:
    """Parse ``"name:parameter=value,…"``; see :func:`read_sampler`, ``what`` names the setting in errors.

    Raises:
        ValueError: A parameter has no name, no value, or is given twice.
    """
    name, _, rest = text.partition(":")
    parameters: dict[str, Any] = {}
    for pair in re.split(r",(?=\s*\w+\s*=)", rest) if rest else ():
        key, equals, value = (part.strip() for part in pair.partition("="))
        if not equals or not key.isidentifier() or not value:
            raise ValueError(f"{what}={quote(text)}: expected name=value after the colon, for example NAME:seed=1")
        if key in parameters:
            raise ValueError(f"{what}={quote(text)}: {key} is given twice")
        parameters[key] = _value(value)
    return NameAndParameters(name, parameters)


def _value(text: str) -> Any:
    try:
        return read_json(text, quote(text))
    except NestingError:
        raise
    except ValueError:
        return text


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
    from .backwards import Backwards  # imports numba

    given: dict[str, Any] = {"teacher": "auto", "games": 1000, "usual": 0.0}
    given |= {name: parameters.pop(name) for name in given if name in parameters}
    curriculum = {"episodes": 1000} | _taken("backwards", Curriculum, parameters, *given)
    game = game.with_levels()
    generated = game.source is None
    own = make_source(game.puzzle, {}, game.own_settings) if generated else Pack(_levels(game), game.puzzle)
    return Backwards(game, own, **given, curriculum=curriculum)


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
    if game.source is None and _draws(game):
        return LevelReplay(make_source(game.puzzle, {}, game.own_settings), **own)
    return LevelReplay(find_levels(game.puzzle, _levels(game), game.strict), **own)


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


def _draws(game: Game) -> bool:
    """Whether the environment generates its own levels."""
    return game.puzzle.generation_with(game.options) is not None


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
