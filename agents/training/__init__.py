"""Training of networks by rewards (PPO), by teachers, or by both; environments and models for Stable-Baselines3."""

__all__ = [
    "imitation",
    "sb3_policy",
    "sb3_vec_env",
    "settings",
    "trainer",
]
