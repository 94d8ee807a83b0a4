"""The executor on Ray: a cluster of four nodes on this machine, parts of which are killed. Needs the extra ``ray``."""

import os
import re
import signal
import socket
import subprocess
import sys
import time

import errands
import pytest
from folders import PYTHONPATH

pytest.importorskip("ray", reason="needs the extra ray: make test-ray")

import ray as ray_package
from ray.cluster_utils import Cluster

from gridpuzzles_gym.agents.parallel import WorkError, open_executor, ordered, ray
from gridpuzzles_gym.agents.samplers import OnTheFly

pytestmark = pytest.mark.extended

GENERATE = ["generate", "sokoban", "--seed", "5", "--simulations", "150"]
LEVELS = [*GENERATE, "--count", "60"]
SECONDS = re.compile(r"(?<=,)\d+\.\d{6}(?=,)")


@pytest.fixture(scope="module", autouse=True)
def module_path():
    """Processes of the clusters import the tests' work."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = PYTHONPATH
    yield
    if before is None:
        del os.environ["PYTHONPATH"]
    else:
        os.environ["PYTHONPATH"] = before


@pytest.fixture
def cluster():
    """Four nodes with a core each."""
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    nodes = [made.add_node(num_cpus=1, include_dashboard=False) for _ in range(3)]
    made.wait_for_nodes()
    yield made, nodes
    if ray_package.is_initialized():
        ray_package.shutdown()
    made.shutdown()


def start(*arguments, cwd):
    """A command as a process of its own: Ray ends the process of its driver in some cases."""
    command = [sys.executable, "-m", "gridpuzzles_gym.cli", *map(str, arguments)]
    return subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run(*arguments, cwd, code=0):
    process = start(*arguments, cwd=cwd)
    out, err = process.communicate(timeout=200)
    assert process.returncode == code, out + err
    return out + err


def wait_for(condition):
    for _ in range(600):
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError("it did not come about within a minute")


def busy():
    """The processes of clusters that are at a task."""
    found = subprocess.run(["pgrep", "-f", "ray::_call"], capture_output=True, text=True, check=False)
    return [int(pid) for pid in found.stdout.split()]


def test_results_errors_and_deaths(cluster, tmp_path):
    address = cluster[0].address
    with ray(address) as executor:
        assert executor.slots == 4
        assert [result for _, result in ordered(executor, errands.slow_square, range(60))] == [n * n for n in range(60)]
        with pytest.raises(WorkError, match=r"the work on 3 failed: LookupError: three is right out"):
            list(ordered(executor, errands.fall, [1, 2, 3]))
        with pytest.raises(ValueError, match=r"^level 7 is invalid$"):
            list(ordered(executor, errands.refuse_input, [7]))
        assert executor.submit(errands.die_once, str(tmp_path / "once")).result() != os.getpid()
        with pytest.raises(WorkError, match="the worker on 4 was lost"):
            executor.submit(errands.fall, 4).result()
        waiting = executor.submit(errands.tell_pid_and_sleep, str(tmp_path))
    assert waiting.cancelled()
    with pytest.raises(ValueError, match="this executor is closed"):
        executor.submit(errands.square, 1)


def test_a_sampler_takes_its_levels_from_a_cluster(cluster):
    streams = []
    for options in {"workers": 0}, {"ray": cluster[0].address, "wait": True}:
        sampler = OnTheFly(errands.corridor, extent=(1, 7), seed=4, **options)
        streams.append([sampler.sample(0).name for _ in range(100)])
        sampler.close()
    assert streams[0] == streams[1]


def test_commands_write_the_same_files_as_one_process(cluster, tmp_path):
    address = cluster[0].address
    commands = {
        "levels.txt": [*LEVELS, "--out", "levels.txt"],
        "solved.csv": ["levels", "solve", "starter", "--csv", "solved.csv"],
        "rated.csv": ["levels", "rate", "first", "--csv", "rated.csv"],
        "compared.csv": ["compare", "wumpus", "--agent", "random", "--agent", "pretrained", "--csv", "compared.csv"],
    }
    found = {}
    for name, option in {"ray": ("--ray", address), "one": ("--workers", 1), "two": ("--workers", 2)}.items():
        (tmp_path / name).mkdir()
        for command in commands.values():
            run(*command, *option, cwd=tmp_path / name)
        for file in commands:
            path = tmp_path / name / file
            if file == "compared.csv":  # without the last column, the time of a decision
                content = [line.rpartition(",")[0] for line in path.read_text().splitlines()]
            else:
                content = SECONDS.sub("", path.read_text())
            found[name, file] = content
    for file in commands:
        assert found["ray", file] == found["one", file] == found["two", file], file


@pytest.mark.parametrize("victim", ["node", "worker"])
def test_a_killed_node_or_process_makes_no_difference(cluster, tmp_path, victim):
    made, nodes = cluster
    run(*LEVELS, "--workers", 1, "--out", "one.txt", cwd=tmp_path)
    process = start(*LEVELS, "--ray", made.address, "--out", "some.txt", cwd=tmp_path)
    journal = tmp_path / "some.txt.unfinished"
    wait_for(lambda: journal.exists() and len(journal.read_text().splitlines()) > 2)
    if victim == "node":
        nodes[0].kill_raylet()
    else:
        wait_for(busy)
        os.kill(busy()[0], signal.SIGKILL)
    _, err = process.communicate(timeout=200)
    assert process.returncode == 0, err
    assert (tmp_path / "some.txt").read_text() == (tmp_path / "one.txt").read_text().replace("; one ", "; some ")


def test_addresses_that_lead_nowhere(tmp_path, monkeypatch):
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    with pytest.raises(ConnectionError, match=f"--ray 127.0.0.1:{port}: no cluster can be reached there"):
        open_executor(address=f"127.0.0.1:{port}")
    for address in ("nonsense", "host:port", "host:99999", ":80", "ray://host:10001"):
        with pytest.raises(ValueError, match=f"--ray {address}: must be auto, local or HOST:PORT"):
            open_executor(address=address)
    said = run("levels", "solve", "first", "--ray", "auto", cwd=tmp_path, code=1)
    assert said.count("\n") == 1
    assert "no cluster is running on this machine; start one with `ray start --head`" in said


def test_another_version_is_reported(monkeypatch):
    def init(**options):
        raise RuntimeError("Version mismatch: The cluster was started with:\n    Ray: 2.0\n    Python: 3.9")

    monkeypatch.setattr(ray_package, "init", init)
    with pytest.raises(ValueError, match=r"--ray auto: Version mismatch: The cluster was started with: Ray: 2\.0"):
        ray("auto")
