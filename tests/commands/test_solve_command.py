"""``gridpuzzles solve``: what it prints, and that bad input is one line without a traceback."""

import json

import pytest
from helpers import ctrl_c, ctrl_c_too_late, puzzle_of, run

from gridpuzzles_gym.agents.search_tables import searches_of


def test_solve_prints_plan_and_numbers(capsys):
    code, out, _ = run(capsys, "solve", "EightPuzzle-v0", "--levels", "1 2 3 / 4 5 6 / 0 7 8")
    assert code == 0
    assert "2 moves, proven shortest" in out
    assert "right right" in out
    assert "astar, linear-conflict: 2 states expanded" in " ".join(out.split())


def test_solve_compares_searches_on_every_level(capsys):
    """The comparison of the original 8-puzzle program: its three boards, its three searches."""
    chosen = [part for name in ("breadth-first", "depth-first", "astar") for part in ("--search", name)]
    code, out, _ = run(capsys, "solve", "EightPuzzle-v0", "--levels", "classic", *chosen)
    assert code == 0
    lengths = [line.split("solved")[1].split()[0] for line in out.splitlines() if "solved" in line]
    assert lengths[0::3] == lengths[2::3] == ["5*", "9*", "12*"]
    assert all(int(length.replace(",", "")) > 12 for length in lengths[1::3])


def test_solve_all_runs_every_search_that_applies(capsys):
    code, out, _ = run(capsys, "solve", "EightPuzzle-v0", "--levels", "classic:1", "--search", "all", "--nodes", "1000")
    assert code == 0
    rows = [line.split()[0] for line in out.splitlines() if "solved" in line or "limit" in line or "stuck" in line]
    assert rows == list(searches_of(puzzle_of("EightPuzzle-v0")))


def test_solve_prints_json(capsys):
    code, out, _ = run(
        capsys, "solve", "FifteenPuzzle-v0", "--seed", "3", "--set", "scramble=20", "--json",
        "--search", "weighted-astar", "--search", "tile-ida-star", "--param", "weight=3", "--heuristic", "manhattan",
    )  # fmt: skip
    assert code == 0
    weighted, shortest = json.loads(out)
    assert (weighted["search"], weighted["heuristic"]) == ("weighted-astar", "manhattan")
    assert not weighted["proven_optimal"]
    assert (shortest["status"], shortest["proven_optimal"], shortest["instance"]) == ("solved", True, "seed 3")
    assert len(shortest["actions"]) == len(shortest["moves"]) == shortest["cost"] <= 20
    assert set(shortest) >= {"expanded", "generated", "reopened", "peak_bytes", "seconds"}


def test_solve_says_that_a_level_cannot_be_solved(capsys):
    level = "/".join(["#" * 8, "#  #   #", "# $  . #", "#  #$  #", "# @#  .#", "#" * 8])
    code, out, _ = run(capsys, "solve", "sokoban", "--levels", level, "--search", "breadth-first")
    assert code == 0
    assert ": cannot be solved: no state is left to expand\n" in out
    assert "exhausted" not in out


def test_solve_reports_which_limit_ended_it(capsys):
    code, out, _ = run(
        capsys, "solve", "FifteenPuzzle-v0", "--seed", "3", "--search", "breadth-first", "--nodes", "500"
    )
    assert code == 0
    assert "limit: nodes" in out
    assert "best so far" in out
    assert "500 states expanded" in out


def test_ctrl_c_ends_a_search_with_its_best_plan(capsys):
    search = ["solve", "FifteenPuzzle-v0", "--seed", "1", "--search", "uniform-cost", "--json"]
    run(capsys, *search, "--nodes", "10")  # compiles
    with ctrl_c(1):
        code, out, _ = run(capsys, *search, "--seconds", "30")
    (answer,) = json.loads(out)
    assert (code, answer["status"]) == (130, "interrupted")
    assert answer["actions"]


