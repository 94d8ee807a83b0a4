"""Training with Stable-Baselines3, and the comparison of what came of it with everything else."""
