"""Stable-Baselines3's side of the suite: the VecEnv, training, models as agents, the comparison."""

import csv
import math

import gymnasium as gym
import numpy as np
import pytest
from helpers import puzzle_of

import gridpuzzles_gym  # noqa: F401  (registers the environments)

pytest.importorskip("stable_baselines3")

from rich.progress import Progress
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor

from gridpuzzles_gym.agents.evaluation import compare
from gridpuzzles_gym.agents.registry import make_agent
from gridpuzzles_gym.agents.training.model_files import observation_of, read_settings
from gridpuzzles_gym.agents.training.ppo import load_policy, train
from gridpuzzles_gym.agents.training.sb3_vec_env import PuzzleVecEnv
from gridpuzzles_gym.agents.training.settings import Settings

TINY = Settings(total_steps=1024, num_envs=8, n_steps=32, batch_size=64, n_epochs=1, hidden=16, checkpoint_steps=512)


def tiny(**changes):
    import dataclasses

    return dataclasses.replace(TINY, **changes)


def test_the_vec_env_tells_what_dummy_vec_env_and_monitor_would():
    size, limit = 5, 9
    ours = PuzzleVecEnv("Wumpus-v0", size, reward_scale=0.5, max_episode_steps=limit)
    ours.seed(11)
    theirs = [Monitor(gym.make("Wumpus-v0", max_episode_steps=limit)) for _ in range(size)]
    seen = ours.reset()
    for i, env in enumerate(theirs):
        np.testing.assert_array_equal(seen[i], env.reset(seed=11 + i)[0])
    random = np.random.default_rng(0)
    finished = truncations = 0
    for _ in range(80):
        actions = random.integers(0, 6, size)
        seen, rewards, dones, infos = ours.step(actions)
        assert rewards.dtype == np.float32
        for i, env in enumerate(theirs):
            observation, reward, terminated, truncated, info = env.step(actions[i])
            assert rewards[i] == np.float32(0.5 * reward)
            assert dones[i] == (terminated or truncated)
            if dones[i]:
                finished += 1
                truncations += truncated and not terminated
                np.testing.assert_array_equal(infos[i]["terminal_observation"], observation)
                assert infos[i]["TimeLimit.truncated"] == (truncated and not terminated)
                assert infos[i]["is_success"] == info["is_success"]
                assert {key: infos[i]["episode"][key] for key in "rl"} == {key: info["episode"][key] for key in "rl"}
                observation, _ = env.reset()
            else:
                assert infos[i] == {}
            np.testing.assert_array_equal(seen[i], observation)
    assert finished > 10
    assert truncations > 3


def test_the_vec_env_steps_where_infos_tell_figures_and_no_episode_ends():
    vector = PuzzleVecEnv("Bait-v0", 2)
    vector.seed(0)
    vector.reset()
    _, _, done, infos = vector.step(np.array([1, 1]))
    assert not done.any()
    assert infos == [{}, {}]


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


@pytest.mark.parametrize("algorithm", ["ppo", "maskable-ppo"])
def test_training_writes_a_model_that_plays_as_an_agent(tmp_path, algorithm):
    folder = tmp_path / "run"
    model = train(tiny(algorithm=algorithm, env_kwargs={"observation": "planes"}), folder)
    assert model == folder / "model.zip"
    assert read_settings(folder).algorithm == algorithm
    assert observation_of(model, puzzle_of("Wumpus-v0")) == "planes"
    assert (folder / "learning_curve.png").stat().st_size > 1000
    assert list((folder / "checkpoints").glob("*.zip"))
    assert list(folder.rglob("events.out.tfevents.*"))
    with (folder / "curve.csv").open() as file:
        assert [int(row["steps"]) for row in csv.DictReader(file)] == [256, 512, 768, 1024]
    env = gym.make("Wumpus-v0", observation="planes")
    policy = load_policy(folder, env)
    observation, _ = env.reset(seed=0)
    action, _ = policy.predict(observation)
    assert action in env.action_space
    scores = compare("Wumpus-v0", ["random", str(model)], episodes=20, num_envs=8, progress=False).scores
    assert [score.episodes for score in scores] == [20, 20]


