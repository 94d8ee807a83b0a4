"""Searches guided by the policy and the value of a network."""

__all__ = ["evaluator", "gumbel", "policy_guided", "tree", "value_guided"]
