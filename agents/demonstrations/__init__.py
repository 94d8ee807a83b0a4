"""Demonstrations: episodes that agents play, as datasets of Minari for offline reinforcement learning and imitation."""

__all__ = ["dataset", "describing", "episodes", "recording", "request"]
