"""The parts of the screen of a game: its hints, the person's marks, and its end."""
