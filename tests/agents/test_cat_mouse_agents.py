"""The mice: walls followed round islands, exact values against simulation."""

import gymnasium as gym
import numpy as np
import pytest
from helpers import check_predict, puzzle_of, same

from gridpuzzles_gym.agents.cat_mouse import optimum as values
from gridpuzzles_gym.agents.cat_mouse.maze_agent import MazeAgent
from gridpuzzles_gym.agents.cat_mouse.optimal import Optimal
from gridpuzzles_gym.agents.cat_mouse.optimum import chain_of
from gridpuzzles_gym.agents.cat_mouse.uct import Uct
from gridpuzzles_gym.agents.cat_mouse.wall_follower import WallFollower
from gridpuzzles_gym.agents.evaluation import compare
from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.agents.models.trained_agent import PRETRAINED
from gridpuzzles_gym.agents.registry import agents_of, make_agent
from gridpuzzles_gym.puzzles.cat_mouse.rules import RIGHT, WALL

# -- films ---------------------------------------------------------------------------------------


def run(agent_name, board, limit=60, **kwargs):
    """The squares that a mouse is on, in a maze whose rows are parted by ``/``; and how it ended."""
    env = gym.make("CatMouse-v0", levels=board.replace("/", "\n") + "\n", max_episode_steps=limit, **kwargs)
    agent = make_agent(agent_name, env)
    seen, _ = env.reset(seed=0)
    width, memory, squares = env.unwrapped.batch.extent[1], None, []
    while True:
        squares.append(divmod(int(env.unwrapped.batch.states[0, 0]), width))
        action, memory = agent.predict(seen, memory)
        seen, _, terminated, truncated, info = env.step(int(action))
        if terminated or truncated:
            return squares, info["outcome"]


def test_each_hand_follows_its_wall():
    assert run("wall-follower", "##.##/M...E/##.##")[0] == [(1, 0), (1, 1), (1, 2), (2, 2), (1, 2), (1, 3)]
    assert run("wall-follower-left", "##.##/M...E/##.##")[0] == [(1, 0), (1, 1), (1, 2), (0, 2), (1, 2), (1, 3)]


# -- exact values --------------------------------------------------------------------------------


def chain(**kwargs):
    """The turns of a level, and the probability of each state to begin in."""
    batch = gym.make("CatMouse-v0", **kwargs).unwrapped.batch
    level, start = batch.pool.rows(0)
    found = chain_of(level)
    return found, found.start(level, start)


def test_values_that_can_be_worked_out_by_hand():
    found, start = chain(levels="M..E\n")
    assert start @ values.solve(found).values == 997
    assert start @ values.best_within(found, 2) == -2
    found, start = chain(levels="ME\n.C\n")
    assert start @ values.solve(found).values == 999
    # Between mouse and exit a cat that nobody can pass: it is best to have it over.
    found, start = chain(levels="MCE\n")
    solution = values.solve(found)
    assert solution.policy[start.argmax()] == RIGHT
    assert start @ solution.values == -1001
    # The cat has gone to the exit, and must come back; or it has gone elsewhere.
    found, start = chain(levels="ME\n.C\n", cat_blocked=True)
    assert sorted(start[start > 0]) == [0.5, 0.5]
    assert start @ values.solve(found).values == (998 + 999) / 2
    assert start @ values.best_within(found, 1) == (-1 + 999) / 2


@pytest.mark.extended
def test_the_values_satisfy_bellmans_equation_and_bound_everyone():
    found, start = chain()
    solution = values.solve(found)
    landed = np.concatenate([(found.chances * solution.values[found.successors]).sum(axis=1), solution.values[-2:]])
    assert abs(landed[found.landings].max(axis=1) - 1 - solution.values[:-2])[found.exists].max() < 1e-8
    assert np.allclose(found.chances.sum(axis=1)[found.exists], 1)
    best, expected = start @ solution.values, values.expectation(solution, start)
    assert abs(expected.mean_return - best) < 1e-6
    limited = values.expectation(solution, start, 200).mean_return
    assert limited <= start @ values.best_within(found, 200) + 1e-9 <= best + 1e-6
    assert 977 < best < 977.1


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize("kwargs", [{}, {"cat_blocked": True}], ids=str)
def test_the_best_mouse_gets_what_was_computed(kwargs):
    found, start = chain(**kwargs)
    expected = values.expectation(values.solve(found), start, 200)
    score = compare(Game.of("CatMouse-v0", **kwargs), ["value-iteration"], 10_000, progress=False).scores[0]
    assert abs(score.mean_return - expected.mean_return) < 1.5 * score.interval
    assert abs(score.deaths - expected.death) < 0.002
    assert abs(score.steps - expected.steps) < 0.2


# -- predict() -----------------------------------------------------------------------------------

MICE = [name for name in agents_of(puzzle_of("CatMouse-v0")) if name not in (PRETRAINED, "planner")]
"""Those that need no network."""


@pytest.mark.extended
@pytest.mark.parametrize("name", MICE)
def test_predict_keeps_the_contract(name):
    env = gym.make_vec("CatMouse-v0", num_envs=3, maze="random", size=7)
    check_predict(lambda env: make_agent(name, env, seed=1), env)


@pytest.mark.parametrize("kwargs", [{}, {"cats": 3, "cat_blocked": True}, {"maze": "random", "size": (9, 5)}], ids=str)
def test_mazes_are_read_as_the_puzzle_decodes_them(kwargs):
    env = gym.make_vec("CatMouse-v0", num_envs=5, **kwargs).unwrapped
    views, _ = env.reset(seed=0)
    for _ in range(30):
        levels, states = MazeAgent(env).read(views)
        for view, level, state in zip(views, levels, states, strict=True):
            assert same(env.puzzle.decode("planes", view, env.batch.extent, env.options), (level, state))
        views = env.step(env.action_space.sample())[0]


def test_what_they_cannot_play_is_a_value_error():
    env = gym.make("CatMouse-v0", observation="symbols").unwrapped
    with pytest.raises(ValueError, match="observation='symbols': this agent requires 'planes'"):
        Optimal(env)
    with pytest.raises(ValueError, match="hand='third' is not known"):
        WallFollower(gym.make("CatMouse-v0").unwrapped, "third")
    with pytest.raises(ValueError, match="simulations=0"):
        Uct(gym.make("CatMouse-v0").unwrapped, simulations=0)


@pytest.mark.extended
def test_notes_show_the_value_of_every_square():
    env = gym.make("CatMouse-v0").unwrapped
    agent = Optimal(env)
    seen, _ = env.reset(seed=0)
    _, memory = agent.predict(seen)
    notes = agent.thoughts(None, memory).notes
    assert notes[1, 1] == "977"
    assert len(notes) == np.count_nonzero(env.scene().level[7:] & WALL == 0) - 2  # the cat's and the exit
