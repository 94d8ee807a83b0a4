"""Trained models as agents: what they play, that they play it reproducibly, and without PyTorch."""

import gymnasium as gym
import numpy as np
import pytest
from helpers import python, run
from tiny_models import KINDS, kwargs_of, tiny_model, write_tiny_model

from gridpuzzles_gym.agents.models.model_file import Model, read_description, read_model, write_model
from gridpuzzles_gym.agents.models.trained_agent import TrainedAgent, load_trained
from gridpuzzles_gym.agents.policy import act_after


def actions_of(kind, count, seed, steps=12, deterministic=False):
    """The actions [steps, count] in the episodes seeded ``seed, seed + 1, …``."""
    model = tiny_model(**KINDS[kind])
    env = gym.make_vec(model.description.env_id, num_envs=count, **kwargs_of(kind))
    agent = TrainedAgent(model, env, seed)
    observations, _ = env.reset(seed=[seed + i for i in range(count)])
    state, starts, played = None, np.ones(count, bool), []
    for _ in range(steps):
        actions, state = agent.predict(observations, state, starts, deterministic)
        played.append(actions)
        observations, _, terminated, truncated, _ = env.step(actions)
        starts = terminated | truncated
    env.close()
    return np.array(played)


@pytest.mark.parametrize("kind", KINDS)
def test_it_plays_the_same_in_any_batch_and_again(kind):
    together = actions_of(kind, 3, 7)
    assert np.array_equal(together, actions_of(kind, 3, 7))
    for i in range(3):
        assert np.array_equal(together[:, i], actions_of(kind, 1, 7 + i)[:, 0])
    likeliest = actions_of(kind, 2, 7, deterministic=True)
    assert np.array_equal(likeliest[:, 1:], actions_of(kind, 1, 8, deterministic=True))


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_plays_as_the_model_does(kind, tmp_path):
    model = tiny_model(**KINDS[kind])
    write_model(tmp_path / "model.safetensors", model)
    again = read_model(tmp_path)
    assert again.description == model.description == read_description(tmp_path / "model.safetensors")
    env = gym.make(model.description.env_id, **kwargs_of(kind))
    observation, _ = env.reset(seed=5)
    agent, loaded = TrainedAgent(model, env, 2), load_trained(tmp_path, env, 2)
    action, state = agent.predict(observation)
    other, same = loaded.predict(observation)
    assert action == other
    assert all(map(np.array_equal, state, same))
    halved = Model(model.description, {name: array.astype(np.float16) for name, array in model.weights.items()})
    write_model(tmp_path / "half.safetensors", halved)
    assert (tmp_path / "half.safetensors").stat().st_size < 0.8 * (tmp_path / "model.safetensors").stat().st_size
    chances = load_trained(tmp_path / "half.safetensors", env).predict(observation)[1][1]
    np.testing.assert_allclose(chances, state[1], atol=0.02)


def test_actions_are_sampled_by_their_probabilities_and_illegal_ones_never():
    model = tiny_model(masks=True)
    env = gym.make_vec("EightPuzzle-v0", num_envs=4000, levels="1 2 3\n4 5 6\n7 8 .")
    observations, _ = env.reset(seed=1)
    actions, state = TrainedAgent(model, env, 11).predict(observations)
    chances = state[1][0]
    masks = env.unwrapped.action_masks()
    assert not masks.all()
    assert np.all(chances[~masks[0]] == 0)
    shares = np.bincount(actions, minlength=4) / 4000
    assert np.all(shares[~masks[0]] == 0)
    np.testing.assert_allclose(shares, chances, atol=0.03)
    assert not np.array_equal(actions, TrainedAgent(model, env, 4011).predict(observations)[0])
    with pytest.raises(ValueError, match="4000 action masks for 2 observations"):
        TrainedAgent(model, env).predict(observations[:2])


@pytest.mark.parametrize("kind", KINDS)
def test_predict_keeps_the_contract(kind):
    model = tiny_model(**KINDS[kind])
    env = gym.make_vec(model.description.env_id, num_envs=3, **kwargs_of(kind))
    agent = TrainedAgent(model, env, 1)
    observations, _ = env.reset(seed=1)
    actions, state = agent.predict(observations)
    assert (actions.shape, actions.dtype) == ((3,), np.int64)
    before = [array.copy() for array in state]
    agent.predict(observations, state, np.array([True, False, True]))
    assert all(map(np.array_equal, before, state))
    for wrong in (observations[:, :2], observations[None]):
        with pytest.raises(ValueError, match="shape"):
            agent.predict(wrong)
    alone = gym.make(model.description.env_id, **kwargs_of(kind))
    observation, _ = alone.reset(seed=1)
    action, _ = TrainedAgent(model, alone, 1).predict(observation)
    assert (np.shape(action), action.dtype) == ((), np.int64)
    assert action == actions[0]


