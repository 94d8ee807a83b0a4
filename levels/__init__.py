"""Level packs, a folder a puzzle: data found through ``importlib.resources``."""
