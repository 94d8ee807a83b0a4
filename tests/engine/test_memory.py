"""A process that gets no more memory: searches end at a limit, with the best plan so far, and commands in one line.

And what is freed is given back.
"""

import platform
import sys

import pytest
from helpers import fresh, python

pytestmark = [
    pytest.mark.extended,
    pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS has no effect elsewhere"),
]

SEARCH = """
import resource, sys
import gymnasium as gym
import gridpuzzles_gym
from gridpuzzles_gym.agents.search.problem import Limits, Problem
from gridpuzzles_gym.agents.search_tables import heuristic_named, search_named
from gridpuzzles_gym.engine.levels.sources import find_levels
env_id, name, levels = sys.argv[1:]
env = gym.make(env_id, **({"levels": levels} if levels else {}))
env.reset(seed=3)
problem = Problem.of(env)
search, heuristic = search_named(name, problem.puzzle), heuristic_named(None, problem.puzzle)
search.solve(problem, heuristic, Limits(nodes=2000))  # compiled while there is memory
used = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmSize:"))
resource.setrlimit(resource.RLIMIT_AS, ((used + 16 * 1024) * 1024,) * 2)
result = search.solve(problem, heuristic, Limits(seconds=60))
problem.replay(result.actions)
print(result.status, result.reason, len(result.actions) > 0)
"""

FREED = """
import numpy as np
from gridpuzzles_gym.engine.system.freed_memory import release_freed_memory
held = lambda: int(open("/proc/self/statm").read().split()[1]) >> 8
del (freed := [np.ones(30 << 17)])[0]  # from now on, arrays of this size are not returned
before, arrays, between = held(), [], []
for _ in range(8):
    arrays.append(np.ones(8 << 17))
    between.append(np.ones(1000))
arrays.clear()
kept = held() - before
release_freed_memory()
print(kept, held() - before)
"""

HARD = (
    "############\n#@         #\n# $ $ $ $  #\n#          #\n#  $ $ $   #\n#          #\n#   .......#\n############\n"
)


@pytest.mark.parametrize("search", ["astar", "greedy"])
def test_a_search_without_memory_ends_with_its_best_plan(search):
    seen = python(SEARCH, "FifteenPuzzle-v0", search, "").split()
    assert seen in (["limit", "memory", "True"], ["solved", "True"])
    assert search == "greedy" or seen[0] == "limit"


def test_sokobans_own_search_too():
    assert python(SEARCH, "Sokoban-v0", "sokoban-moves", HARD).split()[:2] == ["limit", "memory"]


def test_a_command_without_memory_is_one_line():
    done = fresh("compare", "Wumpus-v0", "--agent", "random", "--episodes", 10**13)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith("gridpuzzles: out of memory: ")


def test_freed_arrays_are_given_back():
    """glibc keeps those below another array, once one of their size has been freed."""
    kept, left = map(int, python(FREED).split())  # MiB
    assert left < 8
    if platform.libc_ver()[0] == "glibc":
        assert kept >= 64 - 8
