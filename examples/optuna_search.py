"""Search for settings of Stable-Baselines3's PPO with Optuna; trials that fall behind are stopped early.

Install: optuna, stable-baselines3. Run: ``python examples/optuna_search.py``; a minute on two cores. With
``--storage sqlite:///search.db``, a second run goes on with the same study, and several runs share it.
"""

import argparse
import time

import numpy as np
import optuna
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback

from gridpuzzles_gym.agents.training.sb3_vec_env import PuzzleVecEnv

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--steps", type=int, default=50_000, help="steps to train for in each trial")
parser.add_argument("--trials", type=int, default=6, help="number of trials")
parser.add_argument("--storage", help="database of the study; without one it is kept in memory")
options = parser.parse_args()
torch.set_num_threads(1)  # faster for networks as small as these


class Score(BaseCallback):
    """Reports the mean return of the latest episodes after every rollout; stops a trial that falls behind."""

    def __init__(self, trial):
        super().__init__()
        self.trial = trial
        self.score = -np.inf

    def _on_step(self):
        return not self.trial.should_prune()

    def _on_rollout_end(self):
        self.score = np.mean([episode["r"] for episode in self.model.ep_info_buffer])
        self.trial.report(self.score, self.num_timesteps)


def objective(trial):
    """Train one model; return the mean return of its latest episodes."""
    training = PuzzleVecEnv("EightPuzzle-v0", 64, reward_scale=0.001, scramble=8, max_episode_steps=30)
    model = PPO(
        "MlpPolicy",
        training,
        learning_rate=trial.suggest_float("learning_rate", 1e-4, 1e-2, log=True),
        gamma=trial.suggest_float("gamma", 0.9, 0.99),
        ent_coef=trial.suggest_float("ent_coef", 1e-3, 0.1, log=True),
        n_epochs=trial.suggest_int("n_epochs", 2, 8),
        n_steps=32,
        batch_size=512,
        stats_window_size=2000,
        seed=0,
    )
    score = Score(trial)
    model.learn(options.steps, callback=score)
    trial.set_user_attr("steps", model.num_timesteps)
    if trial.should_prune():
        raise optuna.TrialPruned
    return score.score


sampler, pruner = optuna.samplers.TPESampler(seed=0), optuna.pruners.MedianPruner(n_startup_trials=3)
study = optuna.create_study(
    study_name="8-puzzle",
    direction="maximize",
    sampler=sampler,
    pruner=pruner,
    storage=options.storage,
    load_if_exists=True,
)
begun = time.perf_counter()
study.optimize(objective, n_trials=options.trials)
steps = sum(trial.user_attrs.get("steps", 0) for trial in study.trials)
print(f"{steps / (time.perf_counter() - begun):,.0f} steps a second, learning included")
states = [trial.state.name for trial in study.trials]
print(f"{states.count('COMPLETE')} trials went to their end, {states.count('PRUNED')} were stopped early")
print(f"best mean return {study.best_value:+.1f} with {study.best_params}")
