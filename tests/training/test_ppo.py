"""PPO's update is that of Stable-Baselines3, on the same data and the same weights."""

import numpy as np
import pytest

import gridpuzzles_gym  # noqa: F401  (registers the environments)

pytest.importorskip("torch")
pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from tiny_models import random_weights

from gridpuzzles_gym.agents.networks.flat import Flat
from gridpuzzles_gym.agents.networks.residual import Residual
from gridpuzzles_gym.agents.training.collector import advantages_of
from gridpuzzles_gym.agents.training.learner import Experience, Learner, cross_entropy
from gridpuzzles_gym.agents.training.ppo import Coefficients, improve_policy, loss_of
from gridpuzzles_gym.agents.training.sb3_vec_env import PuzzleVecEnv
from gridpuzzles_gym.agents.training.torch_networks.acting import log_probabilities

CPU = torch.device("cpu")
STEPS, COUNT, WIDTH = 5, 6, 12
GAMMA, LAMBDA = 0.9, 0.8
RATE, CLIP, ENTROPY = 0.01, 0.2, 0.03
NAMES = {  # of Stable-Baselines3's parameters
    "features_extractor.layer.": "shared.0.",
    "mlp_extractor.policy_net.0.": "policy.hidden.",
    "mlp_extractor.value_net.0.": "value.hidden.",
    "action_net.": "policy.out.",
    "value_net.": "value.out.",
}


class Shared(BaseFeaturesExtractor):
    """The shared layer of our network."""

    def __init__(self, observation_space):
        super().__init__(observation_space, WIDTH)
        self.layer = torch.nn.Linear(int(np.prod(observation_space.shape)), WIDTH)

    def forward(self, observations):
        return torch.relu(self.layer(observations.flatten(1)))


def theirs(kind, weights):
    """A learner of Stable-Baselines3 with these weights."""
    model = kind(
        "MlpPolicy",
        PuzzleVecEnv("EightPuzzle-v0", COUNT),
        RATE,
        n_steps=STEPS,
        batch_size=STEPS * COUNT,
        n_epochs=2,
        gamma=GAMMA,
        gae_lambda=LAMBDA,
        clip_range=CLIP,
        ent_coef=ENTROPY,
        device="cpu",
        policy_kwargs={
            "features_extractor_class": Shared,
            "net_arch": {"pi": [WIDTH], "vf": [WIDTH]},
            "activation_fn": torch.nn.ReLU,
        },
    )
    model.set_logger(Logger(None, []))
    model.policy.load_state_dict({name: torch.from_numpy(weights[ours]) for name, ours in named(model).items()}, False)
    return model


def named(model):
    """Our names of the parameters of a model."""
    return {
        name: ours + name.removeprefix(start)
        for name in model.policy.state_dict()
        for start, ours in NAMES.items()
        if name.startswith(start)
    }


def rollout(model, masked):
    """Random data in a model's buffer."""
    numbers, buffer, env = np.random.default_rng(4), model.rollout_buffer, model.env
    env.seed(3)
    seen, starts = env.reset(), np.ones(COUNT, bool)
    buffer.reset()
    for _ in range(STEPS):
        masks = np.stack(env.env_method("action_masks"))
        actions = np.array([numbers.choice(np.flatnonzero(mask)) for mask in masks])
        values, logs = (torch.from_numpy(numbers.normal(size=COUNT).astype(np.float32)) for _ in range(2))
        rewards = numbers.normal(size=COUNT)
        more = {"action_masks": masks} if masked else {}
        buffer.add(seen, actions[:, None], rewards, starts, values, 0.3 * logs - 1.4, **more)
        seen = env.step(actions)[0]
        starts = numbers.random(COUNT) < 0.3
    last = torch.from_numpy(numbers.normal(size=COUNT).astype(np.float32))
    buffer.compute_returns_and_advantage(last, starts)
    return last.numpy(), starts


def experience_of(buffer, masked):
    """The data of a buffer as ours."""
    tensor = torch.from_numpy
    shape = STEPS, COUNT
    masks = buffer.action_masks.reshape(*shape, -1) > 0 if masked else np.ones((*shape, 0), bool)
    return Experience(
        views=tensor(buffer.observations.reshape(*shape, -1)),
        masks=tensor(masks),
        actions=tensor(buffer.actions[..., 0].astype(np.int64)),
        log_probabilities=tensor(buffer.log_probs),
        values=tensor(buffer.values),
        advantages=tensor(buffer.advantages),
        returns=tensor(buffer.returns),
        labels=torch.zeros(*shape, 0),
        known=torch.zeros(shape, dtype=torch.bool),
        starts=tensor(buffer.episode_starts > 0),
        memory=torch.zeros(COUNT, 0),
    )


