"""Every id in every library that is installed, by the library's own checks where it has some; what the page says."""

import subprocess
import sys

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import gridpuzzles_gym
from gridpuzzles_gym import Outcome

IDS = [environment.id for environment in gridpuzzles_gym.ENVIRONMENTS]
every_id = pytest.mark.parametrize("env_id", IDS)
VECTOR = "vector_entry_point"


def needs(module):
    """Skip a test where a library is missing."""
    return pytest.importorskip(module, reason=f"needs {module}: make ecosystem")


@every_id
def test_gymnasium_wraps_the_native_vector_environment(env_id):
    envs = gym.make_vec(f"gridpuzzles/{env_id}", 3, VECTOR, masks=True)
    wrapped = gym.wrappers.vector.RecordEpisodeStatistics(gym.wrappers.vector.FlattenObservation(envs))
    observations, infos = wrapped.reset(seed=0)
    assert observations.shape == (3, int(np.prod(envs.single_observation_space.shape)))
    assert infos["action_mask"].shape == (3, envs.single_action_space.n)
    assert wrapped.unwrapped.action_masks().tolist() == infos["action_mask"].astype(bool).tolist()


@every_id
def test_infos_pass_through_every_wrapper_that_converts_or_splits_them(env_id):
    needs("array_api_compat")
    torch = needs("torch")
    alone = gym.wrappers.NumpyToTorch(gym.make(env_id, max_episode_steps=3))
    alone.reset(seed=0)
    info = [alone.step(torch.tensor(0))[4] for _ in range(3)][-1]
    assert Outcome(int(info["outcome"])) == Outcome.UNFINISHED
    for mode in (AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED):  # SameStep: findings/gymnasium-same-step-torch.sh
        for convert in (
            gym.wrappers.vector.NumpyToTorch,
            lambda envs: gym.wrappers.vector.ArrayConversion(envs, env_xp=np, target_xp=torch),
        ):
            envs = convert(gym.make_vec(env_id, 2, VECTOR, max_episode_steps=3, autoreset_mode=mode))
            envs.reset(seed=0)
            infos = [envs.step(torch.zeros(2, dtype=torch.int64))[4] for _ in range(3)][-1]
            assert infos["outcome"].tolist() == [0, 0]
    for mode in AutoresetMode:
        envs = gym.make_vec(env_id, 2, VECTOR, max_episode_steps=3, autoreset_mode=mode)
        split = gym.wrappers.vector.DictInfoToList(envs)
        split.reset(seed=0)
        last = [split.step(np.zeros(2, np.int64))[4] for _ in range(3)][-1]
        assert [each.get("final_info", each)["outcome"] for each in last] == [0, 0]


def test_masks_are_reached_through_wrappers():
    env = gym.wrappers.FlattenObservation(gym.make("Sokoban-v0"))
    _, info = env.reset(seed=0)
    assert not hasattr(env, "action_masks")
    for masks in (env.get_wrapper_attr("action_masks")(), env.unwrapped.action_masks()):
        assert masks.tolist() == info["action_mask"].astype(bool).tolist()


def test_a_process_that_has_not_imported_the_package_makes_an_environment():
    code = "import gymnasium; print(gymnasium.make('gridpuzzles_gym:Sokoban-v0').unwrapped.puzzle.name)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=100)
    assert result.stdout.strip() == gym.make("gridpuzzles/Sokoban-v0").unwrapped.puzzle.name


def test_cnn_policy_needs_the_line_that_the_page_gives():
    needs("stable_baselines3")
    import torch
    from stable_baselines3 import PPO
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

    class Convolutions(BaseFeaturesExtractor):
        def __init__(self, space):
            super().__init__(space, features_dim=8 * 25)
            self.layers = torch.nn.Sequential(torch.nn.Conv2d(5, 8, 3, 2, 1), torch.nn.ReLU(), torch.nn.Flatten())

        def forward(self, observations):
            return self.layers(observations.float())

    env = gym.make("Sokoban-v0")
    with pytest.raises(AssertionError, match="NatureCNN"):
        PPO("CnnPolicy", env)
    recipe = {"normalize_images": False, "features_extractor_class": Convolutions}
    action, _ = PPO("CnnPolicy", env, policy_kwargs=recipe).predict(env.reset(seed=0)[0])
    assert action in env.action_space


@every_id
def test_torchrl_makes_an_environment_by_its_id(env_id):
    needs("torchrl")
    from torchrl.envs import GymEnv, check_env_specs

    check_env_specs(GymEnv(env_id))
    check_env_specs(GymEnv(env_id, categorical_action_encoding=True, frame_skip=2))


def test_imitation_takes_predict_of_any_agent():
    needs("imitation")
    from imitation.data import rollout
    from imitation.data.wrappers import RolloutInfoWrapper
    from stable_baselines3.common.env_util import make_vec_env

    envs = make_vec_env("Sokoban-v0", 2, wrapper_class=RolloutInfoWrapper)
    agent = gridpuzzles_gym.make_agent("astar", envs)
    enough = rollout.make_sample_until(min_episodes=2)
    found = rollout.rollout(agent.predict, envs, enough, rng=np.random.default_rng(0), exclude_infos=False)
    assert all(episode.infos[-1]["is_success"] for episode in found)
