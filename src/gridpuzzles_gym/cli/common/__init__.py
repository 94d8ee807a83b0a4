"""What the commands share: options, errors and the terminal."""
