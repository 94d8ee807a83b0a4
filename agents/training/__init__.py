"""Training of networks by rewards (PPO), by teachers, or by both; environments and models for Stable-Baselines3."""
