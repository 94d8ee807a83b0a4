"""``python -m gridpuzzles_gym``: the command line, as ``gridpuzzles``."""

from .cli import main

main()
