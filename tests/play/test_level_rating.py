"""Whether a drawn level can be solved, and how hard it is."""

import pytest
from helpers import PUZZLES

from gridpuzzles_gym.play.rating import rated

SOKOBAN, BAIT, TILES = PUZZLES["sokoban"], PUZZLES["bait"], PUZZLES["n_puzzle"]
TWO_BOXES = "#######\n#@    #\n# $ $.#\n#    .#\n#######\n"


def level(puzzle, text):
    return puzzle, puzzle.parse(text, "level")[0]


def test_what_a_rating_proves():
    verdict = rated(*level(TILES, "123\n056\n478\n"))
    assert verdict.numbers == {"fewest moves": 3}
    assert verdict.words.startswith("fewest moves 3 (")
    verdict = rated(*level(SOKOBAN, TWO_BOXES))
    assert verdict.numbers["fewest pushes"] == 5
    assert verdict.numbers["fewest moves"] >= 5
    assert "box changes" in verdict.numbers
    assert "fewest pushes 5" in verdict.words
    verdict = rated(*level(BAIT, "wwwwww\nwA.k.w\nw.10gw\nwwwwww\n"))
    assert verdict.numbers == {"highest score": 6, "fewest moves": 4}


def test_what_cannot_be_solved():
    corridor = "######\n#@.$ #\n######\n"
    verdict = rated(*level(SOKOBAN, corridor))
    assert verdict.solvable is False
    assert verdict.words.startswith("cannot be solved: ")
    shut = "wwwwww\nwA.wkw\nw..wgw\nwwwwww\n"
    assert rated(*level(BAIT, shut)).solvable is False


@pytest.mark.parametrize(
    ("name", "text", "wins"),
    [("wumpus", ". . .\n. G .\n^ . .\n", 1.0), ("cat_mouse", "####\n#ME#\n####\n", 1.0)],
)
def test_where_chance_rules_an_agent_plays(name, text, wins):
    verdict = rated(*level(PUZZLES[name], text))
    assert verdict.numbers["success"] == wins
    assert "wins 100% of 200 games" in verdict.words
