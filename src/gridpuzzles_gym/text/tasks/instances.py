"""Positions of puzzles: made from random bits, written as text, and read back."""

import dataclasses
import functools
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from gridpuzzles_gym.agents.level_sources.makers import make_source, settings_of
from gridpuzzles_gym.agents.puzzle_agents import PuzzleTasks, agents_record
from gridpuzzles_gym.agents.samplers.mixing import below, mix

from ...engine.config import EnvConfig
from ...engine.messages import quote
from ...engine.puzzle import UNFINISHED, Extent, Level, Puzzle
from ...engine.scene import Row
from ...engine.wording import wording_of
from ...registration import puzzle_of_id, spec_of
from ..views import View

BOARD, SIZE, SIDES = "board", "size", ("width", "height")
"""The data set's setting for the size of boards, its name elsewhere, and the settings that it replaces."""
_MOST_STEPS = 40
"""The maximum number of random actions per change of a position."""


@dataclasses.dataclass(frozen=True, eq=False)
class Instance:
    """A position of a puzzle, with the options of the game."""

    puzzle: Puzzle
    options: Any
    extent: Extent
    level: Row
    state: Row

    @property
    def text(self) -> str:
        """Its level text."""
        return self.puzzle.format(self.level, self.state)

    @property
    def actions(self) -> tuple[str, ...]:
        """The name of each action, in order."""
        return self.puzzle.actions(self.options)

    @property
    def outcome(self) -> int:
        """One of UNFINISHED, SOLVED, DIED and LEFT."""
        return int(self.puzzle.rules.outcome(self.level, self.state))

    @property
    def config(self) -> EnvConfig:
        """The configuration of an environment that generates such levels."""
        name = wording_of(self.puzzle).observation
        return EnvConfig(self.puzzle, self.options, name, self.extent, (), None, None)

    def at(self, state: Row) -> "Instance":
        """Return another position of the same level."""
        return dataclasses.replace(self, state=state)

    def after(self, action: int, random_bits: int = 1) -> "Instance":
        """Return the position after an action."""
        state = self.state.copy()
        self.puzzle.rules.step(self.level, state, action, np.array([random_bits or 1], np.uint64))
        return self.at(state)

    def seen(self, view: View) -> str:
        """Return the player's observation as text."""
        observation = self.puzzle.observations[view.observation]
        space = observation.space(self.extent)
        seen = np.zeros(space.shape or (), space.dtype)
        observation.observe(self.level, self.state, seen.reshape(len(seen), -1) if seen.ndim == 3 else seen)
        return view.write(seen[None])[0]


class Source:
    """Makes instances of an environment from random bits.

    Args:
        env_id: The id of the environment.
        settings: The settings of the puzzle's level maker, and its own options.

    Attributes:
        play: The keyword arguments of an environment that plays the levels, except ``levels=``.
        set_name: The name of the set whose levels these are; None: the level maker's.

    Raises:
        ValueError: A setting is unknown or invalid, or no levels can be made.
    """

    def __init__(self, env_id: str, settings: Mapping[str, Any]) -> None:
        self.env_id, self.puzzle = env_id, puzzle_of_id(env_id)
        record = agents_record(self.puzzle)
        registered = {name: value for name, value in spec_of(env_id).kwargs.items() if name != "puzzle"}
        renamed = renamed_settings(self.puzzle)
        settings = {renamed.get(name, name): value for name, value in settings.items()}
        if SIZE in settings:
            registered = {name: value for name, value in registered.items() if name not in SIDES}
        options, makes = option_names(self.puzzle), settings_of(self.puzzle)
        self.play = {**registered, **{name: value for name, value in settings.items() if name in options}}
        for name in record.generated_with:
            self.play.pop(name, None)
        sets = tasks_of(self.puzzle).sets
        self.set_name = next((name for name in settings if name in sets), None)
        if self.set_name is not None:
            self._sample = sets[self.set_name].make(settings[self.set_name])
            return
        made_with = {name: value for name, value in settings.items() if name in makes}
        try:
            self._sample = make_source(self.puzzle, made_with, registered).sample
        except ValueError as error:
            old, equals, rest = str(error).partition("=")
            new = next((new for new, name in renamed.items() if name == old), old)
            raise ValueError(f"{new}{equals}{rest}") from None

    def __call__(self, random_bits: int) -> Instance:
        """Return the start of a new level."""
        level = self._sample(random_bits)
        options = self.puzzle.resolve_options(self.puzzle.read_options(**self.play), level.extent, ())
        rows = level.rows_for(self.puzzle, level.extent, options) or self.puzzle.encode(level, level.extent, options)
        return Instance(self.puzzle, options, level.extent, rows[0], rows[1].copy())


