"""From the argument ``levels=`` to rows of numbers: packs, files, and the pool of levels being played."""

__all__ = ["level_text", "sources"]
