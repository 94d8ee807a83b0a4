"""The Bayesian agent: its probabilities against brute force, its decisions, its speed."""

import functools
import itertools

import gymnasium as gym
import numpy as np
import pytest

from gridpuzzles_gym import Outcome
from gridpuzzles_gym.agents.evaluation import compare
from gridpuzzles_gym.agents.registry import make_agent
from gridpuzzles_gym.agents.wumpus import belief as b
from gridpuzzles_gym.agents.wumpus import belief as r
from gridpuzzles_gym.agents.wumpus import lookahead as l
from gridpuzzles_gym.engine.compile.compilation import compiled
from gridpuzzles_gym.puzzles.wumpus import rules


@functools.cache
def believe():
    rule = b.believe  # by name: of a module attribute the kernel's digest would take in all sources

    def run(settings, memory, chance, belief):
        rule(settings, memory, chance, belief)

    return compiled(run, "test-wumpus-belief")


@functools.cache
def enter():
    """The probability of each percept in a square that is entered, float64[4]."""
    before, rule = b.believe, l.enter

    def run(settings, memory, chance, square, belief, likely):
        weighed = before(settings, memory, chance, belief)
        for percept in range(4):
            likely[percept], _, _ = rule(
                settings, memory, chance, weighed, square, percept, memory.copy(), np.empty_like(belief)
            )

    return compiled(run, "test-wumpus-enter")


@functools.cache
def expected():
    """The expected return of a choice at the start of a cave, float64[1]."""
    around, before, prepare, rule, queue = l.look_around, b.believe, l.new_frames, l.expected, np.int16
    model, weight = l.MODEL, l.WEIGHT

    def run(settings, memory, chance, choice, least, value):
        squares = settings[0] * settings[1]
        frames = prepare(squares, len(memory))
        frames.memory[0] = memory
        frames.reals[0, weight], frames.whole[0, model] = before(settings, memory, chance, frames.belief[0])
        around(settings, frames, 0, np.empty(4 * squares, queue))
        value[0] = rule(settings, chance, frames, choice, least)

    return compiled(run, "test-wumpus-expected")


@functools.cache
def layouts(height, width, pits, probability):
    """Every layout: wumpus, gold [N], pits, breezes [N, S] of 0.0 and 1.0, weight [N]; as the rules' words are."""
    squares, start = height * width, (height - 1) * width
    others = [square for square in range(squares) if square != start]
    rows = []
    if probability is None:
        for wumpus, gold in itertools.permutations(others, 2):
            free = [square for square in others if square not in (wumpus, gold)]
            rows += [(wumpus, gold, chosen, 1.0) for chosen in itertools.combinations(free, pits)]
    else:
        for count in range(len(others) + 1):
            weight = probability**count * (1 - probability) ** (len(others) - count)
            for chosen in itertools.combinations(others, count):
                rows += [(wumpus, gold, chosen, weight) for wumpus in others for gold in others]
    held = np.zeros((len(rows), squares))
    for row, (_, _, chosen, _) in enumerate(rows):
        held[row, list(chosen)] = 1
    wumpus, gold, weight = (np.array([row[column] for row in rows]) for column in (0, 1, 3))
    return wumpus, gold, held, np.minimum(held @ near(height, width), 1), weight


def near(height, width):
    grid = np.stack(np.divmod(np.arange(height * width), width), axis=1)
    return np.abs(grid[:, None] - grid[None]).sum(axis=2) <= 1


def posterior(settings, memory, probability, gold_at):
    """The probability of every layout, given what is known."""
    height, width = map(int, settings[:2])
    wumpus, gold, pits, breezes, weight = layouts(height, width, int(settings[r.MODEL_PITS]), probability)
    close = near(height, width)
    cells = memory[r.CELLS :]
    visited = np.flatnonzero(cells & r.VISITED)
    fits = (pits[:, visited] == 0).all(axis=1)
    for square in visited:
        fits &= close[square, wumpus] == bool(cells[square] & r.STENCH)
        fits &= breezes[:, square] == bool(cells[square] & r.BREEZE)
    if memory[r.DEAD]:
        fits &= np.isin(wumpus, np.flatnonzero(cells & r.HIT))
    else:
        fits &= ~np.isin(wumpus, np.flatnonzero(cells & (r.MISSED | r.VISITED)))
    fits &= gold == gold_at if memory[r.HELD] else ~np.isin(gold, visited)
    return weight * fits / (weight @ fits)


