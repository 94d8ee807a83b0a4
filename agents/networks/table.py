"""All architectures by name."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from gridpuzzles_gym.engine.messages import did_you_mean, quote

from .egocentric import Egocentric
from .flat import Flat
from .network import Network
from .neural_map import NeuralMap
from .recurrent import Recurrent
from .residual import Residual

NETWORKS: dict[str, type[Network]] = {kind.name: kind for kind in (Flat, Egocentric, Residual, Recurrent, NeuralMap)}
"""The architectures: ``mlp``, ``egocentric``, ``residual``, ``recurrent`` and ``map``."""


def network_of(name: str, shape: tuple[int, ...], actions: int, parameters: Mapping[str, Any]) -> Network:
    """Return a network.

    Args:
        name: A key of :data:`NETWORKS`.
        shape: The shape of one observation.
        actions: The number of actions.
        parameters: Further fields of the architecture, by name.

    Raises:
        ValueError: The name or a parameter is unknown, or the architecture cannot read such observations.
    """
    if name not in NETWORKS:
        raise ValueError(f"network={quote(name)} is not known; {did_you_mean(name, NETWORKS)}")
    kind = NETWORKS[name]
    allowed = parameters_of(name)
    for parameter in parameters:
        if parameter not in allowed:
            raise ValueError(f"network={quote(name)} has no parameter {quote(parameter)}; it has {', '.join(allowed)}")
    return kind(tuple(shape), actions, **parameters)


def parameters_of(name: str) -> list[str]:
    """Return the names of the parameters of an architecture."""
    return [field.name for field in dataclasses.fields(NETWORKS[name]) if field.name not in ("shape", "actions")]
