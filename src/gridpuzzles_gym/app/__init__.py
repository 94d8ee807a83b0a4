"""The top floor: playing, watching and recording in windows and files."""
