#!/usr/bin/env bash
# gymnasium 1.4.0: `gymnasium.wrappers.vector.NumpyToTorch` on a vector environment in `AutoresetMode.SAME_STEP` raises
# BufferError at the first end of an episode: `infos["final_obs"]` is an array of objects, which DLPack cannot convert.
# In the other two modes the same loop runs.
#
# Seen on 2026-11-28, Python 3.11.7: "NEXT_STEP: runs", "DISABLED: runs", "SAME_STEP: BufferError: DLPack only supports
# signed/unsigned integers, float and complex dtypes."
# Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet torch==2.13.0
"$folder/venv/bin/python" -m pip install --quiet gymnasium==1.4.0 array-api-compat==1.16.0 packaging numpy==2.4.6
cat > "$folder/loop.py" <<'PYTHON'
import gymnasium as gym
import torch
from gymnasium.vector import AutoresetMode

seen = {}
for mode in (AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED, AutoresetMode.SAME_STEP):
    envs = gym.make_vec("CartPole-v1", 2, "sync", vector_kwargs={"autoreset_mode": mode})
    envs = gym.wrappers.vector.NumpyToTorch(envs)
    envs.reset(seed=0)
    try:
        for _ in range(100):
            _, _, terminated, truncated, _ = envs.step(torch.ones(2, dtype=torch.int64))
            if mode is AutoresetMode.DISABLED and (terminated | truncated).any():
                envs.reset(options={"reset_mask": (terminated | truncated).numpy()})
        seen[mode] = "runs"
    except BufferError as error:
        seen[mode] = f"BufferError: {error}"
    print(f"{mode.name}: {seen[mode]}")
assert [value.split(":")[0] for value in seen.values()] == ["runs", "runs", "BufferError"]
PYTHON
"$folder/venv/bin/python" "$folder/loop.py"
