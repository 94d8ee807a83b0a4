#!/usr/bin/env bash
# skrl 2.1.1: by default (`time_limit_bootstrap=False`) the returns that PPO computes go on into the next episode where
# one is truncated: `compute_gae` cuts at `terminated` alone. It does so with single and with vector environments. With
# `time_limit_bootstrap=True` episodes are cut, but the value that is added is that of `next_observations`: in a vector
# environment in SAME_STEP the first observation of the next episode, not `infos["final_obs"]`; and it is added to
# episodes that are terminated and truncated in the same step, too.
#
# Seen on 2026-11-28, Python 3.11.7, CartPole-v1 with 5 steps an episode and no discount, where each return is at most 5
# (the value network is 0): "time_limit_bootstrap=False: largest return 40", "time_limit_bootstrap=True: largest return 5".
# Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet torch==2.13.0
"$folder/venv/bin/python" -m pip install --quiet skrl==2.1.1 gymnasium==1.4.0 numpy==2.4.6
cat > "$folder/returns.py" <<'PYTHON'
import gymnasium as gym
import torch
from gymnasium.vector import AutoresetMode
from skrl.agents.torch.ppo import PPO, PPO_CFG
from skrl.envs.wrappers.torch import wrap_env
from skrl.memories.torch import RandomMemory
from skrl.models.torch import CategoricalMixin, DeterministicMixin, Model
from skrl.trainers.torch import SequentialTrainer


class Policy(CategoricalMixin, Model):
    def __init__(self, **spaces):
        Model.__init__(self, **spaces)
        CategoricalMixin.__init__(self)
        self.layer = torch.nn.Linear(self.num_observations, 2)

    def compute(self, inputs, role=""):
        return self.layer(inputs["observations"]), {}


class Value(DeterministicMixin, Model):
    def __init__(self, **spaces):
        Model.__init__(self, **spaces)
        DeterministicMixin.__init__(self)
        self.layer = torch.nn.Linear(self.num_observations, 1)

    def compute(self, inputs, role=""):
        return 0 * self.layer(inputs["observations"]), {}


largest = []
for bootstrap in (False, True):
    make = {"max_episode_steps": 5, "vector_kwargs": {"autoreset_mode": AutoresetMode.SAME_STEP}}
    env = wrap_env(gym.make_vec("CartPole-v1", 2, "sync", **make), verbose=False)
    settings = PPO_CFG(rollouts=40, learning_epochs=1, mini_batches=1, discount_factor=1.0, gae_lambda=1.0)
    settings.time_limit_bootstrap = bootstrap
    settings.experiment.write_interval = settings.experiment.checkpoint_interval = 0
    memory = RandomMemory(memory_size=40, num_envs=2, device="cpu")
    spaces = {"observation_space": env.observation_space, "action_space": env.action_space, "device": "cpu"}
    agent = PPO(models={"policy": Policy(**spaces), "value": Value(**spaces)}, memory=memory, cfg=settings, **spaces)
    schedule = {"timesteps": 40, "headless": True, "disable_progressbar": True}
    SequentialTrainer(env=env, agents=agent, cfg=schedule).train()
    largest.append(int(memory.get_tensor_by_name("returns").max()))
    print(f"time_limit_bootstrap={bootstrap}: largest return {largest[-1]}")
assert largest == [40, 5]
PYTHON
"$folder/venv/bin/python" "$folder/returns.py"
