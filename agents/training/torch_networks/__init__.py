"""Our networks as PyTorch modules. Private."""
