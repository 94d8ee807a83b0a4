"""What is called a minimum, or the shortest, is proven to be it, wherever people see it."""

import csv
import dataclasses

import pytest
from helpers import PUZZLES, run
from naive_sokoban_search import fewest_moves, fewest_pushes
from sokoban_packs import write_pack
from sokoban_problems import problem_of

from gridpuzzles_gym.agents.puzzle_agents import agents_record, pack_minima
from gridpuzzles_gym.agents.search.heuristic import Heuristic
from gridpuzzles_gym.agents.search.problem import FOUND, Result
from gridpuzzles_gym.agents.search_tables import heuristic_named, searches_of
from gridpuzzles_gym.agents.sokoban import searches
from gridpuzzles_gym.agents.sokoban.generation.difficulty import measure, prove_fewest_moves
from gridpuzzles_gym.agents.sokoban.generation.packs import COLUMNS, read_numbers, read_sidecar
from gridpuzzles_gym.commands.levels import rating as level_rating
from gridpuzzles_gym.commands.solve import describe, solve
from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.puzzles.sokoban import PUZZLE
from gridpuzzles_gym.puzzles.sokoban.notation import read_lurd
from gridpuzzles_gym.session.game import Game
from gridpuzzles_gym.window.model.progress import Progress
from gridpuzzles_gym.window.model.score_line import minima_of, score_line, stars

BOARDS = [level.content for level in find_levels(PUZZLE, "first")[:4]]
PACKS = ("starter", "easy", "medium", "hard")


def test_a_solution_shorter_than_that_with_the_fewest_pushes(tmp_path):
    """Starter 1: 18 moves were shown next to "minimum 22"."""
    game = Game("Sokoban-v0", "starter")
    for action in read_lurd("ulDDlddRRlluurDldR"):
        game.play(action)
    assert game.solved
    numbers = score_line(game, Progress(tmp_path))
    assert [str(number) for number in numbers] == ["moves 18, minimum 18", "pushes 6, minimum 6"]
    assert stars(numbers) == 3


@pytest.mark.parametrize("pack", ["starter", "starter-test"])
def test_the_table_has_the_fewest_moves_and_pushes(pack):
    """By breadth-first search over single moves, which knows nothing of the suite's searches."""
    for level, grade in list(zip(find_levels(PUZZLE, pack), read_sidecar(pack), strict=True))[::5]:
        assert (grade.fewest_moves, grade.pushes) == (fewest_moves(level.content), fewest_pushes(level.content)), level


@pytest.mark.parametrize("pack", PACKS)
def test_the_table_is_what_the_search_proves(pack):
    some = slice(0, None, 199) if pack == "hard" else slice(0, None, 37)
    for level, grade in list(zip(find_levels(PUZZLE, pack), read_sidecar(pack), strict=True))[some]:
        problem = problem_of(level.content)
        result = searches.SEARCHES["sokoban-moves"].solve(problem, heuristic_named(None, PUZZLE))
        assert grade.fewest_moves == len(result.actions)
        assert prove_fewest_moves(problem.level, problem.state) == len(result.actions)


@pytest.mark.parametrize("pack", [*PACKS, *(f"{pack}-test" for pack in PACKS)])
def test_no_solution_is_shorter_than_the_minimum(pack):
    for grade in read_sidecar(pack):
        assert grade.pushes <= grade.fewest_moves <= len(grade.certificate)


@pytest.mark.parametrize("rows", BOARDS)
def test_what_is_not_proven_is_not_known(rows):
    problem = problem_of(rows)
    assert prove_fewest_moves(problem.level, problem.state) == fewest_moves(rows)
    assert prove_fewest_moves(problem.level, problem.state, 1) is None
    assert measure(problem.level, problem.state).fewest_moves is None
    assert "fewest_moves" not in measure(problem.level, problem.state).numbers()


def test_what_cannot_be_solved_has_no_minimum():
    problem = problem_of(("#####", "#$ .#", "# @ #", "#####"))
    assert prove_fewest_moves(problem.level, problem.state) is None


