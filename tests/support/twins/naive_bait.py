"""A slow, obvious Bait: sets of squares (row, column), a turn told in the order of GVGAI's framework."""

AHEAD = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1), "wait": (0, 0)}
KINDS = {"boxes": "1%*", "holes": "0xX", "mushrooms": "m", "keys": "k%", "goals": "g*"}
"""Kind of sprite → the letters that stand for it."""


class Game:
    """One game.

    Args:
        text: Level text.
    """

    def __init__(self, text):
        letters = {
            (row, column): letter
            for row, line in enumerate(text.splitlines())
            for column, letter in enumerate(line)
            if letter != "w"
        }
        self.floor = set(letters)
        self.sprites = {kind: {at for at, letter in letters.items() if letter in own} for kind, own in KINDS.items()}
        ((self.avatar, letter),) = ((at, letter) for at, letter in letters.items() if letter in "AKxX")
        self.has_key = letter in "KX"
        self.score = 0
        self.outcome = "unfinished"

    def turn(self, action):
        """Play one action; answer the change of score."""
        boxes, holes, goals = (self.sprites[kind] for kind in ("boxes", "holes", "goals"))
        before = self.score
        start = self.avatar
        down, right = AHEAD[action]
        there = (start[0] + down, start[1] + right)
        if there not in self.floor:
            there = start
        if there in boxes:
            beyond = (there[0] + down, there[1] + right)
            if beyond not in self.floor or beyond in boxes | self.sprites["mushrooms"]:
                there = start
            else:
                boxes.remove(there)
                boxes.add(beyond)
                if beyond in holes:
                    boxes.remove(beyond)
                    holes.remove(beyond)
                    self.score += 1
        self.avatar = there
        if there in self.sprites["keys"]:
            self.sprites["keys"].remove(there)
            self.has_key = True
        if there in goals and not self.has_key:
            self.avatar = start
        elif there in goals:
            goals.remove(there)
            self.score += 5
        if self.avatar in self.sprites["mushrooms"]:
            self.sprites["mushrooms"].remove(self.avatar)
            self.score += 1
        if not goals:
            self.outcome = "solved"
        elif self.avatar in holes:
            self.outcome = "died"
        return self.score - before

    def squares(self):
        """Where everything is: kind → sorted squares, the avatar, and whether it has the key."""
        found = {kind: sorted(map(list, squares)) for kind, squares in self.sprites.items()}
        return {**found, "avatar": list(self.avatar), "has_key": self.has_key}
