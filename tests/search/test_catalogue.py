"""The catalogue of pattern databases for sliding tiles: true distances, naive twins, and the search with threads."""

import functools
import math

import numpy as np
import pytest
from tile_boards import KORF, estimates, everything, korf, problem, scrambled

from gridpuzzles_gym.agents.n_puzzle.catalogue import databases as catalogue_cache
from gridpuzzles_gym.agents.n_puzzle.catalogue.building import Builder
from gridpuzzles_gym.agents.n_puzzle.catalogue.databases import make_catalogue, path_of
from gridpuzzles_gym.agents.n_puzzle.heuristics import HEURISTICS
from gridpuzzles_gym.agents.n_puzzle.ida_star import SEARCHES
from gridpuzzles_gym.agents.n_puzzle.move_pruning import ACTIONS, side_automata, steps_of
from gridpuzzles_gym.agents.n_puzzle.pattern_databases.building import rank_of, weights_of
from gridpuzzles_gym.agents.search import running
from gridpuzzles_gym.agents.search.problem import FOUND, INTERRUPTED, LIMIT, Limits
from gridpuzzles_gym.puzzles.n_puzzle import boards

SEARCH, CATALOGUE = SEARCHES["tile-ida-star"], HEURISTICS["pdb-catalogue"]


def solve(task, threads=1, **limits):
    return SEARCH.solve(task, CATALOGUE, Limits(**limits), threads=threads)


# -- estimates ---------------------------------------------------------------------------------------


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize("goal", ["rows", "blank-first", "spiral"])
def test_no_estimate_is_above_the_distance(goal):
    tiles = boards.arrange(goal, 3, 3)
    every, distances, *_ = everything(tiles)
    guesses = estimates("pdb-catalogue", every, tiles, (3, 3))
    assert (guesses <= distances).all()
    assert ((distances - guesses) % 2 == 0).all()
    assert (guesses >= estimates("manhattan", every, tiles, (3, 3))).all()
    assert guesses.mean() > estimates("manhattan", every, tiles, (3, 3)).mean() + 0.5


def pattern_distances(pattern, blank, height, width):
    """By a naive search with the blank: (squares of the pattern's tiles) → the fewest moves of these tiles."""
    steps = steps_of(height, width)
    start = tuple(pattern), blank
    found, queue = {start: 0}, [start]
    for where, empty in queue:  # grows; moves of other tiles are free and are put in front of what costs more
        for there in steps[empty]:
            if there >= 0 and there not in where and found.get((where, there), 99) > found[where, empty]:
                found[where, there] = found[where, empty]
                queue.append((where, there))
            elif there >= 0 and there in where:
                after = tuple(empty if square == there else square for square in where)
                if found.get((after, there), 99) > found[where, empty] + 1:
                    found[after, there] = found[where, empty] + 1
                    queue.append((after, there))
    least = {}
    for (where, _), distance in found.items():
        least[where] = min(distance, least.get(where, 99))
    return least


