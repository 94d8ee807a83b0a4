"""The interface that every puzzle implements: read this file first.

A puzzle is rows of numbers and a few plain functions on them:

    level  int16[L]   what is constant during an episode: size, walls, goals, hidden layout
    state  int16[S]   everything that changes; its bytes are the key of a search node
    rng    uint64[1]  the random state of an environment, separate from ``state``

The rest of the engine makes everything else (the single and the vector environment, search, pictures) from a
:class:`Puzzle` record.
"""

import dataclasses
import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import gymnasium as gym
import numpy as np
import numpy.typing as npt

from .arguments import options_of
from .board.interaction import Gestures, Hidden, Palette
from .messages import quote, shorten
from .scene import Row, Scene

if TYPE_CHECKING:  # these compile rules
    from .pictures.picture import Picture
    from .pictures.status import Status

Extent = tuple[int, ...]
"""The sizes that determine the lengths of rows: the board's height and width in squares, then the puzzle's own."""

Read = TypeVar("Read")
"""What is read from a text: a level, or an entry of :class:`LevelFormats`."""


class Outcome(IntEnum):
    """How an episode has ended, the value of ``info["outcome"]``; ``str()`` returns the name in lower case."""

    UNFINISHED = 0
    """It has not ended, or by the limit on steps."""
    SOLVED = 1
    DIED = 2
    LEFT = 3
    """It has ended in any other way."""

    def __str__(self) -> str:
        return self.name.lower()


# The same as plain integers, for the rules, which are compiled.
UNFINISHED, SOLVED, DIED, LEFT = (int(outcome) for outcome in Outcome)


class Rules(NamedTuple):
    """The rule functions of a puzzle, each decorated by :func:`~gridpuzzles_gym.engine.compile.compilation.rule`.

    They do not divide by zero, and no index that they compute is negative: compiled steps do not check it.
    """

    step: Callable[..., Any]
    """``step(level, state, action, rng) -> (reward, terminated)``: apply one action to ``state``, in place."""
    outcome: Callable[..., Any]
    """``outcome(level, state) -> int``: UNFINISHED, SOLVED, DIED or LEFT (ended in any other way)."""
    solved: Callable[..., Any]
    """``solved(level, state) -> bool``: whether the goal is reached."""
    legal: Callable[..., Any]
    """``legal(level, state, action) -> bool``: whether the action changes anything; the action mask."""
    undo: Callable[..., Any] | None = None
    """``undo(level, state, action) -> bool``: replace ``state``, in place, by the state from which ``action`` leads to
    it; False, with nothing changed, if there is none. For puzzles in which there is at most one."""
    goal: Callable[..., Any] | None = None
    """``goal(level, state)``: write the solved state, for puzzles that have exactly one."""
    begin: Callable[..., Any] | None = None
    """``begin(level, state, rng)``: apply what happens before the first action, in place. It never ends the
    episode."""


@dataclasses.dataclass(frozen=True)
class Generation:
    """How a puzzle generates random instances."""

    generate: Callable[..., Any]
    """``generate(settings, rng, level, state)``, a rule: write a random instance and its start state."""
    extent: Callable[[Any], Extent]
    """``extent(options)``: the extent of generated instances."""
    settings: Callable[[Any], npt.NDArray[np.int64]]
    """``settings(options)``: the options as the numbers that ``generate`` reads."""
    enabled: Callable[[Any], bool] = lambda options: True
    """``enabled(options)``: whether instances are generated even though the puzzle has a default pack."""
    same_encoding: Callable[[Any, Any], bool] = lambda generated, playing: bool(generated == playing)
    """``same_encoding(generated, playing)``: whether an instance has the same rows with the options it was generated
    with as with the options it is played with."""


@dataclasses.dataclass(frozen=True)
class Metrics:
    """The puzzle's metrics of the episode so far, reported in ``info``."""

    kinds: Callable[[Any], Mapping[str, type]]
    """``kinds(options)``: the names of the metrics, in order, with their types: int or bool."""
    count: Callable[..., Any]
    """``count(level, before, state, metrics)``: update ``metrics`` (int64[F]) after a step. At the beginning of an
    episode it is called with metrics of 0 and with ``before`` equal to ``state``."""


