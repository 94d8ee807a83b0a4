"""The record of a puzzle's agents, which ``agents/<puzzle>/__init__.py`` fills in: the counterpart of ``Puzzle``.

The record is found by the puzzle's name, so no puzzle needs to know of it; the tables of searches, agents, level
makers, presets and samplers are collected from these records. A puzzle without a record has only the agents and
searches common to all puzzles. Fields that would import large modules are functions, called when needed.
"""

import dataclasses
import functools
import importlib
import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.levels.sources import Sampler
from gridpuzzles_gym.engine.messages import quote
from gridpuzzles_gym.engine.puzzle import Level, Puzzle
from gridpuzzles_gym.engine.scene import Row

from .policy import Policy

if TYPE_CHECKING:
    from .agent_kernels import KernelMaker, Solver
    from .candidates import Candidate, CandidateMaker, Measurements
    from .search.heuristic import Heuristic
    from .search.search import Search


LEVELS = "levels"
"""The argument of environments that has an option of its own."""


def typed(value: Any) -> str:
    """Return a value as it is typed after an option or ``NAME=``: text as it is, everything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def option_words(env_kwargs: Mapping[str, Any], hyper: Mapping[str, Any] | None = None) -> list[str]:
    """Return the words of a command with these settings: ``["--levels", "starter", "--hyper", "gamma=0.97"]``.

    Args:
        env_kwargs: Keyword arguments of the environment. A level text of several lines becomes ``FILE``.
        hyper: Settings of the training.
    """
    levels = env_kwargs.get(LEVELS)
    text = isinstance(levels, str) and "\n" in levels
    words = [] if levels is None else ["--levels", "FILE" if text else typed(levels)]
    for name, value in env_kwargs.items():
        words += [] if name == LEVELS else ["--set", f"{name}={typed(value)}"]
    for name, value in (hyper or {}).items():
        words += ["--hyper", f"{name}={typed(value)}"]
    return words


def option_line(env_kwargs: Mapping[str, Any], hyper: Mapping[str, Any] | None = None) -> str:
    """Return :func:`option_words` as one line, quoted for a shell where that is needed."""
    return shlex.join(option_words(env_kwargs, hyper))


@dataclasses.dataclass(frozen=True)
class AgentEntry:
    """An agent that needs no training, as listed by tools."""

    name: str
    """Its name on the command line."""
    description: str
    """One-line description for users."""
    make: Callable[..., Policy]
    """``make(env, seed, **parameters)`` with an environment of the suite, single or vector; imports the agent's code.
    The step limit is read from the wrappers around a single environment."""
    observation: str | None = None
    """The ``observation=`` its environment must have; None accepts any."""
    search: str | None = None
    """The name of the search it plans with, if any."""
    parameters: tuple[str, ...] = ()
    """The names of its parameters, which can be given after its name: ``astar:nodes=1000``."""
    featured: bool = True
    """Whether it is part of a comparison by default."""


@dataclasses.dataclass(frozen=True)
class Advisor:
    """What gives hints to a player: a search or an agent of the puzzle."""

    name: str
    """The name of the search or agent."""
    heuristic: str | None = None
    """The name of the search's heuristic; None is the puzzle's default."""
    parameters: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """The search's parameters."""
    share: float = 1.0
    """The share of the remaining time that a search may take, before the next advisor is tried."""


@dataclasses.dataclass(frozen=True)
class LevelFlag:
    """A setting or bound of a level maker that has a flag of its own in ``gridpuzzles generate``."""

    name: str
    help: str
    kind: type = int
    """The type of its value: ``int``, or ``str`` for text or an integer."""
    metavar: str = "N"


@dataclasses.dataclass(frozen=True)
class LevelMaker:
    """How to make new levels of a puzzle whose own rules generate none."""

    sampler: Callable[..., Sampler]
    """``sampler(**settings)``: a sampler whose levels depend on their random bits alone."""
    settings: tuple[str, ...]
    """The names of all its settings."""
    bounds: tuple[str, ...] = ()
    """The names of the bounds by which levels can be rejected; empty if levels are not measured."""
    candidates: "Callable[[Sampler, Mapping[str, Any]], CandidateMaker] | None" = None
    """``candidates(sampler, bounds)``: makes measured candidates for packs; None: all of the sampler's levels are
    accepted."""
    table: "Callable[[Sequence[str], Sequence[Candidate]], str] | None" = None
    """``table(titles, candidates)``: the text of the table written next to a pack of measured levels."""
    difficulty: "Callable[..., Measurements] | None" = None
    """The dataclass of measurements; None if levels are not measured."""
    flags: tuple[LevelFlag, ...] = ()
    """The settings and bounds with a flag of their own, in the order of the help; ``--set`` takes the others."""


