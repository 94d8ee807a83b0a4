"""A person's game: levels by number, undo and redo, saving and resuming."""

import contextlib
import json
import math
import random

import numpy as np
import pytest
from helpers import same

from gridpuzzles_gym.engine.kernels import PLACE
from gridpuzzles_gym.play.play_session import PlaySession
from gridpuzzles_gym.play.progress import Progress
from gridpuzzles_gym.play.scores import record, score_line, stars

IDS = ["Wumpus-v0", "CatMouse-v0", "Bait-v0", "EightPuzzle-v0", "FifteenPuzzle-v0", "Sokoban-v0"]
PACK = {"Sokoban-v0": "first", "Bait-v0": "lessons"}


def game_of(env_id, **settings):
    return PlaySession.of(env_id, PACK.get(env_id), **settings)


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
    states = states[: len(game.actions) + 1]
    taken = game.actions
    for expected in reversed(states[:-1]):
        assert game.undo()
        assert same(state(game), expected)
    assert not game.undo()
    assert game.undone == taken
    for expected in states[1:]:
        assert game.redo()
        assert same(state(game), expected)
    assert not game.redo()
    assert game.actions == taken


def test_generated_instances_have_no_end_and_are_given_by_their_seed():
    game = PlaySession.of("Wumpus-v0", number=7)
    assert (game.count, game.level, game.title) == (None, None, "seed 7")
    seventh = state(game)
    game.go_to(8)
    assert not same(state(game)["levels"], seventh["levels"])
    game.go_to(7)
    assert same(state(game), seventh)


def test_a_wrong_save_is_an_error():
    saved, wrong = game_of("Sokoban-v0").save(), []
    for change, reason in (
        (None, "not a saved game"),
        ({"version": 3}, "version 3, not 1"),
        ({"taken": [99]}, "action 99"),
        ({"taken": None}, "not a saved game"),
        ({"id": "Nope-v0"}, "unknown environment"),
        ({"settings": {"size": "huge"}}, "no setting 'size'"),
        ({"text": "#"}, ""),
    ):
        try:
            PlaySession.resumed({} if change is None else saved | change)
        except ValueError as error:
            if reason in str(error):
                continue
        wrong.append((change, reason))
    assert not wrong


HOSTILE = (
    None,
    True,
    -1,
    2**70,
    10**400,
    1e308,
    math.inf,
    math.nan,
    0.5,
    "",
    "x",
    "\ud800",
    [],
    [None],
    [-1],
    {},
    {"": 1},
)


def test_a_damaged_save_is_continued_or_a_value_error_whatever_is_wrong_with_it():
    game = game_of("Sokoban-v0")
    play_randomly(game, 4, seed=3)
    saved = game.save()
    for name in saved:
        for value in HOSTILE:
            with contextlib.suppress(ValueError):
                PlaySession.resumed({**saved, name: value}).close()
            with contextlib.suppress(ValueError):
                game.restore({**saved, name: value})
    won = PlaySession.of("Sokoban-v0", "#####\n#@$.#\n#####\n")
    won.play(3)
    with pytest.raises(ValueError, match="ResetNeeded"):
        PlaySession.resumed({**won.save(), "taken": [3, 3]})


@pytest.mark.parametrize("env_id", IDS)
def test_a_saved_game_continues(env_id):
    game = game_of(env_id)
    play_randomly(game, 12, seed=3)
    for _ in range(min(4, len(game.actions))):
        game.undo()
    resumed = PlaySession.resumed(json.loads(json.dumps(game.save())))
    assert same(state(resumed), state(game))
    assert (resumed.actions, resumed.undone) == (game.actions, game.undone)
    assert (resumed.number, resumed.title, resumed.count) == (game.number, game.title, game.count)
    assert resumed.redo() == game.redo()
    assert same(state(resumed), state(game))


def test_a_saved_game_outlives_its_file(tmp_path):
    file = tmp_path / "mine.txt"
    file.write_text("; one\n#####\n#@$.#\n#####\n\n; two\n######\n#@ $.#\n######\n")
    game = PlaySession.of("Sokoban-v0", str(file), 1)
    game.play(3)
    saved = game.save()
    file.write_text("; one\n#####\n#@$.#\n#####\n")
    resumed = PlaySession.resumed(saved)
    assert resumed.count == 1
    assert same(state(resumed)["states"], state(game)["states"])
    file.unlink()
    assert PlaySession.resumed(saved).actions == [3]


# -- what counts as a move, and what a hint costs ----------------------------------------------------------

UP, DOWN, LEFT, RIGHT = range(4)
SOLUTION = [0, 2, 0, 3, 3, 0, 3, 1, 3, 1, 1, 2, 0, 3, 0, 2, 2, 2, 1, 2, 0, 0]
"""The fewest moves of the first level."""
CORNER = "1 2 3 / 4 5 6 / 0 7 8"
"""Two moves of the blank to the right solve it; it can go neither down nor left."""


def test_blocked_keys_of_tiles_are_no_moves():
    """Thirteen presses against the edge, one move: one move is counted, and one undo leads back to the start."""
    game = PlaySession.of("EightPuzzle-v0", CORNER)
    start = game.scene().state.tobytes()
    for _ in range(13):
        game.play(LEFT)
    assert (game.moves, game.scene().steps, game.actions) == (0, 0, [])
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


def solved_game(tmp_path, by_hints):
    progress, game, actions = Progress(tmp_path), PlaySession.of("Sokoban-v0", "first"), SOLUTION
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


def test_hints_are_those_on_the_way_to_the_position():
    game = PlaySession.of("EightPuzzle-v0", CORNER)
    game.hint(RIGHT)
    game.play(UP)
    assert game.hints == 0, "another move was played"
    game.play(DOWN)
    game.hint(RIGHT)
    game.play(RIGHT)
    assert game.hints == 1
    assert PlaySession.resumed(game.save()).hints == 1
    game.undo()
    assert game.hints == 0
    game.redo()
    assert game.hints == 1
    game.restart()
    game.play(UP)
    assert game.hints == 0, "a new attempt"
