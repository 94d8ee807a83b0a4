"""Jobs of the app: updates come while they run, they end when they are stopped, and none outlives the app."""

import os
import signal
import subprocess
import sys
import time

import errands
import pytest
from folders import PYTHONPATH
from processes import children, gone

from gridpuzzles_gym.play import jobs
from gridpuzzles_gym.play.jobs import Job

pytestmark = pytest.mark.extended


@pytest.fixture(autouse=True)
def no_process_is_left():
    jobs.end()
    before = children()
    yield
    jobs.end()
    for _ in range(100):
        if children() <= before:
            return
        time.sleep(0.02)
    raise AssertionError(f"{children() - before} are left")


def updates_of(job, seconds=20.0):
    """All updates of a job that ends."""
    found = []
    until = time.monotonic() + seconds
    while not job.done:
        assert time.monotonic() < until
        found += job.poll()
        time.sleep(0.002)
    return found


def first_of(job, seconds=20.0):
    until = time.monotonic() + seconds
    while not (found := job.poll()):
        assert time.monotonic() < until
        assert not job.done, job.error
        time.sleep(0.002)
    return found[0]


def test_a_cancelled_job_is_gone_at_once(tmp_path):
    job = Job(errands.tell_pid_and_wait, str(tmp_path))
    pid = first_of(job)
    job.cancel()
    assert job.done
    assert not job.error
    assert gone(pid)
    assert job.poll() == []
    job.cancel()
    job.stop()


@pytest.mark.parametrize("at_once", [True, False])
def test_a_stopped_job_ends_with_what_it_has(at_once):
    job = Job(errands.count_until_stopped, "what it had")
    if not at_once:
        assert first_of(job) == 0
    job.stop()
    assert updates_of(job)[-1] == "what it had"
    assert not job.error


def test_an_error_is_one_line(capfd):
    job = Job(errands.refuse, "wrong\nin two lines")
    assert updates_of(job) == []
    assert job.error == "wrong in two lines"
    assert not capfd.readouterr().err
    job = Job(errands.fall_after_one, "a bug")
    assert updates_of(job) == [1]
    assert job.error == "LookupError: a bug"
    assert "Traceback" in capfd.readouterr().err
    job = Job(errands.yield_lambda, 1)
    assert updates_of(job) == []
    assert "lambda" in job.error
    assert updates_of(Job(errands.count_up, 2)) == [0, 1]


def test_a_killed_process_is_an_error_and_is_replaced(tmp_path):
    job = Job(errands.tell_pid_and_wait, str(tmp_path))
    os.kill(first_of(job), signal.SIGKILL)
    assert updates_of(job) == []
    assert job.error == "the process that did this ended unexpectedly, with signal 9"
    assert updates_of(Job(errands.count_up, 2)) == [0, 1]


def test_a_prepared_process_is_ready_and_replaced_when_cancelled(tmp_path):
    before = children()
    jobs.prepare(errands.refuse, "what warm_up raises does not matter")
    while not (children() - before):
        time.sleep(0.01)
    (pid,) = children() - before
    job = Job(errands.tell_pid_and_wait, str(tmp_path))
    assert first_of(job) == pid
    job.cancel()
    (other,) = updates_of(Job(errands.print_and_yield_pid, ""))
    assert other != pid
    jobs.prepare(errands.count_up, 3)
    assert updates_of(Job(errands.print_and_yield_pid, "")) == [other]


def test_processes_end_with_their_app_however_it_dies(tmp_path):
    number = signal.SIGKILL
    folder = tmp_path / "pids"
    folder.mkdir()
    script = tmp_path / "app.py"
    script.write_text(f"""
import errands, time
from gridpuzzles_gym.play import jobs
busy = jobs.Job(errands.tell_pid_and_wait, {str(folder)!r})
jobs.prepare(errands.count_up, 3)
time.sleep(600)
""")
    environment = {**os.environ, "PYTHONPATH": PYTHONPATH}
    app = subprocess.Popen([sys.executable, script], env=environment, start_new_session=True)
    until = time.monotonic() + 30
    while not list(folder.iterdir()) or len(children(app.pid)) < 2:
        assert time.monotonic() < until
        time.sleep(0.05)
    pids = children(app.pid)
    os.kill(app.pid, number)
    assert app.wait(timeout=20) == -number
    assert all(map(gone, pids))
