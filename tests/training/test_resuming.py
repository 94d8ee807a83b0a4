"""Runs that were stopped or killed go on: checkpoints, the learning curve, the state of samplers."""

import dataclasses
import io
import multiprocessing
import os
import signal
import time

import gymnasium as gym
import numpy as np
import pytest
from helpers import check_curve, curve, same
from processes import gone

import gridpuzzles_gym  # noqa: F401  (registers the environments)

pytest.importorskip("stable_baselines3")
pytest.importorskip("tensorboard")

import torch

from gridpuzzles_gym.agents.models.model_file import read_model
from gridpuzzles_gym.agents.training.checkpoints import load_checkpoint, save_checkpoint
from gridpuzzles_gym.agents.training.monitor import FIELDS, Monitor, draw_curve
from gridpuzzles_gym.agents.training.sb3_policy import NetworkPolicy
from gridpuzzles_gym.agents.training.settings import KINDS, PPO, Settings
from gridpuzzles_gym.agents.training.trainer import train

ROLLOUT = 8 * 16
TINY = Settings(
    "EightPuzzle-v0", {"width": 2, "height": 2, "max_episode_steps": 12}, total_steps=45 * ROLLOUT, num_envs=8,
    n_steps=16, batch_size=64, cloning_batch=64, n_epochs=1, hidden=8, minutes=None, threads=1,
    checkpoint_minutes=1e-9, teacher="auto", phases="clone=1,dagger=1,ppo=1",
)  # fmt: skip


def check_phases(rows):
    phases = [row["phase"] for row in rows]
    assert phases == sorted(phases, key=KINDS.index)


REWARDS = dataclasses.replace(TINY, teacher=None, phases="auto")


@pytest.mark.extended
@pytest.mark.parametrize(("settings", "phases"), [(TINY, KINDS), (REWARDS, (PPO,))], ids=["taught", "rewards"])
def test_killed_in_each_phase_a_run_goes_on_without_a_gap_or_a_double(tmp_path, settings, phases):
    context = multiprocessing.get_context("forkserver")
    slow = ["gridpuzzles_gym.agents.training.trainer"]
    slow += ["torch.utils.tensorboard", "torch._dynamo", "matplotlib.figure"]
    context.set_forkserver_preload(slow)  # imported once, not by each process
    killed = 0
    for phase in phases:
        process = context.Process(target=train, args=(settings, tmp_path, killed > 0))
        process.start()
        deadline = time.monotonic() + 120
        while not (tmp_path / "checkpoint.pt").exists() or sum(row["phase"] == phase for row in curve(tmp_path)) < 3:
            assert process.exitcode is None
            assert time.monotonic() < deadline
            time.sleep(0.002)
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        killed += 1
        rows = curve(tmp_path)
        assert rows[-1]["phase"] == phase
        check_curve(rows, int(rows[-1]["steps"]), ROLLOUT)
        check_phases(rows)
        assert read_model(tmp_path).description.steps <= int(rows[-1]["steps"])
        assert gone(process.pid)
    train(settings, tmp_path, resume=True)
    check_curve(curve(tmp_path), TINY.total_steps, ROLLOUT)
    check_phases(curve(tmp_path))
    assert read_model(tmp_path).description.steps == TINY.total_steps
    leftovers = {path.name for path in tmp_path.iterdir() if path.name.startswith(".")}
    assert len(leftovers) <= killed, "at most a file that was being written"


@pytest.mark.extended
def test_ctrl_c_saves_what_was_learned(tmp_path, monkeypatch):
    settings = dataclasses.replace(TINY, total_steps=12 * ROLLOUT, checkpoint_minutes=100)
    show = Monitor.show

    def interrupt(self, share, steps, phase):
        show(self, share, steps, phase)
        if steps == 5 * ROLLOUT:
            raise KeyboardInterrupt

    monkeypatch.setattr(Monitor, "show", interrupt)
    with pytest.raises(KeyboardInterrupt, match="stopped after 640 steps"):
        train(settings, tmp_path)
    monkeypatch.undo()
    assert read_model(tmp_path).description.steps == 640
    train(settings, tmp_path, resume=True)
    check_curve(curve(tmp_path), 12 * ROLLOUT, ROLLOUT)
    check_phases(curve(tmp_path))
    with pytest.raises(ValueError, match="exists; resume it"):
        train(settings, tmp_path)
    train(dataclasses.replace(settings, total_steps=14 * ROLLOUT), tmp_path, resume=True)
    assert read_model(tmp_path).description.steps == 14 * ROLLOUT
    check_curve(curve(tmp_path), 14 * ROLLOUT, ROLLOUT)
    check_phases(curve(tmp_path))


