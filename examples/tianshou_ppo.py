"""Train Tianshou's PPO on short eight-puzzles.

Install: tianshou, then gridpuzzles_gym. Run: ``python examples/tianshou_ppo.py``; two minutes on two cores. Tianshou
steps single environments in its own ``DummyVectorEnv``, and its ``Net`` flattens the planes.
"""

import argparse
import time

import gymnasium as gym
import torch
from tianshou.algorithm import PPO
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OnPolicyTrainerParams
from tianshou.utils.net.common import Net
from tianshou.utils.net.discrete import DiscreteActor, DiscreteCritic

import gridpuzzles_gym  # noqa: F401 - registers the environments

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--steps", type=int, default=100_000, help="steps to train for")
options = parser.parse_args()
ENVS, LENGTH = 16, 64
torch.set_num_threads(1)  # faster for networks as small as these


def make():
    env = gym.make("EightPuzzle-v0", scramble=8, max_episode_steps=30)
    return gym.wrappers.TransformReward(env, lambda reward: reward / 1000)


env, envs, test_envs = make(), DummyVectorEnv([make] * ENVS), DummyVectorEnv([make] * ENVS)
test_envs.seed(1000)
actions = env.action_space.n
actor = DiscreteActor(
    preprocess_net=Net(state_shape=env.observation_space.shape, hidden_sizes=[128, 128]),
    action_shape=actions,
    softmax_output=False,
)
critic = DiscreteCritic(preprocess_net=Net(state_shape=env.observation_space.shape, hidden_sizes=[128, 128]))
policy = DiscreteActorPolicy(actor=actor, action_space=env.action_space, observation_space=env.observation_space)
optimizer = AdamOptimizerFactory(lr=1e-3)
algorithm = PPO(policy=policy, critic=critic, optim=optimizer, gamma=0.95, ent_coef=0.01)
begun = time.perf_counter()
result = algorithm.run_training(
    OnPolicyTrainerParams(
        max_epochs=1,
        epoch_num_steps=options.steps,
        training_collector=Collector(algorithm, envs, VectorReplayBuffer(ENVS * LENGTH, ENVS)),
        collection_step_num_env_steps=ENVS * LENGTH,
        batch_size=256,
        update_step_num_repetitions=4,
        test_collector=None,
        show_progress=False,
        verbose=False,
    )
)
seconds = time.perf_counter() - begun
print(f"{result.train_step / seconds:,.0f} steps a second, learning included")
test_collector = Collector(algorithm, test_envs)
test_collector.reset()
returns = test_collector.collect(n_episode=100).returns
print(f"mean return of {len(returns)} episodes: {1000 * returns.mean():+.1f}")
