"""Texts that are no levels, with what is said of them as regular expressions; their source is ``t``."""

INVALID_CAVES = [
    ("A.G\n.x.\n", r"t:2:2: unknown symbol 'x'; allowed are \. # P W G and the agent A"),
    ("A.\t\n.G\tP\n", r"t:\d"),
    ("A.G\n..A\n", r"t:2:3: a second agent, the first is at t:1:1; exactly one is allowed"),
    ("A.G\nG..\n", r"t:2:1: a second gold, the first is at t:1:3"),
    ("AWG\nW..\n", r"t:2:1: a second wumpus, the first is at t:1:2; at most one is allowed"),
    ("A..\n...\n", r"t:1: no gold in this level; it needs one \(G\)"),
    ("\n\n..G\n...\n", r"t:3: no agent in this level; it needs one \(A or \^ or > or v or <\)"),
    ("A.G\n..\n", r"t:2:3: this row has 2 squares, the level's first has 3"),
    ("AP G\n. .\n", r"t:1:1: the agent is on a pit or the wumpus"),
    ("A . G\n. #P .\n", r"t:2:3: '#P' is invalid; a square of solid rock must be empty"),
    (
        "A" + "." * 100 + "\n" + "." * 100 + "G\n",
        r"t:1:101: over 100 squares in this row; the maximum is 100 per side",
    ),
]

INVALID_MAZES = [
    ("..E\n", r"t:1: no mouse in this level; it needs one \(M\)"),
    ("M.E\n.M.\n", r"t:2:2: a second mouse, the first is at t:1:1; exactly one is allowed"),
    ("; title\nM.C\n", r"t:2: no exit in this level; it needs one \(E or c\)"),
    ("M.E\n..c\n", r"t:2:3: a second exit, the first is at t:1:3"),
    ("M#E\n.#.\n", r"t:1:3: the mouse cannot reach this exit: walls separate them"),
    ("M.E\n..\n", r"t:2:3: this row has 2 squares, the level's first has 3; all rows of a level"),
    ("M.E\n.W.\n", r"t:2:2: unknown symbol 'W'; allowed are # \. M C E c"),
    ("M.E\n\n.x.E\n", r"t:3:2: 'x' is the end of a game, which cannot be played"),
    ("ME" + "C" * 8 + "\n", r"t:1:10: cat number 8; a level has at most 7"),
    ("M.E" + "." * 62 + "\n", r"t:1:65: over 64 squares in this row; the maximum is 64 per side"),
    ("M.E\n" + "...\n" * 64, r"t:1: a level of 65 rows; the maximum is 64 squares per side"),
]

INVALID_BAIT = [
    ("..kg\n", r"t:1: no avatar in this level; it needs one \(A or K\)"),
    ("A.kg\n.A..\n", r"t:2:2: a second avatar, the first is at t:1:1; exactly one is allowed"),
    ("; title\nA.k1\n", r"t:2: no goal in this level; it needs one \(g or \*\)"),
    ("A.g1\n", r"t:1: no key in this level; it needs one \(k or % or K\)"),
    (
        "A.kg\n...\n",
        r"t:2:4: this row has 3 squares, the level's first has 4; all rows of a level",
    ),
    ("A.kg\n.W..\n", r"t:2:2: unknown symbol 'W'; allowed are w \. 0 1 k g m % \* and the avatar A or K"),
    ("\tA.kg\n", r"t:1:1: unknown symbol '\\t'"),
    ("Akg\n\n.x.kg\n", r"t:3:2: 'x' is the end of a game, which cannot be played"),
    ("A.kg" + "." * 61 + "\n", r"t:1:65: over 64 squares in this row; the maximum is 64 per side"),
    ("Akg\n" + "...\n" * 64, r"t:1: a level of 65 rows; the maximum is 64 squares per side"),
]