def test_equal_seeds_train_equal_models(tmp_path):
    curves = []
    for name in ("first", "second"):
        train(tiny(minutes=None, threads=1), tmp_path / name)
        with (tmp_path / name / "curve.csv").open() as file:
            curves.append([(row["steps"], row["return"], row["length"]) for row in csv.DictReader(file)])
    assert curves[0] == curves[1]


def test_a_centred_network_sees_only_what_changes_and_keeps_its_centre(tmp_path):
    import torch

    settings = tiny(env_id="CatMouse-v0", centred=True, env_kwargs={"levels": "anywhere"})
    path = train(settings, tmp_path)
    env = gym.make("CatMouse-v0")
    layer, again = (load_policy(path, env).model.policy.features_extractor for _ in range(2))
    assert torch.equal(layer.centre, again.centre)
    wall, floor, exit_, _, mouse = layer.centre.reshape(5, 10, 10).numpy()
    observation, _ = env.reset(seed=0)
    assert np.array_equal([wall, floor, exit_], observation[:3])
    assert 0 < mouse.max() < 1


def test_training_resumes_where_it_stopped(tmp_path):
    model = train(tiny(), tmp_path)
    with pytest.raises(ValueError, match="exists; resume it"):
        train(tiny(), tmp_path)
    train(tiny(total_steps=2048), tmp_path, resume=True)
    with (tmp_path / "curve.csv").open() as file:
        assert [int(row["steps"]) for row in csv.DictReader(file)][-1] == 2048
    assert read_settings(model).total_steps == 2048


def test_ctrl_c_saves_what_was_learned(tmp_path, monkeypatch):
    from gridpuzzles_gym.agents.training.monitor import TrainingMonitor

    def interrupt(self):
        if self.num_timesteps >= 512:
            raise KeyboardInterrupt
        return True

    monkeypatch.setattr(TrainingMonitor, "_on_step", interrupt)
    with pytest.raises(KeyboardInterrupt, match="stopped after 512 steps"):
        train(tiny(), tmp_path)
    monkeypatch.undo()
    model = tmp_path / "model.zip"
    assert load_policy(model, gym.make("Wumpus-v0")).model.num_timesteps == 512
    train(tiny(), tmp_path, resume=True)
    assert load_policy(model, gym.make("Wumpus-v0")).model.num_timesteps == 1024


def test_the_clock_ends_training_too(tmp_path):
    model = train(tiny(total_steps=10**9, minutes=0.02), tmp_path)
    assert load_policy(model, gym.make("Wumpus-v0")).model.num_timesteps < 10**7


@pytest.mark.parametrize(("minutes", "left"), [(None, 90), (1, 50), (10, 90)])
def test_the_bar_tells_the_time_that_remains_by_steps_or_by_the_clock(tmp_path, monkeypatch, minutes, left):
    from gridpuzzles_gym.agents.training import monitor

    now = [1000.0]
    monkeypatch.setattr(monitor.time, "monotonic", lambda: now[0])
    progress = Progress(disable=True, get_time=lambda: now[0])
    watcher = monitor.TrainingMonitor(tiny(total_steps=1000, minutes=minutes), tmp_path, progress, lambda path: None)
    (task,) = progress.tasks
    progress.start_task(task.id)
    watcher._on_training_start()
    for second in range(1, 11):
        now[0] = 1000.0 + second
        watcher.num_timesteps = 10 * second
        watcher._on_step()
    assert (task.fields["steps"], task.time_remaining) == (100, pytest.approx(left, abs=1))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"algorithm": "dqn"}, "algorithm='dqn' is not known; allowed are ppo, maskable-ppo"),
        ({"total_steps": 0}, "total_steps=0: must be a positive integer"),
        ({"checkpoint_steps": 0}, "checkpoint_steps=0: must be a positive integer"),
        ({"minutes": -1}, "minutes=-1: must be a positive number"),
        ({"minutes": math.nan}, "minutes=nan: must be a positive number"),
        ({"minutes": math.inf}, "minutes=inf: must be a positive number"),
        ({"learning_rate": math.nan}, "learning_rate=nan: must be a positive number"),
        ({"final_learning_rate": -1e-4}, "final_learning_rate=-0.0001: must be 0 or a positive number"),
        ({"clip_range": 0}, "clip_range=0: must be a positive number"),
        ({"reward_scale": 0.0}, "reward_scale=0.0: must be a positive number"),
        ({"entropy": math.inf}, "entropy=inf: must be 0 or a positive number"),
        ({"gamma": 2}, "gamma=2: must be a number from 0 to 1"),
        ({"gae_lambda": -1}, "gae_lambda=-1: must be a number from 0 to 1"),
        ({"seed": -1}, "seed=-1: must be an integer from 0 to 4,294,967,295"),
        ({"num_envs": 1, "n_steps": 1}, "at least 2"),
    ],
)
def test_bad_settings_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        tiny(**change)


