"""Training with the environments on a simulated GPU, in a process with ``NUMBA_ENABLE_CUDASIM=1``."""

import dataclasses
import tempfile
from pathlib import Path
from unittest.mock import patch

import torch
from helpers import curve, same

from gridpuzzles_gym.agents.models.model_file import read_model
from gridpuzzles_gym.agents.training import own_run
from gridpuzzles_gym.agents.training.collector import Collector, environments
from gridpuzzles_gym.agents.training.learner import Learner
from gridpuzzles_gym.agents.training.phases import PPO
from gridpuzzles_gym.agents.training.setting_up import network_for
from gridpuzzles_gym.agents.training.settings import Settings
from gridpuzzles_gym.agents.training.torch_networks.weights import first_weights
from gridpuzzles_gym.agents.training.trainer import train

ROOM = "######\n#@   #\n# $  #\n#  . #\n# ####\n######\n"
TINY = Settings(
    num_envs=3, n_steps=9, hidden=8, batch_size=8, n_epochs=1, minutes=None, threads=1, engine="own", device="cpu"
)
CASES = [
    {"env_id": "Sokoban-v0", "env_kwargs": {"levels": ROOM, "max_episode_steps": 4}, "network": "egocentric",
     "algorithm": "maskable-ppo", "turned": True},
    {"env_id": "Wumpus-v0", "env_kwargs": {"observation": "percepts", "max_episode_steps": 7}, "network": "map"},
    {"env_id": "EightPuzzle-v0", "env_kwargs": {"width": 2, "height": 2, "max_episode_steps": 5},
     "network": "recurrent"},
]  # fmt: skip
"""Boards turned in several ways with masks, and both kinds of memories; episodes end, and are cut short."""


def rollouts(settings, device):
    """Two rollouts of a network that has learned nothing, and the episodes that ended in them."""
    env = environments(settings, None, device)
    network = network_for(settings, env)
    collector = Collector(settings, env, Learner(network, first_weights(network, 0), torch.device("cpu"), 5), None)
    collector.begin(11)
    found = [collector.collect(PPO, False) for _ in range(2)]
    experience = [tensor.numpy().copy() for rollout in found for tensor in rollout]
    return experience, [tuple(episode) for episode in collector.episodes], type(collector.batch).__name__


def experience_is_that_of_the_cpu(case):
    settings = dataclasses.replace(TINY, **case)
    cpu, gpu = rollouts(settings, "cpu"), rollouts(settings, "cuda")
    assert same(cpu[:2], gpu[:2]), case
    assert len(cpu[1]) >= 6
    assert (cpu[2], gpu[2]) == ("Batch", "CudaBatch")


def training_is_that_of_the_cpu_and_resumes(case):
    """The same weights and curve after some updates, and again after each has resumed the run of the other."""
    settings = dataclasses.replace(TINY, total_steps=4 * 27, **case)
    with tempfile.TemporaryDirectory() as folder:
        folders = [Path(folder) / name for name in ("one", "other")]
        for resume in (False, True):
            for path, on_gpu in zip(folders, (resume, not resume), strict=True):
                with patch.object(own_run, "steps_environments", lambda *given, on_gpu=on_gpu: on_gpu):
                    train(settings, path, resume)
            one, other = map(read_model, folders)
            assert same(one.weights, other.weights)
            assert one.description.steps == settings.total_steps
            rows = [[row | {"seconds": ""} for row in curve(path)] for path in folders]
            assert same(*rows)
            settings = dataclasses.replace(settings, total_steps=7 * 27)


def main():
    for case in CASES:
        experience_is_that_of_the_cpu(case)
    training_is_that_of_the_cpu_and_resumes(CASES[0])
