"""Whether environments on the GPU do what those of the CPU do."""

from typing import Any

import gymnasium as gym
import numpy as np
import torch

import gridpuzzles_gym  # noqa: F401 - registers the ids

MODES = ("NextStep", "SameStep", "Disabled")
ENDINGS = ("is_success", "outcome", "final_obs", "final_info")
"""Entries of infos that the GPU gives at each step."""


def equal_steps(env_id: str, mode: str, num_envs: int, steps: int, **kwargs: Any) -> int:
    """Play the same actions on both devices; returns the number of episodes that ended.

    Args:
        env_id: The environment.
        mode: Gymnasium's autoreset mode.
        num_envs: The number of environments.
        steps: The number of steps of each.
        **kwargs: Further keyword arguments of ``gym.make_vec``.

    Raises:
        AssertionError: A result of the GPU is not that of the CPU.
    """
    cpu, gpu = (
        gym.make_vec(env_id, num_envs, "vector_entry_point", autoreset_mode=mode, masks=True, device=device, **kwargs)
        for device in ("cpu", "cuda")
    )
    check("reset", cpu.reset(seed=0), gpu.reset(seed=0))
    actions, ended = np.random.default_rng(0), 0
    for step in range(steps):
        chosen = actions.integers(int(cpu.single_action_space.n), size=num_envs)
        expected = cpu.step(chosen)
        check(f"step {step}", expected, gpu.step(torch.from_numpy(chosen)))
        done = expected[2] | expected[3]
        ended += int(done.sum())
        if mode == "Disabled" and done.any():
            options = {"reset_mask": done}
            check(f"reset after step {step}", cpu.reset(options=options), gpu.reset(options=options))
    check("masks", cpu.action_masks(), gpu.action_masks())
    return ended


def check(where: str, expected: Any, found: Any) -> None:
    """Compare results of the two devices; raises AssertionError, saying where they differ."""
    if isinstance(expected, tuple):
        for place, pair in enumerate(zip(expected, found, strict=True)):
            check(f"{where}[{place}]", *pair)
    elif isinstance(expected, dict):
        for name in found.keys() - expected.keys():  # no episode has ended
            assert name.lstrip("_") in ENDINGS, f"{where}: {name}"
            assert not found["_" + name.lstrip("_")].any(), f"{where}: {name}"
        for name, value in expected.items():
            given = expected.get("_" + name)
            if name == "final_obs":
                check(f"{where} {name}", np.stack(value[given]), found[name].cpu()[torch.from_numpy(given)])
            elif name == "outcome":
                assert value[given].tolist() == found[name].cpu().numpy()[given].tolist(), f"{where} {name}"
            else:
                check(f"{where} {name}", value, found[name])
    else:
        array = found.cpu().numpy()
        assert array.dtype == expected.dtype, f"{where}: {array.dtype}, not {expected.dtype}"
        assert np.array_equal(array, expected), f"{where}: different numbers"
