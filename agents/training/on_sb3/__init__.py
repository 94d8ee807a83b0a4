"""Training by Stable-Baselines3: its PPO, our networks as its policies, our environments and our run. Private."""
