"""Levels as text: random ones by hypothesis, known ones, and invalid texts with the reason."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from gridpuzzles_gym.engine.puzzle import Puzzle
from gridpuzzles_gym.puzzles import bait, cat_mouse, n_puzzle, wumpus
from gridpuzzles_gym.puzzles.n_puzzle import boards

TEXTBOOK_CAVE = "...P\nWGP.\n....\nA.P.\n"
SPIRAL_TILES = "134\n862\n705\ngoal: spiral\n"
SOKOBAN_SPELLINGS = [
    "#######\n#+   .#\n# $$* #\n#     #\n#######\n",
    "#######\n#P---.#\n#-b$B-#\n#-----#\n#######\n",
    "#######\n#P _ .#\n#-bb*-#\n#_____#\n#######\n",
    "-#######\n-#P---.#\n-#-bbB-#--\n-#_____#\n_#######\n\n",
    "7#|#+3-.#|#-2$*-#|#5-#|7#",
    "7#|#+3 .#|#1 2b1* #|#5 #|7#|\n",
    "7#\n#+3-.#\n# 2$B #\n#5_#\n7#\n",
    "7#|\n#+3-.#|\n#-2$*-#|\n#5-#|\n7#\n",
    "wwwwwww\nw+...Gw\nw.BB*.w\nw.....w\nwwwwwww\n",
    "WWWWWWW\nW+   GW\nW BB* W\nW     W\nWWWWWWW\n",
    "wwwwwww\nw+fffGw\nw_BB*-w\nwf.f.fw\nwwwwwww\n",
    "7w|w+3.Gw|w.2B*.w|w5.w|7w\n",
    "w w w w w w w\nw PG . . . G w\nw . B B BG . w\nw . . . . . w\nw w w w w w w\n",
    "  w w w w w w w\n  w GP . . . G w\n  w . B B GB . w\n  w . . . . . w\n  w w w w w w w\n",
]
"""The same level, in many ways."""


@st.composite
def caves(draw):
    """Any cave that can be, as text."""
    height, width = draw(st.integers(1, 6)), draw(st.integers(1, 6).filter(lambda width: width > 1))
    if draw(st.booleans()):
        height, width = width, height
    squares = st.integers(0, height * width - 1)
    grid = [["P" if draw(st.integers(0, 4)) == 0 else "" for _ in range(width)] for _ in range(height)]
    agent = draw(squares)
    gold = draw(squares)
    grid[agent // width][agent % width] = ""
    wumpus = draw(st.none() | squares.filter(lambda square: square != agent))
    if wumpus is not None:
        grid[wumpus // width][wumpus % width] += "W"
    grid[gold // width][gold % width] += "G"
    grid[agent // width][agent % width] += draw(st.sampled_from("A^>v<"))
    for square in draw(st.lists(squares, max_size=5)):
        if not grid[square // width][square % width]:
            grid[square // width][square % width] = "#"
    spaced = any(len(cell) > 1 for row in grid for cell in row)
    if spaced and width == 1:  # one long word a row would be read as many squares
        grid = [[*row, "."] for row in grid]
    return "\n".join((" " if spaced else "").join(cell or "." for cell in row) for row in grid) + "\n"


@st.composite
def mazes(draw, most=5):
    """Cat and Mouse: level text of any small maze from which the exit can be reached."""
    height, width = draw(st.integers(1, most)), draw(st.integers(3, most))
    letters = draw(st.lists(st.sampled_from("....##C"), min_size=height * width, max_size=height * width))
    letters = [letter if letter != "C" or letters[:n].count("C") < 3 else "." for n, letter in enumerate(letters)]
    row = draw(st.integers(0, height - 1)) * width
    for place in range(row, row + width):  # a way from the mouse to the exit
        letters[place] = letters[place].replace("#", ".")
    start, end = draw(st.permutations(range(width)))[:2]
    letters[row + start] = "M"
    letters[row + end] = draw(st.sampled_from("EEc"))
    return "".join("".join(letters[r * width : (r + 1) * width]) + "\n" for r in range(height))


@st.composite
def bait_boards(draw, most=6):
    """Bait: level text of any small board, walls around it or not."""
    height, width = draw(st.integers(1, most)), draw(st.integers(3, most))
    letters = draw(st.lists(st.sampled_from("....w0011kgm%*"), min_size=height * width, max_size=height * width))
    places = draw(st.permutations(range(height * width)))
    for letter, place in zip(draw(st.sampled_from([("A", "g", "k"), ("K", "g")])), places, strict=False):
        letters[place] = letter
    return "".join("".join(letters[row * width : (row + 1) * width]) + "\n" for row in range(height))


@st.composite
def tile_boards(draw):
    """(height, width, goal, tiles) of any board that can be solved."""
    height, width = draw(st.integers(2, 6)), draw(st.integers(2, 6))
    last = height * width
    named = draw(st.sampled_from(list(boards.GOALS)))
    goal = draw(st.just(boards.arrange(named, height, width)) | st.permutations(range(last)).map(tuple))
    tiles = list(draw(st.permutations(range(last))))
    if boards.why_unsolvable(tuple(tiles), goal, width):
        one, two = tiles.index(1), tiles.index(2)
        tiles[one], tiles[two] = 2, 1
    return height, width, goal, tuple(tiles)


# -- any text ------------------------------------------------------------------------------------

NOISE = " \n\n\r\t;:?^xZé²\x00\u2028"
"""What gets into texts by mistake."""


def check_cave(level, state):
    rules = wumpus.rules
    assert state[rules.SEEN :].sum() == 1
    assert not level[rules.CELLS + state[rules.SQUARE]] & (rules.PIT | rules.WUMPUS | rules.WALL)


def check_tiles(level, state):
    rules = n_puzzle.rules
    tiles = state[rules.TILES :]
    assert np.array_equal(np.sort(tiles), np.arange(len(tiles)))
    assert tiles[state[rules.BLANK]] == 0
    assert level[rules.HOMES_AT] == rules.MOVES + len(tiles)


def text_of_tiles(board):
    height, width, goal, tiles = board
    return n_puzzle.PUZZLE.format(*n_puzzle.boards.make_rows(tiles, goal, (height, width)))


class Texts(NamedTuple):
    """What a puzzle's level text is tried with."""

    puzzle: Puzzle
    symbols: str
    """Of its levels."""
    levels: st.SearchStrategy[str]
    """Text of one level."""
    samples: tuple[str, ...]
    """Texts that are changed in a few places."""
    titled: tuple[int, list[tuple[int, int]]]
    """Of the last sample, three levels: the line that the second begins in, and the extent of each."""
    check: Callable[[Any, Any], None] = lambda level, state: None
    """Asserts what holds for the rows of any level."""


