"""Training by Stable-Baselines3: its settings and callbacks, what its learner sees, resuming."""

import dataclasses

import numpy as np
import pytest
from helpers import same

import gridpuzzles_gym  # noqa: F401  (registers the environments)

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")
pytest.importorskip("tensorboard")

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback, CheckpointCallback, EvalCallback
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from gridpuzzles_gym.agents.models.model_file import read_model
from gridpuzzles_gym.agents.training.sb3_vec_env import Orientations, PuzzleVecEnv, TurnedVecEnv
from gridpuzzles_gym.agents.training.settings import Settings
from gridpuzzles_gym.agents.training.trainer import BatchedBootstrap, TrainingRun, train

COUNT, STEPS = 8, 16
ROLLOUT = COUNT * STEPS
TINY = Settings(
    env_id="EightPuzzle-v0", env_kwargs={"width": 2, "height": 2, "max_episode_steps": 12}, total_steps=4 * ROLLOUT,
    num_envs=COUNT, n_steps=STEPS, batch_size=64, n_epochs=1, hidden=8, channels=4, blocks=1, minutes=None, threads=1,
)  # fmt: skip
BOARD = "######\n#@   #\n# $  #\n#  . #\n# ####\n######\n"


def tiny(**changes):
    return dataclasses.replace(TINY, **changes)


def begun(folder, **changes):
    """A run before its first step."""
    run = TrainingRun(tiny(**changes), folder)
    run.begin(resume=False)
    return run


@pytest.mark.parametrize(("change", "kind"), [({}, PPO), ({"algorithm": "maskable-ppo"}, MaskablePPO)])
def test_settings_are_those_of_the_algorithm(tmp_path, change, kind):
    settings = tiny(gamma=0.9, gae_lambda=0.8, clip_range=0.1, n_epochs=2, entropy=0.2, final_entropy=0.1, **change)
    run = begun(tmp_path, **{name: getattr(settings, name) for name in dataclasses.asdict(settings)})
    reports = []
    run.go_on([reports.append])
    run.close()
    model = run.model
    assert type(model) is kind
    names = ("gamma", "gae_lambda", "n_epochs", "n_steps", "batch_size", "seed")
    assert [getattr(model, name) for name in names] == [getattr(settings, name) for name in names]
    assert model.clip_range(1.0) == 0.1
    assert model.num_timesteps == run.steps == settings.total_steps
    assert model.ent_coef == pytest.approx(0.125), "at the last update, after three quarters of the run"
    rate = settings.learning_rate + 0.75 * (settings.final_learning_rate - settings.learning_rate)
    assert model.policy.optimizer.param_groups[0]["lr"] == pytest.approx(rate)
    assert reports[-1].steps == settings.total_steps


class Listening(BaseCallback):
    """Writes down what it is told; ends a run after so many steps."""

    def __init__(self, last=10**9):
        super().__init__()
        self.heard, self.last = [], last

    def _on_training_start(self):
        self.heard.append("begin")

    def _on_rollout_start(self):
        self.heard.append(self.model.num_timesteps)

    def _on_step(self):
        self.logger.record("mine/steps", self.num_timesteps)
        return self.num_timesteps < self.last

    def _on_training_end(self):
        self.heard.append("end")


def test_a_users_callbacks_are_those_of_stable_baselines3(tmp_path):
    listening, reports = Listening(), []
    evaluating = EvalCallback(
        PuzzleVecEnv("EightPuzzle-v0", 2, **TINY.env_kwargs), n_eval_episodes=2, eval_freq=STEPS, verbose=0
    )
    saving = CheckpointCallback(save_freq=STEPS, save_path=str(tmp_path / "zips"))
    train(tiny(), tmp_path / "run", callbacks=[listening, evaluating, reports.append, saving])
    assert listening.heard == ["begin", 0, ROLLOUT, 2 * ROLLOUT, 3 * ROLLOUT, "end"]
    assert evaluating.n_calls == 4 * STEPS
    assert np.isfinite(evaluating.last_mean_reward)
    events = EventAccumulator(str(tmp_path / "run" / "tensorboard"))
    events.Reload()
    assert {"mine/steps", "eval/mean_reward", "train/loss"} <= {*events.Tags()["scalars"]}
    assert reports[-1].steps == 4 * ROLLOUT
    loaded = PPO.load(tmp_path / "zips" / f"rl_model_{4 * ROLLOUT}_steps.zip", device="cpu")
    assert loaded.num_timesteps == 4 * ROLLOUT


