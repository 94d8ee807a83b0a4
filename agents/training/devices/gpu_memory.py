"""A training for which the GPU has no memory: one line says how many environments there is memory for."""

import dataclasses
import gc
from collections.abc import Callable

import torch

from gridpuzzles_gym.engine.cuda.requirements import GpuMemoryError

from ..settings import Settings

MARGIN = 0.95
"""The share of the free memory that is said to be enough: memory is in pieces, and each training's are different."""


def within_memory(settings: Settings, train: Callable[[], None], attempt: Callable[[Settings], None]) -> None:
    """Train; if a GPU has no memory for that, find out by attempts with fewer environments how many would fit.

    Args:
        settings: Settings of the training.
        train: Trains.
        attempt: Plays and learns from one rollout with other settings, and keeps nothing.

    Raises:
        ValueError: The GPU has no memory for so many environments.
    """
    try:
        train()
        return
    except Exception as error:
        if not is_out_of_memory(error):
            raise
    # Outside of the handler: the error would keep the tensors of the training.
    most = _most(settings, attempt)
    raise ValueError(f"num_envs={settings.num_envs}: the GPU has memory for {most} at most in this training")


def is_out_of_memory(error: BaseException | None) -> bool:
    """Whether an error, or one that led to it, says that a GPU has no memory: PyTorch, CUDA and numba say so."""
    while error is not None:
        said = str(error).replace("_", " ").lower()
        if isinstance(error, GpuMemoryError | torch.OutOfMemoryError) or ("cuda" in said and "out of memory" in said):
            return True
        error = error.__cause__ or error.__context__
    return False


def _most(settings: Settings, attempt: Callable[[Settings], None]) -> int:
    """Return how many environments there is memory for: half as many until that fits, then by what those need."""
    from gridpuzzles_gym.engine.cuda.batch import free_bytes

    count = settings.num_envs
    while count * settings.n_steps >= 4:
        count //= 2
        gc.collect()
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
        free = free_bytes(torch)
        try:
            attempt(dataclasses.replace(settings, num_envs=count, n_epochs=1))
        except Exception as error:
            if not is_out_of_memory(error):
                raise
            continue
        needed = torch.cuda.max_memory_reserved()
        return max(count, min(int(MARGIN * free / needed * count), settings.num_envs - 1))
    return 0
