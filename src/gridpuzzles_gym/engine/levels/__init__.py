"""From the argument ``levels=`` to rows of numbers: packs, files, folders, and the pool of levels being played."""
