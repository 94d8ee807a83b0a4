"""What a vector environment returns of its batch: observations, rewards, ends and infos in Gymnasium's layout."""

from typing import Any

import numpy as np
import numpy.typing as npt

from .batch import Batch
from .kernels import EITHER, OUTCOME, REWARD, SUCCESS, TERMINATED, TRUNCATED
from .messages import shorten
from .observations import ObservationFormat

Arrays = npt.NDArray[Any]


class Results:
    """The results of a batch, as NumPy arrays.

    Args:
        batch: The batch.
        observation_format: The format of observations.
        copy: Whether arrays are the caller's own; otherwise the next step overwrites them.
        same_step: Whether the batch begins the next episode in the step that ends one.
    """

    def __init__(self, batch: Batch, observation_format: ObservationFormat, copy: bool, same_step: bool) -> None:
        self.batch, self.format, self.copy, self.same_step = batch, observation_format, copy, same_step
        self._connect()

    def _connect(self) -> None:
        """Keep references to the arrays that every step reads, and the infos that never change."""
        flags, self._outcomes = self.batch.ends.view(np.bool_), self.batch.ends[OUTCOME]
        self._terminated, self._truncated = flags[TERMINATED], flags[TRUNCATED]
        self._ended, self._success = flags[EITHER], flags[SUCCESS]
        self._given = np.ones((len(self.batch.metric_kinds), self.batch.size), np.bool_)
        self._shared: dict[str, Any] | None = None
        if not self.copy and bool not in self.batch.metric_kinds.values():  # which are stored as integers
            self._shared = self.infos()

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Step the batch and return what :meth:`.PuzzleVectorEnv.step` does."""
        actions, batch = np.asarray(actions), self.batch
        if actions.shape != (batch.size,) or actions.dtype.kind not in "iu":
            raise self._wrong(actions)
        batch.actions[:] = actions
        ended = batch.step()
        infos = self.infos()
        if ended:
            infos |= self._final_infos(batch.due[:ended])
        observations, arrays = self.observations(), (batch.scores[REWARD], self._terminated, self._truncated)
        if self.copy:
            return observations, *(array.copy() for array in arrays), infos
        return observations, *arrays, infos

    def _wrong(self, actions: Any) -> ValueError:
        """The error for an array or tensor that cannot be one action for each environment."""
        kind, size = shorten(str(actions.dtype).removeprefix("torch."), 80), self.batch.size
        return ValueError(f"actions are {kind}{list(actions.shape)}; they must be integers of shape [{size}]")

    def _final_infos(self, which: npt.NDArray[np.int64]) -> dict[str, Any]:
        """The infos of episodes that have just ended, those of the environments ``which``, in Gymnasium's layout."""
        ended, success = self._ended, self._success
        if self.copy:
            ended, success = ended.copy(), success.copy()
        outcomes = self._outcomes.astype(np.int64)  # 0 where no episode has ended
        infos = {"is_success": success, "_is_success": ended, "outcome": outcomes, "_outcome": ended.copy()}
        if not self.same_step:
            return infos
        infos |= self._metrics(ended, final=True)
        finals = np.empty(self.batch.size, dtype=object)
        for i in which.tolist():
            finals[i] = self.format.of(self.batch.final_observations[i : i + 1])[0]
        return {"final_obs": finals, "_final_obs": ended.copy(), "final_info": infos, "_final_info": ended.copy()}

    def infos(self, which: Arrays | None = None) -> dict[str, Any]:
        """Return the infos of the current states, for the environments ``which`` (bool[B]) or for all."""
        if which is None and self._shared is not None:
            return self._shared.copy()
        infos = self._metrics(which)
        masks = self.batch.masks
        if len(masks):
            given = np.ones(self.batch.size, np.bool_) if which is None else which.copy()
            infos["action_mask"] = masks if which is None and not self.copy else masks * given[:, None]
            infos["_action_mask"] = given
        return infos

    def _metrics(self, which: Arrays | None = None, final: bool = False) -> dict[str, Any]:
        """The puzzle's metrics in Gymnasium's layout of infos, for the environments ``which`` (bool[B]) or for all."""
        kinds = self.batch.metric_kinds
        metrics = self.batch.metrics[len(kinds) :] if final else self.batch.metrics[: len(kinds)]
        given = self._given
        if which is not None:
            metrics, given = metrics * which, given & which
        elif self.copy:
            metrics, given = metrics.copy(), given.copy()
        infos: dict[str, Any] = {}
        for k, (name, kind) in enumerate(kinds.items()):
            infos[name] = metrics[k].astype(kind, copy=False)
            infos["_" + name] = given[k]
        return infos

    def as_array(self, mask: Any) -> Any:
        """Return a mask of the caller's as it is."""
        return mask

    def observations(self) -> Any:
        """Return the current observations."""
        return self.format.of(self.batch.observations, self.copy)
