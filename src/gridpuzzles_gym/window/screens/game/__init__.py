"""The parts of the screen of a game."""
