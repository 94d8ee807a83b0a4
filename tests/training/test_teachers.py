"""Teachers say what to do in any state: right on their own way, after mistakes, and silent where all is lost."""

import itertools

import gymnasium as gym
import numpy as np
import pytest
from helpers import puzzle_of
from naive_cat_mouse import AHEAD, Maze

from gridpuzzles_gym.agents.bait.sampler import BaitSampler
from gridpuzzles_gym.agents.cat_mouse import optimal as values
from gridpuzzles_gym.agents.cat_mouse.optimal import chain_of
from gridpuzzles_gym.agents.n_puzzle import distances
from gridpuzzles_gym.agents.search.problem import Limits, Problem
from gridpuzzles_gym.agents.search_tables import heuristic_named, search_named
from gridpuzzles_gym.agents.teachers import make_planner, make_teacher
from gridpuzzles_gym.engine.config import config_of
from gridpuzzles_gym.engine.puzzle import SOLVED

COUNT = 64


def environments(env_id, num_envs=COUNT, **kwargs):
    """A vector environment as a learner's, reset."""
    env = gym.make_vec(env_id, num_envs=num_envs, autoreset_mode="SameStep", copy=False, **kwargs)
    env.reset(seed=5)
    return env


def follow(env, teacher, steps, mistakes=0.0, seed=0):
    """Play by a teacher, with random actions now and then; yields (labels, starting) before each step."""
    rng, starting = np.random.default_rng(seed), np.ones(env.num_envs, bool)
    for _ in range(steps):
        labels = teacher.label(env.batch, starting)
        yield labels, starting
        actions, wrong = labels.actions.copy(), rng.random(env.num_envs) < mistakes
        actions[wrong] = rng.integers(0, labels.probabilities.shape[1], wrong.sum())
        teacher.acted(actions)
        _, _, terminated, truncated, _ = env.step(actions)
        starting = terminated | truncated


def endings(env, teacher, steps, **more):
    """The outcomes of all episodes that end while a teacher is followed, and their lengths."""
    found = []
    for step, (_, starting) in enumerate(follow(env, teacher, steps, **more)):
        ended = env.batch.endings(np.flatnonzero(starting & (step > 0)))
        found += zip(ended.outcomes.tolist(), ended.lengths.tolist(), strict=True)
    return found


# -- labels --------------------------------------------------------------------------------------

DEFAULTS = {
    "Wumpus-v0": {"size": 3, "pits": 1},
    "CatMouse-v0": {"maze": "random", "size": 5, "loops": 0, "cats": 0},
    "EightPuzzle-v0": {"observation": "symbols"},
    "FifteenPuzzle-v0": {"scramble": [1, 30]},
    "Bait-v0": {"levels": BaitSampler(7, 7)},
    "Sokoban-v0": {"levels": "starter"},
}


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize("env_id", DEFAULTS)
def test_the_best_teacher_leads_to_the_goal(env_id):
    env = environments(env_id, **DEFAULTS[env_id])
    teacher = make_teacher("auto", env)
    for labels, _ in follow(env, teacher, 5, mistakes=0.5):
        assert labels.probabilities.dtype == np.float32
        assert np.allclose(labels.probabilities.sum(axis=1), labels.known)
        likely = labels.probabilities[np.arange(COUNT), labels.actions]
        assert (likely == labels.probabilities.max(axis=1)).all()
    env.reset(seed=1)
    outcomes = [outcome for outcome, _ in endings(env, teacher, 60)]
    assert len(outcomes) > COUNT // 2
    if env_id == "Wumpus-v0":  # nobody can know everything
        assert np.mean(np.array(outcomes) == SOLVED) > 0.6
    else:
        assert set(outcomes) == {SOLVED}


@pytest.mark.parametrize("env_id", DEFAULTS)
def test_states_observed_in_another_way(env_id):
    kwargs = {name: value for name, value in DEFAULTS[env_id].items() if name != "observation"}
    kinds = puzzle_of(env_id).observations
    lanes = {kind: environments(env_id, 8, observation=kind, **kwargs) for kind in kinds}
    rng = np.random.default_rng(1)
    for _ in range(20):
        for (kind, env), other in itertools.product(lanes.items(), kinds):
            assert (env.batch.observed_as(other) == lanes[other].batch.observations).all(), (kind, other)
        actions = rng.integers(0, lanes[kind].single_action_space.n, 8)
        for env in lanes.values():
            env.step(actions)


# -- exact values --------------------------------------------------------------------------------


@pytest.mark.parametrize("goal", ["rows", "spiral"])
def test_all_shortest_solutions_of_small_boards(goal):
    env = environments("EightPuzzle-v0", 200, width=3, height=2, goal=goal)
    table = distances.table_of(config_of(env).options.solution(), (2, 3))
    assert sorted(np.unique(table)) == list(range(-1, 22))  # nobody needs more than 21 moves
    assert (table >= 0).sum() == 360
    labels = make_teacher("distances", env).label(env.batch, np.ones(200, bool))
    search = search_named("astar", env.puzzle), heuristic_named("manhattan", env.puzzle)
    for i in range(0, 200, 8):
        problem = Problem.of(env, i)
        least = search[0].solve(problem, search[1]).cost
        best = []
        for action in range(4):
            state = problem.state.copy()
            if env.puzzle.rules.legal(problem.level, state, action):
                env.puzzle.rules.step(problem.level, state, action, None)
                after = Problem(env.puzzle, problem.level, state, env.options)
                best.append(search[0].solve(after, search[1]).cost == least - 1)
            else:
                best.append(False)
        assert (labels.probabilities[i] > 0).tolist() == best
        assert labels.probabilities[i].max() == np.float32(1 / sum(best))


