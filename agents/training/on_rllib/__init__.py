"""Training by Ray's RLlib: its learners and its PPO loss, our networks and our environments. Private."""
