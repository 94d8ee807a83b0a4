"""Mouse gestures: every action they return is legal and leads where it promises, by the fewest moves."""

import random

import gymnasium as gym
import naive_sokoban
import numpy as np
import pytest
from helpers import PUZZLES, ROWS, puzzle_of, rows_of

from gridpuzzles_gym.engine.puzzle import UNFINISHED, Outcome
from gridpuzzles_gym.puzzles.cat_mouse import rules as cat_mouse
from gridpuzzles_gym.puzzles.sokoban import boards as sokoban_boards
from gridpuzzles_gym.puzzles.sokoban import rules as sokoban
from gridpuzzles_gym.puzzles.wumpus import rules as wumpus

UP, DOWN, LEFT, RIGHT = range(4)
DIRECTIONS = ((-1, 0), (1, 0), (0, -1), (0, 1))
"""The (row, column) by which the actions up, down, left and right move."""
CASES = [
    ("Wumpus-v0", {}),
    ("Wumpus-v0", {"size": (5, 3), "pits": 1, "climb": True}),
    ("Wumpus-v0", {"levels": ["..#.\nG.#W\nA..P\n", "#.G\nvW.\n"], "climb": True, "reward": "textbook"}),
    ("CatMouse-v0", {}),
    ("CatMouse-v0", {"maze": "random", "size": (9, 7), "cats": 3}),
    ("CatMouse-v0", {"cat_blocked": True}),
    ("Bait-v0", {}),
    (
        "Bait-v0",
        {"noop": True, "levels": ["wwwwwww\nwA1k.gw\nw0.*..w\nwm.%0.w\nw..1..w\nwwwwwww\n", "K.0\n.*.\ng.g\n"]},
    ),
    ("EightPuzzle-v0", {"scramble": 5}),
    ("EightPuzzle-v0", {"width": 4, "height": 2}),
    ("Sokoban-v0", {}),
    ("Toy-v0", {}),
]


def squares(puzzle, scene, margin=0):
    """Every square of a board; with a margin, some outside it."""
    height, width = puzzle.check(scene.level, scene.state, scene.options)[:2]
    return [(r, c) for r in range(-margin, height + margin) for c in range(-margin, width + margin)]


def ahead(square, action):
    """The adjacent square in the direction of an action."""
    return square[0] + DIRECTIONS[action][0], square[1] + DIRECTIONS[action][1]


def play(puzzle, level, state, actions, seed=1):
    """The states that actions lead through by the interpreted rules, each of them legal."""
    states, random_bits = [state.copy()], np.array([seed], np.uint64)
    for action in actions:
        assert puzzle.rules.outcome(level, states[-1]) == UNFINISHED
        assert puzzle.rules.legal(level, states[-1], action)
        after = states[-1].copy()
        puzzle.rules.step(level, after, action, random_bits)
        states.append(after)
    return states


def positions(id, kwargs, episodes=4, steps=12, seed=0):
    """(puzzle, scene) of positions on random ways, ends included."""
    env = gym.make(id, disable_env_checker=True, **kwargs).unwrapped
    luck = random.Random(seed)
    for episode in range(episodes):
        env.reset(seed=seed + episode)
        for _ in range(luck.randint(0, steps)):
            mask = np.flatnonzero(env.action_masks()).tolist()
            if not mask or env.step(luck.choice(mask))[2]:
                break
        yield env.puzzle, env.scene()


@pytest.mark.parametrize(("id", "kwargs"), CASES, ids=str)
def test_all_actions_are_legal_and_the_rows_unchanged(id, kwargs):
    for puzzle, scene in positions(id, kwargs, episodes=8):
        gestures, rows = puzzle.gestures, (scene.level, scene.state, scene.options)
        before = scene.level.tobytes(), scene.state.tobytes()
        over = puzzle.rules.outcome(*rows[:2]) != UNFINISHED
        highlighted = gestures.reachable(*rows, None)
        luck = random.Random(0)
        around = squares(puzzle, scene, margin=2)
        for square in luck.sample(around, min(len(around), 60)):
            actions = gestures.click(*rows, square)
            assert isinstance(actions, tuple)
            assert (len(actions) > 0) == (square in highlighted)
            assert not (over and actions)
            states = play(puzzle, *rows[:2], actions)
            assert puzzle.rules.outcome(scene.level, states[-1]) in list(Outcome)
            targets = gestures.reachable(*rows, square)
            assert not (over and targets)
            for end in luck.sample(around, 6) + list(targets)[:6]:
                dragged = gestures.drag(*rows, square, end)
                play(puzzle, *rows[:2], dragged)
                assert (len(dragged) > 0) == (end in targets)
        assert before == (scene.level.tobytes(), scene.state.tobytes())


