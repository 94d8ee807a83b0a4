"""Sokoban solved slowly and obviously: every move of the player, in order of cost, on the level's own text."""

import collections
import math

STEPS = (-1, 1, -1j, 1j)
"""A square is row + column * 1j."""


def fewest_moves(rows):
    """The moves of a shortest solution; None where there is none."""
    return _fewest(rows, walking=1)


def fewest_pushes(rows):
    """The pushes of a solution with the fewest; None where there is none."""
    return _fewest(rows, walking=0)


def squares(rows, symbols):
    """The squares of one of these symbols."""
    return frozenset(r + c * 1j for r, row in enumerate(rows) for c, symbol in enumerate(row) if symbol in symbols)


def _fewest(rows, walking):
    """The cost of a cheapest solution, where a push costs 1 and a step without one ``walking``, 0 or 1."""
    walls, goals, (player,) = squares(rows, "#"), squares(rows, ".+*"), squares(rows, "@+")
    start = player, squares(rows, "$*")
    costs, waiting = {start: 0}, collections.deque([(0, start)])
    while waiting:
        cost, (player, boxes) = waiting.popleft()
        if boxes == goals:
            return cost
        if cost > costs[player, boxes]:
            continue
        for step in STEPS:
            there, beyond = player + step, player + 2 * step
            pushing = there in boxes
            if there in walls or (pushing and (beyond in walls or beyond in boxes)):
                continue
            after = there, (boxes - {there} | {beyond} if pushing else boxes)
            price = cost + (1 if pushing else walking)
            if price < costs.get(after, math.inf):
                costs[after] = price
                (waiting.append if price > cost else waiting.appendleft)((price, after))
    return None
