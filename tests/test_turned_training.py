"""What PPO plays Sokoban with: the player in the middle, and levels turned and mirrored."""

import dataclasses
import re

import gymnasium as gym
import numpy as np
import pytest

import gridpuzzles_gym  # noqa: F401  (registers the environments)

pytest.importorskip("stable_baselines3")

from stable_baselines3.common.vec_env.base_vec_env import VecEnvWrapper

from gridpuzzles_gym.agents.evaluation import compare
from gridpuzzles_gym.agents.training.settings import read_settings
from gridpuzzles_gym.agents.training.network import Egocentric
from gridpuzzles_gym.agents.training.ppo import load_policy, train
from gridpuzzles_gym.agents.training.sb3_vec_env import PuzzleVecEnv
from gridpuzzles_gym.agents.training.settings import Settings
from gridpuzzles_gym.agents.training.turned_vec_env import TurnedVecEnv, turn

SOKOBAN = "Sokoban-v0"
SQUARE = "######\n#@   #\n# $  #\n#  . #\n# ####\n######\n"
OBLONG = "#######\n#@    #\n# $.$.#\n#     #\n#######\n"
PLAYER = 4
"""The player's plane."""
STEPS = ((-1, 0), (1, 0), (0, -1), (0, 1))
TINY = Settings(
    SOKOBAN, {"levels": SQUARE, "max_episode_steps": 20}, total_steps=512, num_envs=8, n_steps=32, batch_size=64,
    n_epochs=1, hidden=16, minutes=None, threads=1,
)  # fmt: skip


def player(planes):
    return np.argwhere(planes[PLAYER])[0]


@pytest.mark.parametrize(("board", "ways"), [(SQUARE, 8), (OBLONG, 4)])
def test_every_board_is_seen_in_all_ways_and_actions_go_where_they_seem_to(board, ways):
    inner = PuzzleVecEnv(SOKOBAN, 8, levels=board, max_episode_steps=15)
    env = TurnedVecEnv(inner)
    env.seed(0)
    before = env.reset()
    assert len({planes.tobytes() for planes in before}) == ways
    random = np.random.default_rng(0)
    ended = 0
    for _ in range(100):
        masks = np.stack(env.env_method("action_masks"))
        assert (env.env_method("action_masks", indices=[3])[0] == masks[3]).all()
        actions = np.array([random.choice(np.flatnonzero(mask)) for mask in masks])
        after, _, dones, infos = env.step(actions)
        for i, action in enumerate(actions):
            planes = infos[i]["terminal_observation"] if dones[i] else after[i]
            assert (player(planes) == player(before[i]) + STEPS[action]).all()
            assert (planes[:3] == before[i][:3]).all(), "walls, floor and goals stay"
        ended += dones.sum()
        before = after
    assert ended > 8


def test_masks_allow_what_moves_the_player():
    env = TurnedVecEnv(PuzzleVecEnv(SOKOBAN, 8, levels=SQUARE))
    planes = env.reset()
    for mask, board in zip(env.env_method("action_masks"), planes, strict=True):
        floor = [board[(1, *(player(board) + step))] == 1 for step in STEPS]
        assert mask.tolist() == floor
    assert isinstance(env, VecEnvWrapper)
    assert env.get_attr("num_envs") == [8] * 8


def test_turning_eight_ways():
    planes = np.arange(12).reshape(1, 3, 4)
    assert turn(planes, 0) is planes
    assert turn(planes, 4)[0, 0].tolist() == [8, 9, 10, 11]
    assert turn(planes, 2)[0, 0].tolist() == [3, 2, 1, 0]
    assert turn(planes, 1)[0, 0].tolist() == [0, 4, 8]
    assert turn(planes, 7)[0, 0].tolist() == [11, 7, 3]


def test_the_network_sees_the_board_around_the_player():
    """Against a plain loop over squares."""
    import torch

    env = gym.make_vec(SOKOBAN, num_envs=3, levels=OBLONG)
    network = Egocentric(env.single_observation_space, 16)
    env.reset(seed=0)
    for actions in ([3, 1, 3], [3, 1, 3], [1, 3, 3], [1, 2, 3]):
        boards = env.step(np.array(actions))[0]
        _, _, height, width = boards.shape
        seen = network.centred(torch.as_tensor(boards).float()).numpy().reshape(3, 3, 2 * height - 5, 2 * width - 5)
        for board, window in zip(boards, seen, strict=True):
            row, column = player(board)
            for down, right in np.ndindex(window.shape[1:]):
                there = row + down - (height - 3), column + right - (width - 3)
                inside = 0 <= there[0] < height and 0 <= there[1] < width
                wanted = board[(slice(1, 4), *there)] if inside else [0, 0, 0]
                assert window[:, down, right].tolist() == list(wanted)


@pytest.mark.parametrize("algorithm", ["ppo", "maskable-ppo"])
def test_the_player_in_the_middle_and_turned_boards_train_a_model_that_plays(tmp_path, algorithm):
    settings = dataclasses.replace(TINY, network="egocentric", turned=True, algorithm=algorithm)
    path = train(settings, tmp_path)
    assert read_settings(path) == settings
    env = gym.make(SOKOBAN, levels=SQUARE)
    assert isinstance(load_policy(path, env).model.policy.features_extractor, Egocentric)
    (score,) = compare(SOKOBAN, [str(path)], 10, num_envs=5, env_kwargs={"levels": SQUARE}, progress=False).scores
    assert score.episodes == 10
    train(dataclasses.replace(settings, total_steps=768), tmp_path, resume=True)
    assert load_policy(path, env).model.num_timesteps == 768


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"network": "resnet"}, "network='resnet' is not known; allowed are mlp, egocentric"),
        ({"network": "egocentric", "centred": True}, "centred=True requires network='mlp'"),
        (
            {"turned": True, "env_id": "Wumpus-v0", "env_kwargs": {}},
            "turned=True requires boards that are the same in all directions",
        ),
        (
            {"network": "egocentric", "env_kwargs": {"levels": SQUARE, "observation": "symbols"}},
            "needs planes, at least 3 of 3×3 squares, not observations (1, 6, 6)",
        ),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path, change, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        train(dataclasses.replace(TINY, **change), tmp_path)
