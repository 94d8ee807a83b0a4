"""Training by Ray's RLlib, on a cluster on this machine, parts of which are killed. Needs the extras ray and train."""

import dataclasses
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

pytest.importorskip("ray.rllib", reason="needs the extra ray: make test-ray")
pytest.importorskip("tensorboard")

import ray
import torch
from helpers import check_curve, curve
from ray.cluster_utils import Cluster

import gridpuzzles_gym  # noqa: F401  (registers the environments)
from gridpuzzles_gym.agents.evaluation import compare
from gridpuzzles_gym.agents.models.model_file import read_model
from gridpuzzles_gym.agents.parallel.on_ray import connection
from gridpuzzles_gym.agents.training.learner import Experience, Learner
from gridpuzzles_gym.agents.training.monitoring.monitor import Monitor
from gridpuzzles_gym.agents.training.on_rllib.configuration import processes
from gridpuzzles_gym.agents.training.on_rllib.env_runner import share_of
from gridpuzzles_gym.agents.training.on_rllib.run import RayRun
from gridpuzzles_gym.agents.training.ppo import Coefficients, improve_policy
from gridpuzzles_gym.agents.training.settings import Settings, read_settings
from gridpuzzles_gym.agents.training.trainer import train

ROLLOUT = 16 * 16
TILES = {"width": 2, "height": 2, "max_episode_steps": 12}
TINY = Settings(
    "EightPuzzle-v0", TILES, algorithm="maskable-ppo", total_steps=8 * ROLLOUT, num_envs=16, n_steps=16, batch_size=64,
    n_epochs=2, hidden=16, minutes=None, threads=1, checkpoint_minutes=1e-9, engine="rllib", env_runners=2,
)  # fmt: skip
BOARD = "######\n#@   #\n# $  #\n#  . #\n# ####\n######\n"


@pytest.fixture(scope="module")
def made():
    """A cluster that believes it has four cores."""
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 4, "include_dashboard": False})
    yield cluster
    if ray.is_initialized():
        ray.shutdown()
    cluster.shutdown()


@pytest.fixture
def address(made):
    return made.address


def tiny(**changes):
    return dataclasses.replace(TINY, **changes)


def command(*arguments):
    words = [sys.executable, "-m", "gridpuzzles_gym.cli", *map(str, arguments)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def said(*arguments):
    """What a command says on its standard error, and its exit code."""
    process = command(*arguments)
    _, err = process.communicate(timeout=200)
    return err, process.returncode


def start(folder, address, *more):
    """A run as a process of its own, after its first updates."""
    options = [f"{name}={json.dumps(value)}" for name, value in dataclasses.asdict(TINY).items() if name in TUNED]
    words = [word for option in options for word in ("--hyper", option)]
    words += [word for name, value in TILES.items() for word in ("--set", f"{name}={value}")]
    process = command(
        "train", "EightPuzzle-v0", "--engine", "rllib", "--ray", address, "--env-runners", 2, "--out", folder,
        "--algorithm", "maskable-ppo", "--steps", 10**9, *words, *more,
    )  # fmt: skip
    wait_for(lambda: len(curve(folder)) >= 4 and (folder / "checkpoint.npz").exists(), process)
    return process


def wait_for(condition, process):
    """Wait for what a process does; the time limit is for one that hangs."""
    deadline = time.monotonic() + 600
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)


TUNED = ("num_envs", "n_steps", "batch_size", "n_epochs", "hidden", "minutes", "threads", "checkpoint_minutes")


