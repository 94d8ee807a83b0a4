"""The parts of the screen of a game: its hints, what the mouse does, the person's marks, its menu, and its end."""
