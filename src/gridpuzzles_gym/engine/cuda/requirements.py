"""What ``device="cuda"`` needs: PyTorch, numba-cuda and a GPU, or numba's simulation of one."""

from importlib.util import find_spec
from typing import Any

from numba import config

SIMULATED: bool = bool(config.ENABLE_CUDASIM)  # type: ignore[attr-defined]  # set when numba is imported
"""Whether numba simulates the GPU (``NUMBA_ENABLE_CUDASIM=1``); tensors are then in the CPU's memory."""


class GpuMemoryError(ValueError):
    """A GPU has no memory for so many environments."""


def torch_for_cuda() -> Any:
    """Return PyTorch.

    Raises:
        ModuleNotFoundError: PyTorch or numba-cuda is not installed.
        ValueError: There is no GPU that they can use.
    """
    for module in ("torch",) if SIMULATED else ("torch", "numba_cuda"):
        if find_spec(module) is None:
            hint = f'{module} is not installed; to install it: pip install "gridpuzzles_gym[cuda]"'
            raise ModuleNotFoundError(hint, name=module)
    import torch
    from numba import cuda

    if not SIMULATED and not (torch.cuda.is_available() and cuda.is_available()):
        raise ValueError(f"device='cuda' needs an NVIDIA GPU; PyTorch {torch.__version__} and numba-cuda find none")
    return torch
