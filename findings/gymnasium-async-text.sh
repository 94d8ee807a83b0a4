#!/usr/bin/env bash
# gymnasium 1.4.0: `AsyncVectorEnv` of environments whose observations are texts (`spaces.Text`) returns the same
# observation from every `reset` and `step`: the first character of the space's charset, repeated to its `max_length`.
# The shared memory is read once, in the constructor: `read_from_shared_memory` returns views of arrays, but copies of
# texts. With `shared_memory=False` the observations are right. `shared_memory=True` is the default; nothing warns.
#
# Seen on 2026-11-28, Python 3.11.7: "shared_memory=True: 000000 000000 000000", "shared_memory=False: 40 47 54".
# Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet gymnasium==1.4.0 numpy==2.4.6
cat > "$folder/texts.py" <<'PYTHON'
import gymnasium as gym
from gymnasium.utils.env_checker import check_env


class Counter(gym.Env):
    observation_space = gym.spaces.Text(min_length=1, max_length=6, charset="0123456789")
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.number = 40
        return str(self.number), {}

    def step(self, action):
        self.number += 7
        return str(self.number), 0.0, False, False, {}


check_env(Counter())
seen = []
for shared in (True, False):
    envs = gym.vector.AsyncVectorEnv([Counter] * 2, shared_memory=shared)
    texts = [envs.reset(seed=0)[0][0], *(envs.step(envs.action_space.sample())[0][0] for _ in range(2))]
    envs.close()
    print(f"shared_memory={shared}:", *texts)
    seen.append(texts)
assert seen == [["000000"] * 3, ["40", "47", "54"]]
PYTHON
"$folder/venv/bin/python" "$folder/texts.py"