def tasks_of(puzzle: Puzzle) -> PuzzleTasks:
    """Return the puzzle-specific part of tasks.

    Raises:
        ValueError: It has no tasks.
    """
    tasks = agents_record(puzzle).tasks
    if tasks is None:
        raise ValueError(f"{puzzle.title} has no tasks: its agents' record has none")
    return tasks()


def renamed_settings(puzzle: Puzzle) -> dict[str, str]:
    """Return the settings that have another name in a data set, which has its own size and difficulty.

    Returns:
        Name in a data set → name of the level maker's setting or the option.
    """
    return {BOARD: SIZE, **tasks_of(puzzle).renamed}


def source_settings(puzzle: Puzzle) -> list[str]:
    """Return the names of all settings of a puzzle's instances, as in a data set."""
    new_names = {old: new for new, old in renamed_settings(puzzle).items()}
    own = [*settings_of(puzzle), *sorted(option_names(puzzle))]
    return list(dict.fromkeys(new_names.get(name, name) for name in own))


def option_names(puzzle: Puzzle) -> set[str]:
    """Return the names of the puzzle's own options."""
    return {field.name for field in dataclasses.fields(puzzle.options)}


def start_of(puzzle: Puzzle, level: Level, **options: Any) -> Instance:
    """Return the start of a level; raises LevelError if it cannot be played."""
    resolved = puzzle.resolve_options(puzzle.read_options(**options), level.extent, [level])
    return Instance(puzzle, resolved, level.extent, *puzzle.encode(level, level.extent, resolved))


def read_instance(env_id: str, play: Mapping[str, Any], text: str) -> Instance:
    """Return the start of the level with that text, in an environment; it is cached and must not be changed.

    Raises:
        LevelError: It is not the text of one level that can be solved.
    """
    return _read_instance(env_id, json.dumps(dict(play), sort_keys=True), text)


@functools.lru_cache(4096)
def _read_instance(env_id: str, play: str, text: str) -> Instance:
    puzzle = puzzle_of_id(env_id)
    levels = puzzle.parse(text, "level text")
    if len(levels) != 1:
        raise ValueError(f"level={quote(text)}: must be one level, not {len(levels)}")
    return start_of(puzzle, levels[0], **json.loads(play))


def walk(start: Instance, changes: int, random_bits: int) -> Instance | None:
    """Perform random actions from the start of a level until the position has changed a number of times.

    Actions that would end the episode are not performed. If the player can walk without changing anything else, mere
    walking does not count as a change.

    Args:
        start: The start of the level.
        changes: The number of changes.
        random_bits: 64 random bits.

    Returns:
        The final position; None if too many actions were needed.
    """
    rules, walker = start.puzzle.rules, agents_record(start.puzzle).walker
    level, state, actions = start.level, start.state.copy(), range(len(start.actions))
    rng = np.array([mix(random_bits) or 1], np.uint64)
    if rules.begin is not None:
        rules.begin(level, state, rng)
    step = 0
    while changes > 0:
        legal = [action for action in actions if rules.legal(level, state, action)]  # may be empty
        if not legal or step >= _MOST_STEPS * changes:
            return None
        step += 1
        after = state.copy()
        rules.step(level, after, legal[below(mix(random_bits, step), len(legal))], rng)
        if rules.outcome(level, after) != UNFINISHED:
            continue
        if walker is not None:
            state[walker] = after[walker]
        changes -= after.tobytes() != state.tobytes()
        state = after
    return start.at(state)
