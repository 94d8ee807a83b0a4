"""Trained models: what a model is on disk, and how it plays, without PyTorch."""

__all__ = ["description", "model_evaluator", "model_file", "pretrained", "sb3_model", "trained_agent"]
