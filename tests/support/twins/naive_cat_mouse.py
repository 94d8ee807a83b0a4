"""A slow, obvious Cat and Mouse: sets of squares (row, column), all that a turn may lead to enumerated by recursion."""

from collections import Counter
from fractions import Fraction

AHEAD = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


class Maze:
    """The walls and the exit of a level, and where everybody starts.

    Args:
        text: Level text.
        blocked: Is each a wall to the other?
    """

    def __init__(self, text, blocked=False):
        letters = {(r, c): letter for r, line in enumerate(text.splitlines()) for c, letter in enumerate(line)}
        self.floor = {at for at, letter in letters.items() if letter != "#"}
        (self.exit,) = (at for at, letter in letters.items() if letter in "EcmX")
        (self.mouse,) = (at for at, letter in letters.items() if letter in "MmxX")
        self.cats = tuple(sorted(at for at, letter in letters.items() if letter in "CcxX"))
        self.blocked = blocked

    def outcome(self, mouse, cats):
        if mouse in cats:
            return "died"
        return "solved" if mouse == self.exit else "unfinished"

    def beginning(self):
        """(mouse, cats) → probability, for all that an episode may begin with."""
        return self._cats_turn(self.mouse, self.cats) if self.blocked else Counter({(self.mouse, self.cats): 1})

    def turn(self, mouse, cats, action):
        """(mouse, cats) → probability, for all that a turn may lead to."""
        mouse = self._mouse_moves(mouse, cats, action)
        if self.outcome(mouse, cats) != "unfinished":
            return Counter({(mouse, cats): 1})
        return self._cats_turn(mouse, cats)

    def _cats_turn(self, mouse, cats):
        found = Counter()
        for (_, after), chance in self._cats_move(mouse, cats, 0, Fraction(1)):
            found[mouse, tuple(sorted(after))] += chance
        return found

    def _mouse_moves(self, mouse, cats, action):
        there = (mouse[0] + AHEAD[action][0], mouse[1] + AHEAD[action][1])
        return there if there in self.floor and not (self.blocked and there in cats) else mouse

    def _cats_move(self, mouse, cats, number, chance):
        if number == len(cats) or mouse in cats:
            return [((mouse, cats), chance)]
        row, column = cats[number]
        free = [
            (row + down, column + right)
            for down, right in AHEAD.values()
            if (row + down, column + right) in self.floor - set(cats)
            and not (self.blocked and (row + down, column + right) == mouse)
        ]
        return [
            outcome
            for there in free or [cats[number]]
            for outcome in self._cats_move(
                mouse, (*cats[:number], there, *cats[number + 1 :]), number + 1, chance / max(len(free), 1)
            )
        ]
