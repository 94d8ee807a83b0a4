"""Agents: policies with Stable-Baselines3's ``predict()``, trainers, and the comparison of them all."""

__all__ = [
    "agent_kernels",
    "candidates",
    "demonstrations",
    "evaluation",
    "level_sources",
    "models",
    "networks",
    "parallel",
    "policy",
    "puzzle_agents",
    "registry",
    "samplers",
    "search",
    "search_agent",
    "search_tables",
    "teachers",
    "thoughts",
    "training",
]