# Sokoban


def sokoban_rows(rows):
    puzzle = PUZZLES["sokoban"]
    options = puzzle.read_options()
    return *sokoban_boards.encode_rows(rows, (len(rows), len(rows[0])), options), options


def fewest_moves(rows, start):
    """Brute force: the fewest moves that bring one box to each square while no other box moves."""
    others = {(r, c) for r, row in enumerate(rows) for c, symbol in enumerate(row) if symbol in "$*"} - {start}
    found, seen, waiting = {}, {(rows, start)}, [(rows, start, 0)]
    for board, box, moves in waiting:
        found.setdefault(box, moves)
        for action in range(4):
            after, pushed = naive_sokoban.play(board, action)
            there = ahead(box, action) if pushed else box
            boxes = {(r, c) for r, row in enumerate(after) for c, symbol in enumerate(row) if symbol in "$*"}
            if boxes == others | {there} and (after, there) not in seen:
                seen.add((after, there))
                waiting.append((after, there, moves + 1))
    return found


def walk_lengths(start, free):
    """The number of steps to every square that can be reached."""
    found, waiting = {start: 0}, [start]
    for square in waiting:
        for action in range(4):
            there = ahead(square, action)
            if there in free and there not in found:
                found[there] = found[square] + 1
                waiting.append(there)
    return found


@pytest.mark.parametrize("seed", range(60))
def test_sokoban_walks_and_pushes_by_the_fewest_moves(seed):
    rows = naive_sokoban.random_board(seed, largest=8)
    puzzle, played = PUZZLES["sokoban"], sokoban_rows(rows)
    level, state, _ = played
    walls, _, boxes = sokoban_boards.squares_of(level, state)
    player = divmod(int(state[sokoban.PLAYER]), int(level[sokoban.STRIDE]))
    free = {(r, c) for r, c in np.argwhere(~(walls | boxes)).tolist()}
    walks = walk_lengths(player, free)
    for square in np.ndindex(walls.shape):
        last = play(puzzle, level, state, actions := puzzle.gestures.click(*played, square))[-1]
        assert len(actions) == walks.get(square, 0)
        if actions:
            assert divmod(int(last[sokoban.PLAYER]), walls.shape[1]) == square
        assert (last[sokoban.BOXES :] == state[sokoban.BOXES :]).all()
    for r, c in np.argwhere(boxes).tolist():
        moves = fewest_moves(rows, (r, c))
        del moves[r, c]
        assert puzzle.gestures.reachable(*played, (r, c)) == moves.keys()
        for end in np.ndindex(walls.shape):
            states = play(puzzle, level, state, actions := puzzle.gestures.drag(*played, (r, c), end))
            if end not in moves:
                assert not actions
                continue
            assert len(actions) == moves[end] or sokoban.solved(level, states[-1])
            moved = boxes.copy()
            moved[r, c], moved[end] = False, True
            if not sokoban.solved(level, states[-1]):
                assert (sokoban_boards.squares_of(level, states[-1])[2] == moved).all()


# Sliding tiles


def test_a_click_slides_all_tiles_up_to_the_blank():
    puzzle = PUZZLES["n_puzzle"]
    played = *rows_of(puzzle, "1 2 3\n4 5 6\n7 0 8\n"), puzzle.read_options()
    gestures = puzzle.gestures
    assert gestures.click(*played, (0, 1)) == (UP, UP)
    assert gestures.click(*played, (2, 0)) == (LEFT,)
    assert gestures.click(*played, (2, 2)) == (RIGHT,)
    assert gestures.click(*played, (2, 1)) == ()
    assert gestures.click(*played, (0, 0)) == ()
    assert gestures.drag(*played, (0, 1), (1, 1)) == (UP, UP)
    assert gestures.drag(*played, (1, 1), (0, 1)) == gestures.drag(*played, (2, 0), (1, 0)) == ()
    assert gestures.reachable(*played, None) == {(0, 1), (1, 1), (2, 0), (2, 2)}
    assert gestures.reachable(*played, (0, 1)) == {(1, 1)}


