"""Small levels as complete decision problems, solved by value iteration with and without potential-based shaping.

A problem has every state that can be reached from the start of a level; the step limit is ignored. In the Wumpus World
it is that of somebody who sees the cave, and states that differ only in where the agent has been are one.

As a program: ``python tests/support/shaping.py 40`` compares the optimal actions on that many levels of each puzzle.
"""

import collections
import dataclasses
import random
import sys
import time

import gymnasium as gym
import numpy as np

from gridpuzzles_gym.engine.puzzle import SOLVED, UNFINISHED
from gridpuzzles_gym.puzzles.cat_mouse import rules as cat_mouse
from gridpuzzles_gym.puzzles.wumpus import rules as wumpus
from gridpuzzles_gym.text.rewards import Potential, shaped

MOST_STATES = 2_500
GAMMAS = (0.99, 1.0)
TIE = 1e-6
LIMIT = 150


@dataclasses.dataclass
class Decisions:
    """The decision problem of a level with N states: entry N of ``values`` stands for the end of an episode."""

    level: np.ndarray
    states: list
    after: np.ndarray  # [N, A, K] the states that an action can lead to; N: the episode has ended
    chances: np.ndarray  # [N, A, K]
    rewards: np.ndarray  # [N, A, K]
    solves: np.ndarray  # [N, A, K] whether the episode ends by solving the level

    def action_values(self, gamma, shaping=0.0):
        """The optimal values of the actions [N, A]; minus infinity where no policy ends the episode."""
        rewards = self.rewards + shaping
        certain = self.after.shape[2] == 1
        values = np.full(len(self.states) + 1, -np.inf if certain and gamma == 1 else 0.0)
        values[-1] = 0.0
        for _ in range(100_000):
            found = rewards[..., 0] + gamma * values[self.after[..., 0]]
            if not certain:
                found = (self.chances * (rewards + gamma * values[self.after])).sum(axis=2)
            best = found.max(axis=1)
            same = best == values[:-1]
            change = abs(np.where(same, 0, best - np.where(same, 0, values[:-1]))).max()
            values[:-1] = best
            if change < 1e-10:
                return found
        raise AssertionError("value iteration does not settle")

    def optimal(self, gamma, shaping=0.0):
        """Which actions are optimal in each state [N, A]; all where no policy ends the episode."""
        values = self.action_values(gamma, shaping)
        best = values.max(axis=1, keepdims=True)
        return (values == best) | (values > best - TIE)

    def potentials(self, potential):
        """The potential of every state and of the end, [N + 1]."""
        return np.array([*(potential(self.level, state) for state in self.states), 0.0])

    def shaping(self, potentials, weight, gamma):
        """What the shaping adds to each reward, [N, A, K]."""
        return shaped(0.0, potentials[:-1, None, None], potentials[self.after], weight, gamma)

    def distances(self):
        """The fewest actions that can solve the level from each state; infinite if none do."""
        found = np.full(len(self.states) + 1, np.inf)
        for _ in range(len(self.states) + 1):
            found[:-1] = 1 + np.where(
                self.solves, 0, np.where(self.after < len(self.states), found[self.after], np.inf)
            ).min((1, 2))
        return found[:-1]


def key_of(puzzle, state):
    """What makes states different."""
    return state[: wumpus.BUMP].tobytes() if puzzle.name == "wumpus" else state.tobytes()


def results(puzzle, level, state, action):
    """The possible results of an action: (probability, reward, state)."""
    if puzzle.name != "cat_mouse":
        after = state.copy()
        reward, _ = puzzle.rules.step(level, after, action, np.ones(1, np.uint64))
        return [(1.0, float(reward), after)]
    ways = 4 ** int(level[cat_mouse.CATS])
    rows, chances = np.empty((ways, len(state)), np.int16), np.empty(ways)
    count = cat_mouse.outcomes(level, state, action, rows, chances)
    merged = collections.Counter()
    for k in range(count):
        merged[rows[k].tobytes()] += chances[k]
    found = [(chance, np.frombuffer(row, np.int16).copy()) for row, chance in merged.items()]
    return [(chance, cat_mouse.pay(cat_mouse.outcome(level, row))[0], row) for chance, row in found]


