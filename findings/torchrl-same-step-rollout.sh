#!/usr/bin/env bash
# torchrl 0.14.1: after a `rollout` of a vector environment in `AutoresetMode.SAME_STEP` that ended with a done (the
# default), the next `rollout` begins with stale observations. It resets the environment, but `VecGymEnvTransform`
# still has the done flags of the step before, and replaces the observations of the reset by those that it saved then.
# The first observations of all copies are wrong, unless all ended at once. In `AutoresetMode.DISABLED` all are right.
#
# Seen on 2026-11-28, Python 3.11.7, CartPole-v1, 20 rollouts of 4 copies: "SAME_STEP: 76 of 80 first observations are
# not those of the reset", "DISABLED: 0 of 80 …". The first rollout is right, and so 76.
# Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet torch==2.13.0
"$folder/venv/bin/python" -m pip install --quiet torchrl==0.14.1 tensordict==0.14.3 gymnasium==1.4.0 numpy==2.4.6
cat > "$folder/rollouts.py" <<'PYTHON'
import gymnasium as gym
import numpy as np
import torch
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from torchrl.envs import GymWrapper

resets = []


class Recorded(SyncVectorEnv):
    def reset(self, **keywords):
        observations, infos = super().reset(**keywords)
        resets.append(observations.copy())
        return observations, infos


wrong = {}
for mode in (AutoresetMode.SAME_STEP, AutoresetMode.DISABLED):
    envs = Recorded([lambda: gym.make("CartPole-v1")] * 4, autoreset_mode=mode)
    env = GymWrapper(envs, categorical_action_encoding=True)
    torch.manual_seed(0)
    wrong[mode] = 0
    for _ in range(20):
        first = env.rollout(300)["observation"][:, 0].numpy()
        wrong[mode] += sum(not np.array_equal(one, reset) for one, reset in zip(first, resets[-1], strict=True))
    print(f"{mode.name}: {wrong[mode]} of 80 first observations are not those of the reset")
assert wrong[AutoresetMode.SAME_STEP] > 40
assert wrong[AutoresetMode.DISABLED] == 0
PYTHON
"$folder/venv/bin/python" "$folder/rollouts.py"
