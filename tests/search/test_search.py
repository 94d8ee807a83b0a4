"""What every search promises: the table of searches times puzzles times small instances."""

import dataclasses
import re
import signal
import threading

import gymnasium as gym
import naive_search as naive
import numpy as np
import pytest
from helpers import ROWS, ctrl_c, puzzle_of
from search_cases import (
    CLOSED_MAZE,
    MAZE,
    MAZES,
    TILE,
    UNSOLVABLE_15,
    maze,
    random_tiles,
    runnable,
    small_cases,
    solve,
    tiles,
    traps,
)
from toy.rules import WIDTH

from gridpuzzles_gym.agents.search import loops, running
from gridpuzzles_gym.agents.search.breadth_first import explore
from gridpuzzles_gym.agents.search.heuristic import ZERO, Heuristic
from gridpuzzles_gym.agents.search.problem import Limits, Problem
from gridpuzzles_gym.agents.search.running import Run
from gridpuzzles_gym.agents.search.searches import SEARCHES
from gridpuzzles_gym.engine.compile.compilation import rule

CASES = sorted(small_cases())
OPTIMAL = [name for name, search in SEARCHES.items() if search.optimal]
COMPLETE = [name for name, search in SEARCHES.items() if search.complete]
# These stop by themselves where they get stuck, so that no limit need ever stop them.
STOPPING = ("hill-climbing", "stochastic-hill-climbing")
COSTLY = ("uniform-cost", "astar", "ida-star")
DETERMINISTIC = [row.id for row in ROWS if puzzle_of(row.id).deterministic]

each_search = pytest.mark.parametrize("name", SEARCHES)
each_case = pytest.mark.parametrize("case", CASES)


def hard():
    """A board that cannot be solved, with ten billion states to look for a plan in."""
    return tiles(*UNSOLVABLE_15)


# -- plans ---------------------------------------------------------------------------------------


@each_case
@each_search
def test_every_plan_is_played_to_the_goal(name, case):
    problem, heuristic = small_cases()[case]
    if not runnable(SEARCHES[name], problem):
        with pytest.raises(ValueError, match="searched backwards"):
            solve(name, problem, heuristic)
        return
    result = solve(name, problem, heuristic, Limits(nodes=20_000, depth=60))
    assert problem.reaches_goal(result.actions) == result.solved
    assert result.cost == problem.costs[list(result.actions)].sum()
    assert len({state.tobytes() for state in problem.replay(result.actions)}) == len(result.actions) + 1
    assert result.solved or name in STOPPING or (name == "beam" and result.status == "stuck"), result
    if result.solved:
        assert not result.reason
        assert result.generated >= len(result.actions)


@pytest.mark.parametrize("id", DETERMINISTIC)
@each_search
def test_every_deterministic_environment_can_be_searched(name, id):
    env = gym.make(id)
    for seed in range(2):
        env.reset(seed=seed)
        problem = Problem.of(env)
        if not runnable(SEARCHES[name], problem):
            continue
        result = solve(name, problem, ZERO, Limits(nodes=1000))
        assert result.expanded <= 1000
        assert problem.reaches_goal(result.actions) == result.solved


@each_case
def test_the_optimum_is_one_for_all(case):
    problem, heuristic = small_cases()[case]
    expected = len(naive.breadth_first(problem).actions)
    for name in OPTIMAL:
        if runnable(SEARCHES[name], problem):
            assert len(solve(name, problem, heuristic).actions) == expected, name
            assert len(solve(name, problem, ZERO).actions) == expected, name
    if runnable(SEARCHES["bidirectional"], problem):
        assert naive.bidirectional(problem) == expected


@pytest.mark.extended
@pytest.mark.parametrize("weight", [1, 1.5, 4])
def test_weighted_astar_keeps_its_bound(weight):
    for seed in range(10):
        problem = random_tiles(seed)
        best = solve("astar", problem, TILE).cost
        assert best <= solve("weighted-astar", problem, TILE, weight=weight).cost <= weight * best


@pytest.mark.parametrize("costs", [(1, 1, 5, 5), (3, 2, 1, 7), (1000, 1, 1, 1)])
@pytest.mark.parametrize("name", COSTLY)
def test_costs_of_actions_are_respected(name, costs):
    for board in MAZES.values():
        problem = maze(board, costs=costs)
        plan = naive.best_first(problem).actions
        assert solve(name, problem, MAZE).cost == problem.costs[plan].sum()
    problem = random_tiles(1, height=2, width=3)
    problem = dataclasses.replace(problem, costs=costs)
    plan = naive.best_first(problem).actions
    assert solve(name, problem, TILE).cost == problem.costs[plan].sum()


@pytest.mark.parametrize(
    ("name", "weights"),
    [("uniform-cost", (1, 0)), ("greedy", (0, 1)), ("astar", (1, 1)), ("weighted-astar", (1, 2))],
)
@each_case
def test_best_first_agrees_with_its_twin(name, weights, case):
    problem, heuristic = small_cases()[case]
    twin = naive.best_first(problem, heuristic.evaluate, *weights)
    result = solve(name, problem, heuristic)
    assert (twin.actions is not None) == result.solved
    if name in COSTLY:
        assert len(twin.actions) == result.cost


