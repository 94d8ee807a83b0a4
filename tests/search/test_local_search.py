"""Hill climbing, annealing, beam search and UCT against their twins, and what else each promises."""

import itertools

import naive_search as naive
import numpy as np
import pytest
from search_cases import HOLES, MAZE, TILE, maze, random_tiles, small_cases, solve, traps

from gridpuzzles_gym.agents.search.heuristic import ZERO
from gridpuzzles_gym.agents.search.monte_carlo.uct import Player
from gridpuzzles_gym.agents.search.problem import Limits
from gridpuzzles_gym.agents.search.searches import SEARCHES
from gridpuzzles_gym.engine.puzzle import DIED

each_case = pytest.mark.parametrize("case", sorted(small_cases()))
SEEDS = range(3)


def facts(result):
    return (list(result.actions) if result.solved else None, result.expanded)


# -- twins ---------------------------------------------------------------------------------------


@each_case
@pytest.mark.parametrize(("name", "rule"), [("hill-climbing", "steepest"), ("stochastic-hill-climbing", "stochastic")])
def test_hill_climbing_takes_its_twins_steps(name, rule, case):
    problem, heuristic = small_cases()[case]
    for seed, sideways, estimate in itertools.product(SEEDS, (0, 7), (heuristic, ZERO)):
        twin = naive.local(problem, estimate.evaluate, seed, rule, sideways)
        assert facts(solve(name, problem, estimate, seed=seed, sideways=sideways)) == (twin.actions, twin.expanded)


@each_case
def test_random_restart_takes_its_twins_steps(case):
    problem, heuristic = small_cases()[case]
    for seed in SEEDS:
        twin = naive.local(problem, heuristic.evaluate, seed, "steepest", 3, walk=4, endless=True)
        result = solve("random-restart", problem, heuristic, Limits(nodes=10_000), seed, sideways=3, walk=4)
        assert facts(result) == (twin.actions, twin.expanded)


@each_case
def test_annealing_takes_its_twins_steps(case):
    problem, heuristic = small_cases()[case]
    schedule = {"temperature": 2.0, "coldest": 0.2, "cooling": 0.97}
    for seed in SEEDS:
        twin = naive.local(
            problem, heuristic.evaluate, seed, "annealing", endless=True, schedule=tuple(schedule.values())
        )
        result = solve("simulated-annealing", problem, heuristic, Limits(nodes=10_000), seed, **schedule)
        if twin.actions is not None:
            assert facts(result) == (twin.actions, twin.expanded)


@each_case
@pytest.mark.parametrize("width", [1, 3, 1000])
def test_beam_search_keeps_its_twins_states(width, case):
    problem, heuristic = small_cases()[case]
    twin = naive.beam(problem, heuristic.evaluate, width)
    result = solve("beam", problem, heuristic, width=width)
    assert facts(result) == (twin.actions, twin.expanded)
    assert result.status == ("stuck" if twin.actions is None else "solved")


# -- what they promise ---------------------------------------------------------------------------


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize("name", ["random-restart", "simulated-annealing", "beam", "mcts"])
def test_eight_puzzles_are_solved(name):
    for seed in range(20):
        problem = random_tiles(seed)
        result = solve(name, problem, TILE, Limits(nodes=1_000_000), seed)
        assert result.solved
        assert problem.reaches_goal(result.actions)


@pytest.mark.parametrize("name", [name for name, search in SEARCHES.items() if not search.backward])
def test_the_plan_so_far_is_the_way_to_the_least_estimate(name):
    """In a maze that has no way through, to the square nearest to the goal; never into the pit next to it."""
    cases = [
        (maze("S...\n....\n...#\n..#G\n"), MAZE, 2),
        (traps("S...\n....\n..oo\n..oG\n"), HOLES, 2),
    ]
    for problem, heuristic, nearest in cases:
        limits = Limits(depth=6) if name == "depth-limited" else Limits(nodes=2000)
        result = solve(name, problem, heuristic, limits)
        assert not result.solved
        last = problem.replay(result.actions)[-1]
        assert problem.puzzle.rules.outcome(problem.level, last) != DIED
        assert heuristic.evaluate(problem.level, last, None) == nearest


# -- the player ----------------------------------------------------------------------------------


def play(problem, player, most=60, tell=True):
    """The moves of a player until the goal, or None."""
    state, moves = problem.state.copy(), []
    rng = np.ones(1, np.uint64)
    while not problem.puzzle.rules.solved(problem.level, state):
        if len(moves) == most:
            return None
        moves.append(player.choose(state if tell else None))
        problem.puzzle.rules.step(problem.level, state, moves[-1], rng)
    return moves


@pytest.mark.compiled
@pytest.mark.extended
def test_a_player_reaches_the_goal_move_by_move():
    for seed in range(3):
        problem = random_tiles(seed)
        moves = play(problem, Player(problem, TILE, seed=seed, simulations=400))
        assert problem.reaches_goal(moves)
        assert moves == play(problem, Player(problem, TILE, seed=seed, simulations=400), tell=False)


@pytest.mark.extended
def test_a_player_keeps_what_it_learnt_unless_led_astray():
    problem = random_tiles(2)
    player = Player(problem, TILE, simulations=500)
    player.choose()
    learnt = int(player._nodes.used[0])
    state = player._nodes.states[player._root].copy()
    player.choose(state)
    assert player._nodes.used[0] >= learnt
    player.simulations = 1
    player.choose(random_tiles(3).state)
    assert player._nodes.used[0] < 10 < learnt
