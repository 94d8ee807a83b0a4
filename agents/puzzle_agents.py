"""What a puzzle's agents are made of: the record that ``agents/<puzzle>/__init__.py`` fills in, twin of ``Puzzle``.

A puzzle names the module of its record (:attr:`Puzzle.agents`); the tables of searches, agents, level makers, presets
and samplers are collected from these records. A puzzle without a record has the agents and searches that every puzzle
has. Fields that would import much are functions, called when they are needed.
"""

import dataclasses
import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gridpuzzles_gym.engine.levels import Sampler
from gridpuzzles_gym.engine.puzzle import Level, Puzzle

from .policy import Policy

if TYPE_CHECKING:
    from .candidates import Candidate, CandidateMaker
    from .search.heuristic import Heuristic
    from .search.search import Search


@dataclasses.dataclass(frozen=True)
class AgentEntry:
    """An agent that needs no training, as tools list it."""

    name: str
    """What the command line calls it."""
    description: str
    """One line for people."""
    make: Callable[[Any, int], Policy]
    """``make(env, seed)`` with an environment of the suite, single or vector; imports the agent's code. The wrappers
    around a single environment tell its step limit."""
    observation: str | None = None
    """Which ``observation=`` its environment must have; None takes any."""
    search: str | None = None
    """The name of the search it plans with, if it plans."""
    featured: bool = True
    """Does a comparison include it unless told otherwise?"""


@dataclasses.dataclass(frozen=True)
class LevelMaker:
    """What makes new levels of a puzzle whose own rules generate none."""

    sampler: Callable[..., Sampler]
    """``sampler(**settings)``: a sampler whose levels depend on their random bits alone."""
    settings: tuple[str, ...]
    """The names of all settings it takes."""
    bounds: tuple[str, ...] = ()
    """The names of the bounds by which levels can be rejected; none where levels are not measured."""
    candidates: "Callable[[Sampler, Mapping[str, Any]], CandidateMaker] | None" = None
    """``candidates(sampler, bounds)``: makes measured candidates for packs; None: all of the sampler's levels are
    taken as they are."""
    table: "Callable[[Sequence[str], Sequence[Candidate]], str] | None" = None
    """``table(titles, candidates)``: the text of the table that is written beside a pack of measured levels."""


@dataclasses.dataclass(frozen=True)
class Preset:
    """Training settings tuned on one environment: what differs from the defaults."""

    learner: Mapping[str, Any]
    """Fields of :class:`~gridpuzzles_gym.agents.training.settings.Settings`."""
    environment: Mapping[str, Any]
    """Keyword arguments of the environment in training, JSON-able: a curriculum, a shorter step limit."""
    unless: tuple[str, ...] = ("levels",)
    """Keyword arguments that choose start states themselves: where one is given, none of ``environment`` is used."""

    def __str__(self) -> str:
        """As the command line takes them: ``--hyper gamma=0.97 --set scramble=[1,60]``."""
        pairs = [f"--hyper {name}={value}" for name, value in self.learner.items()]
        pairs += [f"--set {name}={value}" for name, value in self.environment.items()]
        return " ".join(pair.replace(", ", ",") for pair in pairs)


def _none() -> Mapping[str, Any]:
    return {}


@dataclasses.dataclass(frozen=True)
class PuzzleAgents:
    """Everything that only one puzzle's agents have; the defaults are those of a puzzle without a record."""

    agents: Sequence[AgentEntry] = ()
    """Its own agents, beside the random one and the planners made from its searches."""
    searches: "Callable[[], Mapping[str, Search]]" = _none
    """Its own searches by name."""
    heuristics: "Callable[[], Mapping[str, Heuristic]]" = _none
    """Its heuristics by name, the default first."""
    level_maker: Callable[[], LevelMaker] | None = None
    """What makes new levels; None: the puzzle's own rules generate them, if anything does."""
    generated_with: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """The puzzle's options without which its rules generate nothing."""
    stages: Sequence[Mapping[str, Any]] = ()
    """Settings of what makes its levels, easiest first: the default curriculum."""
    level_key: Callable[[Level], bytes] | None = None
    """``level_key(level)``: equal for levels that count as the same; None: levels whose text is equal."""
    grades: Callable[[str], Mapping[str, Sequence[float]]] | None = None
    """``grades(pack)``: the columns of numbers in the table beside a pack of levels, the default measure of difficulty
    first. None: its packs have no such tables."""
    presets: Mapping[str, Preset] = dataclasses.field(default_factory=dict)
    """Training presets by environment id."""
    symmetric: bool = False
    """Are the rules the same in all eight orientations of the board? Then training may turn and mirror boards."""


def agents_record(puzzle: Puzzle) -> PuzzleAgents:
    """The record of a puzzle: ``PUZZLE_AGENTS`` of the module that it names.

    Raises:
        ValueError: That module has none.
    """
    if puzzle.agents is None:
        return PuzzleAgents()
    found = getattr(importlib.import_module(puzzle.agents), "PUZZLE_AGENTS", None)
    if not isinstance(found, PuzzleAgents):
        raise ValueError(f"module {puzzle.agents!r} has no PUZZLE_AGENTS of type {__name__}.PuzzleAgents")
    return found
