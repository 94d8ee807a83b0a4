"""What commands and the window share: finding an environment, its levels and its agents, and playing episodes."""
