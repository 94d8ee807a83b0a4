"""Ten million random steps through caves of every size, with what must always hold checked as they go."""

import gymnasium as gym
import numpy as np
import pytest

from gridpuzzles_gym.engine import kernels
from gridpuzzles_gym.puzzles.wumpus import rules

SIZES = range(4, 13)
STEPS = 10**7
BATCH = 2048
EVERY = 20


def next_to(there):
    """bool[B, H, W] → the squares that hold it or are next to one that does."""
    padded = np.pad(there, ((0, 0), (1, 1), (1, 1)))
    middle = padded[:, 1:-1, 1:-1]
    return middle | padded[:, :-2, 1:-1] | padded[:, 2:, 1:-1] | padded[:, 1:-1, :-2] | padded[:, 1:-1, 2:]


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize("size", SIZES)
def test_invariants_hold_however_long_it_plays(size):
    env = gym.make_vec("Wumpus-v0", num_envs=BATCH, size=size, observation="percepts", copy=False).unwrapped
    batch = env.batch
    numbers = np.random.default_rng(size)
    env.reset(seed=size)
    squares, everyone = size * size, np.arange(BATCH)
    score, over = np.zeros(BATCH), np.zeros(BATCH, bool)
    endings, kills, grabs = set(), 0, 0
    for number in range(-(-STEPS // len(SIZES) // BATCH)):
        # Forward more often than not, and little shooting, so that play gets somewhere.
        actions = numbers.choice(6, BATCH, p=[0.2, 0.15, 0.4, 0.15, 0.05, 0.05])
        checking = number % EVERY == 0
        if checking:
            before, map_before, was_over = batch.states.copy(), batch.levels[:BATCH].copy(), over
        percepts, rewards, terminated, truncated, _ = env.step(actions)
        score = np.where(over, 0.0, score + rewards)
        over = terminated | truncated
        if not checking:
            continue
        states, levels = batch.states, batch.levels[:BATCH]
        played = ~was_over
        cells = levels[:, rules.CELLS :].reshape(BATCH, size, size)
        wumpus, pits = cells & rules.WUMPUS != 0, cells & rules.PIT != 0
        square, gold = states[:, rules.SQUARE], states[:, rules.GOLD]
        row, column = square // size, square % size

        # One agent, inside the cave, on a square it has seen; one wumpus; the requested number of pits.
        assert ((square >= 0) & (square < squares)).all()
        assert (states[everyone, rules.SEEN + square] == 1).all()
        assert ((states[:, rules.FACING] >= 0) & (states[:, rules.FACING] < 4)).all()
        assert (wumpus.sum((1, 2)) == 1).all()
        assert (pits.sum((1, 2)) == 3).all()
        assert np.array_equal(levels[played], map_before[played])

        # The agent moves by one square at most, and only by going forward.
        moved = played & (square != before[:, rules.SQUARE])
        assert (actions[moved] == rules.FORWARD).all()
        distance = abs(row - before[:, rules.SQUARE] // size) + abs(column - before[:, rules.SQUARE] % size)
        assert (distance[moved] == 1).all()

        # Gold is in the hand or on one square; it changes hands by grab and release alone.
        assert ((gold == rules.HELD) | ((gold >= 0) & (gold < squares))).all()
        changed = played & (gold != before[:, rules.GOLD])
        grabbed, released = changed & (gold == rules.HELD), changed & (gold != rules.HELD)
        assert (actions[grabbed] == rules.GRAB).all()
        assert (before[grabbed, rules.GOLD] == square[grabbed]).all()
        assert (actions[released] == rules.RELEASE).all()
        assert (gold[released] == square[released]).all()
        grabs += grabbed.sum()

        # What is felt follows from the hidden map.
        assert np.array_equal(percepts[:, 0] == 1, next_to(wumpus)[everyone, row, column])
        assert np.array_equal(percepts[:, 1] == 1, next_to(pits)[everyone, row, column])
        assert np.array_equal(percepts[:, 2] == 1, gold == square)
        bumped = played & (actions == rules.FORWARD) & ~moved
        assert np.array_equal(percepts[:, 3] == 1, bumped)
        killed = played & (states[:, rules.ALIVE] == 0) & (before[:, rules.ALIVE] == 1)
        assert np.array_equal(percepts[:, 4] == 1, killed)
        assert (actions[killed] == rules.SHOOT).all()
        kills += killed.sum()

        # The arrow: gone where the wumpus is dead, and never back.
        assert (states[states[:, rules.ALIVE] == 0, rules.ARROW] == 0).all()
        assert (states[played, rules.ARROW] <= before[played, rules.ARROW]).all()

        # The score is the sum of rewards, and each reward is what the tariff says.
        assert np.array_equal(batch.scores[kernels.RETURN], score)
        fallen = pits[everyone, row, column]
        eaten = wumpus[everyone, row, column] & (states[:, rules.ALIVE] == 1)
        died = played & (fallen | eaten)
        shot = played & (before[:, rules.ARROW] == 1) & (states[:, rules.ARROW] == 0)
        expected = -1.0 - 10 * shot + 1000 * grabbed - 1000 * released - 1000 * died
        assert np.array_equal(rewards, np.where(played, expected, 0.0))

        # The end: death, or the start square with the gold; or the hundredth step.
        home = (gold == rules.HELD) & (square == levels[:, rules.START])
        assert np.array_equal(terminated, played & (died | home))
        assert np.array_equal(truncated, played & (batch.counters[kernels.ELAPSED] >= 100))
        endings |= set(batch.ends[kernels.OUTCOME, over].tolist())
    assert kills
    assert grabs
    assert {0, 2} <= endings