def test_tiles_stop_where_the_board_is_solved():
    puzzle = PUZZLES["n_puzzle"]
    played = *rows_of(puzzle, "1 2 3\n4 5 0\n7 8 6\n"), puzzle.read_options()
    assert puzzle.gestures.click(*played, (2, 2)) == (DOWN,)
    played = *rows_of(puzzle, "1 2 0\n4 5 3\n7 8 6\n"), puzzle.read_options()
    assert puzzle.gestures.click(*played, (2, 2)) == (DOWN, DOWN)
    options = puzzle.read_options(goal="123405678")
    level, state = puzzle.encode(puzzle.parse("1 0 3\n4 2 5\n6 7 8\n", "text")[0], (3, 3), options)
    assert puzzle.gestures.click(level, state, options, (2, 1)) == (DOWN,)  # solved on the way


# Cat and Mouse


@pytest.mark.parametrize("kwargs", [{}, {"maze": "random", "size": 9, "cats": 4}, {"cat_blocked": True}], ids=str)
def test_the_mouse_takes_one_step_nearer_and_never_onto_a_cat(kwargs):
    for puzzle, scene in positions("CatMouse-v0", kwargs, episodes=12):
        level, state = scene.level, scene.state
        if cat_mouse.outcome(level, state) != UNFINISHED:
            continue
        width = int(level[cat_mouse.STRIDE])
        mouse = divmod(int(state[cat_mouse.MOUSE]), width)
        cats = {divmod(int(cat), width) for cat in state[cat_mouse.CAT : cat_mouse.CAT + level[cat_mouse.CATS]]}
        floor = {
            sq for sq in squares(puzzle, scene) if not level[cat_mouse.CELLS + sq[0] * width + sq[1]] & cat_mouse.WALL
        }
        free = floor - {cat for cat in cats if abs(cat[0] - mouse[0]) + abs(cat[1] - mouse[1]) == 1}
        for square in squares(puzzle, scene):
            actions = puzzle.gestures.click(level, state, scene.options, square)
            assert len(actions) == (square in walk_lengths(mouse, free) and square != mouse)
            if actions:
                there = ahead(mouse, actions[0])
                assert there not in cats
                assert walk_lengths(there, free)[square] == walk_lengths(mouse, free)[square] - 1


# Wumpus World


def cave(text, actions=(), **options):
    puzzle = PUZZLES["wumpus"]
    options = puzzle.read_options(**options)
    (level,) = puzzle.parse(text, "text")
    row, state = puzzle.encode(level, level.extent, options)
    return puzzle, row, play(puzzle, row, state, actions)[-1], options


F, L, R, GRAB, CLIMB = wumpus.FORWARD, wumpus.TURN_LEFT, wumpus.TURN_RIGHT, wumpus.GRAB, wumpus.CLIMB_OUT
CAVE = "....\n.P.W\n....\nA.G.\n"


def test_a_click_next_door_enters_and_one_farther_away_walks_up_to_it():
    puzzle, *rows = cave(CAVE)
    click = puzzle.gestures.click
    assert click(*rows, (3, 1)) == (F,)
    assert click(*rows, (2, 0)) == (L, F)
    assert click(*rows, (3, 0)) == ()
    assert click(*rows, (3, 2)) == click(*rows, (1, 0)) == click(*rows, (4, 0)) == click(*rows, (3, -1)) == ()
    puzzle, *rows = cave(CAVE, (L, F, R, R, F, L, F))  # no percepts at (3, 0) and (3, 1), a breeze at... (2, 1) only
    assert click(*rows, (2, 0)) == (L, L, F, R, F)
    assert click(*rows, (1, 0)) == (L, L, F, R, F, F)  # nothing is felt at (2, 0)
    puzzle, *rows = cave(CAVE, (F, L, F, R, R, F))  # a breeze at (2, 1)
    assert click(*rows, (1, 1)) == (L, L, F)  # walks up to it, and no farther
    assert click(*rows, (2, 2)) == (L, L, F, R) or click(*rows, (2, 2)) == (R, R, F, R)
    puzzle, *rows = cave(CAVE, (F, L, F))
    assert click(*rows, (1, 1)) == (F,)  # next door: the player's own choice


