"""Adam, and its state and that of the weights that it trains, as arrays by name."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from .weights import as_array, set_tensors

_STEPS, _WEIGHTS = "steps", "weights"
_MOMENTS = ("exp_avg", "exp_avg_sq")

Arrays = dict[str, npt.NDArray[Any]]


def adam_for(weights: Mapping[str, torch.Tensor]) -> torch.optim.Adam:
    """Return Adam as PPO usually has it, for those of the weights that require a gradient."""
    trained = [tensor for tensor in weights.values() if tensor.requires_grad]
    return torch.optim.Adam(trained, eps=1e-5, fused=trained[0].device.type in ("cpu", "cuda"))


def adam_state(weights: Mapping[str, torch.Tensor], optimiser: torch.optim.Optimizer) -> Arrays:
    """Return weights and Adam's state of them, as arrays that share no memory with them.

    Args:
        weights: All weights, by name; those that require a gradient are trained.
        optimiser: Adam, which trains them.
    """
    arrays = {f"{_WEIGHTS}/{name}": as_array(tensor) for name, tensor in weights.items()}
    arrays[_STEPS] = np.zeros(())
    for name, tensor in weights.items():
        if tensor.requires_grad:
            state = optimiser.state.get(tensor, {})
            for moment in _MOMENTS:
                arrays[f"{moment}/{name}"] = as_array(state.get(moment, torch.zeros_like(tensor)))
            arrays[_STEPS] = np.array(float(state.get("step", 0)))
    return arrays


def set_adam_state(weights: Mapping[str, torch.Tensor], optimiser: torch.optim.Optimizer, arrays: Arrays) -> None:
    """Restore the result of :func:`adam_state`; arrays of other names are ignored."""
    set_tensors(weights, {name: arrays[f"{_WEIGHTS}/{name}"] for name in weights})
    for name, tensor in weights.items():
        if tensor.requires_grad:
            state = {moment: torch.tensor(arrays[f"{moment}/{name}"], device=tensor.device) for moment in _MOMENTS}
            on = tensor.device if optimiser.defaults["fused"] else "cpu"
            state["step"] = torch.tensor(float(arrays[_STEPS]), device=on)
            optimiser.state[tensor] = state
