"""Turns per second, and seconds per turn, of many sessions on one OpenEnv server on this machine.

Install: ``pip install "gridpuzzles_gym[openenv]"``. Run: ``python benchmarks/openenv_sessions.py --sessions 256``. The
server is a process of its own; the clients, OpenEnv's own, share another one; each replies as soon as it has its turn.
"""

import argparse
import asyncio
import contextlib
import gc
import os
import random
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from gridpuzzles_gym.text.adapters.openenv_client import TextAction, TextClient

MOVES = ("up", "down", "left", "right")


def memory(pid: int) -> float:
    """The resident memory of a process in MiB; nan if the system does not report it."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return float("nan")
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def busy(pid: int) -> float:
    """The seconds of processor time that a process has taken; nan if the system does not report it."""
    try:
        times = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    except OSError:
        return float("nan")
    return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def server(env_id: str, sessions: int) -> Iterator[tuple[str, int]]:
    """The URL and the process of a running server."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "gridpuzzles_gym.text.adapters.openenv_server", env_id]
    process = subprocess.Popen([*command, "--port", str(port), "--sessions", str(sessions)])
    try:
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            if process.poll() is not None:
                raise SystemExit("the server did not start")
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}", process.pid
    finally:
        process.terminate()
        process.wait()


async def play(client: TextClient, seed: int, until: list[float], taken: list[float]) -> None:
    """Reply at random until the time is over; ``taken`` gets the seconds of each turn."""
    choices = random.Random(seed)
    result = await client.reset(seed=seed)
    while time.perf_counter() < until[0]:
        begun = time.perf_counter()
        result = await client.step(TextAction(reply=f"ACTIONS: {choices.choice(MOVES)}"))
        taken.append(time.perf_counter() - begun)
        if result.done:
            result = await client.reset()


async def measure(url: str, pid: int, sessions: int, seconds: float) -> None:
    """Print the figures of one run."""
    clients = [TextClient(url, connect_timeout_s=60) for _ in range(sessions)]
    before, begun = memory(pid), time.perf_counter()
    await asyncio.gather(*(client.connect() for client in clients))
    await asyncio.gather(*(client.reset(seed=seed) for seed, client in enumerate(clients)))
    opening, after = time.perf_counter() - begun, memory(pid)
    gc.collect()
    gc.freeze()  # so that the clients' own pauses are not measured
    taken: list[float] = []
    used, begun = busy(pid), time.perf_counter()
    await asyncio.gather(*(play(client, seed, [begun + seconds], taken) for seed, client in enumerate(clients)))
    passed, used = time.perf_counter() - begun, busy(pid) - used
    await asyncio.gather(*(client.close() for client in clients))
    taken.sort()
    p50, p99 = (1000 * taken[int(share * (len(taken) - 1))] for share in (0.5, 0.99))
    print(f"{sessions} sessions: connected and reset in {opening:.2f} s, {(after - before) / sessions:.3f} MiB each")
    print(f"{len(taken) / passed:,.0f} turns/s, a turn takes {p50:.1f} ms (median), {p99:.1f} ms (99 %)")
    print(f"{1e6 * used / len(taken):.0f} µs of the server's processor time a turn")


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--env-id", default="Sokoban-v0")
parser.add_argument("--sessions", type=int, nargs="+", default=[1, 256], help="one run for each number")
parser.add_argument("--seconds", type=float, default=5, help="how long each run lasts")
options = parser.parse_args()
print(f"{options.env_id}, load of the machine {os.getloadavg()[0]:.1f}")
for count in options.sessions:
    with server(options.env_id, count) as (address, number):
        asyncio.run(measure(address, number, count, options.seconds))
