"""Decides which levels of a puzzle are the same: packs hold no duplicates, and tests no level used in training."""

from typing import Any

from gridpuzzles_gym.engine.puzzle import Level, Puzzle

from .puzzle_agents import agents_record


def key_of(puzzle: Puzzle, level: Level, options: Any = None) -> bytes:
    """Return a key that is equal for equal levels: from the puzzle's agent record, by default :func:`board_of`."""
    own = agents_record(puzzle).level_key
    return board_of(puzzle, level, options).encode() if own is None else own(level)


def board_of(puzzle: Puzzle, level: Level, options: Any = None) -> str:
    """Level text without a title or trailing line break, as played with these options; None: the default ones."""
    options = puzzle.resolve_options(puzzle.read_options() if options is None else options, level.extent, [level])
    return puzzle.format(*puzzle.encode(level, level.extent, options)).rstrip("\n")
