"""Clone a search agent with the library imitation: behaviour cloning of A* on short eight-puzzles.

Install: imitation 1.0.1. It asks for gymnasium 0.29 and Stable-Baselines3 2.2, which are older than this suite needs,
but works with current ones: ``pip install --no-deps imitation`` after the packages that are listed in
``tests/ecosystem/requirements/imitation.txt``. Run: ``python examples/imitation_bc.py``; half a minute on two cores.
"""

import argparse
import time

import numpy as np
import torch
from imitation.algorithms.bc import BC
from imitation.data import rollout
from imitation.data.wrappers import RolloutInfoWrapper
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy

import gridpuzzles_gym

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--steps", type=int, default=10_000, help="steps of the expert to learn from")
parser.add_argument("--epochs", type=int, default=5, help="passes over them")
options = parser.parse_args()
torch.set_num_threads(1)  # faster for networks as small as these

puzzle = {"scramble": 8, "max_episode_steps": 30}
envs = make_vec_env("EightPuzzle-v0", 16, seed=0, env_kwargs=puzzle, wrapper_class=RolloutInfoWrapper)
expert = gridpuzzles_gym.make_agent("astar", envs)
random = np.random.default_rng(0)
begun = time.perf_counter()
episodes = rollout.rollout(expert.predict, envs, rollout.make_min_timesteps(options.steps), rng=random)
pairs = rollout.flatten_trajectories(episodes)
print(f"{len(pairs) / (time.perf_counter() - begun):,.0f} steps a second, of the expert")

spaces = {"observation_space": envs.observation_space, "action_space": envs.action_space}
trainer = BC(demonstrations=pairs, rng=random, batch_size=64, **spaces)
trainer.train(n_epochs=options.epochs, progress_bar=False, log_interval=10**9)
test = make_vec_env("EightPuzzle-v0", 16, seed=1000, env_kwargs=puzzle)
for name, agent in {"expert": expert, "clone": trainer.policy}.items():
    returns, _ = evaluate_policy(agent, test, 200, deterministic=name == "expert", return_episode_rewards=True)
    print(f"{name:7} mean return {np.mean(returns):+8.1f}")