def by_enumeration(settings, memory, probability, gold_at):
    """PIT, LAIR and GOLD of every square by going through all layouts."""
    height, width = map(int, settings[:2])
    wumpus, gold, pits, _, _ = layouts(height, width, int(settings[r.MODEL_PITS]), probability)
    chance = posterior(settings, memory, probability, gold_at)
    lair, found = (np.bincount(there, chance, height * width) for there in (wumpus, gold))
    return np.stack([chance @ pits, lair, 0 * found if memory[r.HELD] else found])


def entered_by_enumeration(settings, memory, probability, gold_at, square):
    """The probability of each percept in a square, by going through all layouts."""
    height, width = map(int, settings[:2])
    wumpus, gold, pits, breezes, _ = layouts(height, width, int(settings[r.MODEL_PITS]), probability)
    safe = (pits[:, square] == 0) & ((wumpus != square) | bool(memory[r.DEAD])) & (gold != square)
    felt = near(height, width)[square, wumpus] + 2 * breezes[:, square].astype(int)
    return np.bincount(felt, posterior(settings, memory, probability, gold_at) * safe, 4)


def situations(count, seed, **options):
    """What random walks come to know: settings, memory and where the gold was, of ``count`` moments."""
    env = gym.make_vec("Wumpus-v0", num_envs=64, observation="percepts", autoreset_mode="SameStep", **options)
    batch, random = env.unwrapped.batch, np.random.default_rng(seed)
    height, width = batch.extent
    exact = batch.options.pit_probability is None
    settings = np.array([height, width, batch.options.pits if exact else -1, 0, 100], np.int64)
    percepts, _ = env.reset(seed=seed)
    memory = np.zeros((64, r.CELLS + height * width), np.int16)
    starting, given = np.ones(64, bool), 0
    while given < count:
        for i in range(64):
            if starting[i]:
                r.begin(memory[i], (height - 1) * width, rules.EAST)
            fresh = r.perceive(settings, memory[i], percepts[i])
            if fresh and not percepts[i, 2] and given < count and random.random() < 0.3:
                given += 1
                yield settings, memory[i].copy(), int(batch.levels[i, rules.GOLD_AT])
        glitter = percepts[:, 2] == 1
        actions = random.choice([0, 1, 2, 5], 64, p=[0.2, 0.2, 0.56, 0.04])
        actions[glitter] = rules.GRAB
        memory[:, r.LAST] = actions
        percepts, _, terminated, truncated, _ = env.step(actions)
        starting = terminated | truncated


@pytest.mark.parametrize(
    ("count", "options"),
    [
        (40, {}),
        (150, {"size": 3, "pits": 2}),
        (40, {"size": (5, 2), "pits": 4}),
        (200, {"size": 3, "pit_probability": 0.2}),
    ],
)
def test_probabilities_are_those_of_brute_force(count, options):
    belief_of = believe()
    probability = options.get("pit_probability")
    for settings, memory, gold_at in situations(count, 5, **options):
        belief = np.empty((4, len(memory) - r.CELLS))
        belief_of(settings, memory, probability or 0.0, belief)
        expected = by_enumeration(settings, memory, probability, gold_at)
        unknown = memory[r.CELLS :] & r.VISITED == 0
        np.testing.assert_allclose(belief[: b.DANGER][:, unknown], expected[:, unknown], atol=1e-9)


