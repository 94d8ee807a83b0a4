"""The environments of an id on a simulated GPU, in a process with ``NUMBA_ENABLE_CUDASIM=1``."""

import pickle
from unittest.mock import patch

import gymnasium as gym
import numpy as np
import pytest
import torch
from helpers import CASES, CORRIDOR, ROWS, SHORT, same

from benchmarks.gpu.equality import MODES, check, equal_steps
from gridpuzzles_gym.agents.samplers import Pack
from gridpuzzles_gym.engine.cuda import batch


def make(id, **kwargs):
    return gym.make_vec(id, num_envs=3, device="cuda", **kwargs)


def play_all_cases(id):
    """Every observation, variant and autoreset mode, with episodes short enough to end by truncation too."""
    for case, kwargs in CASES:
        for mode in MODES if case == id and kwargs.get("observation") != "pixels" else ():
            assert equal_steps(id, mode, 2, 14, **{"max_episode_steps": 9} | kwargs), (kwargs, mode)
    for kwargs in ({"flat": True, "dtype": "float32"}, {"copy": False, **SHORT.get(id, {})}):
        equal_steps(id, "SameStep", 2, 6, **kwargs)


def results_are_tensors(id):
    for copy in (True, False):
        envs = make(id, copy=copy, masks=True)
        first, infos = envs.reset(seed=1)
        results = envs.step(torch.zeros(3, dtype=torch.int32))
        tensors = [first, *results[:4], *infos.values(), *results[4].values(), envs.action_masks()]
        assert all(isinstance(tensor, torch.Tensor) for tensor in tensors)
        assert (results[0].data_ptr() == envs.step(np.zeros(3, int))[0].data_ptr()) is not copy


def states_move_between_devices(id):
    """A saved state, a pickle, a level that is chosen, pictures."""
    gpu, cpu = make(id), gym.make_vec(id, num_envs=3)
    for envs in (cpu, gpu):
        envs.reset(seed=1)
        envs.step([0, 1, 2])
    assert same(cpu.get_state(), gpu.get_state())
    cpu.set_state(gpu.get_state())
    other = pickle.loads(pickle.dumps(gpu))
    actions = np.array([1, 0, 1])
    expected = cpu.step(actions)
    check("step", expected, gpu.step(actions))
    check("step of a copy", expected, other.step(actions))
    cpu.step(actions)
    gpu.set_state(cpu.get_state())
    check("step", cpu.step(actions), gpu.step(actions))
    if id == "Sokoban-v0":
        chosen = {"level": 1, "reset_mask": np.array([False, True, True])}
        check("level", cpu.reset(options=chosen), gpu.reset(options=chosen))
        chosen = {"reset_mask": np.array([True, False, False])}
        masks = {"reset_mask": torch.from_numpy(chosen["reset_mask"])}
        check("mask", cpu.reset(seed=[5, None, None], options=chosen), gpu.reset(seed=[5, None, None], options=masks))
        check("step", cpu.step(actions), gpu.step(actions))
    cpu, gpu = gym.make_vec(id, num_envs=3, render_mode="ansi"), make(id, render_mode="ansi")
    cpu.reset(seed=1)
    gpu.reset(seed=1)
    check("step", cpu.step(actions), gpu.step(actions))
    assert cpu.render() == gpu.render()


def errors_say_what_is_wrong(id):
    envs = make(id, autoreset_mode="Disabled", max_episode_steps=1)
    envs.reset(seed=0)
    with pytest.raises(ValueError, match=r"actions are float64\[3\]; they must be integers of shape \[3\]"):
        envs.step(np.zeros(3))
    with pytest.raises(ValueError, match=r"action 99 in environment 1 is out of range; allowed are 0 "):
        envs.step([0, 99, 0])
    envs.reset()
    envs.step([0, 0, 0])
    with pytest.raises(gym.error.ResetNeeded, match="in environment 0 has ended"):
        envs.step([0, 0, 0])
    envs.reset(options={"reset_mask": np.ones(3, bool)})
    envs.step([0, 0, 0])
    with patch.object(batch, "free_bytes", lambda torch: 10_000), pytest.raises(ValueError, match="GPU") as caught:
        gym.make_vec(id, num_envs=2000, device="cuda")
    most = int(str(caught.value).removeprefix("num_envs=2000: the GPU has memory for ").removesuffix(" at most"))
    with patch.object(batch, "free_bytes", lambda torch: 10_000):
        if most:
            gym.make_vec(id, num_envs=most, device="cuda")
        with pytest.raises(ValueError, match="the GPU has memory for"):
            gym.make_vec(id, num_envs=most + 1, device="cuda")
    with pytest.raises(ValueError, match="this one needs device='cpu'"):
        envs.batch.step()
    if id == "Sokoban-v0":
        with pytest.raises(ValueError, match="a sampler needs device='cpu'"):
            make(id, levels=Pack(CORRIDOR, id))
        with pytest.raises(ValueError, match="observation='pixels' needs device='cpu'"):
            gym.make_vec(id, num_envs=1, device="cuda", observation="pixels")


def main():
    for row in ROWS:
        for work in (results_are_tensors, errors_say_what_is_wrong, states_move_between_devices, play_all_cases):
            work(row.id)