def test_a_minimum_that_is_not_known_is_not_shown(tmp_path, monkeypatch):
    columns = {**read_numbers("starter"), "fewest_moves": [float("inf")] * 1000}
    record = dataclasses.replace(agents_record(PUZZLE), grades=lambda pack: columns)
    monkeypatch.setattr("gridpuzzles_gym.agents.puzzle_agents.agents_record", lambda puzzle: record)
    monkeypatch.setattr("gridpuzzles_gym.window.model.score_line._pack_minima", pack_minima)
    game = Game("Sokoban-v0", "starter")
    assert minima_of(game) == {"pushes": 6}
    assert [str(number) for number in score_line(game, Progress(tmp_path))] == ["moves 0", "pushes 0, minimum 6"]
    assert stars(score_line(game, Progress(tmp_path))) == 3


def test_an_empty_cell_and_a_table_of_an_earlier_version(tmp_path):
    """The moves of such a table are those of one solution; they are not taken for the fewest."""
    grades = [
        dataclasses.replace(grade, fewest_moves=number)
        for grade, number in zip(read_sidecar("starter"), (7, None, 9, 8), strict=False)
    ]
    table = write_pack(tmp_path / "mine.txt", BOARDS, grades)
    assert read_sidecar(table) == grades
    assert read_numbers(table)["fewest_moves"] == [7, float("inf"), 9, 8]
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[1]["fewest_moves"] == ""
    for row in rows:
        row["moves"] = row.pop("fewest_moves") or "44"
    with table.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    assert [grade.fewest_moves for grade in read_sidecar(table)] == [None] * 4
    assert not {"moves", "fewest_moves"} & {*read_numbers(table)}


def test_generated_packs_have_the_fewest_moves(tmp_path, capsys):
    out = tmp_path / "mine.txt"
    code, told, err = run(
        capsys, "generate", "sokoban", "--size", 6, "--boxes", 2, "--simulations", 20, "--count", 4, "--out", out
    )
    assert code == 0, err
    assert "median fewest moves" in told
    assert "moves" not in COLUMNS
    for level, grade in zip(find_levels(PUZZLE, out), read_sidecar(out), strict=True):
        assert grade.fewest_moves == fewest_moves(level.content)


def test_weighted_search_proves_nothing():
    """With --param weight=20 its solutions were called "proven shortest", in lines, tables and CSV files."""
    [loose] = solve("Sokoban-v0", "The vault", searches=["sokoban-moves"], parameters={"weight": 20}, progress=False)
    [tight] = solve("Sokoban-v0", "The vault", searches=["sokoban-moves"], parameters={"weight": 1}, progress=False)
    assert len(tight.result.actions) < len(loose.result.actions)
    assert (loose.proven, loose.proof, tight.proven, tight.proof) == (False, "", True, "shortest")
    assert "not proven shortest" in "\n".join(describe(loose))
    assert loose.as_json()["proven_optimal"] is False


def test_nor_does_it_in_tables_of_levels(capsys, tmp_path):
    table = tmp_path / "first.csv"
    command = ("levels", "solve", "first", "--search", "sokoban-moves", "--workers", 1, "--csv", table)
    assert run(capsys, *command, "--param", "weight=20")[0] == 0
    with table.open(newline="") as file:
        assert {row["proven"] for row in csv.DictReader(file)} == {"no"}


@pytest.mark.parametrize("name", [*PUZZLES])
def test_parameters_that_loosen_a_search_are_its_own(name):
    for search in searches_of(PUZZLES[name]).values():
        assert {*search.loosening} <= {*search.parameters}
        assert not search.loosening or search.optimal


def test_a_rating_proves_without_a_heuristic_that_may_be_too_high(monkeypatch):
    """A puzzle's default heuristic need not be admissible; A* with it proves nothing."""
    asked = []
    high = Heuristic("high", "too high", lambda level, state, tables: 0, admissible=False)

    class Spy:
        optimal, informed, proves = True, True, ""

        def solve(self, problem, heuristic, limits, progress):
            asked.append(heuristic.name)
            return Result(FOUND, (3,), 1, 1, 1, 0, 0, 0.0)

    tiles = PUZZLES["n_puzzle"]
    monkeypatch.setattr(level_rating, "heuristic_named", lambda name, puzzle: high)
    monkeypatch.setattr(level_rating, "proving_searches", lambda puzzle: [Spy()])
    monkeypatch.setattr(level_rating, "default_search", lambda puzzle: Spy())
    level_rating.rated(tiles, tiles.parse("123\n456\n708\n", "tiles")[0], lambda snapshot: None)
    assert asked == ["high", "zero"]
