"""Bait's estimates and searches against exhaustive search of small boards."""

import dataclasses
from collections import deque

import gymnasium as gym
import numpy as np
import pytest
from helpers import puzzle_of

from gridpuzzles_gym.agents.bait import ORIGINAL_AGENTS
from gridpuzzles_gym.agents.bait.heuristics import HEURISTICS
from gridpuzzles_gym.agents.bait.searches import POINT, SCORE
from gridpuzzles_gym.agents.registry import agents_of, make_agent
from gridpuzzles_gym.agents.search.heuristic import DEAD_END, ZERO
from gridpuzzles_gym.agents.search.problem import Problem
from gridpuzzles_gym.agents.search_tables import search_named
from gridpuzzles_gym.engine.kernels import GOAL, LEGAL, TERMINAL, kernel, make_expand
from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.puzzles.bait import PUZZLE
from gridpuzzles_gym.puzzles.bait.boards import make_rows
from gridpuzzles_gym.puzzles.bait.rules import WORTH

OPTIONS = PUZZLE.read_options()
OURS = HEURISTICS["first-times"]
LETTERS = "w.kg01%*m"
# How often each letter comes up: mostly floor, walls, holes and boxes; the second with goals under boxes, mushrooms.
MIXES = {"plain": (2, 6, 0.5, 0.5, 2.5, 2.5, 0.3, 0.3, 0.7), "crowded": (1, 6, 0.5, 1.5, 2, 2.5, 0.6, 1.5, 0.7)}


def problem_of(text):
    (level,) = find_levels(PUZZLE, text)
    return Problem(PUZZLE, *PUZZLE.encode(level, level.extent, OPTIONS), OPTIONS)


def lessons():
    return [
        Problem(PUZZLE, *PUZZLE.encode(level, level.extent, OPTIONS), OPTIONS)
        for level in find_levels(PUZZLE, "lessons")
    ]


def random_board(numbers, mix):
    """The rows of a board of 2 to 6 squares a side with anything anywhere."""
    height, width = numbers.integers(2, 7, 2)
    weights = np.array(MIXES[mix]) / sum(MIXES[mix])
    letters = numbers.choice(list(LETTERS), height * width, p=numbers.dirichlet(20 * weights))
    avatar, key, goal = numbers.choice(height * width, 3, replace=False)
    letters[[avatar, key, goal]] = numbers.choice(["A", "A", "A", "K"]), "k", numbers.choice(["g", "g", "*"])
    symbols = np.array(["w.kg01%*mAK".index(letter) for letter in letters], np.uint8)
    return make_rows(symbols.reshape(height, width), OPTIONS)


class Explored:
    """Every state that can be reached, as long as there are no more than ``most``, and what leads where."""

    def __init__(self, level, start, most=3000):
        expand = kernel(make_expand, PUZZLE)
        successors, rewards = np.zeros((4, len(start)), np.int16), np.zeros(4)
        flags, rng = np.zeros(4, np.uint8), np.ones(1, np.uint64)
        self.states, self.edges, self.won, ended, numbers = [start], [], [False], [False], {start.tobytes(): 0}
        while len(self.edges) < len(self.states) <= most:
            self.edges.append([])
            if ended[len(self.edges) - 1]:
                continue
            expand(level, self.states[len(self.edges) - 1], rng, successors, rewards, flags)
            for action in np.flatnonzero(flags & LEGAL).tolist():
                key = successors[action].tobytes()
                if key not in numbers:
                    numbers[key] = len(self.states)
                    self.states.append(successors[action].copy())
                    self.won.append(bool(flags[action] & GOAL))
                    ended.append(bool(flags[action] & TERMINAL))
                self.edges[-1].append(numbers[key])
        self.whole = len(self.states) <= most

    def steps_to(self, wins):
        """The fewest steps from each state to one of those, -1 where there is no way."""
        before = [[] for _ in self.states]
        for state, edges in enumerate(self.edges):
            for after in edges:
                before[after].append(state)
        steps, waiting = [-1] * len(self.states), deque(wins)
        for win in wins:
            steps[win] = 0
        while waiting:
            after = waiting.popleft()
            for state in before[after]:
                if steps[state] < 0:
                    steps[state] = steps[after] + 1
                    waiting.append(state)
        return steps

    def wins(self):
        return [state for state, won in enumerate(self.won) if won]


