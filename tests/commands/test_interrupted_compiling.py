"""Ctrl-C while a command compiles: it ends at once, without a traceback, and leaves nothing behind."""

import os
import signal
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.extended, pytest.mark.skipif(os.name != "posix", reason="signals are sent")]

COMMAND = [sys.executable, "-m", "gridpuzzles_command"]
RECORD = ["watch", "EightPuzzle-v0", "--agent", "astar", "--seed", "1", "--record", "f.gif"]


@pytest.fixture(scope="module")
def cold(tmp_path_factory):
    """A cache that is empty at first. Each start stops at the kernel that the one before it did not come to."""
    return tmp_path_factory.mktemp("cold")


@pytest.mark.xdist_group("cold starts")
@pytest.mark.parametrize("seconds", [0.15, 1.6, 3.6])
def test_ctrl_c_at_any_moment_of_a_cold_start(tmp_path, cold, seconds):
    """No traceback, no crash, no hanging, no half-written file."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cold)}
    child = subprocess.Popen(
        [*COMMAND, *RECORD], cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        _, err = child.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=120)
    finally:
        child.kill()
    if "site module" in err:
        pytest.skip("Ctrl-C came while Python itself was starting, before any code of ours")
    code = child.returncode
    assert code in (130, -signal.SIGINT) or (code == 0 and (tmp_path / "f.gif").exists())
    assert ("Traceback" in err, err.count("\n") <= 1) == (False, True), err
    assert {path.name for path in tmp_path.iterdir()} <= {"f.gif"}
