"""Levels made by background processes: nobody waits, the stream is reproducible, no process is left behind."""

import gc
import os
import signal

import errands
import gymnasium as gym
import pytest
from helpers import TOY
from processes import children, gone

from gridpuzzles_gym.agents.parallel import WorkError
from gridpuzzles_gym.agents.samplers import OnTheFly
from gridpuzzles_gym.agents.samplers.base import mix

pytestmark = pytest.mark.extended


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


def test_a_level_that_cannot_be_made_is_an_error():
    sampler = OnTheFly(errands.sour_corridor, 1, extent=(1, 7))
    env = gym.make(TOY.id, levels=sampler, disable_env_checker=True)
    with pytest.raises(WorkError, match="LookupError: no level in"):
        env.reset(seed=0)
    env.close()
