"""The arrays of a batch of environments as tensors on the device of a learner, wherever the environments are.

They are in the memory of the processor, or with ``device="cuda"`` in that of a GPU, for which no step waits: all that
collecting has to know of the difference is here.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from gridpuzzles_gym.engine.batch import Batch
from gridpuzzles_gym.engine.kernels import EITHER, FINAL_LENGTH, FINAL_RETURN, OUTCOME, REWARD, TERMINATED, TRUNCATED


class BatchTensors:
    """A batch that begins the next episode in the step that ends one, as tensors.

    The next step overwrites what the properties return, if batch and learner are on the same device.

    Args:
        batch: The batch, or that of a GPU, :class:`~gridpuzzles_gym.engine.cuda.batch.CudaBatch`.
        device: The device of the learner; that GPU.
    """

    def __init__(self, batch: Batch, device: torch.device) -> None:
        self._batch, self._device = batch, device
        stepped: dict[str, torch.Tensor] | None = getattr(batch, "tensors", None)
        self._on_gpu = stepped is not None
        self._all = torch.arange(batch.size, device=device)
        arrays = stepped or {name: torch.from_numpy(getattr(batch, name)) for name in ("ends", "scores", "counters")}
        self._ends, self._flags = arrays["ends"], arrays["ends"].view(torch.bool)
        self._scores, self._counters = arrays["scores"], arrays["counters"]
        views = stepped["views"] if stepped else torch.from_numpy(batch.views)
        views = views.reshape(2, batch.size, *(batch.space.shape or ()))
        self._observations, self._final_observations = views

    def tensor(self, array: npt.NDArray[Any]) -> torch.Tensor:
        """Return an array as a tensor there."""
        return self._there(torch.from_numpy(array))

    def array(self, tensor: torch.Tensor) -> npt.NDArray[Any]:
        """Return a tensor as an array, which waits for its device."""
        array: npt.NDArray[Any] = tensor.cpu().numpy()
        return array

    def _there(self, tensor: torch.Tensor) -> torch.Tensor:
        return tensor.to(self._device, non_blocking=True)

    def step(self, actions: torch.Tensor) -> bool:
        """Apply actions, int64[B]; return whether an episode has ended, on a GPU always True."""
        if self._on_gpu:
            self._batch.given = actions.contiguous()  # type: ignore[attr-defined]  # of a CudaBatch
            self._batch.step()
            return True
        self._batch.actions[:] = self.array(actions)
        return self._batch.step() > 0

    def chosen(self, envs: torch.Tensor) -> torch.Tensor:
        """Return the numbers of some environments, bool[B]; on a GPU those of all."""
        return self._all if self._on_gpu else envs.nonzero()[:, 0]

    def masks(self) -> torch.Tensor:
        """Return the legal actions, bool[B, A]."""
        masks: Any = self._batch.action_masks()
        return self.tensor(masks) if isinstance(masks, np.ndarray) else masks

    @property
    def observations(self) -> torch.Tensor:
        """The current observations, [B, ...]."""
        return self._there(self._observations)

    def final_observations(self, which: torch.Tensor) -> torch.Tensor:
        """Return the last observations of the environments ``which``, int64[n], whose episodes have just ended."""
        return self._there(self._final_observations[which.to(self._final_observations.device)])

    @property
    def rewards(self) -> torch.Tensor:
        """float32[B], of this step."""
        return self._there(self._scores[REWARD].float())

    @property
    def ended(self) -> torch.Tensor:
        """bool[B]: whether this step ended the episode."""
        return self._there(self._flags[EITHER])

    @property
    def cut_short(self) -> torch.Tensor:
        """bool[B]: whether this step truncated the episode, which did not terminate."""
        return self._there(self._flags[TRUNCATED] & ~self._flags[TERMINATED])

    @property
    def results(self) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """The return, the length and the outcome of the latest finished episodes, [B] each, where the batch is.

        An outcome is an index into :data:`~gridpuzzles_gym.engine.puzzle.OUTCOMES`, if the episode has just ended.
        """
        return self._scores[FINAL_RETURN], self._counters[FINAL_LENGTH], self._ends[OUTCOME]
