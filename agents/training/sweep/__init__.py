"""Searching the settings of training runs with Ray Tune and Optuna."""

__all__ = ["record", "search_space", "sweeping"]
