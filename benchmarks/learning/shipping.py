"""Ships a trained model with the suite: in fewer bits, and measured on its registered environment."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np

from gridpuzzles_gym.agents.evaluation import compare
from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.agents.models.model_file import Model, model_file, quantized, read_model, write_model

FOLDER = Path(__file__).parents[2] / "agents" / "models" / "pretrained"
TEST = "registered environment"
LARGEST = 1_000_000
"""Maximum size of a shipped model in bytes: 16 bits a number if that is small enough, or else 8."""


def ship(path: Path, folder: Path = FOLDER, episodes: int = 100_000, averaged: bool = False) -> Path:
    """Write the shipped model of the environment that a model was trained on.

    Args:
        path: The model, or the folder of its run.
        folder: Where shipped models are.
        episodes: Number of episodes to measure it with, for sampled and for likeliest actions.
        averaged: Whether it plays by the mean over the board's orientations,
            :attr:`~gridpuzzles_gym.agents.networks.network.Network.averaged`.

    Returns:
        The file.

    Raises:
        ValueError: There is no such model, or it does not play its registered environment.
    """
    description, weights = read_model(path)
    if averaged:
        description = dataclasses.replace(description, network={**description.network, "averaged": True})
    env_id = description.env_id.rpartition(":")[2]
    file = folder / f"{env_id}.safetensors"
    arrays: dict[str, Any] = {name: array.astype(np.float16) for name, array in weights.items()}
    if sum(array.nbytes for array in arrays.values()) > LARGEST:
        arrays = quantized(weights)
    write_model(file, Model(description, arrays))  # what is measured is what is shipped
    game, scores = Game.of(env_id, observation=description.observation), []
    for action in ("sampled", "likeliest"):
        likeliest = action == "likeliest"
        (found,) = compare(game, [str(model_file(file))], episodes, num_envs=1024, deterministic=likeliest).scores
        scores.append(
            {"test": TEST, "action": action, "episodes": found.episodes, "mean": found.mean_return}
            | {"interval": found.interval, "success": found.success, "deaths": found.deaths, "length": found.steps}
        )
    write_model(file, Model(dataclasses.replace(description, scores=scores), arrays))
    return file
