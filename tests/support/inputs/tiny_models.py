"""Small models with random weights, for tests of what loads and plays models."""

import gymnasium as gym
import numpy as np

from gridpuzzles_gym.agents.models.model_file import Description, Model, write_model
from gridpuzzles_gym.agents.networks.architectures import network_of, parameters_of
from gridpuzzles_gym.agents.networks.network import Network
from gridpuzzles_gym.engine.config import config_of

SIZES = {
    "mlp": {"width": 8},
    "egocentric": {"width": 8},
    "residual": {"width": 8, "channels": 4, "blocks": 1},
}
KINDS = {
    "mlp": {"env_id": "EightPuzzle-v0", "masks": True},
    "egocentric": {"env_id": "Sokoban-v0", "network": "egocentric", "masks": True, "levels": "first"},
    "residual": {"env_id": "Sokoban-v0", "network": "residual", "levels": "first"},
}
"""A model of each architecture: arguments of :func:`tiny_model`."""


def kwargs_of(kind):
    return {name: value for name, value in KINDS[kind].items() if name == "levels"}


def random_weights(network: Network, seed: int = 1) -> dict[str, np.ndarray]:
    """Weights of which none is 0, unlike the first ones of a training."""
    numbers = np.random.default_rng(seed)
    shapes = {name: sizes for name, (sizes, _) in network.shapes().items()}
    return {
        name: (numbers.normal(size=sizes) / np.prod(sizes[1:]) ** 0.5).astype(np.float32)
        for name, sizes in shapes.items()
    }


def played(env_id: str, observation: str | None = None, count: int = 6, steps: int = 5, **kwargs) -> np.ndarray:
    """Observations after some random steps."""
    env = gym.make_vec(env_id, num_envs=count, observation=observation, **kwargs)
    env.action_space.seed(3)
    seen, _ = env.reset(seed=3)
    for _ in range(steps):
        seen = env.step(env.action_space.sample())[0]
    env.close()
    return seen


def tiny_model(env_id="EightPuzzle-v0", network="mlp", masks=False, settings=None, **more):
    """A model with random weights; ``more`` are parameters of the network and keyword arguments of the environment."""
    parameters = SIZES[network] | {name: more.pop(name) for name in parameters_of(network) if name in more}
    env = gym.make(env_id, **more)
    config = config_of(env)
    shape, actions = env.observation_space.shape, int(env.action_space.n)
    weights = random_weights(network_of(network, shape, actions, parameters))
    described = {"name": network, **parameters}
    description = Description(
        env_id, config.observation, shape, actions, described, masks, more, settings or {}, seed=3, steps=100
    )
    return Model(description, weights)


def write_tiny_model(path, *args, **kwargs):
    """Write such a model to a path and return the path."""
    write_model(path, tiny_model(*args, **kwargs))
    return path
