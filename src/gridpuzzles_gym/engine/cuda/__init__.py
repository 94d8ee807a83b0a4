"""Batches of environments in the memory of an NVIDIA GPU, stepped there by the same rules; it knows no puzzle."""

__all__ = ["batch"]
