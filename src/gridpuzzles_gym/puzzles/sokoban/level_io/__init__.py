"""Sokoban's level files: reading and writing boards in the many formats that they are exchanged in. Private.

:mod:`.formats` is the entry point: it detects the format of a text, and has a writer for each format.
Whether a board can be played is checked elsewhere, by :mod:`~gridpuzzles_gym.puzzles.sokoban.checking`.
"""
