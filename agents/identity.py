"""When two levels are the same, of any puzzle: packs hold none twice, and tests none that was trained on."""

from gridpuzzles_gym.engine.puzzle import Level, Puzzle
from gridpuzzles_gym.puzzles import sokoban

from .sokoban.generation.symmetry import canonical_key


def key_of(puzzle: Puzzle, level: Level) -> bytes:
    """What is equal for levels that are the same: boards of Sokoban also where they are turned or mirrored."""
    if puzzle is sokoban.PUZZLE:
        return canonical_key(level.content)
    return board_of(puzzle, level).encode()


def board_of(puzzle: Puzzle, level: Level) -> str:
    """Level text without a title, nor a line break at its end."""
    options = puzzle.settle(puzzle.read_options(), level.extent, [level])
    return puzzle.format(*puzzle.encode(level, level.extent, options)).rstrip("\n")
