"""Networks: PyTorch and NumPy compute the same; what each architecture sees."""

import dataclasses

import gymnasium as gym
import numpy as np
import pytest
from helpers import ROWS
from tiny_models import SIZES, played, random_weights

from gridpuzzles_gym.agents.networks.architectures import NETWORKS, Egocentric, network_of
from gridpuzzles_gym.agents.networks.network import NUMPY
from gridpuzzles_gym.agents.orientations import played_actions, reorient, ways

pytest.importorskip("torch")

import torch

from gridpuzzles_gym.agents.training.sb3_policy import TorchOperations, first_weights

torch.set_num_threads(1)  # arrays are small
CPU = torch.device("cpu")
OPS = TorchOperations(CPU)
OBLONG = "#######\n#@    #\n# $.$.#\n#     #\n#######\n"
PLAYER = 4
"""Sokoban's plane of the player."""


def networks_for(shape: tuple[int, ...], actions: int):
    for name in NETWORKS:
        try:
            yield network_of(name, shape, actions, SIZES[name])
        except ValueError:
            assert name in ("egocentric", "residual")
            assert len(shape) != 3 or min(shape) < 3


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_pytorch_and_numpy_compute_the_same(row):
    computed = set()
    env = gym.make(row.id)
    for observation in env.unwrapped.puzzle.observations:
        seen = played(row.id, observation)
        for network in networks_for(seen.shape[1:], int(env.action_space.n)):
            weights = random_weights(network)
            ours = network.forward(NUMPY, weights, seen)
            tensors = {name: torch.from_numpy(array) for name, array in weights.items()}
            theirs = network.forward(OPS, tensors, torch.from_numpy(seen))
            for one, other in zip(ours, theirs, strict=True):
                assert one.dtype == np.float32
                np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6 * max(20, abs(one).max()))
            assert ours.logits.shape == (len(seen), network.actions)
            assert ours.values.shape == (len(seen),)
            assert ours.logits.std() > 1e-3, "it must depend on something"
            computed.add(network.name)
    assert "mlp" in computed
    env.close()


@pytest.mark.compiled
@pytest.mark.parametrize(("shape", "channels"), [((5, 10, 10), 32), ((3, 7, 11), 40), ((40, 4, 5), 5)])
def test_compiled_convolutions_compute_the_same(shape, channels):
    """Boards of whole tiles and others, more boards than are computed at once, and a part of them."""
    network = network_of("residual", shape, 4, {"channels": channels, "blocks": 2, "width": 8})
    weights = random_weights(network)
    planes = np.random.default_rng(3).integers(0, 2, (19, *shape)).astype(np.uint8)
    tensors = {name: torch.from_numpy(array) for name, array in weights.items()}
    theirs = network.forward(OPS, tensors, torch.from_numpy(planes))
    for count in (19, 1):
        ours = network.forward(network.operations(weights), weights, planes[:count])
        np.testing.assert_allclose(ours.logits, theirs.logits[:count], rtol=1e-5, atol=1e-6 * abs(ours.logits).max())


@pytest.mark.parametrize("name", NETWORKS)
def test_the_first_policy_is_nearly_uniform_and_weights_follow_the_seed(name):
    seen = played("Sokoban-v0", levels="starter")[:, :, :7, :7]
    network = network_of(name, seen.shape[1:], 4, {})
    weights, again, others = first_weights(network, 3), first_weights(network, 3), first_weights(network, 4)
    assert all(np.array_equal(weights[key], again[key]) for key in network.shapes())
    assert not np.array_equal(weights["policy.hidden.weight"], others["policy.hidden.weight"])
    logits = network.forward(NUMPY, weights, seen).logits
    assert np.abs(logits).max() < 0.2
    assert all(array.dtype == np.float32 for array in weights.values())


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize(("env_id", "kwargs"), [("Sokoban-v0", {"levels": "starter"}), ("Bait-v0", {"noop": True})])
def test_an_averaged_network_plays_a_reoriented_board_alike(name, env_id, kwargs):
    seen = played(env_id, **kwargs)
    actions = gym.make(env_id, **kwargs).action_space.n
    network = network_of(name, seen.shape[1:], int(actions), SIZES[name] | {"averaged": True})
    weights = random_weights(network)
    logits, values = network.forward(NUMPY, weights, seen)
    plain = dataclasses.replace(network, averaged=False).forward(NUMPY, weights, seen)
    assert abs(plain.logits - logits).max() > 1e-3
    tensors = {key: torch.from_numpy(array) for key, array in weights.items()}
    theirs = network.forward(OPS, tensors, torch.from_numpy(seen))
    np.testing.assert_allclose(theirs.logits, logits, rtol=1e-5, atol=2e-5)
    for way in ways(*seen.shape[2:]):
        turned = network.forward(NUMPY, weights, np.ascontiguousarray(reorient(seen, way)))
        np.testing.assert_allclose(turned.logits, logits[:, played_actions(way, int(actions))], atol=1e-5)
        np.testing.assert_allclose(turned.values, values, atol=1e-5)


def test_egocentric_sees_the_board_around_the_player():
    """Against a plain loop over squares."""
    env = gym.make_vec("Sokoban-v0", num_envs=3, levels=OBLONG)
    network = Egocentric(env.single_observation_space.shape, 4)
    env.reset(seed=0)
    for actions in ([3, 1, 3], [3, 1, 3], [1, 3, 3], [1, 2, 3]):
        boards = env.step(np.array(actions))[0]
        _, _, height, width = boards.shape
        views = network.view(NUMPY, boards)
        assert np.array_equal(views, network.view(OPS, torch.from_numpy(boards)).numpy())
        views = views.reshape(3, 3, 2 * height - 5, 2 * width - 5)
        for board, window in zip(boards, views, strict=True):
            row, column = np.argwhere(board[PLAYER])[0]
            for down, right in np.ndindex(window.shape[1:]):
                there = row + down - (height - 3), column + right - (width - 3)
                inside = 0 <= there[0] < height and 0 <= there[1] < width
                wanted = board[(slice(1, 4), *there)] if inside else [0, 0, 0]
                assert window[:, down, right].tolist() == list(wanted)


@pytest.mark.parametrize(
    ("name", "shape", "parameters", "message"),
    [
        ("resnet", (5, 7, 7), {}, "network='resnet' is not known; allowed are mlp, egocentric, residual$"),
        (
            "mlp",
            (5, 7, 7),
            {"blocks": 2},
            "network='mlp' has no parameter 'blocks'; it has width, averaged, depth, centred",
        ),
        ("egocentric", (1, 6, 6), {}, "at least 3 planes of 3×3 squares, not shape"),
        ("residual", (25,), {}, "needs planes"),
    ],
)
def test_what_cannot_be_is_refused(name, shape, parameters, message):
    with pytest.raises(ValueError, match=message):
        network_of(name, shape, 4, parameters)
