"""Slow, obvious twins of the verifiers of tasks. They read the texts of items, not what the items were made from."""

import itertools
from collections import deque

import numpy as np
from naive_cat_mouse import AHEAD, Maze

from gridpuzzles_gym.engine.puzzle import DIED, LEFT, SOLVED, UNFINISHED
from gridpuzzles_gym.puzzles.wumpus.rules import SEEN
from gridpuzzles_gym.text.tasks.kinds import read_position

NO_RANDOMNESS = np.ones(1, np.uint64)


def distances(item):
    """The fewest actions from the position of an item to the goal; None if it cannot be reached."""
    start = read_position(item.env_id, item.info["settings"], item.level)
    return fewest_from(start, start.state)


def after(item, action):
    """The fewest actions to the goal after an action, by name; None if it cannot be reached."""
    start = read_position(item.env_id, item.info["settings"], item.level)
    state = start.state.copy()
    start.puzzle.rules.step(start.level, state, start.actions.index(action), NO_RANDOMNESS)
    outcome = start.puzzle.rules.outcome(start.level, state)
    return fewest_from(start, state) if outcome == UNFINISHED else 0 if outcome == SOLVED else None


def fewest_from(start, state):
    """Breadth-first search, by the interpreted rules, over everything that can be reached."""
    rules, actions = start.puzzle.rules, range(len(start.actions))
    first = state.copy()
    if start.puzzle.name == "wumpus":
        first[SEEN:] = 0  # where somebody has been does not matter
    known, waiting = {first.tobytes(): 0}, deque([first])
    while waiting:
        here = waiting.popleft()
        for action in actions:
            there = here.copy()
            rules.step(start.level, there, action, NO_RANDOMNESS)
            if start.puzzle.name == "wumpus":
                there[SEEN:] = 0
            outcome = rules.outcome(start.level, there)
            if outcome == SOLVED:
                return known[here.tobytes()] + 1
            if outcome not in (DIED, LEFT) and there.tobytes() not in known:
                known[there.tobytes()] = known[here.tobytes()] + 1
                waiting.append(there)
    return None


def replayed(item, plan):
    """The number of actions of a plan, by name, that are performed until the goal; None if it is not reached."""
    start = read_position(item.env_id, item.info["settings"], item.level)
    state = start.state.copy()
    for count, name in enumerate(plan, start=1):
        start.puzzle.rules.step(start.level, state, start.actions.index(name), NO_RANDOMNESS)
        outcome = start.puzzle.rules.outcome(start.level, state)
        if outcome != UNFINISHED:
            return count if outcome == SOLVED else None
    return None


def tiles_solvable(text):
    """Whether a board can be solved for the goal 1, 2, 3 … blank, by all boards that can be reached."""
    rows = [[int(word.replace("_", "0")) for word in line.split()] for line in text.splitlines()]
    height, width = len(rows), len(rows[0])
    first, goal = (*itertools.chain(*rows),), (*range(1, height * width), 0)
    known, waiting = {first}, [first]
    while waiting and goal not in known:
        tiles = waiting.pop()
        blank = tiles.index(0)
        row, column = divmod(blank, width)
        for down, right in AHEAD.values():
            if 0 <= row + down < height and 0 <= column + right < width:
                there = (row + down) * width + column + right
                swapped = list(tiles)
                swapped[blank], swapped[there] = swapped[there], swapped[blank]
                if tuple(swapped) not in known:
                    known.add(tuple(swapped))
                    waiting.append(tuple(swapped))
    return goal in known


def boxes_solvable(text):
    """Whether a Sokoban board can be solved, by all positions of the player and the boxes that can be reached."""
    squares = {(r, c): letter for r, line in enumerate(text.splitlines()) for c, letter in enumerate(line)}
    walls, goals, boxes, players = ({at for at in squares if squares[at] in each} for each in ("#", ".+*", "$*", "@+"))
    first = (*players, frozenset(boxes))
    known, waiting = {first}, [first]
    while waiting:
        (row, column), boxes = waiting.pop()
        if boxes <= goals:
            return True
        for down, right in AHEAD.values():
            there, beyond = (row + down, column + right), (row + 2 * down, column + 2 * right)
            if there in walls or (there in boxes and beyond in walls | boxes):
                continue
            moved = boxes - {there} | {beyond} if there in boxes else boxes
            if (there, moved) not in known:
                known.add((there, moved))
                waiting.append((there, moved))
    return False


def best_actions(text):
    """The actions of the highest expected return in a maze, by value iteration over dictionaries."""
    maze = Maze(text)
    floor = sorted(maze.floor)
    states = [(mouse, (cat,)) for mouse in floor for cat in floor if mouse not in (cat, maze.exit)]
    turns = {state: {action: list(maze.turn(*state, action).items()) for action in AHEAD} for state in states}
    number = {state: place for place, state in enumerate(states)}
    values = np.zeros(len(states) + 2)
    values[-2:] = 1000, -1000
    ends = {"solved": len(states), "died": len(states) + 1}
    after = np.zeros((len(states), 4, 4), np.int64)
    chances = np.zeros((len(states), 4, 4))
    for state in states:
        for place, action in enumerate(AHEAD):
            for k, ((mouse, cats), chance) in enumerate(turns[state][action]):
                outcome = maze.outcome(mouse, cats)
                after[number[state], place, k] = ends[outcome] if outcome in ends else number[mouse, cats]
                chances[number[state], place, k] = float(chance)
    change = 1.0
    while change > 1e-10:
        expected = -1 + (chances * values[after]).sum(axis=2)
        best = expected.max(axis=1)
        change = abs(best - values[:-2]).max()
        values[:-2] = best
    here = expected[number[maze.mouse, maze.cats]]
    return {action for action, value in zip(AHEAD, here, strict=True) if value > here.max() - 1e-5}
