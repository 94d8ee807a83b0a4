"""Gymnasium's text spaces: observations and replies."""

import string

import gymnasium as gym

from ..engine.config import EnvConfig

CHARACTERS = frozenset(string.printable) - frozenset("\t\r\v\f") | frozenset("…×−–’°")
"""The characters of all texts; Gymnasium's spaces need a finite set."""
REPLY_LENGTH = 2**14
"""Maximum length of a sampled reply, in characters; longer replies are read too."""
_PER_SQUARE, _OTHER_TEXT = 64, 4096
"""The maximum number of characters for each square, and for everything else."""


def observation_space(config: EnvConfig) -> gym.spaces.Text:
    """Return the space of observations, for all views of boards of the environment's extent."""
    height, width = config.extent[:2]
    return gym.spaces.Text(max_length=_OTHER_TEXT + _PER_SQUARE * height * width, charset=CHARACTERS)


def reply_space() -> gym.spaces.Text:
    """Return the space of replies; replies outside it, with other characters or longer, are accepted too."""
    return gym.spaces.Text(min_length=0, max_length=REPLY_LENGTH, charset=CHARACTERS)


def contained(text: str) -> str:
    """Return a text with question marks in place of characters outside the spaces."""
    if CHARACTERS.issuperset(text):
        return text
    return "".join(character if character in CHARACTERS else "?" for character in text)
