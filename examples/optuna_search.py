"""Search for settings of ``gridpuzzles train`` with Optuna; trials that fall behind are stopped early.

Install: optuna, sb3-contrib and tensorboard (or gridpuzzles_gym's extras ``ray`` and ``train``). Run:
``python examples/optuna_search.py``; a minute on two cores. ``gridpuzzles sweep`` does this on many machines, with a
record that survives a kill.
"""

import argparse
import time
from pathlib import Path

import optuna

from gridpuzzles_gym.agents.training.settings import Settings
from gridpuzzles_gym.agents.training.trainer import train

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--steps", type=int, default=50_000, help="steps to train for in each trial")
parser.add_argument("--trials", type=int, default=6, help="number of trials")
parser.add_argument("--folder", default="runs/optuna", help="folder for the trained models; must not exist")
options = parser.parse_args()


def objective(trial):
    """Train one model; return the mean return of its latest episodes."""
    settings = Settings(
        env_id="EightPuzzle-v0",
        env_kwargs={"scramble": 8, "max_episode_steps": 30},
        algorithm=trial.suggest_categorical("algorithm", ["ppo", "maskable-ppo"]),
        learning_rate=trial.suggest_float("learning_rate", 1e-4, 1e-2, log=True),
        gamma=trial.suggest_float("gamma", 0.9, 0.99),
        entropy=trial.suggest_float("entropy", 1e-3, 0.1, log=True),
        total_steps=options.steps,
        minutes=None,
        num_envs=64,
        n_steps=32,
        batch_size=512,
        threads=1,
    )
    reports = []

    def after_update(report):
        reports.append(report)
        trial.report(report.score, report.steps)
        trial.set_user_attr("steps", report.steps)
        if trial.should_prune():
            raise optuna.TrialPruned  # ends the run; what it has learnt is saved

    train(settings, Path(options.folder) / f"trial-{trial.number}", callbacks=[after_update])
    return reports[-1].score


sampler, pruner = optuna.samplers.TPESampler(seed=0), optuna.pruners.MedianPruner(n_startup_trials=3)
study = optuna.create_study(direction="maximize", sampler=sampler, pruner=pruner)
begun = time.perf_counter()
study.optimize(objective, n_trials=options.trials)
steps = sum(trial.user_attrs.get("steps", 0) for trial in study.trials)
print(f"{steps / (time.perf_counter() - begun):,.0f} steps a second, learning included")
states = [trial.state.name for trial in study.trials]
print(f"{states.count('COMPLETE')} trials went to their end, {states.count('PRUNED')} were stopped early")
print(f"best mean return {study.best_value:+.1f} with {study.best_params}")