class RowCheck(NamedTuple):
    """A compiled check of many levels' rows, for files from elsewhere: kernels do not check array bounds."""

    settings: Callable[[Any, Extent], npt.NDArray[np.int64]]
    """``settings(options, extent)``: what rows depend on besides their level, as the numbers that ``is_level`` reads.
    Raises ValueError if there are no boards of that extent."""
    is_level: Callable[..., Any]
    """``is_level(settings, level, state, own_level, own_state) -> bool``, a rule: whether the rows equal, number by
    number, the encoding of the level that their text shows. It must not index by a number of the rows before it has
    checked it. The last two are rows to write to."""


class LevelError(ValueError):
    """An invalid level; the message says what is wrong, where, and what is allowed.

    Messages are shortened by :func:`~.messages.shorten`.
    """

    def __init__(self, message: str) -> None:
        super().__init__(shorten(message))
        self.name = ""
        """The name that the level would have, where it is known."""

    def named(self, name: str) -> "LevelError":
        """Return the error itself, as one of the results of :attr:`Puzzle.read`: with a name, without a traceback."""
        self.name = self.name or name
        return self.with_traceback(None)


@dataclasses.dataclass(frozen=True)
class Observation:
    """One way to observe a state, selected by ``observation=``."""

    channels: Callable[[Extent], tuple[str, ...]]
    """The name of each entry along the first axis, for a board of that extent."""
    space: Callable[[Extent], gym.Space[Any]]
    """The Gymnasium space for a board of that extent."""
    observe: Callable[..., Any]
    """``observe(level, state, view)``: write the whole observation into ``view``, for a space of shape ``(C, H, W)`` of
    shape ``[C, H*W]``: squares are numbered row by row, so that rules index them without a division."""
    refresh: Callable[..., Any] | None = None
    """``refresh(level, before, state, view)``: write only what one step changed; the result equals ``observe``."""
    decode: Callable[..., tuple[Row, Row]] | None = None
    """``decode(seen, extent, options) -> (level, state)``: the rows that an observation (in the shape of the space)
    shows, if everything is observable. Raises ValueError if no state has this observation."""
    flags: int = 0
    """The number of planes, the last ones, that are the same on all squares: a network needs one square of each."""


@dataclasses.dataclass(frozen=True)
class Level:
    """One level, parsed from text or returned by a sampler: everything needed to encode it."""

    extent: Extent
    """The smallest extent that it fits into."""
    content: Any
    """The puzzle's own picklable description, passed to :attr:`Puzzle.encode`."""
    name: str = ""
    """Its title, or its position in its file."""
    puzzle: str = dataclasses.field(default="", repr=False, compare=False)
    """The dotted name of the module of its puzzle; empty if it is unknown."""
    author: str = dataclasses.field(default="", compare=False)
    """Who has made it, if the file says so."""

    def rows_for(self, puzzle: "Puzzle", extent: Extent, options: Any) -> tuple[Row, Row] | None:
        """The read-only rows (level, start state) for this extent, if they are already known; otherwise None."""
        return None

    def _repr_html_(self) -> str | None:
        """Return its picture, for notebooks; None if its puzzle is unknown."""
        from .pictures.canvas import board_html

        if not self.puzzle:
            return None
        puzzle = load_puzzle(self.puzzle)
        return board_html(puzzle, puzzle.first_scene(self), self.name)


@dataclasses.dataclass(frozen=True)
class Switch:
    """A choice that a person can change; it only changes how the puzzle is shown and its keys."""

    name: str
    """Its name in the files in which choices are saved."""
    words: str
    """What it does, in words."""
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Options of the puzzle while it is on; they only change pictures."""
    keys: Mapping[str, int] | None = None
    """The action of each key while it is on; None: the puzzle's keys."""
    key_words: Mapping[int, str] = dataclasses.field(default_factory=dict)
    """The same as :attr:`.Puzzle.key_words`, for these keys."""
    at_first: bool = False
    """Whether it is on until the person switches it off."""


