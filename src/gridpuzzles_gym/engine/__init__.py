"""The engine: knows Gymnasium, numba and pygame, and no puzzle.

Start with :mod:`~gridpuzzles_gym.engine.puzzle`, the interface every puzzle fills in.
"""
