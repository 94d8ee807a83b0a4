"""Writes models in other formats: zip archives of Stable-Baselines3, and ONNX."""

import dataclasses
import io
import json
import warnings
from pathlib import Path
from typing import Any

import gymnasium as gym
import torch
from torch import nn

from gridpuzzles_gym.engine.messages import quote
from gridpuzzles_gym.engine.system.files import replacing
from gridpuzzles_gym.registration import puzzle_of_id

from ..models.model_file import Model
from ..networks.network import Network
from .settings import Settings
from .torch_networks.operations import TorchOperations
from .torch_networks.weights import trainable

FORMATS = (".zip", ".onnx")
"""The suffixes of the files that can be written."""
_OPSET = 17
"""The version of ONNX's operators: of 2022, supported by all its runtimes."""
_METADATA = "gridpuzzles_gym"
"""The entry of an ONNX file's metadata that holds the model's description as JSON."""


def export_model(model: Model, path: Path) -> None:
    """Write a model in the format of a suffix: ``.zip`` or ``.onnx``.

    A zip archive is loaded by ``PPO.load`` of Stable-Baselines3, or of sb3_contrib by ``MaskablePPO.load`` if the model
    uses action masks and by ``RecurrentPPO.load`` if it has a memory, wherever this package is installed, and can be
    trained further. An ONNX file computes ``logits`` [B, A] and ``value`` [B] for an ``observation`` [B, ...]; a
    network with a memory also takes and returns its ``memory`` [B, M]: zeros when an episode starts, and its last A
    numbers must be set to 1 at the last action and to 0 elsewhere.

    Args:
        model: The model.
        path: The file; a previous one is replaced.

    Raises:
        ValueError: The format is unknown, or cannot hold such a network.
        ImportError: Stable-Baselines3, or onnx, is not installed.
        OSError: It cannot be written.
    """
    if path.suffix == ".zip":
        _write_zip(model, path)
    elif path.suffix == ".onnx":
        _write_onnx(model, path)
    else:
        raise ValueError(f"{path}: the name must end in {' or '.join(FORMATS)}")


# -- Stable-Baselines3 -----------------------------------------------------------------------------


def _write_zip(model: Model, path: Path) -> None:
    from .on_sb3.algorithm import algorithm_for

    about, network = model.description, model.description.network_for()
    if network.memory and about.masks:
        raise ValueError(
            f"RecurrentPPO of Stable-Baselines3 has no action masks, and network={quote(network.name)} uses them here; "
            "use .onnx"
        )
    settings = dataclasses.replace(
        _settings(about.settings), seed=about.seed, algorithm="maskable-ppo" if about.masks else "ppo"
    )
    learner: Any = algorithm_for(settings, network, None, bool(network.memory))
    learner.learning_rate = settings.final_learning_rate or settings.learning_rate
    learner.ent_coef = settings.final_entropy
    learner.observation_space, learner.action_space = _spaces(model)
    learner.n_envs = settings.num_envs
    learner.num_timesteps = about.steps
    learner._setup_model()
    learner.policy.set_weights(model.weights)
    with replacing(path) as unfinished, unfinished.open("wb") as file:
        learner.save(file)


def _settings(given: Any) -> Settings:
    """Return the settings of a training, or the defaults if another version of this package trained the model."""
    try:
        return Settings(**given)
    except (TypeError, ValueError):
        return Settings()


def _spaces(model: Model) -> tuple[gym.Space[Any], gym.Space[Any]]:
    """Return the spaces of observations and actions of the environment that a model was trained on."""
    about = model.description
    puzzle = puzzle_of_id(about.env_id)
    extent = about.shape[-2:] if len(about.shape) == 3 else (1, 1)  # other observations do not depend on the extent
    space = puzzle.observations[about.observation].space(extent)
    if space.shape != about.shape:
        raise ValueError(
            f"observations {quote(about.observation)} have the shape {space.shape}, the model's {about.shape}"
        )
    return space, gym.spaces.Discrete(about.actions)


# -- ONNX ------------------------------------------------------------------------------------------


class _Computed(nn.Module):
    """A network with its weights, as PyTorch exports it."""

    def __init__(self, network: Network, weights: dict[str, torch.Tensor]) -> None:
        super().__init__()
        self.network, self.weights = network, weights

    def forward(self, observation: torch.Tensor, memory: torch.Tensor | None = None) -> tuple[torch.Tensor, ...]:
        output = self.network.forward(TorchOperations(torch.device("cpu")), self.weights, observation, memory)
        return tuple(part for part in output if part is not None)


def _write_onnx(model: Model, path: Path) -> None:
    import onnx

    about, network = model.description, model.description.network_for()
    weights = {name: tensor.detach() for name, tensor in trainable(network, model.weights, torch.device("cpu")).items()}
    dtype = torch.from_numpy(_spaces(model)[0].sample()).dtype
    inputs = {"observation": torch.zeros(2, *about.shape, dtype=dtype)}
    if network.memory:
        inputs["memory"] = torch.zeros(2, network.memory)
    outputs = ["logits", "value", *(["new_memory"] if network.memory else [])]
    axes = {name: {0: "batch"} for name in (*inputs, *outputs)}
    if network.any_size:
        axes["observation"] |= {2: "height", 3: "width"}
    written: Any = io.BytesIO()  # its type hints allow paths only
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter that needs no further packages is no longer the default
        torch.onnx.export(
            _Computed(network, weights),
            tuple(inputs.values()),
            written,
            input_names=list(inputs),
            output_names=outputs,
            dynamic_axes=axes,
            opset_version=_OPSET,
            dynamo=False,
        )
    graph = onnx.load_from_string(written.getvalue())
    onnx.helper.set_model_props(graph, {_METADATA: json.dumps(about.to_json())})
    onnx.checker.check_model(graph)
    with replacing(path) as unfinished:
        unfinished.write_bytes(graph.SerializeToString())
