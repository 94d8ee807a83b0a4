"""Models that Stable-Baselines3 saved: without permission nothing in them runs, with it they play."""

import json
import os
import pickle
import zipfile

import gymnasium as gym
import numpy as np
import pytest
from helpers import puzzle_of, python, run

pytest.importorskip("sb3_contrib")

import sb3_contrib
import stable_baselines3
from sb3_contrib.ppo_mask.policies import MaskableActorCriticPolicy
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor

import gridpuzzles_gym
from gridpuzzles_gym.agents.evaluation import compare
from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.agents.models.sb3_model import ALGORITHMS
from gridpuzzles_gym.agents.registry import load_agent, observation_for
from gridpuzzles_gym.agents.thoughts import thoughts_of
from gridpuzzles_gym.engine.config import config_of, masks_of

SHORT = {"n_steps": 16, "batch_size": 16}
CHOSEN = {"A2C": {}, "DQN": {"buffer_size": 10}, "QRDQN": {"buffer_size": 10}, "TRPO": {"n_steps": 16}}
POLICY = {"RecurrentPPO": "MlpLstmPolicy"}
BOMB = 17 * 2**20


def saved(folder, name="PPO", env_id="EightPuzzle-v0", **env_kwargs):
    """A new model of an algorithm, saved."""
    kind = getattr(sb3_contrib, name, None) or getattr(stable_baselines3, name)
    env = gym.make(env_id, **env_kwargs)
    model = kind(POLICY.get(name, "MlpPolicy"), env, device="cpu", seed=1, **CHOSEN.get(name, SHORT))
    model.save(folder / "theirs.zip")
    return folder / "theirs.zip", model


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """A model of PPO for the 8-puzzle."""
    return saved(tmp_path_factory.mktemp("sb3"))[0]


@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_trusted_model_plays_as_it_does_there(name, tmp_path):
    path, model = saved(tmp_path, name)
    env = gym.make_vec("EightPuzzle-v0", num_envs=4)
    observations, _ = env.reset(seed=[1, 2, 3, 4])
    agent = load_agent(str(path), env, trust_pickle=True)
    assert type(agent.model) is type(model)
    masks = {"action_masks": env.unwrapped.action_masks()} if name == "MaskablePPO" else {}
    start = np.ones(4, bool)
    actions, state = agent.predict(observations, None, start, deterministic=True)
    assert np.array_equal(actions, model.predict(observations, None, start, deterministic=True, **masks)[0])
    assert (state is not None) == (name == "RecurrentPPO")
    chances = thoughts_of(agent, observations[0], state).probabilities
    assert sum(chances) == pytest.approx(1 if name in ("PPO", "A2C", "MaskablePPO", "TRPO") else 0)
    score = compare(
        Game.of("EightPuzzle-v0", max_episode_steps=5, scramble=2),
        [str(path)],
        32,
        progress=False,
        trust_pickle=True,
    )
    assert score.scores[0].episodes == 32


class OwnMasked(MaskableActorCriticPolicy):
    """A user's own policy, in a module whose name does not tell the algorithm."""


def test_the_algorithm_of_a_users_own_policy_is_found(tmp_path):
    env = gym.make("EightPuzzle-v0")
    sb3_contrib.MaskablePPO(OwnMasked, env, device="cpu", **SHORT).save(tmp_path / "own.zip")
    agent = load_agent(tmp_path / "own.zip", env, trust_pickle=True)
    assert type(agent.model) is sb3_contrib.MaskablePPO
    with pytest.raises(ValueError, match=r"own\.zip cannot be loaded as a DQN model"):
        load_agent(tmp_path / "own.zip", env, trust_pickle=True, algorithm="DQN")


VECTORS = {
    "native": lambda make: gym.make_vec("EightPuzzle-v0", num_envs=3),
    "sync": lambda make: gym.vector.SyncVectorEnv([make] * 3),
    "wrapped": lambda make: gym.wrappers.vector.RecordEpisodeStatistics(gym.vector.SyncVectorEnv([make] * 3)),
    "async": lambda make: gym.vector.AsyncVectorEnv([make] * 3),
    "dummy": lambda make: DummyVecEnv([make] * 3),
    "monitor": lambda make: VecMonitor(DummyVecEnv([make] * 3)),
}


@pytest.mark.extended
@pytest.mark.parametrize("kind", VECTORS)
def test_agents_play_in_any_vector(kind):
    """A search, a network of ours, and a model with masks that is in memory."""
    envs = VECTORS[kind](lambda: gym.make("EightPuzzle-v0"))
    first = envs.reset()
    observations = first[0] if isinstance(first, tuple) else first
    model = sb3_contrib.MaskablePPO("MlpPolicy", gym.make("EightPuzzle-v0"), device="cpu", **SHORT)
    for agent in (
        gridpuzzles_gym.make_agent("astar", envs),
        gridpuzzles_gym.load_agent("pretrained", envs),
        gridpuzzles_gym.load_agent(model, envs),
    ):
        actions, _ = agent.predict(observations, deterministic=True)
        assert config_of(envs).limit == 200
        assert actions.shape == (3,)
        assert masks_of(envs)[np.arange(3), actions].all()
    envs.close()


