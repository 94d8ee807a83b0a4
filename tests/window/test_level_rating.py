"""Whether a drawn level can be solved, and how hard it is."""

import time

import pytest
from helpers import PUZZLES

from gridpuzzles_gym.agents.search.problem import Limits
from gridpuzzles_gym.engine.puzzle import SOLVED
from gridpuzzles_gym.session.jobs import Job
from gridpuzzles_gym.session.rating import Verdict, proving_searches, rate_level, rated, solve_level, solved
from gridpuzzles_gym.window.model.editing.board_reading import read_board
from gridpuzzles_gym.window.model.editing.level_editing import Editing

SOKOBAN, BAIT, TILES = PUZZLES["sokoban"], PUZZLES["bait"], PUZZLES["n_puzzle"]
TWO_BOXES = "#######\n#@    #\n# $ $.#\n#    .#\n#######\n"


def level(puzzle, text):
    return puzzle, Editing(puzzle, read_board(puzzle, text)[1]).level()


def quiet(snapshot):
    pass


def assert_solves(puzzle, scene, actions):
    level, state = scene.level, scene.state.copy()
    for action in actions:
        puzzle.rules.step(level, state, action, None)
    assert puzzle.rules.outcome(level, state) == SOLVED


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("sokoban", TWO_BOXES),
        ("bait", "wwwwww\nwA.k.w\nw.10gw\nwwwwww\n"),
        ("n_puzzle", "123\n056\n478\n"),
    ],
)
def test_solutions_are_solutions(name, text):
    puzzle = PUZZLES[name]
    editing = Editing(puzzle, read_board(puzzle, text)[1])
    for verdict in (solved(puzzle, editing.level(), quiet), rated(puzzle, editing.level(), quiet)):
        assert verdict.solvable
        assert_solves(puzzle, editing.scene(), verdict.actions)


def test_what_a_rating_proves():
    verdict = rated(*level(TILES, "123\n056\n478\n"), quiet)
    assert verdict.numbers == {"fewest moves": 3}
    assert verdict.words.startswith("fewest moves 3 (")
    verdict = rated(*level(SOKOBAN, TWO_BOXES), quiet)
    assert verdict.numbers["fewest pushes"] == 5
    assert verdict.numbers["fewest moves"] == len(verdict.actions)
    assert "box changes" in verdict.numbers
    assert "fewest pushes 5" in verdict.words
    verdict = rated(*level(BAIT, "wwwwww\nwA.k.w\nw.10gw\nwwwwww\n"), quiet)
    assert verdict.numbers == {"highest score": 6, "fewest moves": 4}


@pytest.mark.parametrize("name", ["sokoban", "bait", "n_puzzle"])
def test_some_search_proves_the_fewest_moves(name):
    assert any(search.optimal for search in proving_searches(PUZZLES[name]))


def test_what_cannot_be_solved():
    corridor = "######\n#@.$ #\n######\n"
    for work in (solved, rated):
        verdict = work(*level(SOKOBAN, corridor), quiet)
        assert verdict.solvable is False
        assert verdict.words.startswith("cannot be solved: ")
        assert not verdict.actions
    shut = "wwwwww\nwA.wkw\nw..wgw\nwwwwww\n"
    assert solved(*level(BAIT, shut), quiet).solvable is False


def test_a_limit_leaves_it_open():
    hard = "5 12 3 9\n1 14 8 2\n13 6 15 7\n11 4 10 0\n"
    editing = Editing(TILES, read_board(TILES, hard)[1])
    if editing.fault:  # of the other half
        editing.move((0, 0), (0, 1))
    verdict = solved(TILES, editing.level(), quiet, Limits(nodes=100))
    assert verdict.solvable is None
    assert "the limit of nodes is reached" in verdict.words


@pytest.mark.parametrize(
    ("name", "text", "wins"),
    [("wumpus", ". . .\n. G .\n^ . .\n", 1.0), ("cat_mouse", "####\n#ME#\n####\n", 1.0)],
)
def test_where_chance_rules_an_agent_plays(name, text, wins):
    verdict = solved(*level(PUZZLES[name], text), quiet)
    assert verdict.numbers["success"] == wins
    assert "wins 100% of 200 games" in verdict.words


@pytest.mark.parametrize("work", [solve_level, rate_level])
def test_it_is_the_work_of_a_job(work):
    job = Job(work, level(SOKOBAN, TWO_BOXES))
    updates = []
    deadline = time.monotonic() + 60
    while not job.done and time.monotonic() < deadline:
        updates += job.poll()
        time.sleep(0.01)
    assert job.error == ""
    assert isinstance(updates[-1], Verdict)
    assert updates[-1].solvable
