"""Trained models: what a model is on disk, and how it plays, without PyTorch."""
