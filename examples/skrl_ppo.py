"""Train skrl's PPO on the native vector environment: short eight-puzzles.

Install: skrl[torch]. Run: ``python examples/skrl_ppo.py``; half a minute on two cores. skrl flattens the planes itself
and takes the vector environment as it is. Without ``time_limit_bootstrap``, truncated episodes go on into the next.
"""

import argparse
import time

import gymnasium as gym
import torch
from skrl.agents.torch.ppo import PPO, PPO_CFG
from skrl.envs.wrappers.torch import wrap_env
from skrl.memories.torch import RandomMemory
from skrl.models.torch import CategoricalMixin, DeterministicMixin, Model
from skrl.trainers.torch import SequentialTrainer
from torch import nn

import gridpuzzles_gym  # noqa: F401 - registers the environments

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--steps", type=int, default=200_000, help="steps to train for, all environments together")
options = parser.parse_args()
ENVS, LENGTH = 32, 64
torch.set_num_threads(1)  # faster for networks as small as these


class Network(Model):
    def __init__(self, env, outputs):
        Model.__init__(self, observation_space=env.observation_space, action_space=env.action_space, device=env.device)
        layers = [nn.Linear(self.num_observations, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh()]
        self.network = nn.Sequential(*layers, nn.Linear(128, outputs))

    def compute(self, inputs, role=""):
        return self.network(inputs["observations"]), {}


class Policy(CategoricalMixin, Network):
    def __init__(self, env):
        Network.__init__(self, env, env.action_space.n)
        CategoricalMixin.__init__(self)


class Value(DeterministicMixin, Network):
    def __init__(self, env):
        Network.__init__(self, env, 1)
        DeterministicMixin.__init__(self)


class FinalObservations(PPO):  # at a truncation, the episode's last observation instead of the next one's first
    def record_transition(self, *, next_observations, truncated, infos, **others):
        truncated, seen = truncated & ~others["terminated"], next_observations.clone()
        for i in truncated.nonzero()[:, 0]:
            seen[i] = torch.as_tensor(infos["final_obs"][i]).flatten()
        super().record_transition(next_observations=seen, truncated=truncated, infos=infos, **others)


puzzle = {"scramble": 8, "max_episode_steps": 30}
envs = gym.make_vec("EightPuzzle-v0", ENVS, "vector_entry_point", autoreset_mode="SameStep", **puzzle)
returns = gym.wrappers.vector.RecordEpisodeStatistics(envs, buffer_length=1000)
env = wrap_env(returns)

settings = PPO_CFG(rollouts=LENGTH, learning_epochs=4, mini_batches=8, discount_factor=0.97, learning_rate=1e-3)
settings.entropy_loss_scale, settings.value_loss_scale, settings.time_limit_bootstrap = 0.01, 0.5, True
settings.rewards_shaper = lambda rewards, *_: rewards / 1000  # a goal is +1000, and networks learn best from about 1
settings.experiment.write_interval = settings.experiment.checkpoint_interval = 0
agent = FinalObservations(
    models={"policy": Policy(env), "value": Value(env)},
    memory=RandomMemory(memory_size=LENGTH, num_envs=ENVS, device=env.device),
    cfg=settings,
    observation_space=env.observation_space,
    action_space=env.action_space,
    device=env.device,
)
schedule = {"timesteps": options.steps // ENVS, "headless": True, "disable_progressbar": True}
trainer = SequentialTrainer(env=env, agents=agent, cfg=schedule)
begun = time.perf_counter()
trainer.train()
print(f"{options.steps / (time.perf_counter() - begun):,.0f} steps a second, learning included")
print(f"mean return of the last {len(recent := returns.return_queue)} episodes: {sum(recent) / len(recent):+.1f}")
