"""The work behind commands and windows: playing, watching, recording, solving, training, making levels."""
