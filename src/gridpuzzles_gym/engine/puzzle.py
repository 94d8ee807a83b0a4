"""The interface every puzzle fills in: read this file first.

A puzzle is rows of numbers and a handful of plain functions over them:

    level  int16[L]   what one instance never changes: size, walls, goals, hidden layout
    state  int16[S]   everything that changes; its bytes are the search key
    rng    uint64[1]  one word of randomness an environment, kept out of the state

Everything else (the single environment, the vector environment, search, pictures) is made from a
:class:`Puzzle` record by the rest of the engine.
"""

import dataclasses
import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
import numpy.typing as npt

from .messages import LONGEST, quote, shorten

Row = npt.NDArray[np.int16]
"""A level row ``int16[L]`` or a state row ``int16[S]``."""

Extent = tuple[int, ...]
"""What fixes the length of rows: height and width of the board in squares, then the slots a puzzle needs."""

# How an episode stands, as the rule `outcome` answers; `OUTCOMES` are the words in `info["outcome"]`.
UNFINISHED, SOLVED, DIED, LEFT = range(4)
OUTCOMES = ("unfinished", "solved", "died", "left")


class Rules(NamedTuple):
    """The rule functions of a puzzle, each marked by :func:`~gridpuzzles_gym.engine.compilation.rule`."""

    step: Callable[..., Any]
    """``step(level, state, action, rng) -> (reward, terminated)``: one action, in place."""
    outcome: Callable[..., Any]
    """``outcome(level, state) -> int``: UNFINISHED, SOLVED, DIED or LEFT (ended otherwise)."""
    solved: Callable[..., Any]
    """``solved(level, state) -> bool``: is the goal reached?"""
    legal: Callable[..., Any]
    """``legal(level, state, action) -> bool``: does the action change anything? The action mask."""
    undo: Callable[..., Any] | None = None
    """``undo(level, state, action) -> bool``: turn ``state``, in place, into the one that ``action`` led from;
    False, and nothing changed, where there is none. For puzzles in which there is never more than one."""
    goal: Callable[..., Any] | None = None
    """``goal(level, state)``: fill in the solved state, where there is exactly one."""
    begin: Callable[..., Any] | None = None
    """``begin(level, state, rng)``: what happens between the start of a level and the first action, in place. It never
    ends the episode."""


@dataclasses.dataclass(frozen=True)
class Generation:
    """How a puzzle generates instances of its own."""

    generate: Callable[..., Any]
    """``generate(settings, rng, level, state)``, a rule: fill both rows with a random instance and its start."""
    extent: Callable[[Any], Extent]
    """``extent(options)``: the extent of the instances."""
    settings: Callable[[Any], npt.NDArray[np.int64]]
    """``settings(options)``: the options as the numbers that ``generate`` reads."""
    enabled: Callable[[Any], bool] = lambda options: True
    """``enabled(options)``: are instances generated although there is a default pack?"""
    same_encoding: Callable[[Any, Any], bool] = lambda generated, playing: bool(generated == playing)
    """``same_encoding(generated, playing)``: do rows that were generated with the one options equal those that the
    same instance has under the others?"""


@dataclasses.dataclass(frozen=True)
class Metrics:
    """Numbers of a puzzle's own that ``info`` tells of the episode so far."""

    kinds: Callable[[Any], Mapping[str, type]]
    """``kinds(options)``: their names in order, each int or bool."""
    count: Callable[..., Any]
    """``count(level, before, state, metrics)``: bring ``metrics`` (int64[F]) up to date after a step. When an
    episode begins they are 0, and ``before`` is ``state``."""


@dataclasses.dataclass(frozen=True)
class LevelFormats:
    """Formats in which a puzzle's levels are exchanged with other programs, beside level text.

    An entry is the puzzle's own object: a level as a file has it, with its title and comments.
    """

    writers: Mapping[str, Callable[[Sequence[Any]], str]]
    """``writers[format](entries) -> text``; the first is the default."""
    suffixes: Mapping[str, str]
    """The ending of a file's name (``".xsb"``) to its format."""
    read: Callable[[str, str], Sequence[Any]]
    """``read(text, source) -> entries`` in whichever format; whether they can be played is not looked at. Raises
    LevelError."""
    import_levels: Callable[[str, str, Mapping[str, str]], Sequence[Any]]
    """``import_levels(text, source, tiles) -> entries``: at least one, of a web page or any text, all playable; tiles
    say what pictures show. Raises LevelError."""


