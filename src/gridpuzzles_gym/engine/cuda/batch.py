"""A batch of environments whose arrays are in the memory of a GPU, where one kernel steps all of them.

Its arrays on the CPU, those of every batch, are copies: :meth:`CudaBatch.fetch` brings them up to date, and those that
were changed are sent to the GPU before its next work.

A vector environment with ``device="cuda"`` returns PyTorch tensors on the GPU. They hold the same numbers as the arrays
of the CPU, in the same layout. Infos differ, so that no step waits for a GPU:

- ``outcome`` is int8[B].
- What is said of episodes that have just ended is in the infos of every step; it means something only for the
  environments for which ``_outcome`` (``_final_info``, ``_final_obs``) is true.
- ``final_obs`` is a tensor [B, ...].

The error for an invalid action comes once the GPU has found it: from this step, a later one, or another method. From
then on no environment is stepped; of those with a valid action, some have been.
"""

import functools
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import config, cuda

from .. import kernels, saving
from ..batch import Batch, Endings
from ..compile.memory import frame_at
from ..kernels import COMMAND, EITHER, FRAME, OBSERVE, OUTCOME, RESET, REWARD, SUCCESS, TERMINATED, TRUNCATED
from ..puzzle import Level, Puzzle
from ..results import Results
from ..scene import Scene
from .kernel import SIGNATURE, step_each_of

THREADS = 128
"""The most environments of one block of threads."""
SHARE = 0.9
"""The share of the free memory that a batch may take; the rest is for copies of its results."""
_COPIED = [name for name in (*saving.ARRAYS, "levels", "starts") if name in FRAME]
Tensor = Any


