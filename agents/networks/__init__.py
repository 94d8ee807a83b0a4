"""The networks that are trained here, each written once: PyTorch trains it, NumPy plays it."""

__all__ = ["architectures", "convolutions", "network"]
