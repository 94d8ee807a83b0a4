"""Sokoban's level files: reading and writing boards in the many formats that they are exchanged in.

:mod:`.formats` is the door: it finds out which format a text is in, and lists how levels are written in each.
Whether a board can be played is not looked at here; :mod:`~gridpuzzles_gym.puzzles.sokoban.text` does that.
"""
