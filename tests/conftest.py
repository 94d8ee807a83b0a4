"""Run the tests without a display or a sound card, and let them import their helpers by name."""

import contextlib
import ctypes
import gc
import os
import resource
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

os.environ["SDL_VIDEODRIVER"] = "dummy"
os.environ["SDL_AUDIODRIVER"] = "dummy"
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # more threads would wait for cores that other tests use

# A shell ignores Ctrl-C in what a script starts in the background, and so would every process that a test starts.
signal.signal(signal.SIGINT, signal.default_int_handler)

sys.path.insert(0, str(Path(__file__).parent / "support"))
from folders import SHARED  # noqa: E402 - found by the line above

sys.path[:0] = [str(folder) for folder in SHARED if str(folder) not in sys.path]

with contextlib.suppress(ImportError):  # the environment for language models has none
    from hypothesis import settings

    settings.register_profile("test", max_examples=15, deadline=None)
    settings.register_profile("sweep", max_examples=400, deadline=None)
    settings.load_profile("test")

HEAVY = {"torch": ("tests/training/", "tests/networks/"), "window": ("tests/play/", "tests/pictures/", "_drawing.py")}
"""Parts of the paths of tests that import torch, and of those that draw."""
GROWTH = 60
"""The growth of a process, in MiB, after which it gives memory back."""
_large = 400
"""The memory from which it does so, in MiB."""
_peaks: list[int] = []
"""The peak memory of each process that has ended, in MiB."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add an option that runs every test with machine code."""
    parser.addoption("--compiled", action="store_true", help="compile the kernels in all tests")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark the tests of properties, of which a run with another profile of hypothesis tries more examples.

    Tests that compile, that import torch, or that draw take memory: each kind is run by one process. Kernels that are
    compiled next to each other would also wait for each other.
    """
    if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
        item.add_marker("property")
    kind = _kind(item)
    if kind:
        item.add_marker(pytest.mark.xdist_group(kind))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One process for each kind of tests that takes memory, or for each core."""
    return max(len(HEAVY) + 1, os.cpu_count() or 1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The kinds of tests that take memory begin first."""
    order = ["compiled", *HEAVY, None]
    items.sort(key=lambda item: order.index(_kind(item)))


def _kind(item: pytest.Item) -> str | None:
    if item.get_closest_marker("extended") is not None:
        return None
    if item.get_closest_marker("compiled") is not None:
        return "compiled"
    return next((kind for kind, parts in HEAVY.items() if any(part in item.nodeid for part in parts)), None)


def pytest_collection_finish() -> None:
    """Thousands of tests live to the end: garbage collection, which would visit them each time, leaves them out."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Interpret all kernels, unless a test is marked ``compiled``: compiling takes seconds each."""
    from gridpuzzles_gym.engine.compile.compilation import interpreting

    compiled = item.config.getoption("compiled") or item.get_closest_marker("compiled")
    with contextlib.nullcontext() if compiled else interpreting():
        return (yield)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Report the peak memory of this process to the one that prints the summary."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    output = getattr(session.config, "workeroutput", None)
    if output is None:
        _peaks.append(peak)
    else:
        output["peak"] = peak


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Collect the peak memory of a worker of pytest-xdist."""
    _peaks.append(getattr(node, "workeroutput", {}).get("peak", 0))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the peak memory of each process."""
    terminalreporter.write_line(f"peak memory of each process: {', '.join(f'{peak} MiB' for peak in _peaks)}")


@pytest.fixture(autouse=True)
def memory_is_given_back() -> Iterator[None]:
    """When a process has grown, forget sprites and give memory back that glibc would keep."""
    global _large
    yield
    if _memory() < _large:
        return
    for name, module in list(sys.modules.items()):
        if name.startswith(("gridpuzzles_gym.engine.pictures.", "gridpuzzles_gym.play.window.")):
            for value in vars(module).values():
                getattr(value, "cache_clear", int)()
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    _large = max(_large, _memory() + GROWTH)


def _memory() -> int:
    """The memory of this process, in MiB; 0 where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 2**20
    except OSError:
        return 0


@pytest.fixture(autouse=True)
def one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands use as many processes as there are cores, which are busy with other tests."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0}, raising=False)


@pytest.fixture
def no_process_is_left() -> Iterator[None]:
    """Fail if a process that a job has started outlives the jobs."""
    from processes import children, gone

    from gridpuzzles_gym.play import jobs

    jobs.end()
    before = children()
    yield
    jobs.end()
    assert all(map(gone, children() - before))


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A real browser, while the tests of a file run: Playwright has an event loop in this thread. Skips without one."""
    from browser import running_browser, why_not

    if why_not():
        pytest.skip(why_not())
    with running_browser() as running:
        yield running


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the site, for Node."""
    from gridpuzzles_gym.web.assembly import write_site

    folder = tmp_path_factory.mktemp("site")
    write_site(folder)
    (folder / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    return folder


@pytest.fixture
def inline_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the jobs of the app in this process, interpreted."""
    from app_driver import run_jobs_inline

    run_jobs_inline(monkeypatch)


@pytest.fixture
def driver(tmp_path: Path, inline_jobs: None) -> Iterator[Any]:
    """The app at its start screen, driven by events; its jobs run in this process."""
    from app_driver import Driver

    from gridpuzzles_gym.play.window.levels import StartScreen

    made = Driver(tmp_path / "progress")
    made.app.push(StartScreen(made.app))
    made.settle()
    yield made
    made.app.quit()
