"""Five classic AI puzzles as one Gymnasium suite.

Importing this package registers the environments: ``gymnasium.make("Wumpus-v0")``.
"""

from ._version import __version__
from .registration import ENVIRONMENTS, register, register_all

__all__ = ["ENVIRONMENTS", "__version__", "register"]

register_all()
