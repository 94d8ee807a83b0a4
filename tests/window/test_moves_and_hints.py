"""What counts as a move of a person, and what a hint costs."""

import pytest

from gridpuzzles_gym.agents.search.problem import Problem
from gridpuzzles_gym.agents.search_tables import heuristic_named, search_named
from gridpuzzles_gym.session.game import Game
from gridpuzzles_gym.window.model.progress import Progress
from gridpuzzles_gym.window.model.score_line import record, score_line, stars

UP, DOWN, LEFT, RIGHT = range(4)
CORNER = "1 2 3 / 4 5 6 / 0 7 8"
"""Two moves of the blank to the right solve it; it can go neither down nor left."""


def test_blocked_keys_of_tiles_are_no_moves():
    """Thirteen presses against the edge, one move: one move is counted, and one undo leads back to the start."""
    game = Game("EightPuzzle-v0", CORNER)
    start = game.scene().state.tobytes()
    for _ in range(13):
        game.play(LEFT)
    assert (game.moves, game.scene().steps, game.taken) == (0, 0, [])
    assert (game.scene().action, game.scene().before.tobytes()) == (LEFT, start), "that it is blocked is shown"
    game.play(RIGHT)
    assert (game.moves, game.scene().steps) == (1, 1)
    game.play(DOWN)
    assert game.scene().score == -1
    assert game.undo()
    assert game.scene().state.tobytes() == start
    assert game.scene().action is None
    assert not game.undo()
    assert game.undone == [RIGHT]
    game.play(DOWN)
    assert game.redo(), "a blocked key does not forget what was undone"


@pytest.mark.parametrize("env_id", ["Sokoban-v0", "Bait-v0"])
def test_blocked_steps_are_no_moves_elsewhere(env_id):
    game = Game(env_id, {"Sokoban-v0": "first", "Bait-v0": "lessons"}[env_id])
    for _ in range(20):
        game.play(LEFT)
    assert len(game.taken) < 20
    assert not game.env.action_masks()[LEFT]
    assert game.scene().steps == len(game.taken)


def test_where_chance_plays_a_part_every_action_counts():
    game = Game("Wumpus-v0", "textbook")
    game.play(4)  # there is nothing to release
    assert game.taken == [4]


def test_an_agents_actions_all_count():
    game = Game("EightPuzzle-v0", CORNER)
    game.every_action = True
    game.play(LEFT)
    assert (game.scene().steps, game.taken) == (1, [LEFT])


def solved_game(tmp_path, by_hints):
    progress, game = Progress(tmp_path), Game("Sokoban-v0", "first")
    puzzle = game.puzzle
    actions = search_named("sokoban-moves", puzzle).solve(Problem.of(game.env), heuristic_named(None, puzzle)).actions
    for number, action in enumerate(actions):
        if number in by_hints:
            game.hint(action)
        game.play(action)
    assert game.solved
    return game, progress, len(actions)


def test_a_level_solved_by_hints_alone_has_no_stars_and_no_best(tmp_path):
    game, progress, length = solved_game(tmp_path, range(1000))
    assert game.hints == length
    assert not record(game, progress)
    assert progress.best("sokoban", game.key) is None
    assert stars(score_line(game, progress), game.hints) == 0


def test_the_same_moves_without_hints_have_three(tmp_path):
    game, progress, _ = solved_game(tmp_path, ())
    assert record(game, progress)
    assert stars(score_line(game, progress), game.hints) == 3


def test_hints_are_those_on_the_way_to_the_position():
    game = Game("EightPuzzle-v0", CORNER)
    game.hint(RIGHT)
    game.play(UP)
    assert game.hints == 0, "another move was played"
    game.play(DOWN)
    game.hint(RIGHT)
    game.play(RIGHT)
    assert game.hints == 1
    assert Game.resumed(game.save()).hints == 1
    game.undo()
    assert game.hints == 0
    game.redo()
    assert game.hints == 1
    game.restart()
    game.play(UP)
    assert game.hints == 0, "a new attempt"