def test_asked_again_it_samples_again():
    env = gym.make("EightPuzzle-v0")
    agent, asked, found = TrainedAgent(tiny_model(), env), None, set()
    observation, _ = env.reset(seed=0)
    for k in range(20):
        asked = act_after(agent, lambda _: observation, [0] * k, asked)
        found.add(asked.action)
    assert len(found) > 1, "with the same random bits each time it would go round in circles"


MISFITS = {
    "puzzle": ({}, "Wumpus-v0", {}, r"was trained on EightPuzzle-v0, this is Wumpus-v0$"),
    "observation": ({}, "EightPuzzle-v0", {"observation": "symbols"}, "plays with .*='planes', this .*'symbols'"),
    "shape": ({}, "FifteenPuzzle-v0", {}, r"plays observations of shape \(9, 3, 3\), this .* has \(16, 4, 4\)"),
    "planes": ({"network": "residual"}, "FifteenPuzzle-v0", {}, r"any size with 9 planes, .* \(16, 4, 4\)"),
}


@pytest.mark.parametrize("misfit", MISFITS)
def test_what_it_cannot_play_is_said(misfit, tmp_path):
    trained, env_id, env_kwargs, words = MISFITS[misfit]
    path = write_tiny_model(tmp_path / "model.safetensors", **trained)
    with pytest.raises(ValueError, match=words) as caught:
        load_trained(path, gym.make(env_id, **env_kwargs))
    assert str(caught.value).startswith(f"{path} ")


def test_commands_report_an_invalid_model_in_one_line(capsys, tmp_path):
    path = write_tiny_model(tmp_path / "model.safetensors")
    for command in (("watch", "bait", "--agent", path), ("compare", "bait", "--agent", tmp_path)):
        code, _, err = run(capsys, *command)
        assert (code, err) == (2, f"gridpuzzles: {command[-1]} was trained on EightPuzzle-v0, this is Bait-v0\n")
    (tmp_path / "empty").mkdir()
    path.write_bytes(path.read_bytes()[:200])
    for agent, words in ((path, "is damaged"), (tmp_path / "empty", "no model file"), (tmp_path / "a.zip", "no model")):
        code, _, err = run(capsys, "compare", "tiles", "--agent", agent, "--episodes", 2)
        assert (code, err.count("\n")) == (2, 1)
        assert words in err


DAMAGES = {
    "format": ({"format": 2}, "is of a newer format"),
    "no format": ({"format": None}, "is of a newer format"),
    "unknown field": ({"more": 1}, "unknown field 'more'"),
    "id": ({"env_id": "a\nb"}, "env_id must be a text in one line"),
    "shape": ({"shape": [9, -3, 3]}, "shape must be 1 to 4 integers"),
    "actions": ({"actions": True}, "actions must be an integer from 1"),
    "network": ({"network": {"name": "map"}}, r"network='map' is not known; .*allowed are mlp, egocentric, residual$"),
    "parameter": ({"network": {"name": "mlp", "heads": 8}}, "no parameter 'heads'"),
    "width": ({"network": {"name": "mlp", "width": 10**12}}, "network must be a name and parameters"),
    "other width": ({"network": {"name": "mlp", "width": 9}}, r"are not those of its network 'mlp' \('policy"),
    "depth": ({"network": {"name": "mlp", "width": 8, "depth": 2}}, r"'shared\.1\.bias' is missing"),
    "minutes": ({"minutes": "3"}, "minutes must be a non-negative number"),
    "scores": ({"scores": {}}, "scores must be a list"),
    "settings": ({"settings": []}, "settings must be an object"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_wrong_description_is_one_line(damage, tmp_path):
    from gridpuzzles_gym.agents.models.model_file import write_weights

    change, words = DAMAGES[damage]
    model = tiny_model()
    write_weights(tmp_path / "evil", model.weights, model.description.to_json() | change)
    with pytest.raises(ValueError, match=words) as caught:
        read_model(tmp_path / "evil")
    assert str(caught.value).startswith(str(tmp_path / "evil"))
    assert "\n" not in str(caught.value)


@pytest.mark.extended
def test_playing_a_model_imports_no_torch(tmp_path):
    path = write_tiny_model(tmp_path / "model.safetensors", masks=True)
    code = f"""
import sys, gymnasium as gym, gridpuzzles_gym
from gridpuzzles_gym.agents.models.trained_agent import load_trained
env = gym.make("EightPuzzle-v0", max_episode_steps=50)
agent = load_trained({str(path)!r}, env)
observation, _ = env.reset(seed=0)
state, over = None, False
while not over:
    action, state = agent.predict(observation, state)
    observation, _, terminated, truncated, _ = env.step(int(action))
    over = terminated or truncated
print(*sorted({{name.partition(".")[0] for name in sys.modules}}))
"""
    loaded = set(python(code).split())
    assert "numpy" in loaded
    assert not {"torch", "stable_baselines3"} & loaded
