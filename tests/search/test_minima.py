"""What is called a minimum, or the shortest, is proven to be it, wherever people see it."""

import pytest
from helpers import PUZZLES
from naive_sokoban_search import fewest_moves, fewest_pushes
from sokoban_problems import problem_of

from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.agents.search.heuristic import Heuristic
from gridpuzzles_gym.agents.search.problem import FOUND, Result
from gridpuzzles_gym.agents.search_tables import heuristic_named
from gridpuzzles_gym.agents.sokoban import searches
from gridpuzzles_gym.agents.sokoban.generation.difficulty import prove_fewest_moves
from gridpuzzles_gym.agents.sokoban.generation.packs import read_sidecar
from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.play import rating as level_rating
from gridpuzzles_gym.play.play_session import PlaySession
from gridpuzzles_gym.play.progress import Progress
from gridpuzzles_gym.play.scores import score_line, stars
from gridpuzzles_gym.play.solving import describe, solve
from gridpuzzles_gym.puzzles.sokoban import PUZZLE
from gridpuzzles_gym.puzzles.sokoban.notation import read_lurd

PACKS = ("starter", "easy", "medium", "hard")


def test_a_solution_shorter_than_that_with_the_fewest_pushes(tmp_path):
    """Starter 1: 18 moves were shown next to "minimum 22"."""
    game = PlaySession.of("Sokoban-v0", "starter")
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


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize("pack", PACKS)
def test_the_table_is_what_the_search_proves(pack):
    some = slice(0, None, 199) if pack == "hard" else slice(0, None, 37)
    for level, grade in list(zip(find_levels(PUZZLE, pack), read_sidecar(pack), strict=True))[some]:
        problem = problem_of(level.content)
        result = searches.SEARCHES["sokoban-moves"].solve(problem, heuristic_named(None, PUZZLE))
        assert grade.fewest_moves == len(result.actions)
        assert prove_fewest_moves(problem.level, problem.state) == len(result.actions)


@pytest.mark.extended
def test_weighted_search_proves_nothing():
    """With --param weight=20 its solutions were called "proven shortest", in lines, tables and CSV files."""
    vault, more = Game.of("Sokoban-v0", levels="The vault"), {"searches": ["sokoban-moves"], "progress": False}
    [loose], [tight] = (solve(vault, parameters={"weight": weight}, **more) for weight in (20, 1))
    assert len(tight.result.actions) < len(loose.result.actions)
    assert (loose.proven, loose.proof, tight.proven, tight.proof) == (False, "", True, "shortest")
    assert "not proven shortest" in "\n".join(describe(loose))
    assert loose.as_json()["proven_optimal"] is False


def test_a_rating_proves_without_a_heuristic_that_may_be_too_high(monkeypatch):
    """A puzzle's default heuristic need not be admissible; A* with it proves nothing."""
    asked = []
    high = Heuristic("high", "too high", lambda level, state, tables: 0, admissible=False)

    class Spy:
        optimal, informed, proves = True, True, ""

        def solve(self, problem, heuristic, limits):
            asked.append(heuristic.name)
            return Result(FOUND, (3,), 1, 1, 1, 0, 0, 0.0)

    tiles = PUZZLES["n_puzzle"]
    monkeypatch.setattr(level_rating, "heuristic_named", lambda name, puzzle: high)
    monkeypatch.setattr(level_rating, "proving_searches", lambda puzzle: [Spy()])
    monkeypatch.setattr(level_rating, "default_search", lambda puzzle: Spy())
    level_rating.rated(tiles, tiles.parse("123\n456\n708\n", "tiles")[0])
    assert asked == ["high", "zero"]


def test_the_number_that_is_proven_is_written():
    (solution,) = solve(
        Game.of("Sokoban-v0", levels="######/#@$ .#/######"), searches=["sokoban-pushes"], progress=False
    )
    assert next(describe(solution)).endswith("2 moves, 2 pushes, proven fewest pushes")
