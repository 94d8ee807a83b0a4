"""Environments of texts: Gymnasium's checks, agents that read and write, replies of every kind."""

import warnings

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import check_env
from scripted_play import AGENTS, CERTAIN, SETTINGS, own_results

import gridpuzzles_gym
from gridpuzzles_gym.text.scripted import AgentModel

IDS = [row.id for row in gridpuzzles_gym.ENVIRONMENTS]
SEEDS = range(2)


def text_id(env_id):
    return f"gridpuzzles/{env_id.replace('-v', 'Text-v')}"


@pytest.mark.parametrize("env_id", IDS)
def test_gymnasium_checks_them(env_id):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gym.make(text_id(env_id))
        check_env(env.unwrapped, skip_render_check=True)
        check_env(gym.make(text_id(env_id), render_mode="ansi").unwrapped)


@pytest.mark.parametrize("env_id", ["Wumpus-v0", "CatMouse-v0"])
def test_an_agent_plays_by_the_texts_as_it_plays_by_itself(env_id):
    settings = SETTINGS.get(env_id, {})
    env = gym.make(text_id(env_id), **settings)
    model = AgentModel(env.unwrapped.conversation.of, AGENTS[env_id])
    results = []
    for seed in SEEDS:
        text, _info = env.reset(seed=seed)
        total, over = 0.0, False
        while not over:
            assert env.observation_space.contains(text)
            messages = env.get_wrapper_attr("messages")
            assert text in messages[-1]["content"]
            reply = model(messages)["content"]
            assert env.action_space.contains(reply)
            text, reward, terminated, truncated, info = env.step(reply)
            total, over = total + reward, terminated or truncated
        assert env.observation_space.contains(text)
        assert total == info["score"]
        results.append((info["score"], info["steps"], info["is_success"]))
    assert results == own_results(env_id, SEEDS, **settings)
    if env_id in CERTAIN:
        assert all(success for _, _, success in results)


def test_any_reply_is_accepted_and_observations_are_in_the_space():
    env = gym.make("gridpuzzles/WumpusText-v0", max_invalid=1000)
    env.reset(seed=0)
    env.action_space.seed(0)
    odd = ["", "\0", "\t\r\n", "火", "\ud800", "a" * 10**6, "{}" * 1000, {"role": "assistant", "content": None}]
    for reply in [*odd, *(env.action_space.sample() for _ in range(50))]:
        text, _, terminated, truncated, _ = env.step(reply)
        assert env.observation_space.contains(text)
        if terminated or truncated:
            env.reset()


def test_many_in_a_vector():
    envs = gym.make_vec("gridpuzzles/EightPuzzleText-v0", num_envs=3, vectorization_mode="sync")
    texts, _ = envs.reset(seed=0)
    assert len(set(texts)) == 3
    texts, rewards, *_ = envs.step(("ACTIONS: up", "fly", "ACTIONS: down"))
    assert [text.startswith("Done: ") for text in texts] == [True, False, True]
    assert rewards.tolist()[1] == 0
    envs.close()
