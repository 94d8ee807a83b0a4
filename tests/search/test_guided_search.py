"""Searches guided by a network: Levin tree search, PHS* and batch-weighted A*, on trees and mazes made by hand."""

import dataclasses
import math

import gymnasium as gym
import naive_search as naive
import numpy as np
import pytest
from search_cases import MAZE, MAZES, maze, solve
from tree_puzzle import INNER, TableEvaluator, random_evaluator, random_tree

from gridpuzzles_gym import Outcome
from gridpuzzles_gym.agents.models.trained_agent import MOST_DISTANCE, Rewards, load_evaluator
from gridpuzzles_gym.agents.registry import agent_entries, is_model, make_agent, observation_for
from gridpuzzles_gym.agents.search.problem import Limits, Problem
from gridpuzzles_gym.agents.search.searches import SEARCHES


def levin(depth, chance, distance):
    return (depth + 1) / chance


def phs(depth, chance, distance):
    length = depth + 1
    return (length + distance) / chance ** (1 + distance / length)


TWINS = {"lts": levin, "phs": phs}


def cases():
    for seed in range(12):
        problem = random_tree(seed)
        yield problem, random_evaluator(problem, len(problem.level) - 1, seed)
    for board in MAZES.values():
        for seed in range(3):
            problem = maze(board)
            yield problem, random_evaluator(problem, 64, seed)


def probability(problem, model, plan):
    """π of a plan."""
    chance = 1.0
    for state, action in zip(problem.replay(plan), plan, strict=False):
        chance *= math.exp(model.evaluate(problem.level[None], state[None]).log_policy[0, action])
    return chance


@pytest.mark.parametrize("name", TWINS)
def test_they_expand_what_their_definition_says(name):
    for problem, model in cases():
        order, plan = naive.guided(problem, model, TWINS[name], once=name == "phs")
        result = solve(name, problem, model=model, batch=1)
        assert (result.actions if result.solved else None, result.expanded) == (plan and tuple(plan), len(order))


def test_levin_tree_search_keeps_the_bound_of_its_theorem():
    """Theorem 3 of its paper: at most (depth + 1) / π states are expanded, whichever solution one takes."""
    bounds = 0
    for problem, model in cases():
        result = solve("lts", problem, model=model, batch=1)
        plans = [result.actions] if result.solved else []
        shortest = solve("breadth-first", problem)
        plans += [shortest.actions] if shortest.solved else []
        for plan in plans:
            assert result.expanded <= (len(plan) + 1) / probability(problem, model, plan) * (1 + 1e-6)
            bounds += 1
    assert bounds > 30


def test_phs_star_with_exact_distances_walks_to_the_goal():
    """Where the policy is even and h exact, the states of a shortest solution have the lowest priority."""
    for board in MAZES.values():
        problem = maze(board)
        distances = [_distance(problem, square) for square in range(64)]
        model = random_evaluator(problem, 64, 0)
        model = TableEvaluator((model.policy > 0) / np.maximum((model.policy > 0).sum(1, keepdims=True), 1), distances)
        blind = solve("lts", problem, model=model, batch=1)
        informed = solve("phs", problem, model=model, batch=1)
        assert informed.expanded <= blind.expanded


def _distance(problem, square):
    start = Problem(problem.puzzle, problem.level, problem.state.copy(), problem.options)
    start.state[0] = square
    result = solve("breadth-first", start, MAZE)
    return len(result.actions) if result.solved else 60


@pytest.mark.parametrize("batch", [1, 7])
def test_batch_weighted_astar_is_astar_with_another_estimate(batch):
    for board in MAZES.values():
        problem = maze(board, costs=(3, 1, 2, 1))
        squares = np.repeat(problem.state[None], 64, axis=0)
        squares[:, 0] = np.arange(64)
        estimates = [MAZE.evaluate(problem.level, square, None) for square in squares]
        model = TableEvaluator(random_evaluator(problem, 64, 0).policy, estimates)
        best = solve("astar", problem, MAZE)
        found = solve("value-astar", problem, model=model, batch=batch, weight=1)
        assert found.cost == best.cost
        assert solve("value-astar", problem, model=model, batch=batch, weight=3).cost <= 3 * best.cost
        lighter = solve("value-astar", problem, model=model, batch=batch, weight=0.5)
        assert lighter.cost == best.cost
        assert lighter.expanded >= found.expanded