INVALID_TILES = [
    ("3x2:1,2,3\n", r"t:1: 3 tiles; a board of 3x2 has 6"),
    (",\n", r"t:1: no square in this row"),
    ("1 2 3\n4 5 6\n,\n7 8 0\n", r"t:3: no square in this row"),
    ("123\n456\n788\n", r"t:3:3: a second tile 8, the first is at t:3:2; the blank is missing"),
    ("123\n4_6\n7_8\n", r"t:3:2: a second blank, the first is at t:2:2; tile 5 is missing"),
    ("1 2 3\n4 5 6\n7 9 0\n", r"t:3:3: no tile 9 on 3x3 squares; allowed are 1 to 8"),
    ("; c\n\n1 2 3\n4 5 66\n7 8 0\n", r"t:4:5: no tile 66 on 3x3 squares"),
    ("1 2 3\n4 5 x\n7 8 0\n", r"t:2:5: 'x' is not a tile; allowed are numbers, and 0, _ or \. for the blank"),
    ("1 2 3\n4 5 ٣\n7 8 0\n", r"t:2:5: '٣' is not a tile; allowed are numbers, and 0, _ or \. for the blank"),
    ("123\n45\n780\n", r"t:2:3: this row has 2 squares, the level's first has 3; all rows of a level must have"),
    ("1 2 3\n4 5 6 7\n8 0\n", r"t:2:7: this row has 4 squares"),
    (
        "1 2 3\n",
        r"t:1: a board of 3x1 squares; allowed are 2 to 10 per side; a board on one line must have 4, 9",
    ),
    ("123450\n", r"t:1: a board of 6x1 squares"),
    (" ".join(map(str, range(11))) + "\n" + " ".join(map(str, range(11, 22))), r"t:1: a board of 11x2 squares"),
    ("1234\n5678\n9012\n", r"t:1: tiles without spaces between them; boards of more than 10 squares need spaces"),
    ("goal: spiral\n", r"t:1: a goal without a board"),
    ("1230\ngoal: rows\ngoal: rows\n", r"t:3: a second goal; at most one is allowed"),
    ("1230\ngoal: rings\n", r"t:2: goal='rings' is not known; allowed are 'rows', 'spiral', 'blank-first'"),
    (
        "1230\ngoal: 1233\n",
        r"t:2: goal='1233': must have each tile from 0 \(the blank\) to the number of squares minus 1",
    ),
    (
        "5 2 2\n2 1 1\n",
        r"t:1:5: a second tile 2, the first is at t:1:3; the blank and tile 3 and tile 4 are missing",
    ),
]

UNSOLVABLE_TILES = [
    (
        "1 2 3\n4 5 6\n8 7 0\n",
        r"t:1: this board cannot be solved: .* colour as on a chessboard; the blank's way to its goal "
        r"\(0 squares\) takes an even number of moves, but putting everything in place takes an odd number of "
        r"swaps \(at least 1\); with any two tiles exchanged it could be solved \(the goal is rows\)",
    ),
    (
        "; the first of the classic ones, for another goal\n134862705\n",
        r"t:2: .*\(1 square\) takes an odd number of moves, .* an even number of swaps \(at least 6\)",
    ),
    ("123804765\n", r"t:1: this board cannot be solved"),
    ("123456780\ngoal: spiral\n", r"t:1: this board cannot be solved: .*\(the goal is spiral\)"),
    ("1 2 3\n4 5 0\ngoal: 1230\n", r"t:1: the goal 1230 has 4 squares, but a board of 3x2 has 6"),
    ("1 2 3 4 5 6 7 8 9 10 11 12 13 15 14 0\n", r"t:1: .* \(at least 1\)"),
]