def runners(cluster):
    """The processes of a cluster that play."""
    [raylet] = cluster.head_node.all_processes["raylet"]
    command = ["pgrep", "--parent", str(raylet.process.pid), "--full", "ray::BatchEnvRunner"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    return [int(pid) for pid in found.stdout.split()]


def grown(folder):
    """The steps of each update in the curve but the first: fewer while one of two runners is lost."""
    steps = [int(row["steps"]) for row in curve(folder)]
    return [later - earlier for earlier, later in itertools.pairwise(steps)]


def test_it_learns_and_writes_a_model_that_plays(tmp_path, address):
    settings = tiny(total_steps=120 * ROLLOUT, learning_rate=3e-3, entropy=0.01, n_epochs=4)
    path = train(settings, tmp_path, ray=address)
    assert path == tmp_path / "model.safetensors"
    assert read_settings(path) == settings
    check_curve(curve(tmp_path), settings.total_steps, ROLLOUT)
    assert float(curve(tmp_path)[-1]["success"]) > 0.95
    assert (tmp_path / "learning_curve.png").stat().st_size > 1000
    about = read_model(path).description
    assert (about.steps, about.masks, about.env_kwargs) == (settings.total_steps, True, TILES)
    assert about.device == "RLlib: CPU, 1 thread, 2 env runners"
    assert "--hyper engine=rllib" in about.command
    kwargs = {"env_kwargs": TILES, "progress": False, "num_envs": 50, "deterministic": True}
    trained, chance = compare("EightPuzzle-v0", [str(path), "random"], 100, **kwargs).scores
    assert trained.success > 0.95 > chance.success + 0.1


@pytest.mark.parametrize(
    "chosen",
    [
        {"env_runners": 3, "learners": 2, "algorithm": "ppo"},
        {"env_id": "Wumpus-v0", "env_kwargs": {"observation": "percepts"}, "network": "map", "env_runners": 0},
        {"env_id": "CatMouse-v0", "env_kwargs": {"levels": "anywhere"}, "centred": True, "algorithm": "ppo"},
        {
            "env_id": "Sokoban-v0", "env_kwargs": {"levels": BOARD, "max_episode_steps": 9}, "turned": True,
            "network": "residual", "channels": 4, "blocks": 1,
        },
    ],
    ids=("learners", "map", "centred", "residual"),
)  # fmt: skip
def test_networks_and_processes(tmp_path, address, chosen):
    settings = tiny(**{"env_kwargs": {}, **chosen}) if "env_id" in chosen else tiny(**chosen)
    train(settings, tmp_path, ray=address)
    model = read_model(tmp_path)
    assert model.description.steps == settings.total_steps
    assert model.description.network["name"] == settings.network
    if settings.centred:
        assert 0 < model.weights["centre"].mean() < 1


def test_equal_seeds_train_equal_models(tmp_path, address):
    found = []
    for name, seed in (("first", 0), ("second", 0), ("third", 1)):
        train(tiny(seed=seed, total_steps=4 * ROLLOUT), tmp_path / name, ray=address)
        found.append({key: array.tobytes() for key, array in read_model(tmp_path / name).weights.items()})
    assert found[0] == found[1]
    assert found[0] != found[2]


def test_an_update_is_that_of_our_own_ppo(tmp_path, address):
    """One gradient step on the same rollout: RLlib's loss and optimiser change the weights as ours do."""
    settings = tiny(env_runners=0, batch_size=ROLLOUT, n_epochs=1, entropy=0.1, final_entropy=0.1)
    with connection(address):
        run = RayRun(settings, tmp_path)
        try:
            before = dict(run.learner.arrays())
            [rollout] = run._play()
            table = {name: torch.from_numpy(column.copy()) for name, column in rollout.table.items()}
            run.learner.update([rollout], settings.batch_size, 0)
            after = run.learner.arrays()
        finally:
            run.close()
    own = Learner(run.network, before, torch.device("cpu"))
    nothing = torch.zeros(ROLLOUT, 0)
    experience = Experience(
        views=table["obs"],
        masks=table["action_masks"],
        actions=table["actions"],
        log_probabilities=table["action_logp"],
        values=nothing,
        advantages=table["advantages"],
        returns=table["value_targets"],
        labels=nothing,
        known=nothing,
        starts=nothing,
        memory=nothing,
    )
    columns = Experience._make([x[:, None] for x in experience[:-1]] + [nothing])
    improve_policy(own, columns, ROLLOUT, 1, Coefficients(settings.learning_rate, settings.clip_range, 0.1))
    for name, array in own.arrays().items():
        assert not np.array_equal(array, before[name])
        np.testing.assert_allclose(after[name], array, atol=2e-5)


def test_killed_a_run_goes_on_without_a_gap_or_a_double(tmp_path, address):
    process = start(tmp_path, address)
    process.send_signal(signal.SIGKILL)
    process.wait()
    done = int(curve(tmp_path)[-1]["steps"])
    total = done + 5 * ROLLOUT
    before = json.loads((tmp_path / "settings.json").read_text())
    settings = Settings(**(before | {"total_steps": total}))
    train(settings, tmp_path, resume=True, ray=address)
    check_curve(curve(tmp_path), total, ROLLOUT)
    assert read_model(tmp_path).description.steps == total


def test_a_killed_process_that_plays_is_replaced(tmp_path, made):
    before = runners(made)  # of a run that was killed, some may not have ended yet
    process = start(tmp_path, made.address)
    os.kill(next(pid for pid in runners(made) if pid not in before), signal.SIGKILL)
    wait_for(lambda: grown(tmp_path)[-1:] == [ROLLOUT] and ROLLOUT // 2 in grown(tmp_path), process)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=200)
    assert process.returncode == 130, err
    assert re.fullmatch(r"gridpuzzles: stopped after [\d,]+ steps; saved in .*, resume it to continue .*\n", err)
    assert set(grown(tmp_path)) == {ROLLOUT // 2, ROLLOUT}


def test_ctrl_c_saves_what_was_learned(tmp_path, address, monkeypatch):
    show = Monitor.show

    def interrupt(self, share, steps, phase):
        show(self, share, steps, phase)
        if steps == 3 * ROLLOUT:
            raise KeyboardInterrupt

    settings = tiny(checkpoint_minutes=100)
    monkeypatch.setattr(Monitor, "show", interrupt)
    with pytest.raises(KeyboardInterrupt, match="stopped after 768 steps"):
        train(settings, tmp_path, ray=address)
    monkeypatch.undo()
    assert read_model(tmp_path).description.steps == 768
    with pytest.raises(ValueError, match=r"is of engine='rllib', and engine='own' cannot resume it"):
        train(tiny(engine="own", env_runners=None), tmp_path, resume=True)
    train(settings, tmp_path, resume=True, ray=address)
    check_curve(curve(tmp_path), settings.total_steps, ROLLOUT)


def test_a_lost_head_is_reported(tmp_path):
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False})
    address = cluster.address
    try:
        process = start(tmp_path, address)
        cluster.head_node.kill_gcs_server()
        _, err = process.communicate(timeout=120)
    finally:
        cluster.shutdown()
    assert process.returncode == 1, err
    assert f"the head of the Ray cluster at {address} is gone; stopped after" in err
    assert read_model(tmp_path).description.steps > 0


def test_a_run_of_our_own_engine_is_not_resumed(tmp_path, address):
    train(tiny(engine="own", env_runners=None, total_steps=ROLLOUT), tmp_path)
    with pytest.raises(ValueError, match=r"is of engine='own', and engine='rllib' cannot resume it"):
        train(tiny(), tmp_path, resume=True, ray=address)


def test_a_cluster_that_is_too_small_is_reported(tmp_path, address):
    with pytest.raises(ValueError, match="5 env_runners and 0 learners need 5 cores, the cluster has 4"):
        train(tiny(env_runners=5), tmp_path, ray=address)
    with pytest.raises(ValueError, match="device='cuda': each learner needs a GPU, and the cluster has 0"):
        train(tiny(device="cuda", learners=1), tmp_path, ray=address)
    assert not list(tmp_path.iterdir())


def test_addresses_that_lead_nowhere(tmp_path):
    with pytest.raises(ConnectionError, match=r"--ray 127\.0\.0\.1:1: no cluster can be reached there"):
        train(tiny(), tmp_path, ray="127.0.0.1:1")
    err, code = said("train", "wumpus", "--ray", "auto", "--out", tmp_path / "run")
    assert (code, err) == (2, "gridpuzzles: --ray auto requires --engine rllib\n")


@pytest.mark.parametrize(
    ("runners", "learners", "found"), [(None, 0, (4, 0)), (None, 3, (4, 3)), (0, 0, (0, 0)), (2, 4, (2, 4))]
)
def test_processes_of_a_cluster_of_four_cores(runners, learners, found):
    assert processes(tiny(env_runners=runners, learners=learners), 4) == found


def test_environments_are_shared_out():
    parts = [share_of(10, 4, k) for k in range(4)]
    assert [first for first, _ in parts] == [0, 2, 5, 7]
    assert sum(count for _, count in parts) == 10
