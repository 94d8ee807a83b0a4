"""``gridpuzzles levels``: check, convert, solve and rate the levels of files and packs. Private."""