def test_a_run_that_diverges_keeps_the_model_it_had(tmp_path):
    settings = dataclasses.replace(TINY, total_steps=4 * ROLLOUT, teacher=None, phases="auto")
    train(settings, tmp_path)
    before = (tmp_path / "checkpoint.pt").read_bytes()
    wild = dataclasses.replace(settings, total_steps=9 * ROLLOUT, learning_rate=1e38, final_learning_rate=1e38)
    with pytest.raises(ValueError, match="has numbers that are not finite"):
        train(wild, tmp_path, resume=True)
    assert (tmp_path / "checkpoint.pt").read_bytes() == before
    train(dataclasses.replace(settings, total_steps=5 * ROLLOUT), tmp_path, resume=True)
    check_curve(curve(tmp_path), 5 * ROLLOUT, ROLLOUT)
    check_phases(curve(tmp_path))


def test_without_a_checkpoint_there_is_nothing_to_resume(tmp_path):
    with pytest.raises(ValueError, match=r"nothing to resume: .*checkpoint\.pt does not exist"):
        train(TINY, tmp_path, resume=True)


# -- checkpoints -----------------------------------------------------------------------------------


def policy_for(width=8, kind=NetworkPolicy, name="mlp"):
    boxes = gym.spaces.Box(0, 255, (3, 2, 2), np.uint8), gym.spaces.Discrete(4)
    return kind(*boxes, lambda _: 1e-3, network={"name": name, "width": width}, optimizer_kwargs={"fused": True})


def step(policy, seed):
    """One step of training."""
    seen = torch.from_numpy(np.random.default_rng(seed).integers(0, 2, (5, 3, 2, 2), np.uint8))
    values, logs, _ = policy.evaluate_actions(seen, torch.zeros(5, dtype=torch.int64))
    policy.optimizer.zero_grad()
    (values.square().mean() + logs.mean()).backward()
    policy.optimizer.step()


@pytest.mark.parametrize("steps", [0, 3], ids=["untrained", "trained"])
def test_a_policy_goes_on_exactly_where_it_was(tmp_path, steps):
    policy, other = policy_for(), policy_for()
    for seed in range(steps):
        step(policy, seed)
    save_checkpoint(tmp_path / "checkpoint.pt", policy, {"steps": 12, "name": "größer"})
    assert load_checkpoint(tmp_path / "checkpoint.pt", other) == {"steps": 12, "name": "größer"}
    for seed in range(3):
        step(policy, seed)
        step(other, seed)
    assert same(policy.arrays(), other.arrays())


class Code:
    """What a checkpoint must not contain: it runs when it is unpickled."""

    def __reduce__(self):
        return os.system, ("exit 3",)


def test_damaged_checkpoints_are_refused_in_one_line(tmp_path):
    path = tmp_path / "checkpoint.pt"
    save_checkpoint(path, policy_for(), {"steps": 1})
    content, saved = path.read_bytes(), torch.load(path)
    bias = next(name for name in saved["weights"] if name.endswith("bias"))
    damages = [content[:length] for length in (0, 10, len(content) // 2, len(content) - 1)]
    for change in (
        {"run": 3},
        {"run": {"steps": Code()}},
        {"weights": {**saved["weights"], bias: torch.zeros(77)}},
        {"weights": {name: tensor for name, tensor in saved["weights"].items() if name != bias}},
        {"optimizer": {"state": {}}},
    ):
        file = io.BytesIO()
        torch.save(saved | change, file)
        damages.append(file.getvalue())
    file = io.BytesIO()
    torch.save([], file)
    for damaged in (*damages, file.getvalue()):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match="is damaged, or the checkpoint of another network") as caught:
            load_checkpoint(path, policy_for())
        assert "\n" not in str(caught.value)
    path.write_bytes(content)
    with pytest.raises(ValueError, match="the checkpoint of another network"):
        load_checkpoint(path, policy_for(9))
    with pytest.raises(ValueError, match="nothing to resume"):
        load_checkpoint(tmp_path / "nowhere.pt", policy_for())


@pytest.mark.parametrize("change", [{"steps": None}, {"episodes": [[1, 2]]}, {"sampler": {"level": "x"}}, {"of": None}])
def test_a_run_whose_notes_are_damaged_is_refused(tmp_path, change):
    settings = dataclasses.replace(TINY, total_steps=ROLLOUT, sampler="curriculum")
    train(settings, tmp_path)
    path = tmp_path / "checkpoint.pt"
    saved = torch.load(path)
    saved["run"] |= change
    if change == {"of": None}:
        del saved["run"]["of"]
    torch.save(saved, path)
    with pytest.raises(ValueError, match="damaged"):
        train(dataclasses.replace(settings, total_steps=2 * ROLLOUT), tmp_path, resume=True)


def test_a_damaged_curve_is_named(tmp_path):
    table = tmp_path / "curve.csv"
    table.write_text(",".join(FIELDS) + "\nrewards,12,x1,1.0,0.5,0.5,3,\n")
    for read in (lambda: Monitor(tmp_path, "title", None, done=20), lambda: draw_curve(table, tmp_path / "a.png", "")):
        with pytest.raises(ValueError, match=r"curve\.csv is damaged: seconds='x1' must be a number"):
            read()
