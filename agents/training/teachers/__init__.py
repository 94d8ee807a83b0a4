"""Teachers, whose choices are labels for a network: agents, and searches that plan from any state."""

__all__ = ["agent_teacher", "planning_teacher", "teacher"]
