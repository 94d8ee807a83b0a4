"""Record a search agent's episodes as a Minari dataset, load it, and play one of its episodes again.

Install: ``minari[create,hdf5]``. Run: ``python examples/minari_dataset.py``; a few seconds.
Datasets are in ``$MINARI_DATASETS_PATH``, by default in ``~/.minari/datasets``. ``demonstrate`` in
``gridpuzzles_gym.agents.demonstrations`` makes large datasets of this kind on all cores.
"""

import argparse
import time

import gymnasium as gym
import minari
import numpy as np

import gridpuzzles_gym

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--steps", type=int, default=2_000, help="record at least this many steps")
parser.add_argument("--dataset", default="gridpuzzles/eight-puzzle/astar-v0", help="id of the dataset")
options = parser.parse_args()

env = minari.DataCollector(gym.make("EightPuzzle-v0"), record_infos=True)
agent = gridpuzzles_gym.make_agent("astar", env)
steps = episodes = 0
begun = time.perf_counter()
while steps < options.steps:
    observation, _ = env.reset(seed=episodes)
    ended = False
    while not ended:
        action, _ = agent.predict(observation)
        observation, _, terminated, truncated, _ = env.step(int(action))
        ended = terminated or truncated
        steps += 1
    episodes += 1
print(f"{steps / (time.perf_counter() - begun):,.0f} steps a second, searching included")

if options.dataset == parser.get_default("dataset") and options.dataset in minari.list_local_datasets():
    minari.delete_dataset(options.dataset)  # of an earlier run
env.create_dataset(dataset_id=options.dataset, algorithm_name="A*", description="Shortest solutions of the 8-puzzle")
env.close()

dataset = minari.load_dataset(options.dataset)
print(f"{options.dataset}: {dataset.total_episodes} episodes, {dataset.total_steps} steps")
again = dataset.recover_environment()
episode = dataset[0]
observation, _ = again.reset(seed=0)
for action, recorded in zip(episode.actions, episode.observations[1:], strict=True):
    observation, _, terminated, _, info = again.step(action)
    assert np.array_equal(observation, recorded)
print(f"episode 0 again: {len(episode.actions)} steps, solved: {info['is_success']}")
