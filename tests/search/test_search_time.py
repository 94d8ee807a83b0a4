"""The seconds that a search reports are its own: kernels that take long to get ready take none of them."""

import json

import pytest
from helpers import python

# By the clock, every kernel takes a second to load, as if it were compiled, and nothing else any time.
SLOW = """
import json, time, sys
from gridpuzzles_gym.engine.compile.kernel_cache import KernelCache
load = KernelCache.load_overload
loaded = []

def slowly(self, *arguments):
    loaded.append(1)
    return load(self, *arguments)

time.perf_counter = lambda: float(len(loaded))

KernelCache.load_overload = slowly
from gridpuzzles_gym.agents.search.problem import Limits
from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.play.solving import solve
spent = {}
limits = Limits(nodes=20, seconds=0.5)
for solution in solve(Game.of(sys.argv[1]), 1, sys.argv[2:], limits=limits, progress=False):
    spent[solution.search.name] = [solution.result.seconds, solution.result.reason]
print(json.dumps([len(loaded), spent]))
"""


@pytest.mark.extended
@pytest.mark.parametrize(
    ("env_id", "searches"),
    [
        ("EightPuzzle-v0", ["astar", "breadth-first", "depth-first", "tile-ida-star"]),
        ("Sokoban-v0", ["greedy", "sokoban"]),
    ],
)
def test_compiling_is_not_the_searchs_time(env_id, searches):
    loaded, spent = json.loads(python(SLOW, env_id, *searches))
    assert loaded > len(searches)
    assert list(spent) == searches
    assert set(map(tuple, spent.values())) == {(0.0, "nodes")}
