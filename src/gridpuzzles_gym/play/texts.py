"""Levels, positions and moves as text, to copy and paste."""

import contextlib

from gridpuzzles_gym.agents.puzzle_agents import board_of
from gridpuzzles_gym.agents.search.problem import Problem

from ..engine.levels.left_out import levels_in_text, line_about, split_valid_and_errors
from ..engine.levels.sources import levels_text
from ..engine.puzzle import LevelError, Puzzle
from .choices import MenuEntry, ids_of
from .game import Game
from .solving import count_pushes, letters_of

SOURCE = "the clipboard"
MOST_CHARACTERS = 10_000_000
"""Maximum length of a text that is read."""


def level_text(game: Game) -> str:
    """Return the level of a game at its start, with its title."""
    return f"; {game.title}\n{game.puzzle.format(game.scene().level, game.states[0])}"


def position_text(game: Game) -> str:
    """Return the current position of a game, as level text."""
    scene = game.scene()
    return game.puzzle.format(scene.level, scene.state)


def moves_text(game: Game) -> str:
    """Return the moves so far: letters where pushes are counted, in upper case for a push (LURD), otherwise names."""
    puzzle, options = game.puzzle, game.env.options
    names, taken = puzzle.actions(options), game.actions
    if not puzzle.deterministic:
        return " ".join(names[action] for action in taken)
    pushes = count_pushes(Problem(puzzle, game.scene().level, game.states[0], options), taken)
    return " ".join(names[action] for action in taken) if pushes is None else letters_of(names, taken, pushes)


def shows_all(game: Game) -> bool:
    """Whether the person sees the whole level."""
    return game.puzzle.hidden is None or game.over


def pasted_levels(puzzle: Puzzle, text: str) -> tuple[MenuEntry, str]:
    """Return the levels in a text that was copied from anywhere, and a line on those that are left out.

    Raises:
        ValueError: It has no valid level of this puzzle.
    """
    if not text.strip():
        raise ValueError(f"{SOURCE} is empty")
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"{SOURCE} has {len(text):,} characters; the maximum is {MOST_CHARACTERS:,}")
    formats = puzzle.formats
    text = text.replace("\r\n", "\n").rstrip() + "\n"
    levels, errors = split_valid_and_errors(levels_in_text(puzzle.read, text, SOURCE))
    if not levels and formats is not None:
        with contextlib.suppress(LevelError):
            entries, errors = split_valid_and_errors(formats.import_levels(text, SOURCE, {}))
            text = next(iter(formats.writers.values()))(entries)
            levels = puzzle.parse(text, SOURCE) if entries else []
    if not levels:
        raise LevelError(f"no level of {puzzle.title} in {SOURCE}" + (f": {errors[0]}" if errors else ""))
    if errors:
        text = levels_text([level.name for level in levels], [board_of(puzzle, level) for level in levels])
    return MenuEntry("pasted", ids_of(puzzle)[0], text), line_about(SOURCE, len(levels), errors) if errors else ""