class CudaBatch(Batch):
    """A :class:`~gridpuzzles_gym.engine.batch.Batch` on the current GPU, with the same arguments and methods.

    Attributes:
        torch: PyTorch.
        tensors: Its arrays on the GPU, by name; uint64 is int64 there, ``due`` has 2B entries, and ``masks`` B rows
            whether or not they were requested.
        given: int64[B], on the GPU: the actions of the next step; ``actions`` on the CPU are not read.

    Raises:
        ValueError: There is no GPU, it has no memory for so many environments, a sampler chooses the levels, or the
            observation is in pixels.
        ModuleNotFoundError: PyTorch or numba-cuda is not installed.
    """

    given: Tensor | None = None

    def _connect(self) -> None:
        super()._connect()
        if self.source.sampler is not None:
            raise ValueError("device='cuda' plays packs, folders and generated levels; a sampler needs device='cpu'")
        if self.config.tile is not None:
            raise ValueError("device='cuda' draws no pixels; observation='pixels' needs device='cpu'")
        self.torch = torch = torch_for_cuda()
        self._check_room()
        tensor = functools.partial(torch.tensor, device="cpu" if SIMULATED else "cuda")
        self._rows = [tensor(block) for block in self.pool.blocks]
        self.tensors = {name: tensor(_signed(getattr(self, name))) for name in (*FRAME, "views")}
        self.tensors["due"] = tensor(np.zeros(2 * self.size, np.int64))
        self.tensors["masks"] = tensor(np.zeros((self.size, len(self.action_names)), np.int8))
        self.tensors["blocks"] = tensor([rows.data_ptr() for rows in self._rows])
        self._no_fault = 2 * self.size
        self._faults, self._seen_fault = tensor([self._no_fault]), torch.tensor([self._no_fault])
        if not SIMULATED:
            self._seen_fault = self._seen_fault.pin_memory()
        self._nothing = torch.zeros_like(self.tensors["actions"])
        self._with_masks, self._without_masks = (self._frame_on_gpu(tensor, masked) for masked in (True, False))
        seen = self.views.dtype, self.views.ndim
        self._step_each = kernels.kernel(
            make_step_each, self.puzzle, self.observation, seen, max(self.levels.shape[1], self.states.shape[1])
        )
        self._last_command = int(self.control[COMMAND])
        self._is_fetched = self._is_changed = True

    def _frame_on_gpu(self, tensor: Any, masked: bool) -> tuple[Tensor, Tensor]:
        """Return the frame of all arguments of the kernel, and the frame of arrays to which it refers."""
        arrays = {name: self.tensors[name] for name in FRAME}
        if not masked:
            arrays["masks"] = arrays["masks"][:0]
        inner = tensor(frame_at((array.data_ptr(), array.shape) for array in arrays.values()))
        arguments = inner, self.tensors["views"], self._faults
        return tensor(frame_at((array.data_ptr(), array.shape) for array in arguments)), inner

    def _check_room(self) -> None:
        """Raise GpuMemoryError if the GPU has no memory for so many environments."""
        arrays = [getattr(self, name) for name in FRAME if name not in ("blocks", "control")]
        each = (sum(array.nbytes for array in arrays) + self.views.nbytes) // self.size + 16 + len(self.action_names)
        room = int(SHARE * free_bytes(self.torch)) - sum(block.nbytes for block in self.pool.blocks)
        if each * self.size > room:
            raise GpuMemoryError(f"num_envs={self.size}: the GPU has memory for {max(room // each, 0)} at most")

    # -- the kernel ------------------------------------------------------------------------------

    def _run(self) -> int:
        command, given, self.given = int(self.control[COMMAND]), self.given, None
        if command in (RESET, OBSERVE):
            self._raise_fault(wait=True)
            given = self.torch.from_numpy(self.actions).to(self._nothing.device)
        elif given is None:
            raise ValueError("device='cuda' is for programs that step tensors; this one needs device='cpu'")
        self._launch(command, given)
        return 0

    def _launch(self, command: int, given: Tensor) -> None:
        if self._is_changed:
            for name in _COPIED:
                self.tensors[name].copy_(self.torch.from_numpy(_signed(getattr(self, name))))
            self._is_changed = False
        if command != self._last_command:
            self.tensors["control"][COMMAND] = self._last_command = command
        arguments, _ = self._with_masks if command == OBSERVE or len(self.masks) else self._without_masks
        stream = 0 if SIMULATED else cuda.external_stream(self.torch.cuda.current_stream().cuda_stream)
        threads = min(THREADS, self.size)
        self._step_each[-(-self.size // threads), threads, stream](arguments.data_ptr(), given.data_ptr(), self.size)
        self._is_fetched = False
        self._raise_fault(wait=False)

    def _raise_fault(self, wait: bool) -> None:
        """Raise the error of an earlier step; not ``wait``: if it has reached the CPU by now."""
        self._seen_fault.copy_(self._faults, non_blocking=not wait)
        fault = int(self._seen_fault)
        if fault != self._no_fault:
            self._faults.fill_(self._no_fault)
            self._seen_fault.copy_(self._faults)
            raise kernels.error_of(-1 - fault, self.tensors["actions"].cpu().numpy(), self.action_names)

    # -- the copies ------------------------------------------------------------------------------

    def fetch(self) -> None:
        """Bring the arrays on the CPU up to date: those of levels, states, counters, scores and ends."""
        if not self._is_fetched:
            self._raise_fault(wait=True)
            for name in _COPIED:
                _signed(getattr(self, name))[...] = self.tensors[name].cpu().numpy()
            self._is_fetched = True

    def _change(self) -> None:
        self.fetch()
        self._is_changed = True

    def seed(self, i: int, np_random: np.random.Generator) -> None:
        """Seed environment ``i``."""
        self._change()
        super().seed(i, np_random)

    def reset(self, which: npt.NDArray[np.bool_] | None = None, level: Level | None = None) -> None:
        """Begin new episodes; the arguments are those of the base."""
        if level is not None:
            self._change()
        super().reset(which, level)
        self.tensors["ends"][:, slice(None) if which is None else self.torch.from_numpy(which)] = 0

    def set_state(self, saved: dict[str, Any]) -> None:
        """Continue from a state that :meth:`get_state` returned, on this device or another."""
        self._change()
        super().set_state(saved)

    def _saved(self) -> dict[str, Any]:
        self.fetch()
        return super()._saved()

    def endings(self, which: npt.NDArray[np.intp]) -> Endings:
        """Return the results of the last finished episodes of the environments ``which``."""
        self.fetch()
        return super().endings(which)

    def observed_as(self, observation: str) -> npt.NDArray[Any]:
        """Return another observation of all current states, as an array on the CPU."""
        self.fetch()
        return super().observed_as(observation)

    def scene(self, i: int, **more: Any) -> Scene:
        """Return the scene of environment ``i``, for drawing."""
        self.fetch()
        return super().scene(i, **more)

    def action_masks(self) -> Tensor:
        """Return the legal actions, bool[B, A], on the GPU."""
        if not len(self.masks):
            self._launch(OBSERVE, self._nothing)
        return self.tensors["masks"].bool()


def make_step_each(puzzle: Puzzle, observation: str, views: tuple[np.dtype[Any], int], room: int) -> Any:
    """Compile :func:`.step_each_of` for the current GPU; rules may copy rows of up to ``room`` numbers."""
    if SIMULATED:
        return cuda.jit(step_each_of(puzzle, observation, views))
    from .local_copies import LocalCopies

    kind = functools.partial(LocalCopies, room)
    return cuda.jit(SIGNATURE)(step_each_of(puzzle, observation, views, kind))


def free_bytes(torch: Any) -> int:
    """Return how much memory the GPU has left for new tensors."""
    if SIMULATED:
        return 2**40
    kept = torch.cuda.memory_reserved() - torch.cuda.memory_allocated()
    return int(torch.cuda.mem_get_info()[0]) + int(kept)


def _signed(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return an array without uint64, which PyTorch hardly supports."""
    return array.view(np.int64) if array.dtype == np.uint64 else array


class CudaResults(Results):
    """The results of a batch on a GPU, as PyTorch tensors; the arguments are those of the base."""

    batch: CudaBatch

    def _connect(self) -> None:
        self._torch, self._tensors = self.batch.torch, self.batch.tensors
        self._all = self._torch.ones_like(self._tensors["actions"], dtype=self._torch.bool)

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Step the batch; ``actions`` are integers [B], a tensor or an array."""
        actions = self._torch.as_tensor(actions, device=self._all.device)
        if actions.shape != self._all.shape or "int" not in str(actions.dtype):
            raise self._wrong(actions)
        self.batch.given = actions.to(self._torch.int64).contiguous()
        self.batch.step()
        ends = self._own(self._tensors["ends"])
        flags, rewards = ends.view(self._torch.bool), self._own(self._tensors["scores"][REWARD])
        infos = self.infos() | self._endings(ends[OUTCOME], flags[SUCCESS], flags[EITHER])
        return self.observations(), rewards, flags[TERMINATED], flags[TRUNCATED], infos

    def _endings(self, outcomes: Tensor, success: Tensor, ended: Tensor) -> dict[str, Any]:
        """The infos of episodes that have just ended."""
        infos = {"is_success": success, "_is_success": ended, "outcome": outcomes, "_outcome": ended}
        if not self.same_step:
            return infos
        infos |= self._metrics(ended, final=True)
        finals = self._formatted(self._tensors["views"][self.batch.size :])
        return {"final_obs": finals, "_final_obs": ended, "final_info": infos, "_final_info": ended}

    def infos(self, which: Any = None) -> dict[str, Any]:
        """Return the infos of the current states, for the environments ``which`` (an array bool[B]) or for all."""
        given = self._all if which is None else self._torch.from_numpy(which).to(self._all.device)
        infos = self._metrics(given)
        if len(self.batch.masks):
            masks = self._own(self._tensors["masks"])
            infos |= {"action_mask": masks if which is None else masks * given[:, None], "_action_mask": given}
        return infos

    def _metrics(self, which: Any = None, final: bool = False) -> dict[str, Any]:
        """The puzzle's metrics in Gymnasium's layout of infos, for the environments ``which`` (bool[B])."""
        infos: dict[str, Any] = {}
        for k, (name, kind) in enumerate(self.batch.metric_kinds.items()):
            metric = self._tensors["metrics"][k + final * len(self.batch.metric_kinds)]
            infos[name] = (metric * which).to(self._torch.bool if kind is bool else self._torch.int64)
            infos["_" + name] = which
        return infos

    def as_array(self, mask: Any) -> Any:
        """Return a mask of the caller's as an array on the CPU."""
        return mask.cpu().numpy() if isinstance(mask, self._torch.Tensor) else mask

    def observations(self) -> Tensor:
        """Return the current observations, [B, ...]."""
        return self._formatted(self._tensors["views"][: self.batch.size])

    def _formatted(self, views: Tensor) -> Tensor:
        shape = (-1,) if self.format.flat else self.batch.space.shape or ()
        dtype = views.dtype if self.format.dtype is None else getattr(self._torch, self.format.dtype)
        return views.reshape(len(views), *shape).to(dtype, copy=self.copy)

    def _own(self, tensor: Tensor) -> Tensor:
        """Return a tensor that is the caller's own, unless copies were declined."""
        return tensor.clone() if self.copy else tensor


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
