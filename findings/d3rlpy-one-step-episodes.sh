#!/usr/bin/env bash
# d3rlpy 2.8.1: a replay buffer joins an episode of one step to the next: `clip_episode` returns without ending the
# active episode where its `transition_count`, one less than its steps, is 0. Nothing warns. `fit_online` fills its
# buffer this way.
#
# Seen on 2026-11-28, Python 3.11.7, three episodes of 1, 2 and 3 steps: "steps of the episodes: [3, 3]".
# Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet torch==2.13.0
"$folder/venv/bin/python" -m pip install --quiet d3rlpy==2.8.1
cat > "$folder/buffer.py" <<'PYTHON'
import gymnasium as gym
from d3rlpy.dataset import create_fifo_replay_buffer

env = gym.make("CartPole-v1")
buffer = create_fifo_replay_buffer(100, env=env)
for length in (1, 2, 3):
    observation, _ = env.reset(seed=length)
    for _ in range(length):
        buffer.append(observation, 0, 1.0)
        observation, *_ = env.step(0)
    buffer.clip_episode(True)
steps = [len(episode.actions) for episode in buffer.episodes]
print("steps of the episodes:", steps)
assert steps == [3, 3]
PYTHON
"$folder/venv/bin/python" "$folder/buffer.py"
