"""Small models with random weights, for tests of what loads and plays models."""

import gymnasium as gym
import numpy as np

from gridpuzzles_gym.agents.models.description import Description
from gridpuzzles_gym.agents.models.model_file import Model, write_model
from gridpuzzles_gym.agents.networks.table import network_of
from gridpuzzles_gym.engine.setup import setup_of

SIZES = {
    "mlp": {"width": 8},
    "egocentric": {"width": 8},
    "residual": {"width": 8, "channels": 4, "blocks": 1},
    "recurrent": {"width": 8},
}


def tiny_model(env_id="EightPuzzle-v0", network="mlp", masks=False, settings=None, **env_kwargs):
    """A model of an environment, with random weights that prefer some actions to others."""
    env = gym.make(env_id, **env_kwargs)
    setup = setup_of(env)
    shape, actions = env.observation_space.shape, int(env.action_space.n)
    described = {"name": network, **SIZES[network]}
    shapes = network_of(network, shape, actions, SIZES[network]).shapes()
    numbers = np.random.default_rng(1)
    weights = {name: numbers.normal(size=entry.sizes).astype(np.float32) for name, entry in shapes.items()}
    description = Description(
        env_id, setup.observation, shape, actions, described, masks, env_kwargs, settings or {}, seed=3, steps=100
    )
    return Model(description, weights)


def write_tiny_model(path, *args, **kwargs):
    """Write such a model to a path and return the path."""
    write_model(path, tiny_model(*args, **kwargs))
    return path
