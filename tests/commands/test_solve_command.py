"""``gridpuzzles solve``: what it prints, and that bad input is one line."""

import json

import pytest
from helpers import ctrl_c, ctrl_c_too_late, not_refused, puzzle_of, run

from gridpuzzles_gym.agents.search_tables import searches_of

TILES = ["solve", "EightPuzzle-v0"]


def test_one_search_prints_the_plan_and_its_numbers(capsys):
    code, out, _ = run(capsys, *TILES, "--levels", "1 2 3 / 4 5 6 / 0 7 8")
    assert (code, "2 moves, proven shortest" in out, "right right" in out) == (0, True, True)
    assert "astar, linear-conflict: 2 states expanded" in " ".join(out.split())
    corridor = "; down\n####\n#@ #\n#$ #\n#. #\n####\n"
    code, out, _ = run(capsys, "solve", "sokoban", "--levels", corridor, "--search", "breadth-first")
    assert out.splitlines()[:2] == ["down: solved: 1 move, proven shortest", "D"]
    stuck = "########\n#  #   #\n# $  . #\n#  #$  #\n# @#  .#\n########\n"
    code, out, _ = run(capsys, "solve", "sokoban", "--levels", stuck, "--search", "breadth-first")
    assert (code, ": cannot be solved: no state is left to expand\n" in out) == (0, True)
    code, out, _ = run(capsys, *TILES, "--seed", "3", "--search", "breadth-first", "--nodes", "50")
    assert (code, "limit: nodes" in out, "best so far" in out, "50 states expanded" in out) == (0, True, True, True)


def test_several_searches_on_every_level(capsys):
    chosen = [part for name in ("breadth-first", "greedy", "astar") for part in ("--search", name)]
    code, out, _ = run(capsys, *TILES, "--levels", "classic:1", *chosen)
    lengths = [line.split("solved")[1].split()[0] for line in out.splitlines() if "solved" in line]
    assert (code, lengths[0], lengths[2], int(lengths[1].rstrip("*")) >= 5) == (0, "5*", "5*", True)


@pytest.mark.compiled
@pytest.mark.extended
def test_all_is_every_search_that_applies(capsys):
    code, out, _ = run(capsys, *TILES, "--levels", "classic:1", "--search", "all", "--nodes", "100")
    rows = [line.split()[0] for line in out.splitlines() if "solved" in line or "limit" in line or "stuck" in line]
    assert (code, rows) == (0, list(searches_of(puzzle_of("EightPuzzle-v0"))))


def test_json(capsys):
    code, out, _ = run(
        capsys, *TILES, "--seed", "3", "--set", "scramble=8", "--json", "--search", "weighted-astar",
        "--search", "tile-ida-star", "--param", "weight=3", "--heuristic", "manhattan",
    )  # fmt: skip
    weighted, shortest = json.loads(out)
    assert (code, weighted["search"], weighted["heuristic"]) == (0, "weighted-astar", "manhattan")
    assert not weighted["proven_optimal"]
    assert (shortest["status"], shortest["proven_optimal"], shortest["instance"]) == ("solved", True, "seed 3")
    assert len(shortest["actions"]) == len(shortest["moves"]) == shortest["cost"] <= 8
    assert set(shortest) >= {"expanded", "generated", "reopened", "peak_bytes", "seconds"}


def test_ctrl_c_keeps_the_best_plan(capsys, monkeypatch):
    with ctrl_c(0.2):
        code, out, _ = run(capsys, "solve", "FifteenPuzzle-v0", "--seed", "1", "--search", "uniform-cost", "--json")
    (answer,) = json.loads(out)
    assert (code, answer["status"], bool(answer["actions"])) == (130, "interrupted", True)
    ctrl_c_too_late(monkeypatch)
    code, out, _ = run(capsys, *TILES, "--levels", "classic:1", "--search", "astar", "--json")
    (answer,) = json.loads(out)
    assert (code, answer["status"], bool(answer["actions"])) == (130, "interrupted", True)


@pytest.mark.extended
def test_a_network_guides_a_search(capsys):
    code, out, err = run(capsys, "solve", "8-puzzle", "--search", "phs", "--model", "pretrained", "--seed", 7, "--json")
    (solution,) = json.loads(out)
    assert (code, err, solution["status"], solution["proven_optimal"]) == (0, "", "solved", False)


def test_bad_solving_is_one_line_and_exit_code_2(capsys):
    cases = [
        (["wumpus"], "no search applies; agents play it, e.g. gridpuzzles watch wumpus --agent "),
        (["8-puzzle", "--search", "a-star"], "'a-star' is not known"),
        (["8-puzzle", "--heuristic", "pdb-6-6-3"], "4x4"),
        (["8-puzzle", "--nodes", "0"], "limit nodes=0: must be a positive integer"),
        (["8-puzzle", "--nodes", "9" * 30], "limit nodes="),
        (["8-puzzle", "--depth", "-1"], "a positive integer"),
        (["8-puzzle", "--seconds", "nan"], "limit seconds=nan: must be a positive number"),
        (["8-puzzle", "--memory", "0"], "limit memory=0"),
        (["8-puzzle", "--param", "wait=2"], "parameter 'wait'"),
        (
            ["8-puzzle", "--search", "weighted-astar", "--param", "weight=0"],
            "weight=0: must be a number from 1 to 1000",
        ),
        (["8-puzzle", "--levels", "1 2 3 / 4 5 6 / 8 7 0"], "this board cannot be solved"),
        (["8-puzzle", "--levels", "1 2 3 / 4 5 / 8 7 0"], "level text:2"),
        (["8-puzzle", "--levels", "boards/none.txt"], "no levels 'boards/none.txt'"),
        (["8-puzzle", "--search", "phs"], "--search phs needs --model: pretrained, or a model file"),
        (["8-puzzle", "--search", "phs", "--model", "nowhere"], "no model file"),
        (["8-puzzle", "--model", "pretrained"], "--model guides only --search lts, phs, value-astar"),
    ]
    assert not_refused(capsys, cases, "solve") == []