@pytest.mark.extended
@pytest.mark.parametrize(
    ("count", "options"),
    [
        (30, {}),
        (100, {"size": 3, "pits": 2}),
        (100, {"size": 3, "pit_probability": 0.2}),
    ],
)
def test_chances_of_percepts_are_those_of_brute_force(count, options):
    """An impossible percept has none, though a cave that the exact model excludes is believed in another model."""
    enter_of, probability, impossible = enter(), options.get("pit_probability"), 0
    for settings, memory, gold_at in situations(count, 6, **options):
        for square in np.flatnonzero(memory[r.CELLS :] & r.VISITED == 0):
            if memory[r.HELD]:
                continue
            belief, likely = np.empty((4, len(memory) - r.CELLS)), np.empty(4)
            enter_of(settings, memory, probability or 0.0, square, belief, likely)
            expected = entered_by_enumeration(settings, memory, probability, gold_at, square)
            np.testing.assert_allclose(likely, expected, atol=1e-9)
            impossible += np.count_nonzero(expected == 0)
    assert impossible > count


@pytest.mark.parametrize("climb", [False, True])
def test_value_of_a_risk_is_the_one_computed_by_hand(climb):
    """In 2×2 squares with a breeze at the start, the wumpus is opposite, and at least one of two squares is a pit."""
    settings = np.array([2, 2, -1, climb, 60], np.int64)
    memory, value = np.zeros(r.CELLS + 4, np.int16), np.empty(1)
    r.begin(memory, 2, rules.EAST)
    memory[r.CELLS + 2] = r.VISITED | r.BREEZE
    expected()(settings, memory, 0.2, 3, 0.0, value)
    danger = 0.2 / (1 - 0.8**2)  # else the pit is above
    stop = -1 - 3 if climb else -(60 - 1)
    # It turns, shoots and steps up, to the gold in half of all cases (in others it is in the pit above the start); the
    # way home takes two turns, a step, another turn and a step.
    stop_above = -1 - 5 if climb else -(60 - 4)
    shoot = -1 - 11 - 1 + 0.5 * (1000 - 1 - 5 - climb) + 0.5 * stop_above
    assert shoot > stop
    by_hand = -1 - danger * 1000
    by_hand += (1 - danger) * ((1000 - 1 - 3 - climb) / 3 + 2 / 3 * (0.8 * shoot + 0.2 * stop))
    assert value[0] == pytest.approx(by_hand)


def play(cave, steps=100, **options):
    """Play one cave; the words of all actions, the last info, memory and agent."""
    env = gym.make("Wumpus-v0", levels=cave + "\n", observation="planes", **options)
    agent = make_agent("bayesian", env)
    observation, info = env.reset(seed=0)
    memory, words = None, []
    for _ in range(steps):
        action, memory = agent.predict(observation, memory)
        words.append(env.unwrapped.batch.action_names[action])
        observation, _, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            break
    return words, info, memory, agent


def test_leaves_where_only_bad_risks_are_left():
    words, info, _, _ = play("A.PG", climb=True)
    assert (words, info["outcome"]) == (["forward", "turn left", "turn left", "forward", "climb"], Outcome.LEFT)


@pytest.mark.compiled
@pytest.mark.extended
def test_batch_equals_single_and_every_observation_serves():
    played = []
    for kind in ("percepts", "planes", "egocentric"):
        env = gym.make_vec("Wumpus-v0", num_envs=20, observation=kind, autoreset_mode="SameStep")
        agent, memory, starting = make_agent("bayesian", env), None, np.ones(20, bool)
        observation, _ = env.reset(seed=9)
        singles, taken = [None] * 20, []
        for _ in range(120):
            actions, memory = agent.predict(observation, memory, starting)
            for i in range(3):
                action, singles[i] = agent.predict(observation[i], singles[i], starting[i : i + 1])
                assert action == actions[i]
            taken.append(actions)
            observation, _, terminated, truncated, _ = env.step(actions)
            starting = terminated | truncated
        played.append(np.array(taken))
    assert (played[0] == played[1]).all()
    assert (played[0] == played[2]).all()


@pytest.mark.compiled
@pytest.mark.extended
def test_does_well_over_random_caves():
    score = compare("Wumpus-v0", ["bayesian"], 1500, progress=False).scores[0]
    assert 350 < score.mean_return < 410
    assert score.deaths < 0.15