@each_case
def test_searches_of_one_order_expand_what_their_twins_do(case):
    problem, heuristic = small_cases()[case]
    pairs = {
        "breadth-first": (naive.breadth_first(problem), {}),
        "depth-first": (naive.depth_first(problem), {}),
        "depth-limited": (naive.depth_limited(problem, 20), {"limits": Limits(depth=20)}),
        "iterative-deepening": (naive.iterative_deepening(problem), {}),
        "ida-star": (naive.ida_star(problem, heuristic.evaluate), {"heuristic": heuristic}),
    }
    for name, (twin, arguments) in pairs.items():
        result = solve(name, problem, **arguments)
        found = (list(result.actions) if result.solved else None, result.expanded, result.generated)
        assert found == (twin.actions, twin.expanded, twin.generated), name


@pytest.mark.compiled
@pytest.mark.extended
def test_published_counts_of_the_eight_puzzle():
    """181,440 states can be reached, and the farthest from the goal is 31 moves away (A. Reinefeld, IJCAI 1993)."""
    problem = tiles(8, 6, 7, 2, 5, 4, 3, 0, 1)
    counts = explore(problem)
    assert counts.sum() == 181_440
    assert len(solve("astar", problem, TILE).actions) == 31


# -- where there is no plan ----------------------------------------------------------------------


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize("name", COMPLETE)
def test_a_complete_search_proves_that_there_is_no_plan(name):
    problems = [(maze(CLOSED_MAZE), MAZE), (traps("S.o\n..u\noo#\nG..\n"), ZERO), (tiles(2, 1, 3, 0), TILE)]
    for problem, heuristic in problems:
        if runnable(SEARCHES[name], problem):
            fewer = {"simulations": 200} if name == "mcts" else {}
            result = solve(name, problem, heuristic, **fewer)
            assert (result.status, result.reason) == ("exhausted", "")
            assert not problem.reaches_goal(result.actions)


@each_search
def test_nothing_is_left_to_do_at_the_goal(name):
    problem = tiles(1, 2, 3, 0)
    result = solve(name, problem, TILE)
    assert (result.status, result.actions, result.expanded) == ("solved", (), 0)


# -- limits --------------------------------------------------------------------------------------


@each_search
@pytest.mark.parametrize("nodes", [1, 100, 2999])
def test_the_limit_on_nodes_is_exact(name, nodes):
    result = solve(name, hard(), TILE, Limits(nodes=nodes))
    if result.status == "stuck":
        assert name in STOPPING
        assert result.expanded <= nodes
    else:
        assert (result.status, result.reason, result.expanded) == ("limit", "nodes", nodes)
    hard().replay(result.actions)


@pytest.mark.compiled
@pytest.mark.extended
@each_search
def test_the_limit_on_depth_holds(name):
    problem = tiles(8, 6, 7, 2, 5, 4, 3, 0, 1)
    result = solve(name, problem, TILE, Limits(depth=12, nodes=20_000))
    assert result.status in ("limit", "stuck")
    assert result.reason in ("depth", "nodes", "")
    assert len(result.actions) <= 12
    problem.replay(result.actions)


TWO_WAYS = "S......\n.#####.\n.#G..#.\n.###.#.\n.###...\n.....##\n"
"""From the start, 10 actions by the left lead to where the ways meet, or 12 by the right; then 4 to the goal."""


@rule
def right_last(level, state, tables):
    """Estimate so that the way by the left is expanded up to where both meet, then that by the right, then the rest."""
    row, column = state[0] // level[WIDTH], state[0] % level[WIDTH]
    if column == 4 and row in (2, 3):
        return np.int64(200)
    return np.int64(150 if (row == 0 and column > 0) or column > 4 else 0)


@pytest.mark.parametrize(
    ("name", "heuristic", "reopens"),
    [
        ("uniform-cost", ZERO, False),
        ("astar", Heuristic("test-right-last", "less by the left", right_last), True),
        ("weighted-astar", MAZE, False),
        ("ida-star", MAZE, True),
    ],
)
def test_the_limit_on_depth_counts_actions_whatever_they_cost(name, heuristic, reopens):
    """A state that is reached again more cheaply is as deep as its new path is long, not as its first one was."""
    problem = maze(TWO_WAYS, costs=(60, 1, 1, 1))
    best = solve(name, problem, heuristic)
    assert (len(best.actions), best.cost, best.reopened > 0) == (16, 134, reopens)
    for limit in range(1, 18):
        result = solve(name, problem, heuristic, Limits(depth=limit))
        assert len(result.actions) <= limit
        assert problem.reaches_goal(result.actions) == result.solved
        assert result.solved == (limit >= 16) or (name == "ida-star" and limit >= 14)
        assert result.reason == ("" if result.solved else "depth")


