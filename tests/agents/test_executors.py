"""Executors: results come in order, killed processes are replaced, and none outlives whoever started it."""

import contextlib
import gc
import itertools
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import as_completed

import errands
import pytest
from folders import PYTHONPATH
from processes import children, gone

from gridpuzzles_gym.agents.parallel import WorkError, local, open_executor, ordered

pytestmark = pytest.mark.extended


def pids_in(folder, count):
    for _ in range(400):
        names = [int(path.name) for path in folder.iterdir()]
        if len(names) >= count:
            return names
        time.sleep(0.05)
    raise AssertionError(f"{names} started, {count} were waited for")


def results(work, count, items):
    with local(count) as executor:
        return list(ordered(executor, work, items))


@pytest.mark.parametrize("count", [0, 1, 3])
def test_results_come_in_the_order_of_the_items(count):
    assert results(errands.slow_square, count, range(50)) == [(number, number * number) for number in range(50)]
    assert results(errands.slow_square, count, iter(())) == []


def test_items_are_taken_as_needed():
    taken = []

    def items():
        for number in range(10_000):
            taken.append(number)
            yield number

    with local(0) as executor:
        for done, _ in enumerate(ordered(executor, errands.square, items()), start=1):
            assert len(taken) == done
    taken.clear()
    with local(2) as executor:
        first = list(itertools.islice(ordered(executor, errands.sleep, items()), 5))
        assert len(first) == 5
        assert len(taken) <= 2 * 30 + 5
        assert next(ordered(executor, errands.square, [7])) == (7, 49)


def test_a_slow_item_does_not_hold_up_the_others():
    """They arrive while it is in progress; results are yielded in order nevertheless."""
    told = []
    with local(2) as executor:
        found = ordered(executor, errands.sleep_first, range(20), lambda item, result: told.append(item))
        assert [item for item, _ in found] == list(range(20))
    assert sorted(told) == list(range(20))
    assert told.index(0) >= 3


def test_many_quick_items_travel_together():
    with local(1) as executor:
        tasks = []
        submit = executor.submit
        executor.submit = lambda *some: tasks.append(len(some[1])) or submit(*some)
        assert [result for _, result in ordered(executor, errands.square, range(5000))] == [n * n for n in range(5000)]
    assert tasks[0] == 1
    assert len(tasks) < 100
    assert max(tasks) > 500


def test_a_chunk_that_takes_long_is_split():
    """After quick items chunks are large; slow ones in them are shared between the processes."""
    with local(2) as executor:
        tasks = []
        submit = executor.submit
        executor.submit = lambda *some: tasks.append(list(some[1])) or submit(*some)
        executor.chunk_seconds = 0.1
        items = [0.0] * 2000 + [0.15] * 12
        assert [item for item, _ in ordered(executor, errands.sleep_for, items)] == items
    slow = [task for task in tasks if 0.15 in task]
    assert len(slow) > 3
    assert sum(map(len, tasks)) > len(items)  # what is left of a chunk is passed on again


def test_an_item_that_kills_in_a_large_chunk_is_named_and_loses_no_other(monkeypatch):
    monkeypatch.setattr("gridpuzzles_gym.agents.parallel.pool.MOST_DEATHS", 3)
    with local(1) as executor:
        found = ordered(executor, errands.fall, [1] * 300 + [4] + [2] * 300)
        assert [item for item, _ in itertools.islice(found, 300)] == [1] * 300
        with pytest.raises(WorkError, match=r"the worker on \[4\] died 3 times"):
            next(found)


def test_it_is_an_executor_of_the_standard_library():
    with local(2) as executor:
        assert list(executor.map(errands.slow_square, range(6))) == [0, 1, 4, 9, 16, 25]
        futures = [executor.submit(pow, 2, number, mod=100) for number in range(10)]
        assert sorted(future.result() for future in as_completed(futures)) == sorted(2**n % 100 for n in range(10))
        executor.shutdown()
        with pytest.raises(ValueError, match="this executor is closed"):
            executor.submit(errands.square, 1)
    executor = local(1)
    futures = [executor.submit(errands.slow_square, number) for number in range(8)]
    executor.shutdown(wait=False)
    assert [future.result() for future in futures] == [number * number for number in range(8)]
    executor.close()


def test_one_process_knows_the_function_from_the_task_before():
    with local(1) as executor:
        work = errands.Counting()
        assert [executor.submit(work, number).result() for number in range(3)] == [1, 2, 3]
        assert executor.submit(errands.square, 3).result() == 9
        assert executor.submit(work, 0).result() == 1


def test_a_function_that_cannot_be_loaded_fails_each_time():
    with local(1) as executor:
        for _ in range(2):
            with pytest.raises(WorkError, match="no copy of this"):
                executor.submit(errands.Uncopyable(), 1).result()


def test_the_options_of_commands(monkeypatch):
    with open_executor(1) as executor:
        assert executor.slots == 1
        assert executor.submit(errands.pid, 0).result() == os.getpid()
    with open_executor(3) as executor:
        assert executor.slots == 3
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(5)), raising=False)
    with open_executor() as executor:
        assert executor.slots == 5
    with pytest.raises(ValueError, match="--workers and --ray cannot be combined"):
        open_executor(2, "auto")


def test_what_the_work_prints_and_reads_does_not_matter():
    with local(1, niceness=7) as executor:
        nice = min(19, os.getpriority(os.PRIO_PROCESS, 0) + 7)
        said = [result for _, result in ordered(executor, errands.chatter, range(3))]
    assert said == [("", "1", nice, str(i)) for i in range(3)]


