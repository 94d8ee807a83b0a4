"""The Monte-Carlo generator of Sokoban levels, and how difficult a level is."""

__all__ = ["difficulty", "generator", "packs"]
