"""From the argument ``levels=`` to rows of numbers: packs, files, folders, and the pool of levels being played."""

__all__ = ["folder", "formats", "left_out", "sources"]