INVALID_SOKOBAN = {
    "no player": ("#####\n# $.#\n#####\n", "t:1:1: no player in this level; it needs one, @ or \\+ on a goal"),
    "two players": ("######\n#@$.+#\n######\n", "t:2:5: a second player, the first is at t:2:2"),
    "more boxes": ("######\n#@$$.#\n#    #\n######\n", "t:2:3: 2 boxes but 1 goal within the player's reach"),
    "more goals": ("######\n#@$..#\n######\n", "t:2:4: 1 box but 2 goals within the player's reach"),
    "open below": ("  ####\n###  #\n#@$ .#\n### ##\n", "t:4:4: the walls are open here"),
    "open above": ("### #\n#@$.#\n#####\n", "t:1:4: the walls are open here"),
    "player outside": ("#####\n#.$ #  @\n#####\n", "t:2:8: the walls are open here: the player at t:2:8 gets out"),
    "box out of reach": ("########\n#@$.#$.#\n########\n", "t:2:6: this box cannot be reached by the player"),
    "box walled in": ("#######\n#@$.#$#\n#######\n", "t:2:6: this box cannot be reached"),
    "goal out of reach": ("#######\n#@$.#.#\n#######\n", "t:2:6: the player cannot reach this goal"),
    "no boxes": ("#####\n#@  #\n#####\n", "t:2:2: the player can reach no box"),
    "solved": ("#####\n#@* #\n#####\n", "t:2:2: this level is solved already"),
    "in a corner": ("######\n#@ . #\n#$   #\n######\n", "t:3:2: this box can never be brought to a goal from here"),
    "frozen": (
        "#######\n#. .  #\n#     #\n# $$@ #\n# $$  #\n# ..  #\n#######\n",
        "t:4:3: this box is frozen from the start: .*, as do those at t:4:4, t:5:3, t:5:4",
    ),
    "unknown letter": ("#####\n#@$x#\n#####\n", r"t:2:4: unknown symbol 'x'; allowed are # @ \+ \$ \* \."),
    "tab": ("#####\n#@$.#\n#\t  #\n#####\n", "t:3:2: a tab"),
    "too wide": ("#" * 256 + "\n#@$." + " " * 251 + "#\n" + "#" * 256 + "\n", "t:1:1: a board of 256x3 squares"),
    "too high": ("#####\n#@$.#\n" + "#   #\n" * 253 + "#####\n", "t:1:1: a board of 5x256 squares"),
    "too large": (
        "#" * 255 + "\n#@$." + " " * 250 + "#\n" + ("#" + " " * 253 + "#\n") * 123 + "#" * 255 + "\n",
        "t:1:1: a board of 255x126 squares; the maximum is 32,000 squares in all",
    ),
    "the second level": ("; one\n#####\n#@$.#\n#####\n\n; two\n  ####\n  # $.#\n  #####\n", "t:7:3: no player"),
}  # fmt: skip

BOARD = "#####\n#@$.#\n#   #\n#####\n"
INVALID_SOKOBAN_FILES = {
    "two alphabets": (f"{BOARD}\nwwwww\nwPBGw\nwwwww\n", "t:6:1: walls are w in this line, but # in line 1"),
    "a letter among symbols": ("#####\nw@$.#\n#####\n", "t:2:1: unknown symbol 'w'; 'w' belongs to letters"),
    "a symbol among letters": ("wwwww\nwPB#w\nwwwww\n", "t:2:4: unknown symbol '#'; '#' belongs to XSB"),
    "a letter unknown": ("wwwwww\nwPBxGw\nwwwwww\n", "t:2:4: unknown symbol 'x'; allowed are w P B G"),
    "a pair unknown": ("w w w w w\nw P BB G w\nw w w w w\n", "t:1:2: the walls are open here"),
    "capitals meant as letters": ("#####\n#PB.#\n#####\n", "t:2:2: 1 box but 3 goals .*; with # for walls, P is"),
    "a run of nothing": ("5#|#@$.#|5", "t:1:10: 5 must be followed by the square"),
    "a run too long": ("5#|#@$.1001#|5#", "t:1:8: 1001 squares in a row; allowed are 1 to 1,000"),
    "runs too long": ("5#|#@$.600#600#|5#", "t:1:12: a row of over 1,000 squares"),
    "a run of none": ("5#|#@$.#|0#5#", "t:1:10: 0 squares in a row"),
    "runs of a board too wide": ("200#60#|#@$.196-60#|200#60#", "t:1:1: a board of 260x3"),
    "a wrong board in a line": ("; x\n5#|#@$$.#|6#", "t:2:6: 2 boxes but 1 goal|t:2:"),
    "no player in runs": ("\n5#|#2-$.#|6#", "t:2:1: no player"),
    "HTML": ("<!DOCTYPE html>\n<html></html>", "t:1:1: HTML or some other markup; gridpuzzles levels import"),
}

INVALID = {
    "wumpus": INVALID_CAVES,
    "cat_mouse": INVALID_MAZES,
    "bait": INVALID_BAIT,
    "n_puzzle": [*INVALID_TILES, *UNSOLVABLE_TILES],
    "sokoban": [*INVALID_SOKOBAN.values(), *INVALID_SOKOBAN_FILES.values()],
}