def test_a_model_in_memory_must_fit():
    model = stable_baselines3.PPO("MlpPolicy", gym.make("EightPuzzle-v0"), device="cpu", **SHORT)
    agent = load_agent(model, gym.make("EightPuzzle-v0"))
    assert load_agent(agent, gym.make("EightPuzzle-v0")) is agent
    with pytest.raises(ValueError, match="the model was trained with observation_space"):
        load_agent(model, gym.make("FifteenPuzzle-v0"))
    with pytest.raises(ValueError, match="agent=3: must be a name, a path or a model of Stable-Baselines3"):
        load_agent(3, gym.make("EightPuzzle-v0"))
    with pytest.raises(ValueError, match="is not an environment of this suite"):
        load_agent(model, DummyVecEnv([lambda: gym.make("CartPole-v1")]))


class Creates:
    """A pickle of this creates a folder when it is loaded."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def poisoned(archive, member, canary, folder):
    """The archive with a pickle that creates the canary in place of one member, or among the JSON of ``data``."""
    import base64

    evil = folder / "evil.zip"
    with zipfile.ZipFile(archive) as before, zipfile.ZipFile(evil, "w") as after:
        for name in before.namelist():
            content = before.read(name)
            if name == member and name == "data":
                value = base64.b64encode(pickle.dumps(Creates(canary))).decode()
                entry = {":type:": "", ":serialized:": value}
                content = json.dumps(dict.fromkeys(json.loads(content), entry) | {"aaa": entry})
            elif name == member:
                content = pickle.dumps(Creates(canary))
            after.writestr(name, content)
    return evil


MEMBERS = (
    "data",
    "pytorch_variables.pth",
    "policy.pth",
    "policy.optimizer.pth",
    "_stable_baselines3_version",
    "system_info.txt",
)


@pytest.mark.parametrize("member", MEMBERS)
def test_a_pickle_in_any_member_runs_nothing(member, archive, tmp_path, capsys):
    with zipfile.ZipFile(archive) as file:
        assert sorted(file.namelist()) == sorted(MEMBERS)
    canary = tmp_path / "canary"
    evil = poisoned(archive, member, canary, tmp_path)
    env = gym.make("EightPuzzle-v0")
    with pytest.raises(ValueError, match=r"evil\.zip is a model of Stable-B.* --trust-pickle \(trust_pickle=True\)"):
        load_agent(str(evil), env)
    observation_for(str(evil), puzzle_of("EightPuzzle-v0"), "EightPuzzle-v0")
    evil.rename(tmp_path / "model.safetensors")  # whatever its name, and in the folder of a run
    for agent in (tmp_path / "model.safetensors", tmp_path):
        code, _, err = run(capsys, "compare", "tiles", "--agent", agent, "--episodes", 2)
        assert (code, err.count("\n")) == (2, 1)
        assert "--trust-pickle" in err
    assert not canary.exists()


def made_zip(path, members, compression=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


FAULTS = {
    "empty": {},
    "other": {"a.txt": "a"},
    "no JSON": {"data": "[" * 100_000},
    "a list": {"data": "[]"},
    "no policy": {"data": "{}"},
    "bomb": {"data": b"0" * BOMB},
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("trusted", [False, True])
def test_other_archives_are_no_models(fault, trusted, tmp_path):
    path = made_zip(tmp_path / "other.zip", FAULTS[fault])
    for load in (
        lambda: observation_for(str(path), puzzle_of("EightPuzzle-v0"), "EightPuzzle-v0"),
        lambda: load_agent(str(path), gym.make("EightPuzzle-v0"), trust_pickle=trusted),
    ):
        with pytest.raises(ValueError, match=r"^\S+other\.zip is not a model: [^\n]*$"):
            load()


@pytest.mark.extended
def test_a_refused_archive_loads_no_torch(archive):
    code = f"""
import sys, gymnasium as gym, gridpuzzles_gym
from gridpuzzles_gym.agents.registry import load_agent
try:
    load_agent({str(archive)!r}, gym.make("EightPuzzle-v0"))
except ValueError:
    print(*sorted({{name.partition(".")[0] for name in sys.modules}}))
"""
    loaded = python(code).split()
    assert "numpy" in loaded
    assert not {"torch", "stable_baselines3"} & set(loaded)
