"""``python -m gridpuzzles_gym.cli``."""

from . import main

main()
