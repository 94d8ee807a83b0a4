"""Collected experience: what happened, to whom, on which level, and what the teacher would have done."""

import dataclasses

import gymnasium as gym
import numpy as np
import pytest
from helpers import puzzle_of
from tiny_models import random_weights

import gridpuzzles_gym  # noqa: F401  (registers the environments)
from gridpuzzles_gym.agents.samplers import Pack
from gridpuzzles_gym.engine.levels.sources import find_levels

pytest.importorskip("torch")
pytest.importorskip("stable_baselines3")

import torch
from stable_baselines3.common.buffers import RolloutBuffer

from gridpuzzles_gym.agents.networks.operations import NUMPY
from gridpuzzles_gym.agents.training.collector import WATCHED, Collector, environments
from gridpuzzles_gym.agents.training.learner import Learner
from gridpuzzles_gym.agents.training.orientations import Orientations
from gridpuzzles_gym.agents.training.phases import CLONE, DAGGER, PPO
from gridpuzzles_gym.agents.training.sb3_vec_env import PuzzleVecEnv
from gridpuzzles_gym.agents.training.setting_up import network_for
from gridpuzzles_gym.agents.training.settings import Settings
from gridpuzzles_gym.agents.training.teachers.teacher import Labels

CPU = torch.device("cpu")
COUNT, STEPS = 8, 17
ROOM = "######\n#@   #\n# $  #\n#  . #\n# ####\n######\n"
TINY = Settings(num_envs=COUNT, n_steps=STEPS, hidden=8, channels=4, blocks=1, gamma=0.9, reward_scale=0.1)
CASES = {
    "mlp": {"env_id": "Sokoban-v0", "env_kwargs": {"levels": ROOM, "max_episode_steps": 5}},
    "egocentric": {"env_id": "Sokoban-v0", "env_kwargs": {"levels": ROOM, "max_episode_steps": 5}},
    "residual": {"env_id": "Bait-v0", "env_kwargs": {"max_episode_steps": 6}},
    "recurrent": {"env_id": "Wumpus-v0", "env_kwargs": {"observation": "percepts", "max_episode_steps": 7}},
    "map": {"env_id": "Wumpus-v0", "env_kwargs": {"observation": "percepts", "max_episode_steps": 7}},
}
"""Environments whose episodes are cut short several times in a rollout."""


class Stubborn:
    """A teacher that wants the first legal action, knows nothing in every third environment, and remembers."""

    def __init__(self):
        self.asked, self.told = [], []

    def label(self, batch, starting):
        self.asked.append(starting.copy())
        masks = batch.action_masks()
        known = np.arange(batch.size) % 3 != 0
        actions = masks.argmax(axis=1)
        return Labels((np.eye(masks.shape[1], dtype=np.float32)[actions]) * known[:, None], known, actions)

    def acted(self, actions):
        self.told.append(actions.copy())


def copied(experience):
    """A copy: the collector uses its arrays again."""
    return experience._make(tensor.clone() for tensor in experience)


