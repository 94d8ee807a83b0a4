"""``gridpuzzles levels``: check, print, draw, count, convert, import, solve and rate levels."""

from . import check, convert, draw, rate, solve  # in the order of the help
from .options import group

__all__ = ["check", "convert", "draw", "group", "rate", "solve"]
