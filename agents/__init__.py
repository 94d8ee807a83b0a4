"""Agents: policies with Stable-Baselines3's ``predict()``, trainers, and the comparison of them all."""
