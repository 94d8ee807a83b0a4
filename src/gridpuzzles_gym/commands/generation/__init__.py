"""``gridpuzzles generate``: generate levels, write them, and resume after an interruption. Private."""