def test_states_are_evaluated_once_and_traps_never():
    for seed in range(5):
        problem = random_tree(seed)
        for name in ("lts", "phs", "value-astar"):
            model = random_evaluator(problem, len(problem.level) - 1, seed)
            result = solve(name, problem, model=model)
            assert len(model.asked) <= (result.expanded if name == "lts" else 1 + result.generated)
            assert len({*model.asked}) == len(model.asked)
            assert {int(problem.level[1 + node]) for node in model.asked} == {INNER}


def test_a_search_says_that_it_needs_a_model():
    problem = maze(MAZES["open"])
    for name in ("lts", "phs", "value-astar"):
        with pytest.raises(ValueError, match=f"{name} needs a model"):
            SEARCHES[name].solve(problem, MAZE)


# -- models --------------------------------------------------------------------------------------


@pytest.mark.parametrize("discount", [0.9, 0.99, 1.0])
@pytest.mark.parametrize("rewards", [Rewards(), Rewards(-0.1, 11.0)])
def test_distances_are_those_of_returns(discount, rewards):
    returns = [rewards.goal + rewards.step]
    for _ in range(50):
        returns.append(rewards.step + discount * returns[-1])
    assert rewards.distances(np.array(returns), discount) == pytest.approx(np.arange(1, 52))
    assert rewards.distances(np.array([1e9, -1e9]), discount).tolist() == [0, MOST_DISTANCE]


@pytest.mark.parametrize("name", ["lts", "phs", "value-astar"])
@pytest.mark.parametrize("id", ["EightPuzzle-v0", "Sokoban-v0", "Bait-v0"])
def test_pretrained_networks_guide_them(name, id):
    env = gym.make(id)
    env.reset(seed=1)
    problem, model = Problem.of(env), load_evaluator("pretrained", env)
    result = solve(name, problem, model=model, limits=Limits(nodes=40))
    assert problem.reaches_goal(result.actions) == result.solved
    assert result.solved or result.expanded == 40
    policy, _, distances = model.evaluate(problem.level[None], problem.state[None])
    legal = [problem.puzzle.rules.legal(problem.level, problem.state, a) for a in range(4)]
    assert np.exp(policy).sum() == pytest.approx(1)
    assert ((policy[0] > -np.inf) == legal).all()
    assert 0 < distances[0] <= MOST_DISTANCE


def test_values_are_in_the_rewards_of_training():
    """The network was trained with Boxoban's rewards, of about 10 a level; the environment pays about 1000."""
    env = gym.make("Sokoban-v0", deadlocks=True)
    env.reset(seed=0)
    problem, model = Problem.of(env), load_evaluator("pretrained", env)
    assert model.options == dataclasses.replace(env.unwrapped.config.options, reward="boxoban")
    assert 0 < model.evaluate(problem.level[None], problem.state[None]).values[0] < 20
    tiles = gym.make("EightPuzzle-v0")
    assert load_evaluator("pretrained", tiles).options == tiles.unwrapped.config.options


# -- agents --------------------------------------------------------------------------------------


def test_they_are_agents_with_parameters():
    env = gym.make("EightPuzzle-v0", scramble=8)
    assert {"lts", "phs", "value-astar"} <= set(agent_entries(env.unwrapped.puzzle))
    for name in ("phs", "phs:model=pretrained,nodes=100,batch=4", "astar:nodes=1000,heuristic=zero"):
        assert observation_for(name, env.unwrapped.puzzle) is None
        assert not is_model(name)
        agent, memory = make_agent(name, env), None
        observation, _ = env.reset(seed=2)
        over = False
        while not over:
            action, memory = agent.predict(observation, memory)
            observation, _, terminated, truncated, info = env.step(int(action))
            over = terminated or truncated
        assert info["outcome"] == Outcome.SOLVED, name
