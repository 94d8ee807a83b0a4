"""Gymnasium's spaces of texts: those that an environment shows, and those that are replied."""

import string

import gymnasium as gym

from ..engine.config import EnvConfig

CHARACTERS = frozenset(string.printable) - frozenset("\t\r\v\f") | frozenset("…×−–’°")
"""The characters of all texts; Gymnasium's spaces need a finite set."""
REPLY_LENGTH = 2**14
"""Maximum length of a sampled reply, in characters; longer replies are read too."""
_A_SQUARE, _BESIDES = 64, 4096


def observation_space(config: EnvConfig) -> gym.spaces.Text:
    """Return the space of what an environment shows, for any view of boards of its extent."""
    height, width = config.extent[:2]
    return gym.spaces.Text(max_length=_BESIDES + _A_SQUARE * height * width, charset=CHARACTERS)


def reply_space() -> gym.spaces.Text:
    """Return the space of replies; any text may be replied, also the empty one and those with other characters."""
    return gym.spaces.Text(min_length=0, max_length=REPLY_LENGTH, charset=CHARACTERS)


def contained(text: str) -> str:
    """Return a text with each character that the spaces do not have replaced by a question mark."""
    if CHARACTERS.issuperset(text):
        return text
    return "".join(character if character in CHARACTERS else "?" for character in text)
