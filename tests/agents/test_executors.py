"""Executors: results come in order, killed processes are replaced, and none outlives whoever started it."""

import contextlib
import itertools
import os
import signal
import subprocess
import sys
import time

import errands
import pytest
from folders import PYTHONPATH
from processes import children, gone

from gridpuzzles_gym.agents.parallel import WorkError, local, open_executor, ordered
from gridpuzzles_gym.agents.parallel.workers import LocalExecutor

pytestmark = pytest.mark.extended


def squares(count, items):
    with local(count) as executor:
        return list(ordered(executor, errands.slow_square, items))


def test_results_come_in_the_order_of_the_items():
    assert squares(0, range(50)) == [(number, number * number) for number in range(50)]
    assert squares(0, iter(())) == []
    taken = []
    with local(0) as executor:
        items = (taken.append(number) or number for number in range(10_000))
        for done, _ in enumerate(ordered(executor, errands.square, items), start=1):
            assert len(taken) == done


def test_errors_stay_what_they_are_or_name_the_task():
    with local(0) as executor:
        found = ordered(executor, errands.fall, [1, 3, 2])
        assert next(found) == (1, 1.0)
        with pytest.raises(WorkError, match=r"the work on 3 failed:(?s:.)*three is right out"):
            next(found)
        with pytest.raises(ValueError, match=r"^level 7 is invalid$"):
            list(ordered(executor, errands.refuse_input, [7]))


def test_bad_arguments_are_refused(monkeypatch):
    with pytest.raises(ValueError, match="workers=-1: must be an integer from 1 to 1,024"):
        local(-1)
    with pytest.raises(ValueError, match="niceness=20: must be an integer from 0 to 19"):
        local(1, niceness=20)
    with pytest.raises(ValueError, match="cannot be sent to other processes"), local(1) as executor:
        executor.submit(lambda number: number, 1)
    with pytest.raises(ValueError, match="--workers and --ray cannot be combined"):
        open_executor(2, "auto")
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(5)), raising=False)
    with open_executor() as executor:
        assert executor.slots == 5


