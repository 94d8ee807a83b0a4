"""A slow, obvious wall follower, decision by decision as the original program's mouse: for any maze and many cats."""

from collections import deque

AHEAD = {"up": (-1, 0), "right": (0, 1), "down": (1, 0), "left": (0, -1)}


def next_to(square, direction):
    return square[0] + AHEAD[direction][0], square[1] + AHEAD[direction][1]


class Mouse:
    """What it remembers.

    Args:
        floor: The squares (row, column) without a wall.
        hand: ``"right"`` or ``"left"``: which is on the wall.
        most: Squares on its stack, then the oldest is forgotten; None is no limit.
    """

    def __init__(self, floor, hand="right", most=None):
        self.floor, self.hand = floor, hand
        self.direction, self.stack, self.old_cats = "right", deque(maxlen=most), set()

    def turn(self, square, cats):
        """The square where it goes next; its own where it has to wait."""
        wanted, way = self._table(square, self.old_cats), self._table(square, cats)
        self.old_cats = set(cats)
        if self.stack and self.stack[-1][0] not in cats:
            there, self.direction = self.stack.pop()
            return there
        if way is None:
            return square
        if self.stack or (wanted is not None and next_to(square, wanted) in cats):
            self.stack.append((square, self.direction))
        self.direction = way
        return next_to(square, way)

    def _table(self, square, walls):
        """To the side of the hand, else ahead, else to the other side, else back."""
        clockwise = list(AHEAD)
        facing, quarter = clockwise.index(self.direction), 1 if self.hand == "right" else -1
        for turn in (quarter, 0, -quarter, 2):
            direction = clockwise[(facing + turn) % 4]
            if next_to(square, direction) in self.floor - set(walls):
                return direction
        return None
