"""Small models with random weights, for tests of what loads and plays models."""

import gymnasium as gym
import numpy as np

from gridpuzzles_gym.agents.models.description import Description
from gridpuzzles_gym.agents.models.model_file import Model, write_model
from gridpuzzles_gym.agents.networks.table import network_of, parameters_of
from gridpuzzles_gym.engine.setup import setup_of

SIZES = {
    "mlp": {"width": 8},
    "egocentric": {"width": 8},
    "residual": {"width": 8, "channels": 4, "blocks": 1},
    "recurrent": {"width": 8},
}


def tiny_model(env_id="EightPuzzle-v0", network="mlp", masks=False, settings=None, **more):
    """A model with random weights; ``more`` are parameters of the network and keyword arguments of the environment."""
    parameters = SIZES[network] | {name: more.pop(name) for name in parameters_of(network) if name in more}
    env = gym.make(env_id, **more)
    setup = setup_of(env)
    shape, actions = env.observation_space.shape, int(env.action_space.n)
    shapes = network_of(network, shape, actions, parameters).shapes()
    numbers = np.random.default_rng(1)
    weights = {
        name: (numbers.normal(size=sizes) / np.prod(sizes[1:]) ** 0.5).astype(np.float32)
        for name, (sizes, _) in shapes.items()
    }
    described = {"name": network, **parameters}
    description = Description(
        env_id, setup.observation, shape, actions, described, masks, more, settings or {}, seed=3, steps=100
    )
    return Model(description, weights)


def write_tiny_model(path, *args, **kwargs):
    """Write such a model to a path and return the path."""
    write_model(path, tiny_model(*args, **kwargs))
    return path