@pytest.mark.parametrize(("pattern", "blank"), [((0, 1, 3), 8), ((1, 2, 4), 0), ((4, 5, 7), 8), ((0, 1), 5)])
def test_a_database_has_the_fewest_moves_of_its_tiles(pattern, blank):
    height, width = 3, 3
    builder = Builder(height, width, len(pattern))
    packed = builder.build(pattern, blank)
    extra = np.stack([packed & 15, packed >> 4], axis=1).reshape(-1)
    least = pattern_distances(pattern, blank, height, width)
    assert len(least) == len(extra[: math.perm(9, len(pattern))])
    for where, distance in least.items():
        manhattan = sum(
            abs(here // width - home // width) + abs(here % width - home % width)
            for here, home in zip(where, pattern, strict=True)
        )
        assert manhattan + 2 * extra[rank_of(where, weights_of(9, len(pattern)))] == distance


# -- pruned moves ------------------------------------------------------------------------------------


def test_walks_are_pruned_alike_from_both_ends():
    automata, second = side_automata(3, 3)
    steps = steps_of(3, 3)
    rng = np.random.default_rng(0)
    pruned = 0
    for _ in range(2000):
        square = int(rng.integers(9))
        walk, squares = [], [square]
        while len(walk) < 14:
            action = int(rng.integers(ACTIONS))
            if steps[squares[-1], action] >= 0:
                walk.append(action)
                squares.append(int(steps[squares[-1], action]))
        forth = ends(automata, square, walk)
        assert forth == ends(automata, second + squares[-1], [action ^ 1 for action in reversed(walk)])
        pruned += forth
    assert 0 < pruned < 2000


def ends(automata, state, walk):
    """Whether a walk is pruned."""
    for action in walk:
        if state >= 0:
            state = automata[state * ACTIONS + action]
    return state < 0


# -- the search --------------------------------------------------------------------------------------


@pytest.mark.extended
@pytest.mark.parametrize(("extent", "goal"), [((2, 3), "rows"), ((2, 4), "spiral"), ((4, 2), "blank-first")])
def test_solutions_are_shortest_with_any_number_of_threads(extent, goal):
    for seed in range(12):
        task = scrambled(goal, extent, 60, seed)
        one, three = solve(task), solve(task, threads=3)
        assert (one.status, one.cost) == (FOUND, SEARCH.solve(task, HEURISTICS["pdb"]).cost)
        assert one.lower_bound == one.cost
        assert task.reaches_goal(one.actions)
        assert (three.actions, three.expanded, three.generated) == (one.actions, one.expanded, one.generated)


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize(("_", "length", "nodes", "board"), KORF)
def test_korfs_lengths_with_fewer_nodes(_, length, nodes, board):
    task = korf(board)
    result = solve(task, threads=2)
    assert (result.cost, task.reaches_goal(result.actions)) == (length, True)
    assert result.generated < nodes / 100


@pytest.mark.compiled
@pytest.mark.extended
def test_slices_change_nothing(monkeypatch):
    task = korf(KORF[1][3])
    whole = solve(task, threads=2)
    monkeypatch.setattr(running.Run, "_budget", lambda run: 70)
    sliced = solve(task, threads=2)
    assert (sliced.actions, sliced.expanded, sliced.generated) == (whole.actions, whole.expanded, whole.generated)


@pytest.mark.compiled
@pytest.mark.extended
def test_limits_give_the_length_that_a_solution_must_have():
    task = korf("14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3")
    few = solve(task, nodes=1_000)
    assert (few.status, few.reason, few.actions) == (LIMIT, "nodes", ())
    assert 40 < few.lower_bound <= 57
    shallow = solve(task, depth=49)
    assert (shallow.status, shallow.reason) == (LIMIT, "depth")
    assert shallow.lower_bound <= 51
    assert solve(task, threads=2).cost == 57
    assert SEARCH.solve(task, HEURISTICS["linear-conflict"], Limits(nodes=10)).lower_bound == 43


@pytest.mark.compiled
@pytest.mark.extended
def test_ctrl_c_ends_all_threads():
    def interrupt(snapshot):
        raise KeyboardInterrupt

    task = problem((0, 12, 9, 13, 15, 11, 10, 14, 3, 7, 2, 5, 4, 8, 6, 1))  # 80 moves
    assert SEARCH.solve(task, CATALOGUE, progress=interrupt, threads=2).status == INTERRUPTED


def test_what_is_not_supported():
    task = korf(KORF[0][3])
    with pytest.raises(ValueError, match=r"threads=-1: must be an integer from 0 \(one for each core\) to 256"):
        solve(task, threads=-1)
    with pytest.raises(ValueError, match="pdb-catalogue supports boards of 6 to 25 squares; this one has 2x2"):
        solve(problem((1, 2, 0, 3), extent=(2, 2)))
    with pytest.raises(ValueError, match="pdb-catalogue supports boards of 6 to 25 squares; this one has 6x5"):
        solve(problem([*range(1, 29), 0, 29], extent=(5, 6)))


# -- databases on disk -------------------------------------------------------------------------------


@pytest.mark.compiled
@pytest.mark.extended
def test_databases_are_read_again_and_damaged_ones_are_built_again(tmp_path, monkeypatch):
    monkeypatch.setattr(catalogue_cache, "cache_root", lambda: tmp_path)
    shapes = make_catalogue(3, 4).shapes()
    numbers = functools.partial(lambda pages: np.zeros(16, np.uint8))
    fresh = catalogue_cache.fill_tables(shapes, numbers, progress=False).copy()
    paths = [path_of(shape) for shape in shapes]
    before = [path.read_bytes() for path in paths]
    content = bytearray(before[0])
    content[-1] ^= 1
    paths[0].write_bytes(content)
    paths[1].write_bytes(before[1][:-5])
    paths[2].unlink()
    with pytest.warns(UserWarning, match=r"cannot be used|is damaged|invalid"):
        again = catalogue_cache.fill_tables(shapes, numbers, progress=False)
    assert np.array_equal(again, fresh)
    assert [path.read_bytes() for path in paths] == before
