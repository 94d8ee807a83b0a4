"""Trained models: what a model is on disk, and how it plays, without PyTorch."""

__all__ = ["model_file", "sb3_model", "trained_agent"]
