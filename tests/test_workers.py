"""Background processes: they answer in order, survive being killed, and never outlive whoever started them."""

import contextlib
import gc
import os
import signal
import subprocess
import sys
import time

import errands
import pytest
from helpers import REPOSITORY
from processes import children, gone

from gridpuzzles_gym.agents.parallel.workers import WorkError, Workers


def pids_in(folder, count):
    for _ in range(400):
        names = [int(path.name) for path in folder.iterdir()]
        if len(names) >= count:
            return names
        time.sleep(0.05)
    raise AssertionError(f"{names} started, {count} were waited for")


@pytest.mark.parametrize("count", [0, 1, 3])
def test_results_come_in_the_order_of_the_items(count):
    with Workers(errands.slow_square, count) as workers:
        assert list(workers.ordered(range(20))) == [(number, number * number) for number in range(20)]
        assert list(workers.ordered(iter(()))) == []


@pytest.mark.parametrize("count", [0, 2])
def test_only_so_many_tasks_are_out_at_once(count):
    taken = []

    def items():
        for number in range(12):
            taken.append(number)
            yield number

    with Workers(errands.square, count) as workers:
        for done, _ in enumerate(workers.ordered(items(), ahead=3), start=1):
            assert len(taken) <= done + 2
        for item, _ in workers.ordered(range(100)):
            if item == 5:
                break  # what is still out is dropped
        assert next(workers.ordered([7])) == (7, 49)


@pytest.mark.parametrize("count", [0, 2])
def test_put_and_get(count):
    with Workers(errands.slow_square, count) as workers:
        assert workers.get() is None
        for number in range(6):
            workers.put(number)
        assert sorted(workers.get() for _ in range(6)) == [(number, number * number) for number in range(6)]
        assert workers.get() is None


def test_waiting_has_an_end(tmp_path):
    with Workers(errands.tell_pid_and_sleep, 1) as workers:
        workers.put(str(tmp_path))
        start = time.monotonic()
        assert workers.get(timeout=0.2) is None
        assert time.monotonic() - start < 5


def test_what_the_work_prints_and_reads_does_not_matter():
    with Workers(errands.chatter, 1, niceness=7) as workers:
        nice = min(19, os.getpriority(os.PRIO_PROCESS, 0) + 7)
        assert [result for _, result in workers.ordered(range(3))] == [("", "1", nice, str(i)) for i in range(3)]


@pytest.mark.parametrize("count", [0, 1])
def test_an_error_comes_back_with_its_traceback(count):
    with Workers(errands.fall, count) as workers:
        workers.put(3)
        with pytest.raises(WorkError, match="the work on 3 failed:") as caught:
            workers.get()
        assert "errands.py" in str(caught.value)
        assert "LookupError: three is right out" in str(caught.value)
        workers.put(2)
        assert workers.get() == (2, 0.5)
        results = workers.ordered([1, 3, 2])
        assert next(results) == (1, 1.0)
        with pytest.raises(WorkError, match="three is right out"):
            next(results)


def test_exits_and_results_that_cannot_travel_are_errors():
    with Workers(errands.fall, 1) as workers:
        workers.put(5)
        with pytest.raises(WorkError, match="SystemExit: five"):
            workers.get()
    with Workers(errands.unpicklable, 1) as workers:
        workers.put(5)
        with pytest.raises(WorkError, match="the work on 5 failed:"):
            workers.get()


def test_a_killed_worker_is_replaced_and_its_task_given_out_again(tmp_path):
    path = tmp_path / "once"
    with Workers(errands.die_once, 2) as workers:
        assert next(workers.ordered([str(path)]))[1] in children()
        assert path.exists()
    with Workers(errands.pid, 1) as workers:
        (_, first), *_ = workers.ordered([0])
        os.kill(first, signal.SIGKILL)
        (_, second), *_ = workers.ordered([0])
        assert first != second
        assert gone(first)


def test_killing_workers_all_the_time_loses_nothing():
    with Workers(errands.slow_square, 2) as workers:
        seen = []
        for item, result in workers.ordered(range(30)):
            seen.append((item, result))
            if item in (5, 15):
                for pid in children():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
        assert seen == [(number, number * number) for number in range(30)]


