"""The window: play, watch, edit and generate. Private."""
