#!/usr/bin/env bash
# SuperSuit 3.11.0: `frame_stack_v2` returns the same array from every `reset` and `step` of an episode and changes it in
# place, so observations that were kept (a list, a replay buffer without copies) become the last one. Gymnasium's own
# `FrameStackObservation` returns a new array each time.
#
# Seen on 2026-11-28, Python 3.11.7, CartPole-v1: "SuperSuit: kept observations changed by later steps: True",
# "Gymnasium: kept observations changed by later steps: False".
# Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet SuperSuit==3.11.0 pettingzoo gymnasium==1.4.0 numpy==2.4.6
cat > "$folder/stack.py" <<'PYTHON'
import gymnasium as gym
import numpy as np
from supersuit import frame_stack_v2

changed = {}
for name, wrap in (("SuperSuit", frame_stack_v2), ("Gymnasium", gym.wrappers.FrameStackObservation)):
    env = wrap(gym.make("CartPole-v1"), 4)
    kept = env.reset(seed=0)[0]
    before = kept.copy()
    for _ in range(3):
        env.step(0)
    changed[name] = not np.array_equal(kept, before)
    print(f"{name}: kept observations changed by later steps: {changed[name]}")
assert changed == {"SuperSuit": True, "Gymnasium": False}
PYTHON
"$folder/venv/bin/python" "$folder/stack.py"
