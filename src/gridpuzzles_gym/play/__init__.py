"""What commands and the window share: finding environments, levels and agents, and playing episodes. Private."""