def test_a_callback_ends_a_run_which_goes_on(tmp_path):
    listening = Listening(last=2 * ROLLOUT + COUNT)
    model = train(tiny(), tmp_path, callbacks=[listening])
    assert listening.heard[-1] == "end"
    assert read_model(model).description.steps == 2 * ROLLOUT, "an unfinished rollout is not counted"
    train(tiny(), tmp_path, resume=True, callbacks=[again := Listening()])
    assert again.heard == ["begin", 2 * ROLLOUT, 3 * ROLLOUT, "end"]
    assert read_model(model).description.steps == 4 * ROLLOUT


def test_truncated_episodes_get_the_same_values_in_one_call_as_one_by_one():
    rewards = []
    for callbacks in ([], [BatchedBootstrap()]):
        env = PuzzleVecEnv("EightPuzzle-v0", COUNT, **TINY.env_kwargs)
        model = PPO("MlpPolicy", env, n_steps=STEPS, batch_size=64, n_epochs=1, seed=0).learn(ROLLOUT, callbacks)
        rewards.append(model.rollout_buffer.rewards)
    np.testing.assert_allclose(*rewards, rtol=1e-5)
    assert not np.isin(rewards[0], (-1, 1000)).all(), "there are truncated episodes"


# -- what the learner sees -------------------------------------------------------------------------


def test_turned_boards_are_played_as_they_are():
    kwargs = {"levels": BOARD, "max_episode_steps": 5}
    plain, turned = (
        PuzzleVecEnv("Sokoban-v0", COUNT, **kwargs),
        TurnedVecEnv(PuzzleVecEnv("Sokoban-v0", COUNT, **kwargs)),
    )
    ways, numbers = Orientations(COUNT, plain.observation_space.shape), np.random.default_rng(1)
    for env in (plain, turned):
        env.seed(4)
    seen, shown = plain.reset(), turned.reset()
    ends = 0
    for _ in range(12):
        assert np.array_equal(shown, ways.seen(seen))
        assert np.array_equal(np.stack(turned.env_method("action_masks")), ways.per_action(plain.action_masks()))
        assert np.array_equal(turned.env_method("action_masks", indices=[3])[0], turned.env_method("action_masks")[3])
        actions = numbers.integers(0, 4, COUNT)
        seen, rewards, dones, infos = plain.step(ways.played(actions))
        shown, *others = turned.step(actions)
        assert np.array_equal(rewards, others[0])
        assert np.array_equal(dones, others[1])
        for i in np.flatnonzero(dones).tolist():
            ends += 1
            final = others[2][i]["terminal_observation"]
            assert np.array_equal(final, ways.seen(infos[i]["terminal_observation"][None], [i])[0])
    assert ends > COUNT


# -- going on ------------------------------------------------------------------------------------


@pytest.mark.extended
def test_a_run_goes_on_with_its_optimiser_and_equally_each_time(tmp_path):
    train(tiny(total_steps=2 * ROLLOUT), tmp_path / "first")
    run = TrainingRun(tiny(), tmp_path / "first")
    saved = torch.load(tmp_path / "first" / "checkpoint.pt")["optimizer"]["state"]
    run.begin(resume=True)
    state = run.model.policy.optimizer.state_dict()["state"]
    assert state.keys() == saved.keys()
    assert all(same(state[k][name].numpy(), saved[k][name].numpy()) for k in state for name in state[k])
    assert state[0]["step"] > 0
    assert len(run.model.ep_info_buffer) == len(run.episodes) > 0
    run.close()
    found = []
    for name in ("second", "third"):
        (tmp_path / name).mkdir()
        for file in (tmp_path / "first").glob("*.*"):
            (tmp_path / name / file.name).write_bytes(file.read_bytes())
        found.append(read_model(train(tiny(), tmp_path / name, resume=True)).weights)
    assert same(*found)
    assert not same(found[0], read_model(tmp_path / "first").weights)
