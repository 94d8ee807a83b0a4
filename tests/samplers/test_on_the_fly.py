"""Levels made by background processes: nobody waits, the stream is reproducible, no process is left behind."""

import gc
import os
import signal
import subprocess
import sys

import errands
import gymnasium as gym
import pytest
from folders import PYTHONPATH
from helpers import TOY, same
from processes import children, gone

from gridpuzzles_gym.agents.bait.sampler import BaitSampler
from gridpuzzles_gym.agents.parallel import WorkError
from gridpuzzles_gym.agents.samplers import OnTheFly
from gridpuzzles_gym.agents.samplers.mixing import mix


def stream(seed, count):
    return [f"word {mix(seed, number)}" for number in range(count)]


def test_the_stream_depends_on_the_seed_only():
    for workers, words in ((0, [4] * 20), (2, [4] * 20), (2, [4, *range(19)])):
        sampler = OnTheFly(errands.corridor, workers, wait=True, extent=(1, 7))
        assert [sampler.sample(word).name for word in words] == stream(4, 20)
        sampler.close()
    sampler = OnTheFly(errands.corridor, 1, wait=True, extent=(1, 7), seed=4)
    assert [sampler.sample(word).name for word in range(20)] == stream(4, 20)
    sampler.close()
    assert sampler.sample(0).name == f"word {mix(4, 20)}"  # it continues where it was
    sampler.close()


def test_nobody_waits_for_a_level():
    sampler = OnTheFly(errands.slow_corridor, 1, warm_up=2, buffer=4, extent=(1, 7))
    names = [sampler.sample(mix(number)).name for number in range(500)]
    wanted = stream(mix(0), 3)
    assert names[:2] == wanted[:2]
    assert set(names) <= set(wanted)
    assert sampler.metrics()["repeated"] > 0.9
    sampler.close()


def test_levels_enter_in_order_also_when_they_are_repeated():
    sampler = OnTheFly(errands.slow_corridor, 2, warm_up=1, buffer=3, extent=(1, 7))
    names = []
    while sampler.metrics()["levels"] < 4:
        names.append(sampler.sample(mix(len(names))).name)
    first_times = list(dict.fromkeys(names))
    assert first_times == stream(mix(0), 4)
    sampler.close()


def test_a_killed_worker_does_not_stop_the_stream():
    before = children()
    sampler = OnTheFly(errands.corridor, 2, wait=True, buffer=4, extent=(1, 7))
    names = []
    for number in range(40):
        names.append(sampler.sample(4).name)
        if number in (10, 25):
            for pid in children() - before:
                os.kill(pid, signal.SIGKILL)
    assert names == stream(4, 40)
    sampler.close()
    assert children() == before


@pytest.mark.parametrize("how", ["close", "collect", "interrupt"])
def test_no_process_outlives_the_environment(how):
    gc.collect()
    before = children()
    sampler = OnTheFly(errands.corridor, 2, extent=(1, 7), warm_up=2)
    assert children() == before  # they start when they are needed
    env = gym.make_vec(TOY.id, num_envs=3, levels=sampler)
    del sampler
    env.reset(seed=0)
    pids = children() - before
    assert pids
    if how == "close":
        env.close()
    elif how == "collect":
        del env
        gc.collect()
    else:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt:
            env = None
        gc.collect()
    assert all(map(gone, pids))
    assert children() == before


def test_ctrl_c_in_a_training_script_leaves_no_process(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("""
import errands, sys
import gymnasium as gym
import helpers
from gridpuzzles_gym.agents.samplers import OnTheFly
env = gym.make_vec(helpers.TOY.id, num_envs=2, levels=OnTheFly(errands.slow_corridor, 2, warm_up=2, extent=(1, 7)))
env.reset(seed=0)
print("go", flush=True)
while True:
    env.step(env.action_space.sample())
""")
    environment = {**os.environ, "PYTHONPATH": PYTHONPATH}
    parent = subprocess.Popen(
        [sys.executable, script], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    assert parent.stdout.readline() == "go\n"
    listing = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(parent.pid)], capture_output=True, text=True, check=True
    )
    pids = [int(pid) for pid in listing.stdout.split()]
    assert len(pids) == 2
    os.killpg(parent.pid, signal.SIGINT)
    _, said = parent.communicate(timeout=20)
    assert "KeyboardInterrupt" in said
    assert all(map(gone, pids))


def test_a_level_that_cannot_be_made_is_an_error():
    sampler = OnTheFly(errands.sour_corridor, 1, extent=(1, 7))
    env = gym.make(TOY.id, levels=sampler, disable_env_checker=True)
    with pytest.raises(WorkError, match="LookupError: no level in"):
        env.reset(seed=0)
    env.close()


def test_a_sampler_made_in_the_background():
    bait = BaitSampler(7, 7)
    for source in (bait, bait.sample):
        sampler = OnTheFly(source, 1, wait=True, buffer=2)
        assert sampler.extent == (7, 7)
        level = sampler.sample(6)
        assert same(level, bait.sample(mix(6, 0)))
        sampler.close()