@dataclasses.dataclass(frozen=True)
class Observation:
    """One way to see a state: what ``observation=`` chooses."""

    channels: Callable[[Extent], tuple[str, ...]]
    """The name of each entry along the first axis, for a board of that extent."""
    space: Callable[[Extent], gym.Space[Any]]
    """The Gymnasium space for a board of that extent."""
    observe: Callable[..., Any]
    """``observe(level, state, view)``: fill the whole view.

    A space of shape ``(C, H, W)`` is handed over as ``view[C, H*W]``: a board's squares are numbered
    row by row, so that rules index them without a division.
    """
    refresh: Callable[..., Any] | None = None
    """``refresh(level, before, state, view)``: write only what one step changed; equals ``observe``."""
    decode: Callable[..., tuple[Row, Row]] | None = None
    """``decode(seen, extent, options) -> (level, state)``: the rows of an observation in the shape of the space,
    where everything is observable. Raises ValueError where nothing looks like that."""


@dataclasses.dataclass(frozen=True)
class Level:
    """One level, read from text or drawn by a sampler: everything needed to make its rows."""

    extent: Extent
    """The room it needs."""
    content: Any
    """The puzzle's own picklable description, handed back to :attr:`Puzzle.encode`."""
    name: str = ""
    """Its title, or where it stands in its file."""

    def rows_for(self, puzzle: "Puzzle", extent: Extent, options: Any) -> tuple[Row, Row] | None:
        """Its rows (level, start state) on such boards, to be read only, where they are known already."""
        return None


class LevelError(ValueError):
    """A level that cannot be: the message says what, where and what is allowed.

    However long what it quotes is, the message is not; see :func:`~.messages.shorten`.
    """

    def __init__(self, message: str) -> None:
        super().__init__(shorten(message))


