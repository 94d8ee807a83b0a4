"""What a vector environment with ``device="cuda"`` returns: PyTorch tensors on the GPU.

They hold the same numbers as the arrays of the CPU, in the same layout. Infos differ, so that no step waits for a GPU:

- ``outcome`` is a number, int8[B]: an index into :data:`~gridpuzzles_gym.engine.puzzle.OUTCOMES`.
- What is said of episodes that have just ended is in the infos of every step; it means something only for the
  environments for which ``_outcome`` (``_final_info``, ``_final_obs``) is true.
- ``final_obs`` is a tensor [B, ...].

The error for an invalid action comes once the GPU has found it: from this step, a later one, or another method. From
then on no environment is stepped; of those with a valid action, some have been.
"""

from typing import Any

from ..kernels import EITHER, OUTCOME, REWARD, SUCCESS, TERMINATED, TRUNCATED
from ..results import Results
from .batch import CudaBatch, Tensor


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
