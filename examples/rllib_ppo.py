"""Train RLlib's PPO on short eight-puzzles, with remote workers.

Install: ``ray[rllib]`` and torch; RLlib needs gymnasium 1.2.2. Run:
``python examples/rllib_ppo.py``; two minutes on two cores, of which half a minute is Ray's starting.

Workers are processes that have not imported this package, so the id names it: ``gridpuzzles_gym:EightPuzzle-v0``.
RLlib's default network takes planes for pictures; ``flat=True`` and ``dtype="float32"`` give it a vector.
"""

import argparse
import time

import gymnasium as gym
import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.tune.registry import register_env

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--steps", type=int, default=100_000, help="steps to train for")
parser.add_argument("--workers", type=int, default=2, help="number of remote workers")
options = parser.parse_args()


def make(config):
    """Called in the workers, with ``env_config``."""
    env = gym.make("gridpuzzles_gym:EightPuzzle-v0", **config)
    return gym.wrappers.TransformReward(env, lambda reward: reward / 1000)


register_env("short-eight-puzzles", make)
ray.init("local", include_dashboard=False, log_to_driver=False)
config = PPOConfig()
puzzle = {"scramble": 8, "max_episode_steps": 30, "flat": True, "dtype": "float32"}
config.environment("short-eight-puzzles", env_config=puzzle)
config.env_runners(num_env_runners=options.workers, num_envs_per_env_runner=16, rollout_fragment_length="auto")
config.training(train_batch_size_per_learner=2048, minibatch_size=256, num_epochs=4, lr=1e-3, gamma=0.95, lambda_=0.95)
config.training(entropy_coeff=0.01, vf_loss_coeff=0.5, use_kl_loss=False)
config.rl_module(model_config=DefaultModelConfig(fcnet_hiddens=[128, 128], fcnet_activation="tanh"))
algorithm = config.build_algo()
steps = 0
begun = time.perf_counter()
while steps < options.steps:
    result = algorithm.train()
    steps = int(result["num_env_steps_sampled_lifetime"])
print(f"{steps / (time.perf_counter() - begun):,.0f} steps a second, learning included")
print(f"mean return of the last episodes: {1000 * result['env_runners']['episode_return_mean']:+.1f}")
algorithm.stop()
ray.shutdown()