def small_boards(seed, mix, count):
    numbers = np.random.default_rng(seed)
    while count:
        level, start = random_board(numbers, mix)
        explored = Explored(level, start)
        if explored.whole and not explored.won[0]:
            count -= 1
            yield level, explored


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize("mix", MIXES)
def test_our_estimate_is_admissible_and_dead_ends_are_dead(mix):
    evaluate, tables, closeness, seen = OURS.function(), np.zeros(1, np.uint8), [], 0
    for level, explored in small_boards(5, mix, 400):
        steps = explored.steps_to(explored.wins())
        for state, exact in zip(explored.states, steps, strict=True):
            guess = evaluate(level, state, tables)
            if exact < 0:
                seen += guess == DEAD_END
                continue
            assert guess <= exact, PUZZLE.format(level, state)
            assert (guess == 0) == (exact == 0)
            closeness.append(guess / exact if exact else 1)
    assert np.mean(closeness) > 0.8
    assert seen > 1000


@pytest.mark.extended
@pytest.mark.parametrize("mix", MIXES)
def test_the_estimate_of_the_score_never_promises_too_little(mix):
    evaluate = SCORE.function()
    for level, explored in small_boards(6, mix, 25):
        states, wins = explored.states, explored.wins()
        exact = {}
        for left in sorted({int(explored.states[win][WORTH]) for win in wins}):
            for state, steps in enumerate(explored.steps_to([w for w in wins if explored.states[w][WORTH] == left])):
                if steps >= 0:
                    exact.setdefault(state, left * POINT + steps)
        for number, state in enumerate(states):
            assert evaluate(level, state, np.zeros(1, np.uint8)) <= exact.get(number, DEAD_END)


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize("mix", MIXES)
def test_searches_prove_what_exhaustive_search_finds(mix):
    solved = 0
    for level, explored in small_boards(7, mix, 150):
        problem = Problem(PUZZLE, level, explored.states[0], OPTIONS)
        wins = explored.wins()
        steps = explored.steps_to(wins)[0]
        shortest = search_named("astar", PUZZLE).solve(problem, OURS)
        highest = search_named("bait-score", PUZZLE).solve(problem, ZERO)
        assert shortest.status == highest.status == ("solved" if steps >= 0 else "exhausted")
        if steps < 0:
            continue
        solved += 1
        assert shortest.cost == steps
        left = min(explored.states[win][WORTH] for win in wins)
        best = [win for win in wins if explored.states[win][WORTH] == left]
        assert problem.replay(highest.actions)[-1][WORTH] == left
        assert highest.cost == explored.steps_to(best)[0]
    assert solved > 30


def test_what_is_no_game_of_bait_is_refused():
    search = search_named("bait-score", PUZZLE)
    problem = lessons()[0]
    env = gym.make("EightPuzzle-v0")
    env.reset(seed=0)
    other = Problem.of(env)
    with pytest.raises(ValueError, match="plays Bait, not Sliding tiles"):
        search.solve(other, ZERO)
    dear = dataclasses.replace(problem, costs=np.array([1, 1, 2, 2]))
    with pytest.raises(ValueError, match="counts steps"):
        search.solve(dear, ZERO)


@pytest.mark.parametrize(
    ("board", "walk", "boxes"),
    [
        ("A..\n..k\n..g\n", 3 + 1, 3),
        ("A1.\n..k\n0.g\n", 3 + 1, 3 + 4 * 1 + 32 * 3),
        ("K1.\n...\n0.g\n", 4, 4),
        ("A.m\n.k.\n1.g\n", 2 + 2, 2 + 4 * 2),
    ],
)
def test_the_original_estimates(board, walk, boxes):
    problem = problem_of(board)
    for name, expected in (("original-walk", walk), ("original-boxes", boxes)):
        assert HEURISTICS[name].evaluate(problem.level, problem.state, None) == expected
        assert not HEURISTICS[name].admissible


@pytest.mark.parametrize("name", ORIGINAL_AGENTS)
def test_the_seeds_agents_win_lessons(name):
    assert name in agents_of(puzzle_of("Bait-v0"), featured=True)
    env = gym.make("Bait-v0", max_episode_steps=100)
    agent = make_agent(name, env)
    observation, _ = env.reset(seed=0, options={"level": 0})
    memory, done = None, False
    while not done:
        action, memory = agent.predict(observation, memory)
        observation, _, done, truncated, info = env.step(int(action))
        done = done or truncated
    assert info["is_success"]
