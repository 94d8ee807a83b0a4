"""Our networks as modules of RLlib."""

# Ray ships no type information.
# mypy: disable-error-code="misc"

from typing import Any

import torch
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis import ValueFunctionAPI
from ray.rllib.core.rl_module.torch import TorchRLModule

from ...networks.table import network_of
from ..torch_networks.acting import ILLEGAL
from ..torch_networks.operations import TorchOperations
from ..torch_networks.weights import as_parameters, by_name, first_weights

MASKS = "action_masks"
"""The column of legal actions, bool[N, A]; left out if the policy is not masked."""


class NetworkModule(TorchRLModule, ValueFunctionAPI):
    """One of our networks; its inputs are those of the first layer, and legal actions.

    Its ``model_config`` has the network's ``name``, the ``shape`` of an observation, the number of ``actions``, and the
    ``parameters`` of the architecture.
    """

    def setup(self) -> None:
        """Make the network and its weights."""
        config = self.model_config
        self.network = network_of(config["name"], config["shape"], config["actions"], config["parameters"])
        self.weights = as_parameters(self.network, first_weights(self.network, 0))

    def named_weights(self) -> dict[str, torch.Tensor]:
        """Return the weights by our names; they share memory with the parameters."""
        return by_name(self.weights)

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        views = batch[Columns.OBS]
        output = self.network.read(TorchOperations(views.device), self.named_weights(), views)
        logits = output.logits
        if MASKS in batch:
            logits = logits.masked_fill(~batch[MASKS], ILLEGAL)
        return {Columns.ACTION_DIST_INPUTS: logits, Columns.EMBEDDINGS: output.values}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> torch.Tensor:
        """Return values [N]; they are the ``embeddings`` if the network was computed before."""
        values: torch.Tensor = self._forward(batch)[Columns.EMBEDDINGS] if embeddings is None else embeddings
        return values