TEXTS = {
    "Bait": Texts(
        bait.PUZZLE,
        "w.A01kgm%*KxX",
        bait_boards(8),
        ("wAw\nk.g\n", "; about all\n; one\nAkg\n\n\nA.\nkg\n;three\nK0g\n"),
        (6, [(1, 3), (2, 2), (1, 3)]),
    ),
    "CatMouse": Texts(
        cat_mouse.PUZZLE,
        "##..MCEcmxX",
        mazes(7),
        ("M.#\nC.E\n", "; about all\n; one\nM.E\n\n\nM.\nEC\n;three\nM.c\n"),
        (6, [(1, 3), (2, 2), (1, 3)]),
    ),
    "Wumpus": Texts(
        wumpus.PUZZLE,
        "AGWP.#^>v<",
        caves(),
        (
            TEXTBOOK_CAVE,
            "A.G\n",
            "; a cave\nA . G\n. PW #\n\nv.#\n..G\n",
            "; about all\n; one\nA.\n.G\n\n\nA.\n.G\n;three\nG.\n.A\n\n",
        ),
        (7, [(2, 2)] * 3),
        check_cave,
    ),
    "EightPuzzle": Texts(
        n_puzzle.PUZZLE,
        "0123456789 _.g",
        tile_boards().map(text_of_tiles),
        (
            SPIRAL_TILES,
            "; one\n1 2 3\n4 5 6\n7 _ 8\n\n1203\n",
            "134862705\n281043765\n",
            "3x3:4,5,7,2,0,1,8,6,3\n 3x2: 4 5 1 2 0 3\n",
            "; about all\n; one\n123\n456\n7_8\n\n\n123\n456\n_78\n;three\n12\n_3\n",
        ),
        (8, [(3, 3), (3, 3), (2, 2)]),
        check_tiles,
    ),
}


