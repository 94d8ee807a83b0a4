"""What the agent sees: no more than it knows, and each view agrees with a slow, obvious twin."""

import random

import gymnasium as gym
import naive
import numpy as np
import pytest
from helpers import same
from hypothesis import given
from hypothesis import strategies as st

from gridpuzzles_gym.engine.levels.sources import level_source
from gridpuzzles_gym.puzzles.wumpus import PUZZLE, observing, rules

TWINS = {"planes": naive.planes, "egocentric": naive.egocentric}
CAVES = [
    {},
    {"size": [2, 7], "pits": 4},
    {"size": 9, "pits": 3},
    {"size": 6, "pit_probability": 0.2, "climb": True},
    {"levels": ["v.#.\n.#P.\n..WG\n", "G.\n.<\n", "..W.P\n.G.##\n.#.^.\nP....\n.....\n"]},
]


@pytest.mark.parametrize("cave", CAVES, ids=map(str, range(len(CAVES))))
@pytest.mark.parametrize("observation", TWINS)
def test_views_equal_their_slow_twins(observation, cave):
    env = gym.make("Wumpus-v0", observation=observation, **cave).unwrapped
    luck = random.Random(1)
    facings = set()
    for seed in range(12):
        seen, _ = env.reset(seed=seed)
        over = False
        for _ in range(40):
            scene = env.batch.scene(0)
            assert same(seen, TWINS[observation](scene.level, scene.state))
            facings.add(int(scene.state[rules.FACING]))
            if over:
                break
            seen, _, over, _, _ = env.step(luck.choice([0, 1, 2, 2, 2, 3, 4, 5]))
    assert facings == {0, 1, 2, 3}


@pytest.mark.parametrize("cave", CAVES, ids=map(str, range(len(CAVES))))
def test_percepts_are_those_of_the_square(cave):
    env = gym.make("Wumpus-v0", observation="percepts", **cave).unwrapped
    luck = random.Random(2)
    for seed in range(12):
        seen, _ = env.reset(seed=seed)
        screams, bumps, over, dead = 0, False, False, False
        while not over:
            scene = env.batch.scene(0)
            level, state = scene.level, scene.state
            row, column = divmod(int(state[rules.SQUARE]), int(level[rules.WIDTH]))
            stench, breeze = naive.percept_maps(level)
            glitter = state[rules.GOLD] == state[rules.SQUARE]
            scream = (not state[rules.ALIVE]) and not dead
            dead = not state[rules.ALIVE]
            screams += scream
            assert seen.tolist() == [stench[row, column], breeze[row, column], glitter, bumps, scream]
            if env.batch.counters[1, 0] >= 60:
                break
            before = state[rules.SQUARE]
            action = luck.choice([0, 1, 2, 2, 2, 3, 4, 5])
            seen, _, over, _, _ = env.step(action)
            bumps = action == rules.FORWARD and env.batch.states[0, rules.SQUARE] == before
        assert screams <= 1


@given(
    seed=st.integers(0, 2**32 - 1),
    actions=st.lists(st.sampled_from([0, 1, 2, 2, 2, 3, 4, 5]), max_size=60),
    cave=st.sampled_from(CAVES),
)
def test_refreshed_observations_equal_fresh_ones(seed, actions, cave):
    """By the interpreted rules, so that a slip of ``refresh`` shows where it happens."""
    options = PUZZLE.read_options(**{name: value for name, value in cave.items() if name != "levels"})
    source = level_source(PUZZLE, cave.get("levels"), options)
    rng = np.array([seed + 1], np.uint64)
    if source.levels:
        level, state = PUZZLE.encode(source.levels[seed % len(source.levels)], source.extent, options)
    else:
        level, state = (np.zeros(size, np.int16) for size in PUZZLE.row_lengths(source.extent))
        rules.generate(PUZZLE.generation.settings(options), rng, level, state)
    squares = {"planes": source.extent[0] * source.extent[1], "egocentric": observing.SIDE**2}
    kinds = [(PUZZLE.observations[name], number) for name, number in squares.items()]
    views = [np.full((len(seen.channels(source.extent)), number), 7, np.uint8) for seen, number in kinds]
    for (seen, _), view in zip(kinds, views, strict=True):
        seen.observe(level, state, view)
    for action in actions:
        before = state.copy()
        _, terminated = rules.step(level, state, action, rng)
        for (seen, _), view in zip(kinds, views, strict=True):
            fresh = np.full_like(view, 7)
            seen.observe(level, state, fresh)
            seen.refresh(level, before, state, view)
            assert np.array_equal(view, fresh)
        if terminated:
            break


# Pairs of caves that differ where the agent has not been, and the walk that does not tell them apart.
WALKS = [
    ("....\n....\n....\nA..G\n", ".P..\n...W\n...P\nA..G\n", "lrfrlr", "nothing near the start"),
    ("G..P\n....\n....\nA...\n", "P..G\n....\n....\nA...\n", "fbfb", "gold and pit far away"),
    ("...\nW..\nA.G\n", "...\n.W.\nA.G\n", "", None),
    ("....\n.W..\nA..G\n", "....\n.W..\nA...\n".replace(".W..", ".WG."), "f", "gold elsewhere, stench either way"),
    ("..P.\n....\nA..G\n", "..PP\n....\nA..G\n", "s", "an arrow into the dark hits nothing either way"),
]
MOVES = {"l": [0], "r": [1], "f": [2], "b": [0, 0, 2, 0, 0], "g": [3], "s": [5]}


@pytest.mark.parametrize("observation", PUZZLE.observations)
@pytest.mark.parametrize(("one", "other", "walk", "why"), WALKS, ids=range(len(WALKS)))
def test_what_was_not_perceived_is_not_shown(observation, one, other, walk, why):
    envs = [gym.make("Wumpus-v0", observation=observation, levels=text).unwrapped for text in (one, other)]
    results = [[env.reset(seed=0) for env in envs]]
    for move in walk:
        results += [[env.step(action) for env in envs] for action in MOVES[move]]
    equal = all(same(first, second) for first, second in results)
    assert equal == (why is not None)  # one pair differs at once: the comparison can fail
