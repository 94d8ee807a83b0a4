"""Sokoban on rows of text: the slow, obvious twin of its rules."""

import collections
import random

WAYS = ((-1, 0), (1, 0), (0, -1), (0, 1))  # up, down, left, right
LEAVE = {"@": " ", "+": ".", "$": " ", "*": "."}
ENTER = {" ": "@", ".": "+", "$": "@", "*": "+"}
LAND = {" ": "$", ".": "*"}
SYMBOLS = "# .@+$*"
"""The symbols observation, number by number."""


def player_of(rows):
    """(row, column) of the player."""
    return next((r, c) for r, row in enumerate(rows) for c, symbol in enumerate(row) if symbol in "@+")


def play(rows, action):
    """The rows after an action, and whether a box was pushed; the same rows where nothing can move."""
    (row, column), (down, right) = player_of(rows), WAYS[action]
    places = [(row + k * down, column + k * right) for k in range(3)]
    here, one = (rows[r][c] for r, c in places[:2])
    if one in " .":
        return _changed(rows, places, LEAVE[here] + ENTER[one]), False
    if one in "$*":
        two = rows[places[2][0]][places[2][1]]
        if two in " .":
            return _changed(rows, places, LEAVE[here] + ENTER[one] + LAND[two]), True
    return rows, False


def _changed(rows, places, symbols):
    board = [list(row) for row in rows]
    for (row, column), symbol in zip(places, symbols, strict=False):
        board[row][column] = symbol
    return tuple("".join(row) for row in board)


def on_goals(rows):
    return "".join(rows).count("*")


def is_solved(rows):
    return "$" not in "".join(rows)


def reward(before, rows, scheme):
    """What a step from ``before`` to ``rows`` pays."""
    if scheme == "boxoban":
        return -0.1 + (on_goals(rows) - on_goals(before)) + 10 * is_solved(rows)
    return -1 + 1000 * is_solved(rows)


def planes(rows):
    """The planes observation as nested lists."""
    shown = ("#", " .@+$*", ".+*", "$*", "@+")
    return [[[int(symbol in symbols) for symbol in row] for row in rows] for symbols in shown]


def symbols(rows):
    """The symbols observation as nested lists."""
    return [[[SYMBOLS.index(symbol) for symbol in row] for row in rows]]


def dead_squares(rows):
    """The floor from which no box, alone on the board, can be pushed to a goal, wherever the player is."""
    free = {(r, c) for r, row in enumerate(rows) for c, symbol in enumerate(row) if symbol != "#"}
    goals = {(r, c) for r, c in free if rows[r][c] in ".+*"}
    return {square for square in free if not _reached(square, free) & goals}


def _reached(square, free):
    seen, waiting = {square}, [square]
    while waiting:
        row, column = waiting.pop()
        for down, right in WAYS:
            to = row + down, column + right
            if to in free and (row - down, column - right) in free and to not in seen:
                seen.add(to)
                waiting.append(to)
    return seen


def solvable_states(rows, most):
    """Every board reachable, with whether it can still be solved; None where there are more than ``most``."""
    parents = collections.defaultdict(set)
    known, waiting = {rows}, [rows]
    while waiting:
        board = waiting.pop()
        for action in range(4):
            child, _ = play(board, action)
            parents[child].add(board)
            if child not in known:
                known.add(child)
                waiting.append(child)
        if len(known) > most:
            return None
    solvable = {board for board in known if is_solved(board)}
    waiting = list(solvable)
    while waiting:
        for parent in parents[waiting.pop()] - solvable:
            solvable.add(parent)
            waiting.append(parent)
    return {board: board in solvable for board in known}


def random_board(seed, largest=7, boxes=3):
    """A walled board with a few inner walls, boxes and goals, the player among them; it may have no solution."""
    luck = random.Random(seed)
    while True:
        height, width = luck.randint(1, largest - 2), luck.randint(3, largest - 2)
        count = luck.randint(1, boxes)
        inside = [(r, c) for r in range(height) for c in range(width)]
        luck.shuffle(inside)
        board = [[" "] * width for _ in range(height)]
        for r, c in inside[: luck.randint(0, len(inside) // 4)]:
            board[r][c] = "#"
        free = [(r, c) for r, c in inside if board[r][c] == " "]
        if len(free) < 2 * count + 1:
            continue
        goals, rest = set(free[:count]), free[:]
        luck.shuffle(rest)
        for r, c in rest[:count]:
            board[r][c] = "$"
        r, c = rest[count]
        board[r][c] = "@"
        for r, c in goals:
            board[r][c] = {"$": "*", "@": "+"}.get(board[r][c], ".")
        rows = ("#" * (width + 2), *("#" + "".join(row) + "#" for row in board), "#" * (width + 2))
        if not is_solved(rows):
            return rows