@pytest.mark.extended
class TestProcesses:
    def test_order_laziness_and_sizes_of_chunks(self):
        assert squares(3, range(50)) == [(number, number * number) for number in range(50)]
        taken = []
        with local(2) as executor:
            items = (taken.append(number) or number for number in range(10_000))
            assert len(list(itertools.islice(ordered(executor, errands.sleep, items), 5))) == 5
            assert len(taken) <= 2 * 30 + 5
        with local(1) as executor:
            tasks, submit = [], executor.submit
            executor.submit = lambda *some: tasks.append(len(some[1])) or submit(*some)
            assert [n for _, n in ordered(executor, errands.square, range(5000))] == [n * n for n in range(5000)]
            assert (tasks[0], len(tasks) < 100, max(tasks) > 500) == (1, True, True)
        with local(2) as executor:  # a chunk that takes long is split
            tasks, submit = [], executor.submit
            executor.submit = lambda *some: tasks.append(list(some[1])) or submit(*some)
            executor.chunk_seconds = 0.1
            slow = [0.0] * 2000 + [0.15] * 12
            assert [item for item, _ in ordered(executor, errands.sleep_for, slow)] == slow
            assert sum(0.15 in task for task in tasks) > 3

    def test_a_function_its_errors_and_its_output(self):
        with local(1, niceness=7) as executor:
            nice = min(19, os.getpriority(os.PRIO_PROCESS, 0) + 7)
            assert [n for _, n in ordered(executor, errands.chatter, [0, 1])] == [
                ("", "1", nice, "0"),
                ("", "1", nice, "1"),
            ]
            work = errands.Counting()
            assert [executor.submit(work, number).result() for number in range(3)] == [1, 2, 3]
            assert executor.submit(errands.square, 3).result() == 9
            assert executor.submit(work, 0).result() == 1
            for error, match, fn, item in (
                (WorkError, "no copy of this", errands.Uncopyable(), 1),
                (WorkError, r"the work on 3 failed:(?s:.)*errands.py(?s:.)*LookupError: three", errands.fall, 3),
                (WorkError, "SystemExit: five", errands.fall, 5),
                (WorkError, "the work on 5 failed:", errands.unpicklable, 5),
                (ValueError, r"^odd 3$", errands.refuse_oddly, 3),
                (FileNotFoundError, "/no/such/file", errands.open_file, "/no/such/file"),
            ):
                with pytest.raises(error, match=match):
                    executor.submit(fn, item).result()

    def test_killed_workers_are_replaced_and_lose_nothing(self, tmp_path):
        others = children()  # a browser that other tests have started must live on
        with local(2) as executor:
            assert executor.submit(errands.die_once, str(tmp_path / "once")).result() in children()
            seen = []
            for item, result in ordered(executor, errands.slow_square, range(30)):
                seen.append((item, result))
                for pid in children() - others if item in (5, 15) else ():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
            assert seen == [(number, number * number) for number in range(30)]
            assert executor.submit(errands.FallsAtFirst(5, tmp_path / "few"), 1).result() == 2

    def test_a_task_that_kills_its_workers_is_an_error(self):
        with LocalExecutor(1, tries=3) as executor:
            found = ordered(executor, errands.fall, [1] * 300 + [4] + [2] * 300)
            assert [item for item, _ in itertools.islice(found, 300)] == [1] * 300
            with pytest.raises(WorkError, match=r"the worker on \[4\] died 3 times, the last time with signal 9"):
                next(found)
            assert executor.submit(errands.fall, 2).result() == 0.5

    @pytest.mark.parametrize("how", ["close", "with"])
    def test_closed_workers_leave_no_process(self, tmp_path, how):
        before = children()
        executor = local(2)
        for _ in range(5):
            executor.submit(errands.tell_pid_and_sleep, str(tmp_path))
        pids = pids_in(tmp_path, 2)
        assert set(pids) <= children()
        if how == "close":
            executor.close()
            executor.close()
        else:
            with pytest.raises(ZeroDivisionError), executor:
                raise ZeroDivisionError
        assert all(map(gone, pids))
        assert children() == before

    def test_an_executor_in_a_fork_is_its_parents(self):
        with local(1) as executor:
            pid = executor.submit(errands.pid, 0).result()
            if not (child := os.fork()):
                with contextlib.suppress(ValueError):
                    executor.submit(errands.pid, 1)
                    os._exit(1)
                executor.close()
                os._exit(7)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
            assert executor.submit(errands.pid, 0).result() == pid

    @pytest.mark.parametrize(
        ("number", "ending"),
        [
            (signal.SIGKILL, "time.sleep(600)"),
            (signal.SIGTERM, "time.sleep(600)"),
            (signal.SIGHUP, "time.sleep(600)"),
            (signal.SIGINT, "future.result()"),
            (None, "import pathlib\nwhile len(list(pathlib.Path(FOLDER).iterdir())) < 2: time.sleep(0.1)"),
        ],
    )
    def test_workers_go_with_their_parent_however_it_ends(self, tmp_path, number, ending):
        folder = tmp_path / "pids"
        folder.mkdir()
        script = tmp_path / "parent.py"
        script.write_text(f"""
import errands, signal, sys, time
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # tests that run under nohup ignore it
signal.signal(signal.SIGINT, signal.default_int_handler)
from gridpuzzles_gym.agents.parallel import local
FOLDER = {str(folder)!r}
executor = local(2)
future = executor.submit(errands.tell_pid_and_sleep, FOLDER)
executor.submit(errands.tell_pid_and_sleep, FOLDER)
{ending}
""")
        environment = {**os.environ, "PYTHONPATH": PYTHONPATH}
        parent = subprocess.Popen(
            [sys.executable, script], env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        pids = pids_in(folder, 2)
        if number is not None:
            os.killpg(parent.pid, number)
        _, said = parent.communicate(timeout=20)
        assert parent.returncode == 0 if number is None else parent.returncode != 0, said
        assert all(map(gone, pids))

    def test_work_of_the_script_itself_is_refused_with_advice(self, tmp_path):
        script = tmp_path / "script.py"
        script.write_text(
            "from gridpuzzles_gym.agents.parallel import local\n"
            "def work(number): return number\n"
            "try:\n    local(1).submit(work, 1)\nexcept ValueError as error:\n    print(error)\n"
        )
        said = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True).stdout
        assert "move it to a module, or use 0 processes" in said


def pids_in(folder, count):
    for _ in range(400):
        names = [int(path.name) for path in folder.iterdir()]
        if len(names) >= count:
            return names
        time.sleep(0.05)
    raise AssertionError(f"{names} started, {count} were waited for")
