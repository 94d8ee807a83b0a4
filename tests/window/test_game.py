"""A person's game: levels by number, undo and redo, saving and resuming."""

import json
import random

import numpy as np
import pytest
from helpers import same

from gridpuzzles_gym.engine.kernels import PLACE
from gridpuzzles_gym.session.game import Game

IDS = ["Wumpus-v0", "CatMouse-v0", "Bait-v0", "EightPuzzle-v0", "FifteenPuzzle-v0", "Sokoban-v0"]
PACK = {"Sokoban-v0": "first", "Bait-v0": "lessons"}


def game_of(env_id, **settings):
    return Game(env_id, PACK.get(env_id), **settings)


def state(game):
    """The state, but not where in the pool its level comes from."""
    saved = game.env.get_state()
    saved["counters"][PLACE] = 0
    return saved


def play_randomly(game, steps, seed=0):
    numbers = random.Random(seed)
    for _ in range(steps):
        if game.over:
            break
        game.play(numbers.choice(np.flatnonzero(game.env.action_masks()).tolist() or [0]))


@pytest.mark.parametrize("env_id", IDS)
def test_undo_and_redo_go_through_the_same_states(env_id):
    game = game_of(env_id)
    states = [state(game)]
    for k in range(25):
        play_randomly(game, 1, k)
        states.append(state(game))
    states = states[: len(game.taken) + 1]
    taken = game.taken
    for expected in reversed(states[:-1]):
        assert game.undo()
        assert same(state(game), expected)
    assert not game.undo()
    assert game.undone == taken
    for expected in states[1:]:
        assert game.redo()
        assert same(state(game), expected)
    assert not game.redo()
    assert game.taken == taken


def test_a_new_action_forgets_what_was_undone():
    game = game_of("Sokoban-v0")
    play_randomly(game, 6)
    game.undo()
    game.undo()
    play_randomly(game, 1, seed=9)
    assert game.undone == []
    assert not game.redo()


@pytest.mark.parametrize("env_id", IDS)
def test_restart(env_id):
    game = game_of(env_id)
    before = state(game)
    play_randomly(game, 10)
    game.restart()
    assert same(state(game), before)
    assert game.moves == 0


def test_a_person_has_no_step_limit_unless_asked():
    game = Game("EightPuzzle-v0")
    while game.moves < 300 and not game.over:
        play_randomly(game, 1, game.moves)
    assert game.moves == 300
    limited = Game("EightPuzzle-v0", limit=3)
    play_randomly(limited, 10)
    assert limited.over
    assert limited.moves == 3


def test_levels_by_number():
    game = Game("Sokoban-v0", "first", 2)
    assert (game.number, game.count) == (2, 30)
    assert game.title == game.pack[2].name
    assert game.env.config.extent == game.pack[2].extent
    assert game.has(1)
    game.go_to(29)
    assert not game.has(1)
    assert game.has(-1)
    with pytest.raises(ValueError, match=r"no level 31; levels are numbered from 1 to 30"):
        game.go_to(30)
    assert game.number == 29


def test_generated_instances_have_no_end_and_are_given_by_their_seed():
    game = Game("Wumpus-v0", number=7)
    assert (game.count, game.level, game.title) == (None, None, "seed 7")
    seventh = state(game)
    game.go_to(8)
    assert not same(state(game)["levels"], seventh["levels"])
    game.go_to(7)
    assert same(state(game), seventh)


def test_the_default_pack_is_played_in_order():
    game = Game("Bait-v0")
    assert game.choice == game.puzzle.default_levels
    assert game.number == 0


@pytest.mark.parametrize("env_id", IDS)
def test_a_saved_game_continues(env_id):
    game = game_of(env_id)
    play_randomly(game, 12, seed=3)
    for _ in range(min(4, len(game.taken))):
        game.undo()
    resumed = Game.resumed(json.loads(json.dumps(game.save())))
    assert same(state(resumed), state(game))
    assert (resumed.taken, resumed.undone) == (game.taken, game.undone)
    assert (resumed.number, resumed.title, resumed.count) == (game.number, game.title, game.count)
    assert resumed.redo() == game.redo()
    assert same(state(resumed), state(game))


def test_a_saved_game_outlives_its_file(tmp_path):
    file = tmp_path / "mine.txt"
    file.write_text("; one\n#####\n#@$.#\n#####\n\n; two\n######\n#@ $.#\n######\n")
    game = Game("Sokoban-v0", str(file), 1)
    game.play(3)
    saved = game.save()
    file.write_text("; one\n#####\n#@$.#\n#####\n")
    resumed = Game.resumed(saved)
    assert resumed.count == 1
    assert same(state(resumed)["states"], state(game)["states"])
    file.unlink()
    assert Game.resumed(saved).taken == [3]


def test_a_level_may_depend_on_the_options():
    """This board can only be solved with that goal."""
    board = "14 13 15 7\n11 12 9 5\n6 0 2 1\n4 8 10 3\n"
    game = Game("FifteenPuzzle-v0", levels=board, goal="blank-first")
    play_randomly(game, 5)
    assert game.key
    resumed = Game.resumed(json.loads(json.dumps(game.save())))
    assert same(state(resumed)["states"], state(game)["states"])
    assert (resumed.title, resumed.taken) == (game.title, game.taken)


WRONG = [
    ({}, "not a saved game"),
    ({"version": 3}, "version 3, not 1"),
    ({"taken": [99]}, "action 99"),
    ({"taken": None}, "not a saved game"),
    ({"id": "Nope-v0"}, "unknown environment"),
    ({"settings": {"size": "huge"}}, "no setting 'size'"),
    ({"text": "#", "choice": "nowhere"}, "."),
]


@pytest.mark.parametrize(("change", "reason"), WRONG)
def test_a_wrong_save_is_an_error(change, reason):
    saved = game_of("Sokoban-v0").save() | change if change else {}
    with pytest.raises(ValueError, match=reason):
        Game.resumed(saved)
