"""The engine: everything that uses Gymnasium, numba and pygame and is independent of the puzzle.

Start with :mod:`~gridpuzzles_gym.engine.puzzle`, the interface that every puzzle implements.
"""

__all__ = [
    "arguments",
    "board",
    "compile",
    "config",
    "cuda",
    "env",
    "levels",
    "observations",
    "pictures",
    "puzzle",
    "random",
    "scene",
    "vector",
    "wording",
]