def test_a_task_that_kills_its_workers_is_an_error():
    with Workers(errands.fall, 1) as workers:
        workers.put(4)
        with pytest.raises(WorkError, match="the worker on 4 died 3 times, the last time with signal 9"):
            workers.get()
        workers.put(2)
        assert workers.get() == (2, 0.5)


@pytest.mark.parametrize("how", ["close", "collect", "with"])
def test_closed_workers_leave_no_process(tmp_path, how):
    before = children()
    workers = Workers(errands.tell_pid_and_sleep, 2)
    for _ in range(5):
        workers.put(str(tmp_path))
    pids = pids_in(tmp_path, 2)
    assert set(pids) <= children()
    if how == "close":
        workers.close()
        workers.close()
        with pytest.raises(ValueError, match="these workers are closed"):
            workers.put("")
    elif how == "with":
        with pytest.raises(ZeroDivisionError), workers:
            raise ZeroDivisionError
    else:
        del workers
        gc.collect()
    assert all(map(gone, pids))
    assert children() == before


def start_parent(tmp_path, ending):
    """A script with two busy workers; its process and their pids."""
    folder = tmp_path / "pids"
    folder.mkdir()
    code = f"""
import errands, sys, time
from gridpuzzles_gym.agents.parallel.workers import Workers
workers = Workers(errands.tell_pid_and_sleep, 2)
workers.put({str(folder)!r})
workers.put({str(folder)!r})
{ending}
"""
    script = tmp_path / "parent.py"
    script.write_text(code)
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY / "tests")}
    parent = subprocess.Popen(
        [sys.executable, script], env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    return parent, pids_in(folder, 2)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_workers_go_with_their_parent_however_it_dies(tmp_path, number):
    parent, pids = start_parent(tmp_path, "time.sleep(600)")
    os.kill(parent.pid, number)
    assert parent.wait(timeout=20) == -number
    parent.stderr.close()
    assert all(map(gone, pids))


def test_ctrl_c_ends_the_wait_and_all_workers(tmp_path):
    parent, pids = start_parent(tmp_path, "workers.get()")
    os.killpg(parent.pid, signal.SIGINT)
    _, said = parent.communicate(timeout=20)
    assert "KeyboardInterrupt" in said
    assert parent.returncode != 0
    assert all(map(gone, pids))


def test_the_end_of_a_script_ends_its_workers(tmp_path):
    ending = f"import pathlib\nwhile len(list(pathlib.Path({str(tmp_path / 'pids')!r}).iterdir())) < 2: time.sleep(0.1)"
    parent, pids = start_parent(tmp_path, ending)
    assert parent.wait(timeout=20) == 0
    parent.stderr.close()
    assert all(map(gone, pids))


def test_workers_of_a_fork_are_its_parents():
    with Workers(errands.pid, 1) as workers:
        (_, pid), *_ = workers.ordered([0])
        if not (child := os.fork()):
            try:
                workers.put(1)
            except ValueError:
                workers.close()
                os._exit(7)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        assert list(workers.ordered([0])) == [(0, pid)]


def test_bad_arguments_are_refused():
    with pytest.raises(ValueError, match="count=-1: must be an integer from 0 to 1,024"):
        Workers(errands.square, -1)
    with pytest.raises(ValueError, match="niceness=20: must be an integer from 0 to 19"):
        Workers(errands.square, 1, niceness=20)
    with pytest.raises(ValueError, match="cannot be sent to other processes"):
        Workers(lambda number: number, 1)
    with pytest.raises(ValueError, match="ahead=0"), Workers(errands.square, 0) as workers:
        next(workers.ordered([1], ahead=0))


def test_work_of_the_script_itself_is_refused_with_advice(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "from gridpuzzles_gym.agents.parallel.workers import Workers\n"
        "def work(number): return number\n"
        "try:\n    Workers(work, 1)\nexcept ValueError as error:\n    print(error)\n"
    )
    said = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True).stdout
    assert "move it to a module, or use 0 processes" in said