def texts_of_symbols(texts):
    """Any text of a puzzle's symbols and of what gets into texts by mistake."""
    return st.text(st.sampled_from(texts.symbols + NOISE), max_size=60)


@st.composite
def texts_with_one_letter_changed(draw, texts):
    level = draw(texts.levels)
    place = draw(st.integers(0, len(level) - 1))
    return level[:place] + draw(st.sampled_from(2 * texts.symbols + NOISE)) + level[place + 1 :]


@st.composite
def mutated_texts(draw, texts):
    """A sample, changed in a few places."""
    text = draw(st.sampled_from(texts.samples))
    for place, remove in draw(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 3)), max_size=4)):
        text = text[:place] + draw(st.sampled_from(2 * texts.symbols + NOISE)) + text[place + remove :]
    return text


DECORATED = "   *\n  ***\n   *\n  ###\n ## ##\n #@$.#\n ## ##\n  ###\n  ***\n"
"""A level with boxes on goals above and below its walls, and what its rows are without the blanks around it."""
LAYOUTS = {
    "decoration above": (f"; deco\n{DECORATED}", ["deco"]),
    "decoration above, without a title": (DECORATED, ["t:1"]),
    "decoration above, numbered": (
        "".join(f"{number:2} {row}\n" for number, row in enumerate(DECORATED.splitlines(), 7)),
        ["t:1"],
    ),
    "a title below the title of the set": (f"Title: All\n\nThe one\n{DECORATED}", ["The one"]),
    "a heading with a number": (f"## 1\n\n{DECORATED}\n## 2\n\n{DECORATED}", ["1", "2"]),
    "a heading in a frame": (f"#### Level 1 ####\n{DECORATED}\n#### Level 2 ####\n{DECORATED}", ["Level 1", "Level 2"]),
    "a number in a frame": (f"### 1 ###\n{DECORATED}\n### 2 ###\n\n{DECORATED}", ["1", "2"]),
    "a heading without blanks": (f"###Level 1###\n{DECORATED}", ["Level 1"]),
    "a heading of words": (f"# Überschrift (1)\n{DECORATED}", ["Überschrift (1)"]),
    "a heading directly below a board": (f"; one\n{DECORATED}## Level 2\n{DECORATED}", ["one", "Level 2"]),
    "a line without words": (f"One\n-----\n\n{DECORATED}\n*****\n=====\n\n{DECORATED}", ["One", "t:17"]),
    "a fence": (f"```text\n{DECORATED}```\n\n~~~\n{DECORATED}~~~\n", ["t:2", "t:14"]),
    "numbers and colons": ("".join(f"{n}: {row}\n" for n, row in enumerate(DECORATED.splitlines(), 1)), ["t:1"]),
    "numbers of two digits": ("".join(f"{n:02}) {row}\n" for n, row in enumerate(DECORATED.splitlines(), 5)), ["t:1"]),
    "numbers downwards": ("".join(f"{9 - n}. {row}\n" for n, row in enumerate(DECORATED.splitlines())), ["t:1"]),
    "numbers and tabs": ("".join(f"{n:6}\t{row}\n" for n, row in enumerate(DECORATED.splitlines(), 8)), ["t:1"]),
    "numbers of different widths": (
        "".join(f"{number} {row[1:]}\n" for number, row in enumerate(DECORATED.splitlines(), 5)),
        ["t:1"],
    ),
}
"""Sokoban files with other layouts: each with :data:`DECORATED` once or several times, and the titles."""