@pytest.mark.extended
@each_search
def test_the_limit_on_seconds_holds(name, monkeypatch):
    """By a clock on which an expansion takes ten microseconds, and nothing else any time."""
    begun, controls = Run.__init__, []

    def begin(run, *arguments, **more):
        begun(run, *arguments, **more)
        controls.append(run.control)

    monkeypatch.setattr(Run, "__init__", begin)
    monkeypatch.setattr(running, "working_time", lambda: sum(int(each[loops.EXPANDED]) for each in controls) * 1e-5)
    result = solve(name, hard(), TILE, Limits(seconds=0.2))
    assert result.seconds <= 0.2 * 1.1
    if result.status != "stuck":
        assert (result.status, result.reason) == ("limit", "seconds")
        assert result.seconds >= 0.2


@pytest.mark.compiled
@pytest.mark.extended
@each_search
@pytest.mark.parametrize("memory", [1, 3_000_000])
def test_the_limit_on_memory_holds(name, memory):
    result = solve(name, hard(), TILE, Limits(memory=memory, nodes=300_000))
    assert result.status in ("limit", "stuck")
    assert result.reason in ("memory", "nodes", "")
    if memory == 1:
        assert (result.expanded, result.reason, result.actions) == (0, "memory", ())
    else:
        assert result.peak_bytes <= memory


@pytest.mark.parametrize("field", ["nodes", "depth", "seconds", "memory"])
@pytest.mark.parametrize("value", [0, -1, True, "10", float("nan"), float("inf")])
def test_limits_that_cannot_be_are_rejected(field, value):
    with pytest.raises(ValueError, match=f"limit {field}="):
        Limits(**{field: value})


@pytest.mark.parametrize("name", [name for name in SEARCHES if name not in STOPPING])
def test_ctrl_c_ends_a_search_with_its_best_plan(name):
    problem = hard()
    solve(name, problem, TILE, Limits(nodes=10))  # compiles
    assert threading.current_thread() is threading.main_thread()
    with ctrl_c(0.1):
        result = solve(name, problem, TILE, Limits(seconds=30))
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert result.status == "interrupted"
    assert result.expanded > 0
    problem.replay(result.actions)


# -- parameters ----------------------------------------------------------------------------------

BAD = [
    ("weighted-astar", {"weight": 0.5}, "a number from 1 to 1000"),
    ("ida-star", {"transpositions": -1}, "a non-negative integer"),
    ("hill-climbing", {"sideways": -1}, "an integer from 0 to 1,000,000,000"),
    ("stochastic-hill-climbing", {"sideways": 1.5}, "an integer from 0 to 1,000,000,000"),
    ("random-restart", {"walk": 0}, "an integer from 1 to 1,000,000"),
    ("simulated-annealing", {"temperature": 0}, "a number from 1e-06 to 1000000"),
    ("simulated-annealing", {"cooling": 1}, "a number from 0 to 0.999999999"),
    ("simulated-annealing", {"coldest": 3.0}, "a number from 1e-06 to 2"),
    ("simulated-annealing", {"temperature": float("nan")}, "a number from 1e-06 to 1000000"),
    ("beam", {"width": 0}, "an integer from 1 to 100,000,000"),
    ("beam", {"width": True}, "an integer from 1 to 100,000,000"),
    ("mcts", {"simulations": 0}, "an integer from 1 to 1,000,000,000"),
    ("mcts", {"exploration": -1}, "a number from 0 to 1000000"),
    ("mcts", {"rollout": "clever"}, "one of greedy, random"),
    ("mcts", {"rollout_depth": -1}, "an integer from 0 to 100,000"),
    ("mcts", {"epsilon": 1.1}, "a number from 0 to 1"),
]


@pytest.mark.parametrize(("name", "parameters", "allowed"), BAD, ids=[f"{name}-{bad}" for name, bad, _ in BAD])
def test_bad_parameters_are_rejected(name, parameters, allowed):
    ((parameter, value),) = parameters.items()
    with pytest.raises(ValueError, match=f"^{re.escape(f'{parameter}={value!r}: must be {allowed}')}$"):
        solve(name, maze(MAZES["open"]), MAZE, **parameters)


@each_search
def test_unknown_parameters_are_rejected(name):
    with pytest.raises(ValueError, match=f"{name} has no parameter 'colour'"):
        solve(name, maze(MAZES["open"]), MAZE, colour=3)


# -- chance --------------------------------------------------------------------------------------


@pytest.mark.compiled
@pytest.mark.extended
@each_search
def test_equal_seeds_give_equal_results(name):
    problem = random_tiles(3)
    results = [solve(name, problem, TILE, Limits(nodes=20_000), seed) for seed in (5, 5, 6, 7, 8)]
    told = [(each.actions, each.status, each.expanded, each.generated) for each in results]
    assert told[0] == told[1]
    if not SEARCHES[name].stochastic:
        assert len(set(told)) == 1
    elif name != "hill-climbing":  # there, only ties are random
        assert len(set(told)) > 1
