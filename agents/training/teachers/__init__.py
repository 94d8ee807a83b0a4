"""Teachers, whose choices are labels for a network: agents, and searches that plan from any state."""

__all__ = ["choosing", "planning_teacher", "teacher"]