@pytest.mark.extended
@pytest.mark.parametrize("blocked", [False, True])
@pytest.mark.parametrize("text", ["M...\n.#C.\n..#.\n...E\n", "M..C\n.#..\n...E\n..C.\n"], ids=["one cat", "two cats"])
def test_the_best_mouse_against_sweeps_over_a_naive_maze(text, blocked):
    maze = Maze(text, blocked)
    waiting, turns = list(maze.beginning()), {}
    while waiting:
        place = waiting.pop()
        if place not in turns and maze.outcome(*place) == "unfinished":
            turns[place] = [maze.turn(*place, action) for action in AHEAD]
            waiting += [after for turn in turns[place] for after in turn]
    ends, number = {"solved": 1000.0, "died": -1000.0}, {place: k for k, place in enumerate(turns)}
    options = []  # for each place and action: what it is worth at once, and the chances of the places after it
    for found in turns.values():
        options.append([])
        for turn in found:
            ended = sum(
                float(chance) * ends[maze.outcome(*after)] for after, chance in turn.items() if after not in turns
            )
            options[-1].append((ended - 1, [(float(turn[after]), number[after]) for after in turn if after in turns]))
    best, change = [0.0] * len(turns), 1.0
    while change > 1e-10:
        change = 0.0
        for k, actions in enumerate(options):
            value = max(ended + sum(chance * best[after] for chance, after in later) for ended, later in actions)
            change, best[k] = max(change, abs(value - best[k])), value
    env = gym.make("CatMouse-v0", levels=text, cat_blocked=blocked)
    level, state = env.unwrapped.batch.pool.rows(0)
    solution = values.solve(chain_of(level))
    width = len(text.splitlines()[0])
    for (mouse, cats), value in zip(turns, best, strict=True):
        state[0], state[1 : 1 + len(cats)] = mouse[0] * width + mouse[1], [row * width + col for row, col in cats]
        assert abs(solution.values[solution.chain.number(level, state)] - value) < 1e-6


# -- after mistakes --------------------------------------------------------------------------------


CASES = {
    "Sokoban-v0": {"levels": "starter", "max_episode_steps": 10_000},
    "Bait-v0": {"levels": BaitSampler(7, 7), "max_episode_steps": 10_000},
}


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize("env_id", CASES)
def test_after_random_play_what_is_not_lost_is_won_and_what_is_lost_is_known(env_id):
    env = environments(env_id, **CASES[env_id])
    rng = np.random.default_rng(3)
    masks = env.action_masks
    for _ in range(25):
        allowed = masks()
        env.step((rng.random(allowed.shape) * allowed).argmax(axis=1))
    teacher = make_teacher("auto", env)
    known = teacher.label(env.batch, np.zeros(COUNT, bool)).known
    assert 5 < known.sum() < COUNT
    exact = search_named("breadth-first", env.puzzle), heuristic_named("zero", env.puzzle)
    for i in range(0, COUNT, 3):
        found = exact[0].solve(Problem.of(env, i), exact[1], Limits(nodes=300_000))
        assert found.status in (("solved",) if known[i] else ("exhausted",))
    open_still = known.copy()
    for _ in range(200):
        if not open_still.any():
            break
        labels = teacher.label(env.batch, np.zeros(COUNT, bool))
        assert labels.known[open_still].all()
        _, _, terminated, _, _ = env.step(labels.actions)
        assert (env.batch.ends[2][terminated & open_still] == SOLVED).all()
        open_still &= ~terminated
    assert not open_still.any()


def test_in_a_deadlock_there_is_no_advice_until_the_next_episode():
    env = environments("Sokoban-v0", 1, levels="######\n#    #\n#@$ .#\n#    #\n######\n", max_episode_steps=6)
    teacher, known = make_teacher("auto", env), []
    starting = np.ones(1, bool)
    for action in (1, 3, 0, 1, 1, 2, 3):  # the third one pushes the box up to the wall
        known.append(teacher.label(env.batch, starting).known[0])
        _, _, _, starting, _ = env.step(np.array([action]))
    assert known == [True, True, True, False, False, False, True]


@pytest.mark.extended
@pytest.mark.parametrize(
    ("env_id", "search", "kwargs"),
    [
        ("Bait-v0", "astar", {"levels": BaitSampler(7, 7)}),
        ("EightPuzzle-v0", "weighted-astar", {"scramble": 20}),
        ("Sokoban-v0", "sokoban-moves", {"levels": "starter"}),
        ("Sokoban-v0", "breadth-first", {"levels": "starter"}),
    ],
)
def test_planners_find_what_searches_find_whatever_the_threads(env_id, search, kwargs):
    env = environments(env_id, 12, **kwargs)
    which, starting = np.arange(12), np.zeros(12, bool)
    plans, lengths = make_planner(config_of(env), search, threads=1)(env.batch, which, starting)
    again, same = make_planner(config_of(env), search, threads=3)(env.batch, which, starting)
    assert (plans == again).all()
    assert (lengths == same).all()
    found = search_named(search, env.puzzle), heuristic_named(None, env.puzzle)
    for i in range(12):
        result = found[0].solve(Problem.of(env, i), found[1])
        assert tuple(plans[i, : lengths[i]].tolist()) == result.actions