def test_bad_model_files_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"no model file .*nowhere\.zip"):
        read_settings(tmp_path / "nowhere.zip")
    wrong = tmp_path / "wrong.zip"
    wrong.write_text("not a zip")
    with pytest.raises(ValueError, match="is not a model that `gridpuzzles train` wrote"):
        read_settings(wrong)
    with pytest.raises(ValueError, match="nothing to resume"):
        train(tiny(), tmp_path, resume=True)


def test_a_model_refuses_an_environment_it_was_not_trained_for(tmp_path):
    model = train(tiny(), tmp_path)
    with pytest.raises(ValueError, match="was trained on Wumpus-v0 with observation_space"):
        load_policy(model, gym.make("Wumpus-v0", observation="percepts"))


def test_everyone_plays_the_same_episodes():
    """The batch must not matter, and the scores are those of episodes played one by one."""
    few = compare("Wumpus-v0", ["online-search"], episodes=60, num_envs=7, seed=500, progress=False).scores[0]
    many = compare("Wumpus-v0", ["online-search-careful"], episodes=60, num_envs=64, seed=500, progress=False).scores[0]
    assert few.episodes == many.episodes == 60
    env = gym.make("Wumpus-v0")
    agent = make_agent("online-search-careful", env)
    returns, outcomes = [], []
    for seed in range(500, 560):
        observation, info = env.reset(seed=seed)
        memory, total, over = None, 0.0, False
        while not over:
            action, memory = agent.predict(observation, memory)
            observation, reward, terminated, truncated, info = env.step(action)
            total += reward
            over = terminated or truncated
        returns.append(total)
        outcomes.append(info["outcome"])
    assert many.mean_return == pytest.approx(np.mean(returns))
    assert many.success == outcomes.count("solved") / 60
    assert many.deaths == outcomes.count("died") / 60
    assert many.timeouts == outcomes.count("unfinished") / 60
    assert many.interval == pytest.approx(1.96 * np.std(returns, ddof=1) / 60**0.5)


def test_the_comparison_as_table_csv_and_chart(tmp_path):
    comparison = compare("Wumpus-v0", ["random", "online-search"], episodes=30, progress=False)
    assert len(comparison.table().rows) == 2
    comparison.write_csv(tmp_path / "scores.csv")
    with (tmp_path / "scores.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["agent"] for row in rows] == ["random", "online-search"]
    assert float(rows[1]["mean_return"]) == comparison.scores[1].mean_return
    comparison.write_chart(tmp_path / "scores.png")
    assert (tmp_path / "scores.png").read_bytes().startswith(b"\x89PNG")


def test_comparisons_of_nothing_are_refused():
    with pytest.raises(ValueError, match="no agent 'clever' and no such file"):
        compare("Wumpus-v0", ["clever"], progress=False)
    with pytest.raises(ValueError, match="episodes=0"):
        compare("Wumpus-v0", ["random"], episodes=0, progress=False)
    with pytest.raises(ValueError, match="no agent to compare"):
        compare("Wumpus-v0", [], progress=False)


def test_sb3_evaluates_search_agents_too():
    env = PuzzleVecEnv("Wumpus-v0", 8)
    env.seed(0)
    mean, _ = evaluate_policy(make_agent("online-search", env.env), env, n_eval_episodes=40, warn=False)
    assert -1100 < mean < 1000
