"""Boards in one line: read alike by every route."""

import gymnasium as gym
import pytest
from helpers import IDS, PUZZLES, piped, run

from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.engine.puzzle import LevelError
from gridpuzzles_gym.play.session import Session

TILES = (8, 6, 7, 2, 5, 4, 3, 0, 1)
SPELLINGS = {
    "n_puzzle": [
        "8 6 7 / 2 5 4 / 3 0 1",
        "8 6 7/2 5 4/3 0 1",
        "8 6 7 | 2 5 4 | 3 0 1",
        "8,6,7,2,5,4,3,0,1",
        "8, 6, 7 / 2, 5, 4 / 3, _, 1",
        "867/254/301",
        "867254301",
        "8 6 7 2 5 4 3 0 1",
    ],
    "wumpus": ["A.G/..P", "A.G|..P", "A . G / . . P", "A.G | ..P |"],
    "cat_mouse": ["M.E/..C", "M.E|..C", "M.E / ..C"],
    "bait": ["wAw/k.g", "wAw|k.g", "wAw / k.g"],
    "sokoban": [" ####/##  #/#@$.#/#####", " ####|##  #|#@$.#|#####", " ####/2#2 #/#@$.#/5#", "1-4#|2#2-#|#@$.#|5#"],
}


def rows_of(puzzle, levels):
    (level,) = levels
    return [row.tolist() for row in puzzle.encode(level, level.extent, puzzle.read_options())]


def test_every_route_reads_a_board_in_one_line(capsys):
    for name, spellings in SPELLINGS.items():
        puzzle = PUZZLES[name]
        expected = rows_of(puzzle, puzzle.parse(spellings[0].replace("/", "\n") + "\n", "t"))
        for spelling in spellings:
            assert rows_of(puzzle, find_levels(puzzle, spelling)) == expected, spelling
        env = gym.make(IDS[name], levels=spelling).unwrapped
        for options in (None, {"level": spelling}):
            env.reset(seed=0, options=options)
            assert env.scene().level.tolist() == expected[0], name
        session = Session(Game.of(IDS[name], levels=spelling), seed=0)
        session.begin()
        assert session.scene().level.tolist() == expected[0], name
        for command in ("show", "check", "stats"):
            code, out, err = run(capsys, "levels", command, spelling, "--puzzle", name)
            assert (code, err, bool(out)) == (0, "", True), (name, command)


def test_lists_of_boards_have_one_per_line(capsys, monkeypatch):
    text = "; mine\n8 6 7 / 2 5 4 / 3 0 1\n1,2,3,4,5,6,7,_,8\n1 2 3 4 | 5 6 7 0\ngoal: rows\n"
    levels = PUZZLES["n_puzzle"].parse(text, "t")
    assert [(level.name, level.extent) for level in levels] == [
        ("mine 1", (3, 3)),
        ("mine 2", (3, 3)),
        ("mine 3", (2, 4)),
    ]
    assert levels[0].content.tiles == TILES
    piped(monkeypatch, SPELLINGS["n_puzzle"][0] + "\n")
    assert run(capsys, "levels", "check", "-")[0] == 0


WRONG = [
    ("n_puzzle", "1,2,3,4,5,6,7,8", r"a board of 8x1 squares; .* must have 4, 9, 16 … tiles, or / between its rows"),
    ("n_puzzle", "8 6 7 / 2 5 4 / 3 0 3", "a second tile 3"),
    ("n_puzzle", "8 6 7 / 2 5 / 3 0 1", "this row has 2 squares"),
    ("n_puzzle", "frist", "no levels 'frist': not a file or folder"),
    ("wumpus", "A.|.X", "unknown symbol 'X'"),
    ("sokoban", "#####/#@* #/#####", "level text:2:2: this level is solved already"),
    ("sokoban", "levels/nothing.txt", "no levels 'levels/nothing.txt': not a file or folder"),
]


def test_what_is_no_board_in_one_line():
    for name, text, message in WRONG:
        with pytest.raises(LevelError, match=message):
            find_levels(PUZZLES[name], text)
    with pytest.raises(LevelError, match=WRONG[1][2]):
        gym.make("EightPuzzle-v0").reset(options={"level": WRONG[1][1]})
