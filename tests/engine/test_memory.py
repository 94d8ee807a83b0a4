"""A process that gets no more memory: searches end at a limit, with the best plan so far, and commands in one line."""

import sys

import pytest
from helpers import fresh, python

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS has no effect elsewhere")

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