@dataclasses.dataclass(frozen=True)
class Preset:
    """Training settings tuned on one environment, as differences from the defaults."""

    learner: Mapping[str, Any]
    """Fields of :class:`~gridpuzzles_gym.agents.training.settings.Settings`."""
    environment: Mapping[str, Any]
    """Keyword arguments of the environment for training, JSON-serializable: a curriculum, a shorter step limit."""
    unless: tuple[str, ...] = ("levels",)
    """Keyword arguments that select start states; if one is given, ``environment`` is not used."""
    taught: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Fields that are different, or additional, if there is a teacher."""

    def __str__(self) -> str:
        """Return the preset as command-line arguments: ``--set max_episode_steps=60 --hyper gamma=0.97``."""
        text, taught = option_line(self.environment, self.learner), option_line({}, self.taught)
        return f"{text}; with --teacher: {taught}".removeprefix("; ") if taught else text


@dataclasses.dataclass(frozen=True)
class PuzzleTasks:
    """What the single-turn tasks of :mod:`gridpuzzles_gym.text.tasks` need to know about one puzzle."""

    difficulties: Mapping[str, Mapping[str, Mapping[str, Any]]]
    """``difficulties[id][task][difficulty]``: the settings of a task in an environment, those of its levels in
    ``"levels"``; the difficulties are ``"easy"``, ``"medium"`` and ``"hard"``. A puzzle has only the tasks that are
    listed."""
    key: Callable[[Row, Row], bytes] | None = None
    """``key(level, state)``: equal for positions that pose the same problem; None: equal level texts, in all eight
    orientations if the rules are symmetric."""
    arrange: Callable[[Row, Mapping[str, Any], int], Row] | None = None
    """``arrange(level, settings, random_bits)``: a new state of a level, for the task ``solvable``; None: random legal
    actions lead to its positions."""
    counted: str = ""
    """Letters of level text. How many of them a position of ``solvable`` has is chosen before its answer, so that
    counting hardly tells the answer."""
    solvable: Callable[[Row, Row], bool] | None = None
    """``solvable(level, state)``: whether a position can be solved; None: a search proves it."""
    action_values: Callable[[Row, Row], npt.NDArray[np.float64]] | None = None
    """``action_values(level, state)``: the optimal expected return after each action, float64[A]; None: the fewest
    actions, by search."""
    picture: Callable[[Row, Row], str] | None = None
    """``picture(level, state)``: text that shows everything there is, with a legend, for puzzles whose observations do
    not."""


def _none() -> Mapping[str, Any]:
    return {}


@dataclasses.dataclass(frozen=True)
class PuzzleAgents:
    """Everything specific to one puzzle's agents; the defaults are those of a puzzle without a record."""

    agents: Sequence[AgentEntry] = ()
    """Its own agents, in addition to the random one and the planners based on its searches."""
    searches: "Callable[[], Mapping[str, Search]]" = _none
    """Its own searches by name."""
    heuristics: "Callable[[], Mapping[str, Heuristic]]" = _none
    """Its heuristics by name, the default first."""
    advisors: Sequence[Advisor] = ()
    """What gives hints, in order: the next is tried if one finds no solution in its time, or cannot play these levels.
    Empty: the default search."""
    tutors: Sequence[AgentEntry] = ()
    """Agents that only teach, in addition to all those that play."""
    teachers: Sequence[Advisor] = ()
    """The agents, tutors and searches that teach best, in order: the next is tried if one cannot play these levels, or
    a search finds no solution within its limit. Empty: the default search."""
    optimal_searches: Sequence[Advisor] = ()
    """Searches that find the cheapest solutions, in order: the next is tried if one reaches its limit of states, which
    is its share of those that are left. Empty: the first of its own searches that is optimal, or A*."""
    reward_schemes: Mapping[str, tuple[float, float]] = dataclasses.field(default_factory=dict)
    """Values of the option ``reward`` with which an action and reaching the goal do not give −1 and +1000, and what
    they give then."""
    walker: int | None = None
    """The entry of a state row that holds the player's square, if he can walk without changing anything else."""
    level_maker: Callable[[], LevelMaker] | None = None
    """How to make new levels; None: by the puzzle's own rules, if they can generate any."""
    generated_with: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """The puzzle's options without which its rules cannot generate levels."""
    generator_values: Mapping[str, Sequence[Any]] = dataclasses.field(default_factory=dict)
    """The most useful settings of the level maker, bounds included, with the values to choose from; the first of each
    is chosen at first. None: the setting is not given."""
    difficulties: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)
    """What a person chooses from, easiest first: settings of the level maker, with values of ``generator_values``."""
    stages: Sequence[Mapping[str, Any]] = ()
    """Settings of the level maker, easiest first: the default curriculum."""
    level_key: Callable[[Level], bytes] | None = None
    """``level_key(level)``: equal for levels that count as the same; None: levels with equal text are the same."""
    grades: Callable[[str], Mapping[str, Sequence[float]]] | None = None
    """``grades(pack)``: the numeric columns of the table next to a pack of levels, the default measure of difficulty
    first. None: its packs have no such tables."""
    minima: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """The columns that are proven minima, or infinity where none is known: name of a metric, or ``"moves"`` →
    column."""
    shortest_plan: Callable[[], Callable[[Row, Row], Sequence[int] | None]] | None = None
    """``shortest_plan()(level, state)``: the fewest actions that solve a level if all of it is visible and
    nothing else moves; None if there are none. For puzzles that no search applies to, because chance plays a part."""
    measure: Callable[[], Callable[[Row, Row], Mapping[str, float]]] | None = None
    """``measure()(level, state)``: numbers that say how hard a solvable level is, by name in words; empty if they are
    not found quickly. None: only what searches prove is known."""
    measurements: Sequence[str] = ()
    """The names of these numbers."""
    presets: Mapping[str, Preset] = dataclasses.field(default_factory=dict)
    """Training presets by environment id."""
    kernels: "Callable[[], Mapping[str, KernelMaker]]" = _none
    """Its agents that are kernels, by name, for playing without Python."""
    solvers: "Callable[[], Mapping[str, Solver]]" = _none
    """Its own searches as kernels, by name, for playing without Python."""
    player: str = "player"
    """The name of the plane, among an observation's channels, that shows where the player is."""
    tasks: Callable[[], PuzzleTasks] | None = None
    """What single-turn tasks for language models need to know; None: it has no such tasks."""
    symmetric: bool = False
    """Whether the rules are the same in all eight orientations of the board; training may then rotate and mirror it."""


