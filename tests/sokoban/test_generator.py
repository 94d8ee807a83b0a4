"""The level generator: the building game and its evaluation against slow twins, and levels as promised."""

import pickle
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive_building import Building

from gridpuzzles_gym.agents.sokoban.generation import building
from gridpuzzles_gym.agents.sokoban.generation.building import BOX_ON, DONE, HEADER, NEXT, PHASE, roll_out
from gridpuzzles_gym.agents.sokoban.generation.climbing import BOXES, GOALS, LAYERS, NOT_A_LEVEL, WALLS, make_editor
from gridpuzzles_gym.agents.sokoban.generation.difficulty import Measured, measure
from gridpuzzles_gym.agents.sokoban.generation.evaluating import Weights, evaluate
from gridpuzzles_gym.agents.sokoban.generation.generator import Generator, Recipe, board_of
from gridpuzzles_gym.engine.kernels import kernel
from gridpuzzles_gym.engine.random import below
from gridpuzzles_gym.puzzles.sokoban import PUZZLE
from gridpuzzles_gym.puzzles.sokoban.boards import grid, make_rows, squares_of
from gridpuzzles_gym.puzzles.sokoban.notation import read_lurd

UP, DOWN, LEFT, RIGHT = range(4)
PLAYER = LAYERS
WORDS = [int(word) for word in np.random.default_rng(1).integers(1, 2**63, 200)]


def begun(recipe, word=1, player=None):
    """The plan, and the state a game begins in."""
    spec = recipe.spec()
    state = np.zeros(HEADER + 3 * recipe.boxes + recipe.height * recipe.width, np.int16)
    building.begin(spec, state, np.array([word], np.uint64))
    if player is not None:
        state[building.cell(spec, state[building.PLAYER])] = building.WALL
        state[building.PLAYER] = player[0] * recipe.width + player[1]
        state[building.cell(spec, state[building.PLAYER])] = building.EMPTY
    return spec, state


def rows_built(spec, state):
    level = make_rows(*board_of(spec, state), int(state[building.HOME]), PUZZLE.read_options())
    return tuple(grid(*level))


def built(recipe, player, actions):
    """Play a game of building from a square; the plan and the state at its end, every action being legal."""
    spec, state = begun(recipe, player=player)
    for action in actions:
        assert building.legal(spec, state, action)
        building.play(spec, state, action)
    return spec, state


def reward(spec, state, weights=None):
    return evaluate(spec, state, (weights or Weights()).row(), np.zeros(spec[0] * spec[1], np.int16))


# -- the building game ---------------------------------------------------------------------------------


def test_a_level_is_built_in_three_phases():
    # Four squares of floor, a box next to the player, pushed twice; the second box never moves, and is gone.
    recipe = Recipe(5, 6, boxes=2, exact=False)
    game = [RIGHT, RIGHT, RIGHT, DOWN, UP, LEFT, LEFT, LEFT, NEXT, BOX_ON + 8, BOX_ON + 16, NEXT, RIGHT, RIGHT, NEXT]
    spec, state = built(recipe, (1, 1), game)
    assert state[PHASE] == DONE
    assert rows_built(spec, state) == ("######", "#@$ .#", "#### #", "######", "######")
    assert building.valid(spec, state)
    assert not any(building.legal(spec, state, action) for action in range(building.actions(spec)))


