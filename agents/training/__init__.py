"""Training: a learner of networks by rewards (PPO), by teachers, or by both; and the environments for Stable-Baselines3."""