@pytest.mark.parametrize("count", [0, 1])
def test_an_error_comes_back_with_its_traceback(count):
    with local(count) as executor:
        with pytest.raises(WorkError, match="the work on 3 failed:") as caught:
            executor.submit(errands.fall, 3).result()
        assert "errands.py" in str(caught.value)
        assert "LookupError: three is right out" in str(caught.value)
        assert executor.submit(errands.fall, 2).result() == 0.5
        found = ordered(executor, errands.fall, [1, 3, 2])
        assert next(found) == (1, 1.0)
        with pytest.raises(WorkError, match=r"the work on 3 failed:(?s:.)*three is right out"):
            next(found)


@pytest.mark.parametrize("count", [0, 1])
def test_errors_about_input_and_files_stay_what_they_are(count):
    with local(count) as executor:
        with pytest.raises(ValueError, match=r"^level 7 is invalid$"):
            list(ordered(executor, errands.refuse_input, [7]))
        with pytest.raises(FileNotFoundError) as caught:
            list(ordered(executor, errands.open_file, ["/no/such/file"]))
        assert caught.value.filename == "/no/such/file"
        with pytest.raises(ValueError, match=r"^odd 3$"):
            executor.submit(errands.refuse_oddly, 3).result()


def test_exits_and_results_that_cannot_travel_are_errors():
    with local(1) as executor:
        with pytest.raises(WorkError, match="SystemExit: five"):
            executor.submit(errands.fall, 5).result()
        with pytest.raises(WorkError, match="the work on 5 failed:"):
            executor.submit(errands.unpicklable, 5).result()


def test_a_killed_worker_is_replaced_and_its_task_given_out_again(tmp_path):
    path = tmp_path / "once"
    with local(2) as executor:
        assert executor.submit(errands.die_once, str(path)).result() in children()
        assert path.exists()
    with local(1) as executor:
        first = executor.submit(errands.pid, 0).result()
        os.kill(first, signal.SIGKILL)
        second = executor.submit(errands.pid, 0).result()
        assert first != second
        assert gone(first)


def test_killing_workers_all_the_time_loses_nothing():
    others = children()  # a browser that other tests have started must live on
    with local(2) as executor:
        seen = []
        for item, result in ordered(executor, errands.slow_square, range(30)):
            seen.append((item, result))
            if item in (5, 15):
                for pid in children() - others:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
        assert seen == [(number, number * number) for number in range(30)]


def test_a_task_that_kills_its_workers_is_an_error():
    with local(1) as executor:
        with pytest.raises(WorkError, match="the worker on 4 died 10 times, the last time with signal 9"):
            executor.submit(errands.fall, 4).result()
        assert executor.submit(errands.fall, 2).result() == 0.5


def test_a_task_is_not_to_blame_for_processes_that_die_before_it(tmp_path):
    with local(1) as executor:
        assert executor.submit(errands.FallsAtFirst(5, tmp_path / "few"), 1).result() == 2
        assert executor.submit(errands.square, 3).result() == 9


@pytest.mark.parametrize("how", ["close", "collect", "with"])
def test_closed_workers_leave_no_process(tmp_path, how):
    before = children()
    executor = local(2)
    for _ in range(5):
        executor.submit(errands.tell_pid_and_sleep, str(tmp_path))
    pids = pids_in(tmp_path, 2)
    assert set(pids) <= children()
    if how == "close":
        executor.close()
        executor.close()
        with pytest.raises(ValueError, match="this executor is closed"):
            executor.submit(errands.square, 1)
    elif how == "with":
        with pytest.raises(ZeroDivisionError), executor:
            raise ZeroDivisionError
    else:
        del executor
        gc.collect()
    assert all(map(gone, pids))
    assert children() == before


def start_parent(tmp_path, ending):
    """A script with two busy workers; its process and their pids."""
    folder = tmp_path / "pids"
    folder.mkdir()
    code = f"""
import errands, signal, sys, time
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # tests that run under nohup ignore it
from gridpuzzles_gym.agents.parallel import local
executor = local(2)
future = executor.submit(errands.tell_pid_and_sleep, {str(folder)!r})
executor.submit(errands.tell_pid_and_sleep, {str(folder)!r})
{ending}
"""
    script = tmp_path / "parent.py"
    script.write_text(code)
    environment = {**os.environ, "PYTHONPATH": PYTHONPATH}
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
    parent, pids = start_parent(tmp_path, "future.result()")
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


def test_an_executor_in_a_fork_is_its_parents():
    with local(1) as executor:
        pid = executor.submit(errands.pid, 0).result()
        if not (child := os.fork()):
            try:
                executor.submit(errands.pid, 1)
            except ValueError:
                executor.close()
                os._exit(7)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        assert executor.submit(errands.pid, 0).result() == pid


def test_bad_arguments_are_refused():
    with pytest.raises(ValueError, match="workers=-1: must be an integer from 1 to 1,024"):
        local(-1)
    with pytest.raises(ValueError, match="niceness=20: must be an integer from 0 to 19"):
        local(1, niceness=20)
    with pytest.raises(ValueError, match="cannot be sent to other processes"), local(1) as executor:
        executor.submit(lambda number: number, 1)


def test_work_of_the_script_itself_is_refused_with_advice(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "from gridpuzzles_gym.agents.parallel import local\n"
        "def work(number): return number\n"
        "try:\n    local(1).submit(work, 1)\nexcept ValueError as error:\n    print(error)\n"
    )
    said = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True).stdout
    assert "move it to a module, or use 0 processes" in said
