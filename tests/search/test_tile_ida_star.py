"""IDA* for sliding tiles: Korf's figures, shortest plans on every kind of board, limits."""

import functools

import pytest
from helpers import REPOSITORY
from tile_boards import KORF, korf, problem, scrambled

from gridpuzzles_gym.agents.n_puzzle.heuristics import HEURISTICS
from gridpuzzles_gym.agents.n_puzzle.ida_star import SEARCHES
from gridpuzzles_gym.agents.search.heuristic import ZERO
from gridpuzzles_gym.agents.search.problem import EXHAUSTED, FOUND, INTERRUPTED, LIMIT, Limits
from gridpuzzles_gym.puzzles.n_puzzle import boards, rules

SEARCH = SEARCHES["tile-ida-star"]

KORF_FILE = REPOSITORY.parent / "shared" / "data" / "npuzzle" / "korf_15puzzle_01-20.txt"


def solve(task, name, **limits):
    return SEARCH.solve(task, HEURISTICS[name], Limits(**limits))


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize(("number", "length", "nodes", "board"), KORF)
def test_korfs_counts(number, length, nodes, board):
    task = korf(board)
    result = solve(task, "manhattan")
    assert (result.status, result.cost, len(result.actions)) == (FOUND, length, length)
    assert result.generated + 1 == nodes, "Korf counts the start as well"
    assert task.reaches_goal(result.actions)
    other = solve(task, "linear-conflict")
    assert other.cost == length
    assert other.generated < result.generated
    assert task.reaches_goal(other.actions)


@pytest.mark.compiled
@pytest.mark.extended
def test_korfs_lengths():
    if not KORF_FILE.exists():
        pytest.skip(f"Korf's instances are not in {KORF_FILE.parent.name}/ next to the repository")
    lines = [line.split(";") for line in KORF_FILE.read_text().splitlines() if not line.startswith("#")]
    assert len(lines) == 20
    for _, length, _, _, board in lines[::2]:  # benchmarks/korf.py solves them all
        task = korf(board)
        result = solve(task, "pdb-6-6-3")
        assert result.cost == int(length)
        assert task.reaches_goal(result.actions)


@functools.cache
def distances(goal, extent):
    """Breadth-first from the goal, move by move with the rules."""
    level, state = boards.make_rows(goal, goal, extent)
    found, edge = {goal: 0}, [state]
    while edge:
        following = []
        for state in edge:
            for action in range(4):
                after = state.copy()
                rules.step(level, after, action, None)
                board = tuple(after[rules.TILES :].tolist())
                if board not in found:
                    found[board] = found[tuple(state[rules.TILES :].tolist())] + 1
                    following.append(after)
        edge = following
    return found


@pytest.mark.extended
@pytest.mark.parametrize("name", ["misplaced", "manhattan", "linear-conflict", "pdb"])
@pytest.mark.parametrize(("extent", "goal"), [((2, 2), "rows"), ((2, 3), (3, 5, 0, 1, 4, 2)), ((3, 2), "spiral")])
def test_every_small_board(name, extent, goal):
    every = distances(boards.arrange(goal, *extent), extent)
    for tiles, distance in every.items():
        task = problem(tiles, goal, extent)
        result = solve(task, name)
        assert (result.status, result.cost) == (FOUND, distance)
        assert task.reaches_goal(result.actions)


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize(
    ("extent", "goal", "moves", "names"),
    [
        ((4, 4), "spiral", 60, ("manhattan", "linear-conflict", "pdb-5-5-5")),
        ((4, 4), (1, 0, *range(2, 16)), 60, ("linear-conflict", "pdb-5-5-5")),
        ((3, 5), "rows", 40, ("manhattan", "linear-conflict")),
        ((3, 4), "rows", 60, ("manhattan", "linear-conflict")),
        ((5, 5), "rows", 40, ("manhattan", "linear-conflict")),
        ((2, 5), "rows", 60, ("manhattan", "linear-conflict", "pdb")),
        ((10, 10), "spiral", 30, ("misplaced", "manhattan", "linear-conflict")),
    ],
)
def test_other_sizes_and_goals(extent, goal, moves, names):
    for seed in range(4):
        task = scrambled(goal, extent, moves, seed)
        results = [solve(task, name) for name in names]
        assert all(task.reaches_goal(result.actions) for result in results)
        assert len({result.cost for result in results}) == 1
        assert results[0].cost <= moves + 40


def least_estimate(task, result, name):
    states = task.replay(result.actions)
    heuristic = HEURISTICS[name]
    tables, evaluate = heuristic.prepare(task.level), heuristic.function()
    found = [evaluate(task.level, state, tables) for state in states]
    assert min(found) == found[-1] < found[0]


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize("name", ["manhattan", "linear-conflict"])
def test_limits(name):
    task = korf("14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3")
    few = solve(task, name, nodes=12_345)
    assert (few.status, few.reason, few.expanded) == (LIMIT, "nodes", 12_345)
    assert not few.solved
    least_estimate(task, few, name)
    short = solve(task, name, seconds=0.05)
    assert (short.status, short.reason) == (LIMIT, "seconds")
    assert short.expanded < 10_000_000  # several times what it expands in that time
    shallow = solve(task, name, depth=47)
    assert (shallow.status, shallow.reason) == (LIMIT, "depth")
    assert len(shallow.actions) < 48
    assert solve(task, name, depth=3).actions == ()
    exact = korf(KORF[1][3])
    assert solve(exact, name, depth=45).cost == 45
    assert solve(exact, name, depth=44).status == LIMIT


def test_ctrl_c():
    def interrupt(snapshot):
        raise KeyboardInterrupt

    task = korf("14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3")
    result = SEARCH.solve(task, HEURISTICS["manhattan"], progress=interrupt)
    assert result.status == INTERRUPTED
    least_estimate(task, result, "manhattan")


def test_what_cannot_be_solved():
    tiles = [2, 1, *range(3, 16), 0]
    with pytest.raises(ValueError, match=r"^this board cannot be solved: "):
        problem(tiles)
    task = problem([*range(1, 16), 0])
    task.state[:] = boards.make_rows(tiles, boards.arrange("rows", 4, 4), (4, 4))[1]  # behind the problem's back
    result = solve(task, "linear-conflict")
    assert (result.status, result.actions) == (EXHAUSTED, ())
    assert solve(problem([*range(1, 16), 0]), "linear-conflict").actions == ()


def test_what_is_not_served():
    task = korf(KORF[0][3])
    with pytest.raises(
        ValueError, match="tile-ida-star has no incremental version of heuristic 'zero'; it supports linear-conflict"
    ):
        SEARCH.solve(task, ZERO)
    with pytest.raises(ValueError, match=r"costs=\[1, 2, 1, 1\] must all be 1"):
        SEARCH.solve(problem(task.state[rules.TILES :], "blank-first", costs=(1, 2, 1, 1)), HEURISTICS["manhattan"])
