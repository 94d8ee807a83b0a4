"""The optimum of the Wumpus World: against an exhaustive expectimax over single actions, and in play."""

import functools
import itertools

import gymnasium as gym
import numpy as np
import pytest

import gridpuzzles_gym  # noqa: F401  (registers the environments)
from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.agents.registry import make_agent
from gridpuzzles_gym.agents.wumpus.bayesian import ENDLESS
from gridpuzzles_gym.agents.wumpus.optimal import Optimal
from gridpuzzles_gym.agents.wumpus.optimum import policy
from gridpuzzles_gym.agents.wumpus.optimum.world import make_world
from gridpuzzles_gym.engine import kernels
from gridpuzzles_gym.play.session import Watched, WatchOptions
from gridpuzzles_gym.puzzles.wumpus import Options, observing, rules, text

VALUES = {False: 380.8159, True: 420.6192}
"""The default cave's values, without and with a climb action."""


def all_caves(width, height, pits, climb):
    """Level and start of every cave that the rules may draw."""
    others = [square for square in range(width * height) if square != (height - 1) * width]
    options = Options(size=(width, height), pits=pits, climb=climb)
    caves = []
    for wumpus, gold in itertools.permutations(others, 2):
        for chosen in itertools.combinations([s for s in others if s not in (wumpus, gold)], pits):
            cells = ["." for _ in range(width * height)]
            cells[(height - 1) * width] = "A"
            cells[wumpus], cells[gold] = "W", "G"
            for pit in chosen:
                cells[pit] = "P"
            board = "\n".join("".join(cells[row * width : (row + 1) * width]) for row in range(height))
            level, state = text.encode(next(iter(text.read(board, "cave"))), (height, width), options)
            caves.append((level, state))
    return caves


def expectimax(width, height, pits, climb, limit):
    """The best expected return: every action tried at every step, with all caves that the percepts allow."""
    caves = all_caves(width, height, pits, climb)
    levels = [level for level, _ in caves]
    percepts = np.zeros(5, np.int8)
    actions = [rules.TURN_LEFT, rules.TURN_RIGHT, rules.FORWARD, rules.GRAB, rules.SHOOT] + [rules.CLIMB_OUT] * climb

    @functools.cache
    def moved(cave, state, action):
        after = np.frombuffer(state, np.int16).copy()
        reward, over = rules.step(levels[cave], after, action, None)
        observing.observe_percepts(levels[cave], after, percepts)
        return reward, over, percepts.tobytes(), after.tobytes()

    @functools.cache
    def value(possible, left):
        if left == 0:
            return 0.0
        best = -np.inf
        for action in actions:
            total, groups = 0.0, {}
            for cave, state in possible:
                reward, over, felt, after = moved(cave, state, action)
                total += reward
                if not over:
                    groups.setdefault(felt, []).append((cave, after))
            total += sum(len(group) * value(tuple(group), left - 1) for group in groups.values())
            best = max(best, total / len(possible))
        return best

    first = {}
    for cave, (level, state) in enumerate(caves):
        observing.observe_percepts(level, state, percepts)
        first.setdefault(percepts.tobytes(), []).append((cave, state.tobytes()))
    return sum(len(group) * value(tuple(group), limit) for group in first.values()) / len(caves)


@pytest.mark.parametrize(
    ("width", "height", "pits", "climb", "limit"),
    [
        (2, 2, 1, False, 12),
        (2, 2, 0, False, 6),
        (2, 2, 1, True, 16),
        (3, 2, 1, False, 9),
        (3, 2, 2, False, 14),
        (2, 3, 1, False, 11),
        pytest.param(3, 2, 1, True, 20, marks=pytest.mark.extended),
        pytest.param(3, 3, 1, False, 8, marks=pytest.mark.extended),
    ],
)
def test_value_is_that_of_an_exhaustive_search_over_single_actions(width, height, pits, climb, limit):
    found = policy.solve(make_world(height, width, pits, climb, limit))
    assert found.longest <= limit
    assert found.value == pytest.approx(expectimax(width, height, pits, climb, limit), abs=1e-6)
    assert found.bound >= found.value - 1e-6


def default_caves(climb):
    """Level and start rows of every layout of the default cave."""
    options = Options(climb=climb)
    others = [square for square in range(16) if square != 12]
    levels = []
    for wumpus in others:
        for pits in itertools.combinations([square for square in others if square != wumpus], 3):
            board = np.zeros(16, np.int16)
            board[wumpus], board[[*pits]] = rules.WUMPUS, rules.PIT
            golds = (square for square in others if square != wumpus and square not in pits)
            levels += [text.make_level(board.reshape(4, 4), 12, rules.EAST, gold, options) for gold in golds]
    starts = np.zeros((len(levels), 8 + 16), np.int16)
    for level, start in zip(levels, starts, strict=True):
        rules.begin(level, start)
    return np.array(levels), starts


