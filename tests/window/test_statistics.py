"""The person's statistics: time, hints, optimal or not, streaks; shared by windows, and kept on disk."""

import dataclasses
import json

import pytest

from gridpuzzles_gym.session.game import Game
from gridpuzzles_gym.window.model.progress import level_id
from gridpuzzles_gym.window.model.statistics import STATISTICS, Played, Statistics, played, totals

WON = Played("sokoban", "a", 1.0, 30.0, True, 20, 0, True)
HELPED = dataclasses.replace(WON, ended=2.0, seconds=10.0, hints=3, optimal=True)
LOST = dataclasses.replace(WON, ended=3.0, solved=False, optimal=None)
SLOW = dataclasses.replace(WON, ended=4.0, seconds=50.0, optimal=False)


def test_totals():
    found = totals([WON, WON, HELPED, SLOW])
    assert (found.games, found.solved, found.alone, found.hints, found.optimal) == (4, 4, 3, 3, 2)
    assert (found.seconds, found.fastest) == (120.0, 30.0), "a level solved with hints is not the fastest"
    assert (found.streak, found.longest_streak) == (1, 2)
    assert totals([WON, LOST]).streak == 0
    assert totals([]) == totals(()), "nothing played"
    assert totals([LOST]).fastest is None


def test_what_a_game_counts():
    game = Game("Sokoban-v0", "starter", 1)
    for letter in "uuruLrrrdLLulDD".lower():
        game.play("udlr".index(letter))
    assert game.solved
    found = played(game, 12.34)
    assert (found.puzzle, found.level, found.seconds, found.solved) == ("sokoban", level_id(game.key), 12.3, True)
    assert (found.moves, found.hints, found.optimal) == (15, 0, True), "as few pushes as possible"
    game.undo()
    assert played(game, 1.0).optimal is None
    random = Game("EightPuzzle-v0", None, 3)
    assert (played(random, 1.0).level, played(random, 1.0).optimal) == ("", None)


def test_they_are_kept_and_shared(tmp_path):
    one, other = Statistics(tmp_path), Statistics(tmp_path)
    one.add(WON)
    other.add(SLOW)
    one.add(dataclasses.replace(LOST, puzzle="bait"))
    for seen in (one, Statistics(tmp_path)):
        assert seen.games() == [WON, dataclasses.replace(LOST, puzzle="bait"), SLOW]
        assert seen.totals("sokoban").games == 2
        assert seen.games("sokoban", "b") == []


@pytest.mark.parametrize("games", [3, [["sokoban"]], [["sokoban", "a", 1, 1, "yes", 1, 0, None]], None])
def test_a_damaged_file_is_put_aside(tmp_path, games):
    (tmp_path / f"{STATISTICS}.json").write_text(json.dumps({"format": 1, "games": games}))
    said = []
    assert Statistics(tmp_path, said.append).games() == []
    assert "could not be read" in said[0]