def collector_for(network="mlp", teacher=None, sampler=None, **changes):
    """A collector, and its learner with random weights, just begun."""
    settings = dataclasses.replace(TINY, network=network, **{**CASES[network], **changes})
    env = environments(settings, sampler)
    kind = network_for(settings, env)
    learner = Learner(kind, random_weights(kind), CPU, seed=5)
    collector = Collector(settings, env, learner, teacher)
    collector.begin(11)
    return collector, learner


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("network", ["mlp", "egocentric", "residual"])
def test_a_rollout_is_what_stable_baselines3_would_collect(network, turned, masked):
    """The same actions in its environments, its terminal observations, its advantages: over two rollouts."""
    algorithm = "maskable-ppo" if masked else "ppo"
    collector, learner = collector_for(network, turned=turned, algorithm=algorithm)
    settings = collector.settings
    env = PuzzleVecEnv(settings.env_id, COUNT, reward_scale=settings.reward_scale, **settings.env_kwargs)
    ways = Orientations(COUNT, env.observation_space.shape)
    env.seed(11)
    seen, starts = env.reset(), np.ones(COUNT, bool)

    def values(observations):
        boards = ways.seen(observations) if turned else observations
        view = torch.from_numpy(learner.network.view(NUMPY, boards))
        return learner.values(view, torch.zeros(COUNT, 0)).numpy()

    truncations = 0
    for _ in range(2):
        experience = collector.collect(PPO, False)
        buffer = RolloutBuffer(
            STEPS, env.observation_space, env.action_space, CPU, settings.gae_lambda, settings.gamma, COUNT
        )
        for step, chosen in enumerate(experience.actions.numpy()):
            boards = ways.seen(seen) if turned else seen
            view = learner.network.view(NUMPY, boards)
            assert np.array_equal(experience.views[step], view)
            assert np.array_equal(experience.starts[step], starts)
            masks = env.action_masks()
            if masked:
                assert np.array_equal(experience.masks[step], ways.per_action(masks) if turned else masks)
                assert np.take_along_axis(experience.masks[step].numpy(), chosen[:, None], 1).all()
            after, rewards, done, infos = env.step(ways.played(chosen) if turned else chosen)
            rewards = rewards.copy()
            for i in np.flatnonzero(done):
                if infos[i]["TimeLimit.truncated"]:
                    final = np.repeat(infos[i]["terminal_observation"][None], COUNT, 0)
                    rewards[i] += settings.gamma * values(final)[i]
                    truncations += 1
            stored = torch.from_numpy(values(seen)), experience.log_probabilities[step]
            buffer.add(seen, chosen[:, None], rewards, starts, *stored)
            seen, starts = after.copy(), done
        buffer.compute_returns_and_advantage(torch.from_numpy(values(seen)), starts)
        np.testing.assert_allclose(experience.values, buffer.values, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(experience.advantages, buffer.advantages, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(experience.returns, buffer.returns, rtol=1e-4, atol=1e-4)
    assert truncations > 3 * COUNT


@pytest.mark.parametrize("network", CASES)
def test_the_learner_finds_its_decisions_again(network):
    """Its update computes the probabilities and values that it had when it acted; with a memory too."""
    collector, learner = collector_for(network)
    for _ in range(3):
        experience = collector.collect(PPO, False)
        memory = experience.memory.clone()
        if not learner.network.learns_memory:
            (experience,) = learner.minibatches(experience, STEPS * COUNT)
        logs, values = learner.outputs(experience._replace(memory=memory))
        chosen = logs.gather(1, experience.actions.flatten()[:, None])[:, 0]
        torch.testing.assert_close(chosen, experience.log_probabilities.flatten(), rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(values, experience.values.flatten(), rtol=1e-4, atol=1e-5)
    assert (memory != 0).any() == learner.network.learns_memory


def test_the_rest_of_an_episode_that_is_cut_short_is_worth_what_a_memory_makes_of_it():
    """Against a plain loop over the steps of each environment."""
    collector, learner = collector_for("recurrent")
    settings, batch = collector.settings, collector.batch
    finals, rewards, ends, step = [], [], [], batch.step

    def listening():
        ended = step()
        rewards.append(batch.scores[0].copy())
        ends.append(batch.ends[:2].copy())
        finals.append(batch.final_observations.copy())
        return ended

    batch.step = listening
    experience = collector.collect(PPO, False)
    memory, wanted = experience.memory.clone(), np.array(rewards, np.float32) * settings.reward_scale
    for t in range(STEPS):
        memory[experience.starts[t]] = 0
        memory = learner.read(experience.views[t], memory).memory
        memory[:, -6:] = torch.nn.functional.one_hot(experience.actions[t], 6)
        value = learner.values(torch.from_numpy(finals[t]), memory.clone()).numpy()
        cut = (ends[t][1] != 0) & (ends[t][0] == 0)
        wanted[t] += settings.gamma * value * cut
    done = np.array(ends).any(axis=1)
    memory[torch.from_numpy(done[-1])] = 0
    last = learner.values(collector._view(), memory).numpy()
    later = np.zeros(COUNT, np.float32)
    for t in reversed(range(STEPS)):
        following = experience.values[t + 1].numpy() if t + 1 < STEPS else last
        error = wanted[t] + settings.gamma * following * ~done[t] - experience.values[t].numpy()
        later = error + settings.gamma * settings.gae_lambda * ~done[t] * later
        np.testing.assert_allclose(experience.advantages[t], later, rtol=1e-4, atol=1e-5)
    assert sum(np.logical_and(end[1] != 0, end[0] == 0).sum() for end in ends) > COUNT


def test_episodes_are_those_of_the_environments():
    collector, _ = collector_for("mlp")
    env = gym.make_vec("Sokoban-v0", num_envs=COUNT, autoreset_mode="SameStep", **collector.settings.env_kwargs)
    env.reset(seed=11)
    scores, lengths, found = np.zeros(COUNT), np.zeros(COUNT, int), []
    for _ in range(2):
        for actions in collector.collect(PPO, False).actions.numpy():
            _, rewards, terminated, truncated, infos = env.step(actions)
            scores += rewards
            lengths += 1
            for i in np.flatnonzero(terminated | truncated):
                found.append((scores[i], lengths[i], infos["final_info"]["outcome"][i]))
                scores[i] = lengths[i] = 0
    assert [tuple(episode) for episode in collector.episodes] == found
    assert len(found) > 2 * COUNT


def test_episodes_know_their_levels():
    levels = find_levels(puzzle_of("Sokoban-v0"), "starter")[:20]
    collector, _ = collector_for("mlp", sampler=Pack(levels), env_kwargs={"max_episode_steps": 4})
    playing, seen = {i: collector.batch.level_played(i).name for i in range(COUNT)}, set()
    step = collector.batch.step
    history = []

    def listening():
        ended = step()
        history.append({i: collector.batch.level_played(i).name for i in range(COUNT)})
        return ended

    collector.batch.step = listening
    for _ in range(2):
        history.clear()
        collector.collect(PPO, False)
        assert len(collector.ended) >= COUNT * (STEPS // 4)
        for step_, env, level in collector.ended:
            before = history[step_ - 1] if step_ else playing
            assert level.name == before[env]
            seen.add(level.name)
        playing = history[-1]
    assert len(seen) > 10


@pytest.mark.parametrize(("network", "turned"), [("mlp", False), ("mlp", True), ("recurrent", False), ("map", False)])
def test_the_teacher_plays_in_cloning_and_labels_in_dagger(network, turned):
    teacher = Stubborn()
    collector, learner = collector_for(network, teacher, turned=turned)
    taught = (np.arange(COUNT) % 3 != 0) & (np.arange(COUNT) % WATCHED != 0)
    cloned = copied(collector.collect(CLONE, True))
    labels = cloned.labels.numpy()
    known = np.arange(COUNT) % 3 != 0
    assert np.array_equal(cloned.known, np.broadcast_to(known, (STEPS, COUNT)))
    assert (labels.sum(2) == known).all()
    assert np.array_equal(labels.argmax(2)[:, taught], cloned.actions[:, taught])
    assert not np.array_equal(labels.argmax(2)[:, ~taught], cloned.actions[:, ~taught])
    if learner.network.learns_memory:
        last = np.eye(learner.network.actions)[cloned.actions[-1]]
        assert np.array_equal(collector._memory[:, -learner.network.actions :], last), "it remembers what was played"
    before = len(collector.episodes)
    assert 0 < before < COUNT * 3, "only those that the learner played"
    followed = collector.collect(DAGGER, True)
    assert not np.array_equal(followed.labels.numpy().argmax(2)[:, taught], followed.actions[:, taught])
    assert np.array_equal(np.array(teacher.asked), np.concatenate([cloned.starts, followed.starts]))
    played = np.concatenate([cloned.actions, followed.actions])
    if turned:
        ways = Orientations(COUNT, collector.env.single_observation_space.shape)
        played = np.array([ways.played(actions) for actions in played])
    assert np.array_equal(np.array(teacher.told), played)
    alone = collector.collect(PPO, False)
    assert not alone.known.any()
    assert len(teacher.asked) == 2 * STEPS, "not asked when nobody listens"