def test_ctrl_c_as_a_search_ends_keeps_its_solution(capsys, monkeypatch):
    ctrl_c_too_late(monkeypatch)
    code, out, _ = run(capsys, "solve", "EightPuzzle-v0", "--seed", "1", "--search", "astar", "--json")
    (answer,) = json.loads(out)
    assert (code, answer["status"], bool(answer["actions"])) == (130, "interrupted", True)


BAD_SOLVING = {
    "no search applies": (["Wumpus-v0"], "not deterministic"),
    "unknown search": (["EightPuzzle-v0", "--search", "a-star"], "'a-star' is not known"),
    "unknown heuristic": (["EightPuzzle-v0", "--heuristic", "manhatten"], "linear-conflict, manhattan"),
    "heuristic of another size": (["EightPuzzle-v0", "--heuristic", "pdb-6-6-3"], "4x4"),
    "no nodes": (["EightPuzzle-v0", "--nodes", "0"], "limit nodes=0: must be a positive integer"),
    "no depth": (["EightPuzzle-v0", "--depth", "0"], "limit depth=0"),
    "no time": (["EightPuzzle-v0", "--seconds", "0"], "limit seconds=0"),
    "time that is no number": (["EightPuzzle-v0", "--seconds", "nan"], "limit seconds=nan: must be a positive number"),
    "parameter without end": (
        ["EightPuzzle-v0", "--search", "weighted-astar", "--param", "weight=Infinity"],
        "weight='Infinity': must be a number from 1 to 1000",
    ),
    "no memory": (["EightPuzzle-v0", "--memory", "0"], "limit memory=0"),
    "unknown parameter": (["EightPuzzle-v0", "--param", "wait=2"], "parameter 'wait'"),
    "bad parameter": (
        ["EightPuzzle-v0", "--search", "weighted-astar", "--param", "weight=0"],
        "weight=0: must be a number from 1 to 1000",
    ),
    "parity": (["EightPuzzle-v0", "--levels", "1 2 3 / 4 5 6 / 8 7 0"], "odd number of swaps"),
    "duplicate tile": (["EightPuzzle-v0", "--levels", "1 2 3 / 4 5 6 / 8 8 0"], "tile 8"),
    "ragged": (["EightPuzzle-v0", "--levels", "1 2 3 / 4 5 / 8 7 0"], "level text:2"),
    "no such file": (["EightPuzzle-v0", "--levels", "boards/none.txt"], "no levels 'boards/none.txt'"),
    "no such level": (
        ["Sokoban-v0", "--levels", "nope"],
        "no levels 'nope': not a file or folder; the bundled packs of Sokoban are",
    ),
    "a file without levels": (["Sokoban-v0", "--levels", __file__], f"no level in '{__file__}'"),
}


@pytest.mark.parametrize("case", BAD_SOLVING)
def test_bad_solving_is_one_line_and_exit_code_2(capsys, case):
    arguments, hint = BAD_SOLVING[case]
    code, out, err = run(capsys, "solve", *arguments)
    assert code == 2
    assert hint in err
    assert err.startswith("gridpuzzles: ")
    assert err.count("\n") == 1
    assert out.strip() == ""


def test_a_network_guides_a_search(capsys):
    code, out, err = run(capsys, "solve", "8-puzzle", "--search", "phs", "--model", "pretrained", "--seed", 7, "--json")
    (solution,) = json.loads(out)
    assert (code, err, solution["status"], solution["proven_optimal"]) == (0, "", "solved", False)
    missing = run(capsys, "solve", "8-puzzle", "--search", "phs")
    assert missing[::2] == (2, "gridpuzzles: --search phs needs --model: pretrained, or a model file\n")
    idle = run(capsys, "solve", "sokoban", "--levels", "first:1", "--search", "astar", "--model", "pretrained")
    assert idle[::2] == (2, "gridpuzzles: --model guides only --search lts, phs, value-astar\n")
    assert "no model file" in run(capsys, "solve", "8-puzzle", "--search", "phs", "--model", "nowhere")[2]
