"""When two levels of a puzzle are the same: packs hold none twice, and tests none that was trained on."""

from gridpuzzles_gym.engine.puzzle import Level, Puzzle

from .puzzle_agents import agents_record


def key_of(puzzle: Puzzle, level: Level) -> bytes:
    """A key that is equal for levels that are the same: by the puzzle's own record, else by their text."""
    own = agents_record(puzzle).level_key
    return board_of(puzzle, level).encode() if own is None else own(level)


def board_of(puzzle: Puzzle, level: Level) -> str:
    """Level text without a title, nor a line break at its end."""
    options = puzzle.resolve_options(puzzle.read_options(), level.extent, [level])
    return puzzle.format(*puzzle.encode(level, level.extent, options)).rstrip("\n")
