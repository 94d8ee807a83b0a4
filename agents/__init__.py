"""Agents: policies with Stable-Baselines3's ``predict()``, trainers, and the comparison of them all."""

__all__ = [
    "agent_kernels",
    "candidates",
    "demonstrations",
    "evaluation",
    "identity",
    "level_sources",
    "models",
    "networks",
    "parallel",
    "planning_agent",
    "policy",
    "puzzle_agents",
    "random_agent",
    "registry",
    "samplers",
    "search",
    "search_agent",
    "search_tables",
    "thoughts",
    "training",
]
