"""The command line ``gridpuzzles``: one file a command, put together in :mod:`.program`. Private."""

from .program import app, main, run

__all__ = ["app", "main", "run"]
