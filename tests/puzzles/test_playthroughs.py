"""A seeded episode or two of every id, as text: a changed rule shows in the diff.

After a change that is meant, write them again and read what git says has changed:

    python tests/support/run.py tests/puzzles/test_playthroughs.py --update
"""

import random
import sys
from pathlib import Path

import gymnasium as gym
import pytest

import gridpuzzles_gym
from gridpuzzles_gym import Outcome

FOLDER = Path(__file__).parent / "playthroughs"
IDS = [row.id for row in gridpuzzles_gym.ENVIRONMENTS]
SEEDS = (0, 1, 2)
STEPS = 40


def transcript(id: str) -> str:
    """What is seen and paid in one episode a seed, moving at random, mostly where the mask allows."""
    env = gym.make(id, render_mode="ansi", disable_env_checker=True)
    names = env.unwrapped.batch.action_names
    parts = [f"{id}: {env.action_space}, {env.observation_space}\n"]
    for seed in SEEDS:
        luck = random.Random(seed)
        _, info = env.reset(seed=seed)
        parts.append(f"\n===== seed {seed} =====\n{env.render()}")
        for _ in range(STEPS):
            mask = info["action_mask"].tolist()
            allowed = [action for action, legal in enumerate(mask) if legal or luck.random() < 0.1]
            action = allowed[int(luck.random() * len(allowed))]
            _, reward, terminated, truncated, info = env.step(action)
            parts.append(f"\n--- {names[action]}: {reward:+g}, mask {mask}\n{env.render()}")
            if terminated or truncated:
                parts.append(f"\n{'terminated' if terminated else 'truncated'}: {Outcome(info['outcome'])}\n")
                break
    return "".join(parts)


@pytest.mark.parametrize("id", IDS)
def test_it_plays_as_recorded(id):
    recorded = (FOLDER / f"{id}.txt").read_text(encoding="utf-8")
    assert transcript(id).splitlines() == recorded.splitlines(), __doc__


def main() -> None:
    if sys.argv[1:] != ["--update"]:
        sys.exit(__doc__)
    for id in IDS:
        (FOLDER / f"{id}.txt").write_text(transcript(id), encoding="utf-8")


if __name__ == "__main__":
    main()
