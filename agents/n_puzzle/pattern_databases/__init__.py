"""Pattern databases for sliding tiles: built once, then mapped into memory. Private."""