def agents_record(puzzle: Puzzle) -> PuzzleAgents:
    """Return the record of a puzzle, found by the puzzle's place; without one, a record of defaults.

    It is the ``PUZZLE_AGENTS`` of the folder of the same name next to this file, or, for a puzzle from elsewhere, of
    the module ``agents`` in the puzzle's package.

    Raises:
        ValueError: That module exists, but has no such record.
    """
    suite = __package__.rpartition(".")[0]
    own = puzzle.module == f"{suite}.puzzles.{puzzle.name}"
    return _record(f"{__package__}.{puzzle.name}" if own else f"{puzzle.module}.agents")


@functools.cache
def _record(module: str) -> PuzzleAgents:
    try:
        loaded = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise  # the module exists, and needs one that does not
        return PuzzleAgents()
    found = getattr(loaded, "PUZZLE_AGENTS", None)
    if not isinstance(found, PuzzleAgents):
        raise ValueError(f"module {quote(module)} has no PUZZLE_AGENTS of type {__name__}.PuzzleAgents")
    return found


def pack_minima(puzzle: Puzzle, pack: str) -> dict[str, Sequence[float]]:
    """Return the proven minima of a pack's levels by metric, infinity where none is known; empty without a table."""
    columns = pack_grades(puzzle, pack)
    return {name: columns[column] for name, column in agents_record(puzzle).minima.items() if column in columns}


def pack_grades(puzzle: Puzzle, pack: str) -> Mapping[str, Sequence[float]]:
    """Return the numeric columns of the table next to a pack; empty if there is none."""
    grades = agents_record(puzzle).grades
    try:
        return {} if grades is None else grades(pack)
    except (ValueError, OSError):
        return {}


def key_of(puzzle: Puzzle, level: Level, options: Any = None) -> bytes:
    """Return a key that is equal for equal levels: from the puzzle's agent record, by default :func:`board_of`."""
    own = agents_record(puzzle).level_key
    return board_of(puzzle, level, options).encode() if own is None else own(level)


def board_of(puzzle: Puzzle, level: Level, options: Any = None) -> str:
    """Level text without a title or trailing line break, as played with these options; None: the default ones."""
    options = puzzle.resolve_options(puzzle.read_options() if options is None else options, level.extent, [level])
    return puzzle.format(*puzzle.encode(level, level.extent, options)).rstrip("\n")
