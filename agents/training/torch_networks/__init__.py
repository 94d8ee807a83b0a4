"""Our networks as PyTorch modules."""