@dataclasses.dataclass(frozen=True)
class LevelFormats:
    """File formats, other than level text, for exchanging a puzzle's levels with other programs.

    An *entry* is an object of the puzzle's own type: a level as written in a file, with its title and comments.
    """

    writers: Mapping[str, Callable[[Sequence[Any]], str]]
    """``writers[format](entries) -> text``; the first is the default."""
    suffixes: Mapping[str, str]
    """The format for each file name extension, such as ``".xsb"``."""
    read: Callable[[str, str], Sequence[Any]]
    """``read(text, source) -> entries``: the format is detected automatically, and entries need not be playable; in
    place of a malformed one is its error. Raises LevelError."""
    import_levels: Callable[[str, str, Mapping[str, str]], Sequence[Any]]
    """``import_levels(text, source, tiles) -> entries``: the levels in a web page or any text, at least one, all
    playable, and in place of each invalid one its error; ``tiles`` maps the names of pictures to level symbols. Raises
    LevelError."""


@dataclasses.dataclass(frozen=True, eq=False)
class Puzzle:
    """Everything that the engine needs to know about one puzzle."""

    name: str
    """The name of its package in ``puzzles/`` and of its folder in ``levels/``."""
    title: str
    """Its name as shown to users."""
    actions: Callable[[Any], tuple[str, ...]]
    """``actions(options)``: the name of each action, in order."""
    options: type[Any]
    """A frozen dataclass of the puzzle's own keyword arguments; raises ValueError on an invalid value."""
    rules: Rules
    """The rule functions."""
    observations: Mapping[str, Observation]
    """The available observations besides that in pixels; the first is the default."""
    row_lengths: Callable[[Extent], tuple[int, int]]
    """``row_lengths(extent) -> (L, S)``: the lengths of level and state rows."""
    read: Callable[[str, str], Iterable[Level | LevelError]]
    """``read(text, source)``: the levels in a text, in order, and in place of each invalid one its error, which names
    ``source``, line and column. Raises LevelError if the text cannot be divided into levels."""
    encode: Callable[[Level, Extent, Any], tuple[Row, Row]]
    """``encode(level, extent, options)``: the rows (level, start state), padded to ``extent``."""
    format: Callable[[Row, Row], str]
    """``format(level, state)``: level text that parses back to the same rows."""
    check: Callable[[Row, Row, Any], Extent]
    """``check(level, state, options)``: the extent of the two rows. Raises ValueError, saying what is wrong, if play
    with these options cannot reach them; the rules can safely run on everything that passes."""
    ansi: Callable[[Scene], str]
    """``ansi(scene)``: the text that ``render_mode="ansi"`` shows."""
    module: str
    """The dotted name of the module that holds this record as ``PUZZLE``."""
    formats: LevelFormats | None = None
    """File formats for exchanging its levels with other programs."""
    palette: Palette | None = None
    """The pieces of its level text, for drawing levels by hand; None if they cannot be drawn."""
    keys: Mapping[str, int] = dataclasses.field(default_factory=dict)
    """The action of each keyboard key (pygame's key names), for playing by hand."""
    key_words: Mapping[int, str] = dataclasses.field(default_factory=dict)
    """What the keys of an action do, in words, if its name does not say it well enough to a player."""
    gestures: Gestures | None = None
    """What the mouse does; None: it is played by keys only."""
    picture: "Picture | None" = None
    """Its looks; None: it has no pictures."""
    status: "Status | None" = None
    """What is said next to its board, if it has a picture."""
    styles: tuple[str, ...] = ()
    """The bundled values of its option ``style``, the default first; empty if its pictures have one style."""
    switches: tuple[Switch, ...] = ()
    """What a person can switch on."""
    warning: Callable[[Row, Row, Any], str] = lambda level, state, options: ""
    """``warning(level, state, options)``: why the goal is out of reach; empty if not proven, or not asked for."""
    row_check: RowCheck | None = None
    """The check of the levels of a file of rows; None: they are checked one by one, by ``parse`` and ``encode``."""
    option_places: tuple[int, ...] = ()
    """Places in a level row whose numbers depend on the options only: the same for all levels. If there are any,
    options change rows at these places only, so that levels whose rows are known need not be encoded again."""
    hidden: Hidden | None = None
    """How pictures show what the player knows, and all there is; None if the player sees everything."""
    default_levels: str | None = None
    """The bundled pack that is played if ``levels=`` is not given; None: instances are generated."""
    generation: Generation | None = None
    """How it generates instances; None if it cannot."""
    metrics: Metrics | None = None
    """Its metrics, reported in ``info`` in addition to the outcome."""
    resolve_options: Callable[[Any, Extent, Sequence[Level]], Any] = lambda options, extent, levels: options
    """``resolve_options(options, extent, levels)``: the options with defaults that depend on the extent and the levels
    filled in; ``levels`` is empty if instances are generated."""
    deterministic: bool = False
    """Whether the effect of an action never depends on ``rng``, so that the puzzle can be solved by search."""

    def generation_with(self, options: Any) -> Generation | None:
        """How instances are generated if ``levels=`` is not given; None if these options use the default pack."""
        made = self.generation
        return made if made is not None and (self.default_levels is None or made.enabled(options)) else None

    def metric_kinds(self, options: Any) -> Mapping[str, type]:
        """The names and types of the metrics in ``info``."""
        return {} if self.metrics is None else self.metrics.kinds(options)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy by name: a record consists of functions."""
        return load_puzzle, (self.module,)

    def first_scene(self, level: Level, options: Any = None) -> Scene:
        """Return the scene at the start of a level; raises LevelError if it cannot be played.

        Args:
            level: The level.
            options: The puzzle's options; None: its defaults.
        """
        options = self.resolve_options(self.read_options() if options is None else options, level.extent, [level])
        return Scene(*self.encode(level, level.extent, options), options, title=level.name)

    def revealed(self, scene: Scene) -> Scene:
        """Return a scene that shows everything, even what its player does not know."""
        return scene if self.hidden is None else _with_options(scene, self.hidden.revealed)

    def concealed(self, scene: Scene) -> Scene:
        """Return a scene that shows only what its player knows."""
        return scene if self.hidden is None else _with_options(scene, self.hidden.playing)

    def decode(self, observation: str, seen: npt.NDArray[Any], extent: Extent, options: Any) -> tuple[Row, Row]:
        """Return the level and state that an observation shows: the inverse of its ``observe``.

        Args:
            observation: A key of :attr:`observations`.
            seen: One observation.
            extent: The environment's extent.
            options: The environment's options.

        Returns:
            The rows (level, state).

        Raises:
            ValueError: The observation does not show everything, or no state has this observation.
        """
        shown = self.observations.get(observation)
        if shown is None or shown.decode is None:
            raise ValueError(f"observation={quote(observation)} of {self.title} does not show the complete state")
        level, state = shown.decode(seen, extent, options)
        self.check_rows(level, state, options)
        return level, state

    def check_rows(self, level: Row, state: Row, options: Any) -> Extent:
        """Check two rows from an untrusted source and return their extent.

        Raises:
            ValueError: They are not a level and a state that play with these options can reach.
        """
        for name, row in (("level", level), ("state", state)):
            if not isinstance(row, np.ndarray) or row.dtype != np.int16 or row.ndim != 1:
                raise ValueError(f"the {name} must be a row int16[N], not {quote(row)}")
        return self.check(level, state, options)

    def parse(self, text: str, source: str) -> list[Level]:
        """Return the levels in a text.

        Args:
            text: Level text.
            source: The name of the file or text, for messages.

        Raises:
            LevelError: One of them is invalid; the message begins with ``source:line:column``.
        """
        return list(all_valid(self.read(text, source)))

    def read_options(self, **kwargs: Any) -> Any:
        """Return the puzzle's options for some keyword arguments; see :func:`~.arguments.options_of` for the errors."""
        return options_of(self.options, self.title, kwargs)


def _with_options(scene: Scene, options: Mapping[str, Any]) -> Scene:
    return dataclasses.replace(scene, options=dataclasses.replace(scene.options, **options))


def all_valid(items: Iterable[Read | LevelError]) -> Iterator[Read]:
    """Yield the levels, or entries, of what has been read; raise the first error."""
    for item in items:
        if isinstance(item, LevelError):
            raise item
        yield item


def load_puzzle(puzzle: str | Puzzle) -> Puzzle:
    """Return the record itself, or the ``PUZZLE`` of the module with that dotted name.

    Raises:
        ValueError: The module has no ``PUZZLE``.
    """
    if isinstance(puzzle, Puzzle):
        return puzzle
    found = getattr(importlib.import_module(puzzle), "PUZZLE", None)
    if not isinstance(found, Puzzle):
        raise ValueError(f"module {quote(puzzle)} has no PUZZLE of type gridpuzzles_gym.engine.puzzle.Puzzle")
    return found
