"""Sokoban's positions in the numbers that its solver gives the squares."""

import numpy as np
from sokoban_problems import problem_of

from gridpuzzles_gym.agents.sokoban.solver.board import aimed, survey
from gridpuzzles_gym.agents.sokoban.solver.deadlocks.corrals import find_corral
from gridpuzzles_gym.agents.sokoban.solver.deadlocks.freezing import freezes
from gridpuzzles_gym.agents.sokoban.solver.flood import walk
from gridpuzzles_gym.agents.sokoban.solver.position import BOX_AT, FROZEN, QUEUE, REGION, STEPS, make_work


class Position:
    """A board drawn as rows; squares are named row + column * 1j."""

    def __init__(self, *rows):
        problem = problem_of(rows)
        self.board, boxes, player = survey(problem.level, problem.state)
        self.names = [complex(*divmod(int(place), len(rows[0]))) for place in self.board.place]
        self.put(boxes, player)

    def put(self, boxes, player):
        """Put boxes and player onto the board, with fresh scratch arrays."""
        self.work, self.player = make_work(self.board, boxes), player
        box_at, squares = self.work.flags[BOX_AT], self.work.squares
        box_at[boxes] = 1
        walk(self.board.neighbours, box_at, player, squares[STEPS], squares[QUEUE])

    def backwards(self, player):
        """The level read backwards, with the boxes on the goals and the player on a square."""
        goals = self.board.goals
        self.board = aimed(self.board, self.work.boxes, pushed=0)
        self.put(goals, self.number(player))
        return self

    def named(self, numbers):
        """The names of squares."""
        return [self.names[number] for number in numbers]

    def number(self, square):
        """The number of a square."""
        return self.names.index(square)

    def freezes(self, moved):
        """Whether a box freezes off the goals, and what is frozen."""
        frozen = self.work.flags[FROZEN]
        lost = freezes(self.board, self.work, self.number(moved))
        return bool(lost), set(self.named(np.flatnonzero(frozen)))

    def corral(self):
        """NO_CORRAL, LOST, or the squares of the corral."""
        with np.errstate(over="ignore"):  # of hashes, as in machine code
            found = find_corral(self.board, self.work, True)
        return found if found <= 0 else set(self.named(np.flatnonzero(self.work.squares[REGION] == found)))
