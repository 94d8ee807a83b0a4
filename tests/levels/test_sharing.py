"""A game as text and back: level, position, solution, id."""

import pytest

from gridpuzzles_gym.session.game import Game
from gridpuzzles_gym.session.sharing import game_id, level_text, position_text, read_game, read_moves, solution_text

GAMES = {
    "8-puzzle": (("EightPuzzle-v0", None, 7), {}, "EightPuzzle-v0#7"),
    "tiles of another size": (("FifteenPuzzle-v0", None, 3), {"width": 3, "height": 2}, None),
    "caves": (("Wumpus-v0", None, 28), {"size": 6, "pits": 5}, "Wumpus-v0?size=6&pits=5#28"),
    "a pack": (("Sokoban-v0", "starter", 11), {}, "Sokoban-v0:starter#12"),
    "mazes": (("CatMouse-v0", None, 5), {"maze": "random", "size": 9}, None),
}


@pytest.mark.parametrize("name", GAMES)
def test_an_id_leads_back_to_the_same_level(name):
    arguments, settings, expected = GAMES[name]
    game = Game(*arguments, **settings)
    text = game_id(game)
    assert expected is None or text == expected
    again = read_game(text)
    for one, other in zip(
        (again.scene().level, again.scene().state), (game.scene().level, game.scene().state), strict=True
    ):
        assert (one == other).all()


def test_level_position_and_solution_of_sokoban():
    game = Game("Sokoban-v0", "first", 0)
    start = level_text(game)
    assert start.startswith(f"; {game.title}\n")
    for action in range(4):
        game.play(action)
    moves = solution_text(game)
    assert len(moves) == len(game.taken)
    assert [letter.isupper() for letter in moves].count(True) == game.metrics()["pushes"]
    assert level_text(game) == start
    assert position_text(game) != start
    again = read_game(position_text(game))
    assert (again.scene().state == game.scene().state).all()
    assert read_moves(game.puzzle, game.env.options, moves) == game.taken
    replayed = read_game(start)
    for action in read_moves(game.puzzle, game.env.options, moves):
        replayed.play(action)
    assert (replayed.scene().state == game.scene().state).all()


def test_moves_are_named_where_letters_would_be_unclear():
    game = Game("Wumpus-v0", "textbook")
    for action in (0, 1, 5):
        game.play(action)
    text = solution_text(game)
    assert text == "turn left turn right shoot"
    assert read_moves(game.puzzle, game.env.options, text) == [0, 1, 5]
    with pytest.raises(ValueError, match="'jump' is no move; allowed are turn left"):
        read_moves(game.puzzle, game.env.options, "turn left jump")


def test_own_levels_are_their_board():
    game = read_game("#######\n#@ $ .#\n#######\n")
    assert game.env_id == "Sokoban-v0"
    assert game_id(game) == "#######/#@ $ .#/#######"
    again = read_game(game_id(game), game.puzzle)
    assert (again.scene().level == game.scene().level).all()


def test_several_pasted_levels_are_a_pack():
    assert read_game("1 2 3\n4 5 6\n7 0 8\n\n1 2 3\n4 5 6\n0 7 8\n").count == 2


def test_what_is_hidden_is_not_copied():
    game = Game("Wumpus-v0", "textbook")
    for copy in (level_text, position_text):
        with pytest.raises(ValueError, match="hidden until the game is over"):
            copy(game)
    assert game_id(game) == "Wumpus-v0:textbook#1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Sokoban-v0:startr#1", "did you mean 'starter'?"),
        ("Sokoban-v0:starter#1001", "starter has no level 1001; it has 1,000 levels"),
        ("Sokobn-v0#1", "did you mean 'Sokoban-v0'?"),
        ("EightPuzzle-v0?wdth=3#1", "did you mean 'width'?"),
        ("#####\n#@$x#\n#####\n", "2:4: unknown symbol 'x'"),
        ("hello", "hello"),
    ],
)
def test_what_cannot_be_read_says_why(text, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        read_game(text)
    assert message in str(caught.value)