def play_every(name, levels, starts, **options):
    """An agent plays every cave: its returns [N], the maximum number of steps, and the agent."""
    count = len(levels)
    env = gym.make_vec("Wumpus-v0", count, observation="percepts", **options).unwrapped
    env.batch.random_bits[:] = env.batch.counters[kernels.SEEDED] = 1
    env.reset()
    env.batch.levels[:count], env.batch.states[:] = levels, starts
    env.batch.actions[:] = 1
    env.batch._command(kernels.OBSERVE)
    agent, memory, percepts = make_agent(name, env), None, env.batch.observations.copy()
    total, playing, steps = np.zeros(count), np.ones(count, bool), 0
    over = before = np.zeros(count, bool)
    while playing.any():
        actions, memory = agent.predict(percepts, memory, over | before)
        percepts, rewards, terminated, truncated, _ = env.step(actions)
        total += rewards * playing
        steps += 1
        before, over = over, terminated | truncated
        playing &= ~over
    return total, steps, agent


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize("climb", [False, True])
def test_the_bundled_table_attains_its_value_over_all_layouts(climb):
    levels, starts = default_caves(climb)
    assert len(levels) == 60_060
    total, steps, agent = play_every("optimal", levels, starts, climb=climb)
    assert total.mean() == pytest.approx(agent.optimum.value, abs=1e-9)
    assert agent.optimum.value == pytest.approx(VALUES[climb], abs=5e-5)
    assert steps <= agent.optimum.longest <= 100  # so the limit changes nothing where it is not part of the method
    assert agent.optimum.value <= agent.optimum.bound < agent.optimum.value + 4


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize("climb", [False, True])
@pytest.mark.parametrize(("size", "pits"), [((3, 2), 1), ((2, 3), 2), ((3, 3), 2)])
def test_the_bayesian_agent_is_nearly_optimal(size, pits, climb):
    rows = all_caves(*size, pits, climb)
    levels, starts = (np.array(part) for part in zip(*rows, strict=True))
    options = {"size": size, "pits": pits, "climb": climb, "max_episode_steps": 60}
    best, mean = (play_every(name, levels, starts, **options)[0].mean() for name in ("optimal", "bayesian"))
    assert best - 0.5 < mean < best + 1e-9


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize(
    ("settings", "value"),
    [
        ((3, 4, 2, False, 100), 515.900505050505),
        ((4, 4, 9, False, 100), -39.344162504162504),
        ((4, 4, 6, True, 100), 124.13904151404151),
    ],
)
def test_values_of_larger_caves(settings, value):
    """Those of the first solver; the default cave takes a minute and a half."""
    assert policy.solve(make_world(*settings)).value == pytest.approx(value, abs=1e-8)


@pytest.mark.parametrize("limit", [2, 7, 30])
def test_the_step_limit_is_that_of_the_environment(limit):
    """Single or vector, and whatever is wrapped around it."""
    options = {"size": 2, "pits": 1, "observation": "percepts", "max_episode_steps": limit}
    single, vector = gym.make("Wumpus-v0", **options), gym.make_vec("Wumpus-v0", 2, **options)
    for env in (single, gym.wrappers.RecordEpisodeStatistics(single), vector):
        agent = make_agent("optimal", env)
        assert agent.optimum.value == policy.load_or_solve(2, 2, 1, False, limit).value
        assert make_agent("bayesian", env).settings[-1] == limit
    assert make_agent("bayesian", single.unwrapped).settings[-1] == ENDLESS
    watched = Watched(Game.of("Wumpus-v0", size=2, pits=1, max_episode_steps=limit), "bayesian", WatchOptions())
    assert watched.player.policy.settings[-1] == limit


def test_a_damaged_file_is_solved_again(tmp_path, monkeypatch):
    monkeypatch.setattr(policy, "cache_root", lambda: tmp_path)
    policy.load_or_solve.cache_clear()
    value = policy.load_or_solve(2, 2, 1, False, 7).value
    (file,) = (tmp_path / "wumpus-optima").iterdir()
    file.write_bytes(b"no table")
    policy.load_or_solve.cache_clear()
    with pytest.warns(UserWarning, match="cannot be used"):
        assert policy.load_or_solve(2, 2, 1, False, 7).value == value
    assert len(file.read_bytes()) > 100
    policy.load_or_solve.cache_clear()


def test_worlds_that_cannot_be_solved_are_refused():
    for options, problem in [
        ({"size": 5}, "5x5 squares is too large"),
        ({"pit_probability": 0.2}, "agent 'bayesian'"),
        ({"levels": "textbook"}, "agent 'bayesian'"),
        ({"climb": True, "reward": "textbook"}, "reward='peas'"),
    ]:
        with pytest.raises(ValueError, match=problem):
            Optimal.for_env(gym.make("Wumpus-v0", **options).unwrapped)