@dataclasses.dataclass(frozen=True, eq=False)
class Puzzle:
    """Everything the engine needs to know of one puzzle."""

    name: str
    """The name of its flat under ``puzzles/`` and of its folder under ``levels/``."""
    title: str
    """Its name for people."""
    actions: Callable[[Any], tuple[str, ...]]
    """``actions(options)``: the name of each action, in order."""
    options: type[Any]
    """A frozen dataclass of the puzzle's own keyword arguments; raises ValueError on a bad one."""
    rules: Rules
    """Its rule functions."""
    observations: Mapping[str, Observation]
    """The ways to see it; the first is the default."""
    sizes: Callable[[Extent], tuple[int, int]]
    """``sizes(extent) -> (L, S)``: the lengths of level and state rows."""
    parse: Callable[[str, str], list[Level]]
    """``parse(text, source)``: the levels in a text; raises LevelError naming ``source``, line and column."""
    encode: Callable[[Level, Extent, Any], tuple[Row, Row]]
    """``encode(level, extent, options)``: its rows (level, start state), padded to ``extent``."""
    format: Callable[[Row, Row], str]
    """``format(level, state)``: level text that parses back to the same rows."""
    check: Callable[[Row, Row, Any], Extent]
    """``check(level, state, options)``: the extent of the boards that the two rows are for. Raises ValueError, saying
    what is wrong, where play with these options can never come to them: what it lets pass, the rules can play."""
    ansi: Callable[["Scene"], str]
    """``ansi(scene)``: the text that ``render_mode="ansi"`` shows."""
    module: str
    """The dotted name of the module whose ``PUZZLE`` this is. Its ``drawing`` holds
    ``DRAWING``, a :class:`~gridpuzzles_gym.engine.drawing.Drawing`."""
    formats: LevelFormats | None = None
    """The formats in which its levels are exchanged with other programs."""
    agents: str | None = None
    """The dotted name of the module whose ``PUZZLE_AGENTS`` says what only this puzzle's agents have: searches,
    heuristics, agents, level makers, presets. None: it has nothing of its own."""
    keys: Mapping[str, int] = dataclasses.field(default_factory=dict)
    """Keyboard keys, by pygame's key names, for playing by hand."""
    default_levels: str | None = None
    """The shipped pack played when ``levels=`` is not given; None: instances are generated."""
    generation: Generation | None = None
    """How it generates instances; None: it has only levels that are given."""
    metrics: Metrics | None = None
    """What its infos tell beside the outcome."""
    resolve_options: Callable[[Any, Extent, Sequence[Level]], Any] = lambda options, extent, levels: options
    """``resolve_options(options, extent, levels)``: the options of an environment on boards of that extent with these
    levels (none where it generates its own): for a puzzle whose levels decide what the options leave open."""
    deterministic: bool = False
    """True where an action's effect never depends on ``rng``: search applies."""

    def generation_with(self, options: Any) -> Generation | None:
        """How instances are generated where ``levels=`` is not given; None: with these options they are not."""
        generation = self.generation
        used = generation is not None and (self.default_levels is None or generation.enabled(options))
        return generation if used else None

    def metric_kinds(self, options: Any) -> Mapping[str, type]:
        """The names and types of the figures that infos tell."""
        return {} if self.metrics is None else self.metrics.kinds(options)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy by name: a record is code."""
        return load_puzzle, (self.module,)

    def decode(self, observation: str, seen: npt.NDArray[Any], extent: Extent, options: Any) -> tuple[Row, Row]:
        """The instance that an observation shows: the inverse of its ``observe``.

        Args:
            observation: A key of :attr:`observations`.
            seen: One observation.
            extent: Of the environment's boards.
            options: Of the environment.

        Returns:
            The rows (level, state).

        Raises:
            ValueError: Not everything is observable, or nothing looks like that.
        """
        decode = self.observations[observation].decode
        if decode is None:
            raise ValueError(f"observation={quote(observation)} of {self.title} does not show everything there is")
        level, state = decode(seen, extent, options)
        self.check_rows(level, state, options)
        return level, state

    def check_rows(self, level: Row, state: Row, options: Any) -> Extent:
        """The extent of the boards that two rows from outside are for.

        Raises:
            ValueError: They are not rows of a level and of a state that play with these options can come to.
        """
        for name, row in (("level", level), ("state", state)):
            if not isinstance(row, np.ndarray) or row.dtype != np.int16 or row.ndim != 1:
                raise ValueError(f"the {name} must be a row int16[N], not {row!r}")
        return self.check(level, state, options)

    def read_options(self, **kwargs: Any) -> Any:
        """The puzzle's options from keyword arguments.

        Raises:
            ValueError: An argument is unknown or has a value that is not allowed.
        """
        known = {field.name for field in dataclasses.fields(self.options)}
        unknown = sorted(set(kwargs) - known)
        if unknown:
            raise ValueError(
                f"{self.title} has no keyword argument {quote(unknown[0])}; its own are {', '.join(sorted(known))}, "
                "beside levels, observation, render_mode and tile_size"
            )
        try:
            return self.options(**kwargs)
        except ValueError as error:
            if len(str(error)) <= LONGEST:
                raise
            raise ValueError(shorten(str(error))) from None


@dataclasses.dataclass(frozen=True)
class Scene:
    """One moment to draw: a state, and what happened up to it."""

    level: Row
    state: Row
    options: Any
    score: float = 0.0
    """The sum of rewards of this episode so far."""
    steps: int = 0
    """Actions taken in this episode so far."""
    action: int | None = None
    """The last action, None before the first."""
    before: Row | None = None
    """The state before that action, where it is known."""
    title: str = ""
    """The level's name, where it has one."""
    notes: Mapping[tuple[int, int], str] = dataclasses.field(default_factory=dict)
    """Short texts to show on squares (row, column), e.g. what an agent thinks of them."""
    metrics: Mapping[str, int] = dataclasses.field(default_factory=dict)
    """What the infos tell of the episode so far, by name; empty where no episode is played."""


def load_puzzle(puzzle: str | Puzzle) -> Puzzle:
    """The record itself, or the ``PUZZLE`` of the module with that dotted name."""
    if isinstance(puzzle, Puzzle):
        return puzzle
    module = importlib.import_module(puzzle)
    found = getattr(module, "PUZZLE", None)
    if not isinstance(found, Puzzle):
        raise ValueError(f"module {quote(puzzle)} has no PUZZLE of type gridpuzzles_gym.engine.puzzle.Puzzle")
    return found