def test_a_click_on_ones_own_square_grabs_and_climbs():
    puzzle, *rows = cave(CAVE, (F, F), climb=True)
    assert puzzle.gestures.click(*rows, (3, 2)) == (GRAB,)
    puzzle, *rows = cave("AG\n", (F, GRAB), climb=True, reward="textbook")
    assert puzzle.gestures.click(*rows, (0, 1)) == ()
    assert puzzle.gestures.click(*rows, (0, 0)) in ((L, L, F), (R, R, F))
    puzzle, *rows = cave("AG\n", (F, GRAB, L, L, F), climb=True, reward="textbook")
    assert puzzle.gestures.click(*rows, (0, 0)) == (CLIMB,)
    puzzle, *rows = cave("AG\n", climb=True)
    assert puzzle.gestures.click(*rows, (0, 0)) == ()  # without the gold it stays


def test_a_drag_from_the_agent_shoots():
    puzzle, *rows = cave(CAVE)
    drag = puzzle.gestures.drag
    assert drag(*rows, (3, 0), (3, 2)) == (wumpus.SHOOT,)
    assert drag(*rows, (3, 0), (0, 0)) == (L, wumpus.SHOOT)
    assert drag(*rows, (3, 0), (2, 1)) == drag(*rows, (3, 1), (3, 2)) == drag(*rows, (3, 0), (3, 0)) == ()
    puzzle, *rows = cave(CAVE, (wumpus.SHOOT,))
    assert drag(*rows, (3, 0), (3, 2)) == ()


def test_clicks_leak_nothing_about_squares_not_visited():
    one, other = cave("G..P\nW..#\n....\nA...\n", (L, F)), cave("..PP\n#..G\n.W..\nA...\n", (L, F))
    for square in np.ndindex(4, 4):
        clicks = [puzzle.gestures.click(*rows, square) for puzzle, *rows in (one, other)]
        if square != (1, 0):  # rock next to a visited square is seen
            assert clicks[0] == clicks[1]
    # Entering ends the sequence, whatever is there.
    pit, floor = cave("...\nP..\nA.G\n"), cave("P..\n...\nA.G\n")
    assert [puzzle.gestures.click(*rows, (1, 0)) for puzzle, *rows in (pit, floor)] == [(L, F)] * 2


# The record


@pytest.mark.parametrize("id", [row.id for row in ROWS])
def test_the_record_says_what_keys_and_gestures_do(id):
    puzzle = puzzle_of(id)
    names = puzzle.actions(puzzle.read_options())
    assert set(range(len(names))) <= set(puzzle.keys.values())
    assert set(puzzle.key_words) <= set(puzzle.keys.values())
    if puzzle.gestures is not None:
        assert puzzle.gestures.click_words


@pytest.mark.parametrize("id", [row.id for row in ROWS])
def test_what_is_hidden_is_only_a_matter_of_pictures(id):
    puzzle = puzzle_of(id)
    if puzzle.hidden is None:
        env = gym.make(id).unwrapped
        env.reset(seed=0)
        assert puzzle.revealed(env.scene()) is not None
        assert puzzle.revealed(scene := env.scene()) is scene
        return
    envs = [gym.make(id, **options).unwrapped for options in (puzzle.hidden.playing, puzzle.hidden.revealed)]
    observations = [env.reset(seed=3)[0] for env in envs]
    np.testing.assert_array_equal(*observations)
    playing, revealed = (env.scene() for env in envs)
    assert (playing.level == revealed.level).all()
    assert playing.options != revealed.options
    assert puzzle.revealed(playing).options == revealed.options
    assert puzzle.revealed(revealed).options == revealed.options
    assert puzzle.concealed(revealed).options == puzzle.concealed(playing).options == playing.options
