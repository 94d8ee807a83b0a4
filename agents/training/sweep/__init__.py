"""Searching the settings of training runs with Ray Tune and Optuna."""