@pytest.mark.parametrize("masked", [False, True])
def test_an_update_is_that_of_stable_baselines3(masked):
    network = Flat((9, 3, 3), 4, WIDTH)
    weights = random_weights(network)
    model = theirs(MaskablePPO if masked else PPO, weights)
    assert set(named(model).values()) == set(weights)
    rollout(model, masked)
    experience = experience_of(model.rollout_buffer, masked)
    learner = Learner(network, weights, CPU)
    improve_policy(learner, experience, STEPS * COUNT, 2, Coefficients(RATE, CLIP, ENTROPY))
    model.train()
    parameters = model.policy.state_dict()
    for name, ours in named(model).items():
        moved = np.abs(parameters[name].numpy() - weights[ours]).max()
        assert moved > RATE / 2, f"{name} was not trained"
        np.testing.assert_allclose(learner.arrays()[ours], parameters[name].numpy(), atol=2e-3 * RATE, err_msg=ours)


def test_advantages_are_those_of_stable_baselines3():
    model = theirs(PPO, random_weights(Flat((9, 3, 3), 4, WIDTH)))
    last, done = rollout(model, masked=False)
    buffer = model.rollout_buffer
    assert isinstance(buffer, RolloutBuffer)
    ends = np.concatenate([buffer.episode_starts[1:] > 0, done[None]])
    assert 0 < ends.mean() < 1
    values = np.concatenate([buffer.values, last[None]])
    ours = advantages_of(*map(torch.from_numpy, (buffer.rewards, values, ends)), GAMMA, LAMBDA)
    np.testing.assert_allclose(ours, buffer.advantages, rtol=1e-5, atol=1e-6)


def pairs_of(experience, *names):
    """The values of two fields of all states."""
    return list(zip(*(getattr(experience, name).flatten().tolist() for name in names), strict=True))


def test_minibatches_are_all_of_an_experience_once():
    network = Flat((9, 3, 3), 4, WIDTH)
    model = theirs(PPO, random_weights(network))
    rollout(model, masked=False)
    whole = experience_of(model.rollout_buffer, False)
    learner = Learner(network, random_weights(network), CPU)
    parts = list(learner.minibatches(whole, 8))
    assert [len(part.actions) for part in parts] == [8, 8, 8, 6]
    for one, other in (("returns", "advantages"), ("values", "log_probabilities")):
        pairs = [pair for part in parts for pair in pairs_of(part, one, other)]
        assert sorted(pairs) == sorted(pairs_of(whole, one, other))
    again = [part.actions.tolist() for part in learner.minibatches(whole, 8)]
    assert again != [part.actions.tolist() for part in parts], "another order each time"


def test_the_teacher_pulls_only_where_it_knows():
    network = Flat((9, 3, 3), 4, WIDTH)
    model = theirs(PPO, random_weights(network))
    rollout(model, masked=False)
    learner = Learner(network, random_weights(network), CPU)
    labels = torch.full((STEPS, COUNT, 4), 0.25)
    known = torch.zeros(STEPS, COUNT, dtype=torch.bool)
    known[1, 2] = True
    batch = experience_of(model.rollout_buffer, False)._replace(labels=labels, known=known)
    (flat,) = learner.minibatches(batch, STEPS * COUNT)
    with torch.no_grad():
        free, pulled = (float(loss_of(learner, flat, Coefficients(RATE, CLIP, ENTROPY, pull))) for pull in (0, 2.0))
        logits = network.read(learner.ops, learner.weights, batch.views[1, 2][None]).logits
    there = -float(logits.log_softmax(1).mean())
    assert pulled - free == pytest.approx(2 * there / (STEPS * COUNT), rel=1e-3)
    assert float(cross_entropy(torch.zeros(STEPS * COUNT, 4), flat._replace(known=0 * flat.known))) == 0


def test_illegal_actions_have_next_to_no_probability():
    logits = torch.tensor([[5.0, 1.0, 2.0], [1.0, 1.0, 1.0]])
    masks = torch.tensor([[False, True, True], [False, False, False]])
    chances = log_probabilities(logits, masks).exp()
    assert chances[0, 0] == 0
    assert chances[0].sum() == pytest.approx(1)
    torch.testing.assert_close(chances[1], torch.full((3,), 1 / 3)), "where nothing is legal, anything goes"


def test_gradients_of_convolutions_have_the_layout_of_their_weights():
    """Fused Adam goes through weights and gradients side by side; convolutions compute with channels last."""
    learner = Learner(network := Residual((4, 6, 6), 4, 8, channels=4, blocks=1), random_weights(network), CPU)
    views = torch.randint(0, 2, (3, 4, 6, 6), dtype=torch.uint8)
    nothing, numbers = torch.zeros(3, 0), torch.zeros(3)
    actions, flags = torch.zeros(3, dtype=torch.int64), torch.zeros(3, dtype=torch.bool)
    batch = Experience(views, nothing.bool(), actions, *[numbers] * 4, nothing, flags, flags, nothing[:0])
    learner.improve(sum(output.square().mean() for output in learner.outputs(batch)), 0.0)
    assert {name for name, weight in learner.weights.items() if weight.dim() == 4}
    for name, weight in learner.weights.items():
        assert weight.grad.stride() == weight.stride(), name
