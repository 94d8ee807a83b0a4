"""The slow, obvious twin of the level-building game, on dictionaries: what its rules are checked against."""

from gridpuzzles_gym.agents.sokoban.generation.building import BOX_ON, NEXT

STEPS = {0: (-1, 0), 1: (1, 0), 2: (0, -1), 3: (0, 1)}


class Building:
    """One game under way."""

    def __init__(self, height, width, boxes, exact, player):
        self.height, self.width, self.most, self.exact = height, width, boxes, exact
        self.player, self.home = player, None
        self.floor = {player}
        self.phase = "carve"
        self.boxes = []  # [start, now, has moved]

    def at(self, square):
        return next((box for box in self.boxes if box[1] == square), None)

    def square_ahead(self, square, action):
        row, column = STEPS[action]
        return square[0] + row, square[1] + column

    def legal(self, action):
        if self.phase == "done":
            return False
        if action == NEXT:
            if self.phase == "carve":
                return len(self.floor) > 1 + (self.most if self.exact else 0)
            if self.phase == "place":
                return len(self.boxes) == self.most if self.exact else len(self.boxes) > 0
            return True
        if action >= BOX_ON:
            square = divmod(action - BOX_ON, self.width)
            empty = square in self.floor and square != self.player and self.at(square) is None
            return self.phase == "place" and empty and len(self.boxes) < self.most
        there = self.square_ahead(self.player, action)
        if self.phase == "carve":
            return 0 < there[0] < self.height - 1 and 0 < there[1] < self.width - 1
        if self.phase == "place" or there not in self.floor:
            return False
        beyond = self.square_ahead(there, action)
        return self.at(there) is None or (beyond in self.floor and self.at(beyond) is None)

    def play(self, action):
        if action == NEXT:
            if self.phase == "carve":
                self.home = self.player
            self.phase = {"carve": "place", "place": "play", "play": "done"}[self.phase]
        elif action >= BOX_ON:
            square = divmod(action - BOX_ON, self.width)
            self.boxes.append([square, square, False])
        else:
            there = self.square_ahead(self.player, action)
            box = self.at(there)
            if box is not None:
                box[1], box[2] = self.square_ahead(there, action), True
            self.player = there
            self.floor.add(there)

    def rows(self):
        """The level that was built, in XSB."""
        boxes = {start for start, _, moved in self.boxes if moved}
        goals = {now for _, now, moved in self.boxes if moved}

        def symbol(square):
            if square not in self.floor:
                return "#"
            if square == self.home:
                return "+" if square in goals else "@"
            return " .$*"[(square in goals) + 2 * (square in boxes)]

        return tuple("".join(symbol((row, column)) for column in range(self.width)) for row in range(self.height))

    def reward(self):
        """The original program's evaluation, term by term, as the issue has it."""
        boxes = sorted(start for start, _, moved in self.boxes if moved)
        goals = sorted(now for _, now, moved in self.boxes if moved)
        blocks = 0
        for row in range(self.height - 2):
            for column in range(self.width - 2):
                kinds = {(row + i, column + j) in self.floor for i in range(3) for j in range(3)}
                blocks += len(kinds) == 2
        congestion = 0.0
        for box, goal in zip(boxes, goals, strict=True):
            (top, bottom), (left, right) = sorted((box[0], goal[0])), sorted((box[1], goal[1]))
            area = [(row, column) for row in range(top, bottom + 1) for column in range(left, right + 1)]
            walls = sum(square not in self.floor for square in area)
            b, g = (sum(square in things for square in area) for things in (boxes, goals))
            congestion += (10 * b + 5 * g) / (1 * (len(area) - walls))
        return (10 * blocks + 5 * congestion + 1 * len(boxes)) / 50