@given(st.integers(5, 8), st.integers(5, 8), st.integers(1, 3), st.booleans(), st.integers(1, 2**63), st.data())
def test_the_rules_equal_the_slow_twin(height, width, boxes, exact, word, data):
    boxes = min(boxes, (height - 2) * (width - 2) // 4)
    recipe = Recipe(height, width, boxes, exact)
    spec, state = begun(recipe, word)
    twin = Building(height, width, boxes, exact, divmod(int(state[building.PLAYER]), width))
    rng = np.array([word], np.uint64)
    for _ in range(150):
        legal = [action for action in range(building.actions(spec)) if twin.legal(action)]
        assert legal == [action for action in range(building.actions(spec)) if building.legal(spec, state, action)]
        if not legal:
            break
        # To the next phase now and then; boxes often, walls too.
        action = NEXT if NEXT in legal and below(rng, 12) == 0 else legal[below(rng, len(legal))]
        twin.play(action)
        building.play(spec, state, action)
        assert (int(state[building.PLAYER]), int(state[building.FLOOR])) == (
            twin.player[0] * width + twin.player[1],
            len(twin.floor),
        )
    if twin.phase == "done":
        moved = [box for box in twin.boxes if box[2]]
        solved = {start for start, _, _ in moved} == {now for _, now, _ in moved}
        assert building.valid(spec, state) == (bool(moved) and not solved and (len(moved) == boxes or not exact))
        assert rows_built(spec, state) == twin.rows()
        assert reward(spec, state) == pytest.approx(twin.reward())


@pytest.mark.parametrize("exact", [True, False])
def test_roll_outs_play_by_the_rules_to_the_end(exact):
    recipe = Recipe(8, 7, boxes=3, exact=exact)
    valid = 0
    for word in WORDS[:40]:
        spec, state = begun(recipe, word)
        start, trail = state.copy(), np.zeros(1000, np.int16)
        length = roll_out(spec, state, np.array([word], np.uint64), trail, 0, np.zeros((2, 56), np.int16))
        for action in trail[:length].tolist():
            assert building.legal(spec, start, action)
            building.play(spec, start, action)
        assert (start == state).all()
        assert state[PHASE] == DONE
        valid += building.valid(spec, state)
    assert valid >= 5


# -- what a level is worth -------------------------------------------------------------------------------


def test_the_evaluation_of_a_corridor_by_hand():
    # #####   Of nine 3x3 blocks the three above and the three in the middle have wall and floor: P_b = 6.
    # #@$.#   Box and goal span two squares without a wall: P_c = (10 + 5) / 2 = 7.5. n = 1.
    # #####   (10 * 6 + 5 * 7.5 + 1) / 50 = 1.97
    spec, state = built(Recipe(5, 5, boxes=1), (1, 1), [RIGHT, RIGHT, LEFT, LEFT, NEXT, BOX_ON + 7, NEXT, RIGHT, NEXT])
    assert rows_built(spec, state) == ("#####", "#@$.#", "#####", "#####", "#####")
    assert reward(spec, state) == pytest.approx(1.97)
    # Each weight in its place: (2*6 + 3*(7*1 + 11*1)/(2*2) + 5*1) / 4
    weights = Weights(blocks=2, congestion=3, boxes=5, divisor=4, box=7, goal=11, space=2)
    assert reward(spec, state, weights) == pytest.approx((12 + 3 * 18 / 4 + 5) / 4)
    assert reward(spec, state, Weights(displacement=100)) == pytest.approx(1.97 + 100 / 50)


def test_measured_worth_is_the_weighted_sum_of_what_was_measured():
    (level,) = PUZZLE.parse("######\n#@ $.#\n# $. #\n######\n", "here")
    rows = PUZZLE.encode(level, level.extent, PUZZLE.read_options())
    found = measure(*rows)
    weights = Measured(2, 3, 5, 7, 11)
    wanted = 2 * np.log2(1 + found.nodes) + 3 * np.log2(1 + found.proof_nodes) + 5 * found.pushes
    assert found.solved
    assert weights(*rows) == pytest.approx(wanted + 7 * found.box_changes + 11 * found.deadlock_density)
    assert Measured(limit=1)(*rows) == 0


# -- the generator -----------------------------------------------------------------------------------------


@pytest.mark.extended
@pytest.mark.parametrize(
    "recipe",
    [
        Recipe(7, 7, 2, simulations=50, evaluation="original"),
        Recipe(7, 7, 2, exact=False, simulations=50, evaluation="original"),
        Recipe(9, 6, 3, simulations=50),
        Recipe(5, 5, 1, simulations=30),
        Recipe(6, 12, 4, simulations=30, floor=(60, 100), pushes=5),
        Recipe(8, 8, 3, simulations=30, widen=250, evaluation="displacement"),
        Recipe(8, 7, 3, simulations=20, edits=100),
    ],
    ids=str,
)
def test_every_level_is_solved_by_its_certificate_and_by_the_solver(recipe):
    made = [made for made in map(Generator(recipe).make, WORDS[:15]) if made is not None]
    assert len(made) >= 12
    for each in made:
        (level,) = PUZZLE.parse("\n".join(each.rows), "made")
        assert level.content == each.rows
        assert level.extent == (recipe.height, recipe.width) == each.level.extent
        boxes = sum(map("".join(each.rows).count, "$*"))
        assert boxes == recipe.boxes if recipe.exact else 1 <= boxes <= recipe.boxes
        rows = PUZZLE.encode(level, level.extent, PUZZLE.read_options())
        state, ended = rows[1].copy(), False
        for action in read_lurd(each.certificate):
            assert not ended
            _, ended = PUZZLE.rules.step(rows[0], state, action, np.ones(1, np.uint64))
        assert ended
        assert measure(*rows).solved


@pytest.mark.extended
def test_equal_words_make_equal_levels_here_and_in_a_copy():
    generator = Generator(Recipe(7, 7, 2, simulations=100, edits=30))
    copy = pickle.loads(pickle.dumps(generator))
    assert [generator.make(word) for word in WORDS[:5]] == [copy.make(word) for word in WORDS[:5]]
    assert len({generator.make(word).rows for word in WORDS[:5]}) == 5


def flood(floor, start):
    """The squares connected with one, bool[H, W]."""
    seen = np.zeros((floor.shape[0] + 2, floor.shape[1] + 2), bool)
    seen[start[0] + 1, start[1] + 1] = True
    for _ in range(floor.size):
        next_to = seen[:-2, 1:-1] | seen[2:, 1:-1] | seen[1:-1, :-2] | seen[1:-1, 2:]
        seen[1:-1, 1:-1] |= next_to & floor
    return seen[1:-1, 1:-1]


def test_an_edited_board_is_a_level_with_as_many_boxes():
    rows = "#######", "#@$-.-#", "#-$-.-#", "#-----#", "#######"
    (level,) = PUZZLE.parse("\n".join(rows), "room")
    level_row, state = PUZZLE.encode(level, level.extent, PUZZLE.read_options())
    board, player = np.array(squares_of(level_row, state), np.uint8), 8
    rng, queue, kinds = np.array([5], np.uint64), np.zeros(35, np.int16), set()
    for _ in range(3000):
        edited = board.copy()
        there = kernel(make_editor)(edited.reshape(LAYERS, -1), 7, player, rng, queue)
        if there == NOT_A_LEVEL:
            continue
        kinds |= {*np.flatnonzero((edited != board).any(axis=(1, 2)))} | ({PLAYER} if there != player else set())
        board, player = edited, there
        walls, goals, boxes = board.astype(bool)
        assert not (goals & boxes | (goals | boxes) & walls).any()
        assert goals.sum() == boxes.sum() == 2
        assert not (walls | boxes).ravel()[player]
        assert (flood(~walls[1:-1, 1:-1], np.subtract(divmod(player, 7), 1)) == ~walls[1:-1, 1:-1]).all()
        assert walls.sum() - walls[1:-1, 1:-1].sum() == 20
    assert kinds == {WALLS, GOALS, BOXES, PLAYER}


def test_an_evaluation_of_ones_own():
    def boxes_on_the_left(level, state):
        return 1.0 + level.size

    made = Generator(Recipe(6, 6, 1, simulations=20, evaluation=boxes_on_the_left)).make(WORDS[0])
    assert made.score == 1.0 + 4 + 36


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize(("evaluation", "size", "boxes"), [("original", 10, 4), ("measured", 20, 10)])
def test_a_deadline_ends_the_search_with_the_best_so_far(evaluation, size, boxes):
    generator = Generator(Recipe(size, size, boxes, simulations=10_000_000, evaluation=evaluation))
    Generator(Recipe(7, 7, 2, simulations=20, evaluation=evaluation)).make(WORDS[0])  # compiles what is needed
    began = time.monotonic()
    made = generator.make(WORDS[0], deadline=began + 1)
    assert time.monotonic() >= began + 1
    assert made is None or (0 < made.simulations < 10_000_000 and made.score > 0)
    assert generator.make(WORDS[0], deadline=began) is None


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"height": 4}, "height=4"),
        ({"width": 1000}, "width=1000"),
        ({"boxes": 0}, "boxes=0"),
        ({"height": 5, "width": 5, "boxes": 3}, "boxes=3"),
        ({"simulations": 0}, "simulations=0"),
        ({"edits": -1}, "edits=-1"),
        ({"edits": 1, "evaluation": "original"}, "edits=1: needs evaluation='measured'"),
        ({"exploration": -1}, "exploration=-1"),
        ({"pushes": 0}, "pushes=0"),
        ({"widen": -1}, "widen=-1"),
        ({"floor": (70, 30)}, "floor=30"),
        ({"floor": 5}, "floor=5"),
        ({"floor": (5, 6, 7)}, "floor="),
        ({"exact": 3}, "exact=3"),
        ({"evaluation": "nice"}, "evaluation='nice'"),
        ({"evaluation": 3}, "evaluation=3"),
    ],
)
def test_what_is_no_recipe_is_refused(wrong, word):
    with pytest.raises(ValueError, match=word):
        Recipe(**wrong)
