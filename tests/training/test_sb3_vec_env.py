"""The suite's environments for Stable-Baselines3."""

import numpy as np
import pytest

from gridpuzzles_gym.agents.registry import make_agent

pytest.importorskip("stable_baselines3")

from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor

from gridpuzzles_gym import ENVIRONMENTS, PuzzleVecEnv
from gridpuzzles_gym.agents.training.settings import Settings


def test_the_vec_env_deals_out_masks_and_attributes():
    env = PuzzleVecEnv("Wumpus-v0", 4)
    env.seed(0)
    env.reset()
    masks = env.env_method("action_masks")
    assert len(masks) == 4
    assert masks[0].tolist() == [True, True, True, False, False, True]
    assert len(env.env_method("action_masks", indices=[1, 3])) == 2
    assert env.get_attr("num_envs") == [4] * 4
    assert env.env_is_wrapped(Monitor) == [True] * 4
    with pytest.raises(ValueError, match="all 4 environments share"):
        env.set_attr("tile_size", 32, indices=[0])


def test_sb3_evaluates_search_agents_too():
    env = PuzzleVecEnv("Wumpus-v0", 8)
    env.seed(0)
    mean, _ = evaluate_policy(make_agent("online-search", env.env), env, n_eval_episodes=40, warn=False)
    assert -1100 < mean < 1000


@pytest.mark.extended
@pytest.mark.parametrize("id", [row.id for row in ENVIRONMENTS])
def test_the_policy_for_pictures_reads_pixels(id):
    envs = PuzzleVecEnv(id, 2, observation="pixels", max_episode_steps=5)
    model = PPO("CnnPolicy", envs, n_steps=8, batch_size=16, n_epochs=1, device="cpu").learn(16)
    height, width, colors = envs.observation_space.shape
    assert model.observation_space.shape == (colors, height, width)
    assert model.predict(envs.reset())[0].shape == (2,)


def test_our_own_networks_refuse_pixels():
    with pytest.raises(ValueError, match="observation='pixels' is for the CnnPolicy of Stable-Baselines3"):
        Settings("CatMouse-v0", env_kwargs={"observation": "pixels"})


@pytest.mark.parametrize("id", [row.id for row in ENVIRONMENTS])
def test_options_infos_and_metrics_are_those_of_dummy_vec_env(id):
    """The level that `set_options` names is played, and what wrappers read at resets and ends is there."""
    level = {"level": "...G\n....\n....\nA..P\n"} if id == "Wumpus-v0" else {} if id == "CatMouse-v0" else {"level": 1}
    theirs = make_vec_env(id, 3, env_kwargs={"max_episode_steps": 20})
    ours = PuzzleVecEnv(id, 3, reward_scale=0.5, max_episode_steps=20)
    for envs in (ours, theirs):
        envs.seed(3)
        envs.set_options([level, {}, level])
    assert (ours.reset() == theirs.reset()).all()
    ends = 0
    for step in range(45):
        for mine, other in zip(ours.reset_infos, theirs.reset_infos, strict=True):
            np.testing.assert_equal(mine, other)
        actions = np.random.default_rng(step).integers(0, ours.action_space.n, 3)
        (seen, rewards, done, infos), (wanted, unscaled, finished, expected) = ours.step(actions), theirs.step(actions)
        assert (seen == wanted).all()
        assert (rewards == 0.5 * unscaled).all()
        assert (done == finished).all()
        assert rewards.dtype == np.float32
        for i in range(3):
            if not done[i]:
                assert infos[i] == {}
                continue
            left_out = {"action_mask", "episode"}
            np.testing.assert_equal(
                {name: value for name, value in infos[i].items() if name not in left_out},
                {name: value for name, value in expected[i].items() if name not in left_out},
            )
            assert {key: infos[i]["episode"][key] for key in "rl"} == {key: expected[i]["episode"][key] for key in "rl"}
            ends += 1
    assert ends > 5
    assert not any(ours._options), "options are used once"