def decisions(puzzle, options, level, start):
    """The decision problem of a level; None if it has too many states."""
    actions, states, number = len(puzzle.actions(options)), [start.copy()], {key_of(puzzle, start): 0}
    table = []
    for state in states:
        for action in range(actions):
            row = []
            for chance, reward, after in results(puzzle, level, state, action):
                outcome = puzzle.rules.outcome(level, after)
                place = -1
                if outcome == UNFINISHED:
                    place = number.setdefault(key_of(puzzle, after), len(states))
                    if place == len(states):
                        states.append(after)
                row.append((place, chance, reward, outcome == SOLVED))
            table.append(row)
        if len(states) > MOST_STATES:
            return None
    widest = max(map(len, table))
    arrays = np.array([row + [(-1, 0.0, 0.0, False)] * (widest - len(row)) for row in table], float)
    after, chances, rewards, solves = np.moveaxis(arrays.reshape(len(states), actions, widest, 4), 3, 0)
    after = np.where(after < 0, len(states), after).astype(int)
    return Decisions(level, states, after, chances, rewards, solves.astype(bool))


def board(rng, height, width, pieces, walls, wall="#", floor=".", border=True):
    """A random board with each of the pieces on a square of its own."""
    squares = [(row, column) for row in range(height) for column in range(width)]
    rng.shuffle(squares)
    letters = dict(zip(squares, [*pieces, *wall * walls], strict=False))
    lines = ["".join(letters.get((row, column), floor) for column in range(width)) for row in range(height)]
    edge = wall * (width + 2)
    return "\n".join([edge, *(f"{wall}{line}{wall}" for line in lines), edge] if border else lines)


def random_case(name, rng):
    """An environment with one small random level: its id and settings."""
    if name == "sokoban":
        boxes = rng.randint(1, 2)
        text = board(rng, rng.randint(3, 4), 4, ["@", *"$." * boxes], rng.randint(0, 3), floor=" ")
        return "Sokoban-v0", {"levels": [text], "reward": rng.choice(["peas", "boxoban"])}
    if name == "n_puzzle":
        goal = list(range(6))
        rng.shuffle(goal)
        width, height = rng.choice([(3, 2), (2, 3)])
        return "EightPuzzle-v0", {"width": width, "height": height, "goal": goal}
    if name == "bait":
        pieces = ["A", "k", "g", *"1" * rng.randint(0, 2), *"0" * rng.randint(0, 2), *"m" * rng.randint(0, 1)]
        text = board(rng, 3, rng.randint(3, 4), pieces, rng.randint(0, 1), wall="w")
        return "Bait-v0", {"levels": [text], "reward": rng.choice(["peas", "gvgai"])}
    if name == "cat_mouse":
        text = board(rng, 3, rng.randint(3, 5), ["M", "E", *"C" * rng.randint(0, 2)], rng.randint(0, 4))
        return "CatMouse-v0", {"levels": [text], "cat_blocked": rng.random() < 0.3}
    pieces = ["A", "G", *"W" * rng.randint(0, 1), *"P" * rng.randint(0, 2)]
    settings = rng.choice([{}, {"climb": True}, {"climb": True, "reward": "textbook"}])
    return "Wumpus-v0", {"levels": [board(rng, 2, 3, pieces, 0, border=False)], **settings}


PUZZLES = ("sokoban", "n_puzzle", "bait", "cat_mouse", "wumpus")


def cases(name, count, seed=0):
    """That many random levels of a puzzle: (settings, Decisions, Potential)."""
    rng = random.Random(f"{name} {seed}")
    while count:
        env_id, settings = random_case(name, rng)
        try:
            env = gym.make(env_id, max_episode_steps=LIMIT, **settings).unwrapped
        except ValueError:  # such as an exit that the mouse cannot reach
            continue
        env.reset(seed=rng.randrange(2**30))
        scene = env.batch.scene(0)
        if (
            env.puzzle.rules.outcome(scene.level, scene.state) == UNFINISHED
            and (found := decisions(env.puzzle, env.options, scene.level, scene.state)) is not None
            and not found.optimal(1.0)[0].all()  # such as a level without a solution
        ):
            count -= 1
            yield settings, found, Potential(dataclasses.replace(env.config, limit=LIMIT))


def changes(problem, potentials, weight, gamma):
    """The number of states whose set of optimal actions is changed by the shaping."""
    shaping = problem.shaping(potentials, weight, gamma)
    return int((problem.optimal(gamma) != problem.optimal(gamma, shaping)).any(axis=1).sum())


if __name__ == "__main__":
    for name in PUZZLES:
        began, states, changed, choices = time.perf_counter(), 0, 0, 0
        for _, problem, potential in cases(name, int(sys.argv[1])):
            states += len(problem.states)
            choices += int((~problem.optimal(1.0)).any(axis=1).sum())
            found = problem.potentials(potential)
            changed += sum(changes(problem, found, weight, gamma) for gamma in GAMMAS for weight in (1.0, 0.01))
        took = time.perf_counter() - began
        print(
            f"{name}: {sys.argv[1]} levels, {states:,} states, a choice in {choices:,}, {changed} changed; {took:.0f} s"
        )
