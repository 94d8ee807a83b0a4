"""The parts of the screen of a game: its hints, what the mouse does, its menu, and its end."""
