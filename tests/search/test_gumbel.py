"""The planner: Gumbel AlphaZero's search equals exhaustive search on tiny trees, with chance and without."""

import functools

import gymnasium as gym
import numpy as np
import pytest
from search_cases import MAZES, maze
from tree_puzzle import ABSENT, ACTIONS, GAMBLE, GOAL, INNER, PUZZLE, TRAP, TableEvaluator, random_evaluator

from gridpuzzles_gym.agents.policy import Policy
from gridpuzzles_gym.agents.registry import agent_entries, make_agent
from gridpuzzles_gym.agents.search.gumbel import Branch, considered_visits, plan, scaled_values
from gridpuzzles_gym.agents.thoughts import thoughts_of
from gridpuzzles_gym.engine.puzzle import UNFINISHED

DISCOUNT = TableEvaluator.discount
NONE = np.zeros(ACTIONS, np.bool_)


def tiny(seed, branching, depth, kinds=(ABSENT, INNER, INNER, INNER, TRAP, GOAL)):
    """The level of a tree whose last layer ends the episode, and a poor network for it."""
    rng = np.random.default_rng(seed)
    last = sum(branching**k for k in range(depth))
    count = last + branching**depth
    nodes = rng.choice(kinds, count)
    nodes[last:] = rng.choice([GOAL, TRAP, TRAP], count - last)
    nodes[0] = INNER
    # An inner node without children would be a dead end where nothing ends.
    for node in reversed(range(last)):
        children = nodes[node * branching + 1 :][:branching]
        if nodes[node] == INNER and (children == ABSENT).all():
            nodes[node] = TRAP if node else INNER
    return np.array([branching, *nodes], np.int16), rng


def network(puzzle, level, actions, rng):
    """Random probabilities of the allowed actions, and a value above all returns."""
    policy = np.zeros((len(level) - 1, ACTIONS))
    for node in range(len(policy)):
        allowed = [puzzle.rules.legal(level, np.array([node], np.int16), action) for action in range(actions)]
        policy[node, :actions] = np.where(allowed, rng.random(actions) + 0.1, 0) if any(allowed) else 1.0
    return TableEvaluator(policy / policy.sum(axis=1, keepdims=True), np.full(len(policy), -10.0))


def exhaustive(level, chance, actions):
    """The best expected discounted return of each action at the root."""
    rules = PUZZLE.rules

    @functools.cache
    def value(node):
        state = np.array([node], np.int16)
        return 0.0 if rules.outcome(level, state) != UNFINISHED else max(action_values(node))

    def action_values(node):
        found = [-np.inf] * actions
        for action in range(actions):
            sides = (2 * action, 2 * action + 1) if chance else (action,)
            if not all(rules.legal(level, np.array([node], np.int16), side) for side in sides):
                continue
            returns = []
            for side in sides:
                state = np.array([node], np.int16)
                reward, _ = rules.step(level, state, side, None)
                returns.append(reward + DISCOUNT * value(int(state[0])))
            found[action] = float(np.mean(returns))
        return found

    return np.array(action_values(0))


def planned(puzzle, levels, model, simulations, gumbels=None, first=1, refused=(), states=None, branches=None):
    count = len(levels)
    without = np.zeros((count, ACTIONS), np.bool_)
    without[:, list(refused)] = True
    return plan(
        puzzle, np.stack(levels), np.zeros((count, 1), np.int16) if states is None else states, model, simulations,
        np.arange(first, first + count, dtype=np.uint64), np.zeros((count, ACTIONS)) if gumbels is None else gumbels,
        without, branches or [None] * count,
    )  # fmt: skip


@pytest.mark.parametrize("simulations", [5, 60])
@pytest.mark.parametrize("name", ["open", "walls"])
def test_without_chance_no_state_is_evaluated_twice(name, simulations):
    """Many paths lead to each square of the open maze; after 60 simulations no new one is left."""
    problem = maze(MAZES[name])
    model, refused = random_evaluator(problem, 64, 0), np.zeros((1, ACTIONS), np.bool_)
    levels, states = problem.level[None], problem.state[None]
    bits, gumbels = np.ones(1, np.uint64), np.zeros((1, ACTIONS))
    found = plan(problem.puzzle, levels, states, model, simulations, bits, gumbels, refused, [None])
    assert len(model.asked) == len({*model.asked})
    assert len(model.asked) == 6 if simulations == 5 else len(model.asked) > 10
    assert problem.puzzle.rules.legal(problem.level, problem.state, found.actions[0])
    assert np.isfinite(found.values).all()


@pytest.mark.parametrize("seed", range(20))
def test_it_equals_exhaustive_search_on_tiny_trees(seed):
    """Whatever the policy, if values are not too low: what looks bad at first is not tried again."""
    level, rng = tiny(seed, branching=2, depth=4)
    values = exhaustive(level, chance=False, actions=2)
    result = planned(PUZZLE, [level], network(PUZZLE, level, 2, rng), 1000)
    assert values[result.actions[0]] == values.max()
    assert result.values[0] == pytest.approx(values.max(), abs=0.5)


@pytest.mark.parametrize("seed", range(20))
def test_it_equals_exhaustive_search_where_chance_plays_a_part(seed):
    level, rng = tiny(seed, branching=4, depth=2, kinds=(INNER, INNER, TRAP, GOAL))
    values = exhaustive(level, chance=True, actions=2)
    result = planned(GAMBLE, [level], network(GAMBLE, level, 2, rng), 2000)
    assert values[result.actions[0]] == values.max()
    assert result.values[0] == pytest.approx(values.max(), abs=0.5)


def _value(level, node):
    state, rules, best = np.array([node], np.int16), PUZZLE.rules, -np.inf
    if rules.outcome(level, state) != UNFINISHED:
        return 0.0
    for action in range(3):
        if rules.legal(level, state, action):
            after = state.copy()
            reward, _ = rules.step(level, after, action, None)
            best = max(best, reward + DISCOUNT * _value(level, int(after[0])))
    return best


def test_sequential_halving():
    assert considered_visits(4, 16) == (0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5)
    assert considered_visits(1, 3) == (0, 1, 2)
    assert considered_visits(3, 8) == (0, 0, 0, 1, 1, 2, 2, 3)


def test_scaled_values_by_hand():
    """Actions 0 and 1 of equal probability return 4 and 2 on average, the network says 1: after 3 visits the mixture is
    (1 + 3 · 3) / 4 = 2.5, so action 2 is a quarter of the way from 2 to 4. The scale is 0.1 · (50 + 2), or half of it
    if returns elsewhere in the tree differ by 4."""
    policies, scaled = np.log([0.25, 0.25, 0.5, 1e-9]), np.zeros(4)
    policies[3] = -np.inf
    for spread, factor in ((2.0, 1.0), (-np.inf, 1.0), (4.0, 0.5)):
        scaled_values(policies, 1.0, np.array([2, 1, 0, 0]), np.array([8.0, 2.0, 0, 0]), spread, 3, 0.1, scaled)
        assert scaled.tolist() == pytest.approx([5.2 * factor, 0, 1.3 * factor, -np.inf])


def test_the_bounds_are_the_lowest_and_the_highest_return_below_the_root():
    level, _ = tiny(0, 2, depth=2, kinds=(INNER,))
    count = len(level) - 1
    model = TableEvaluator(np.tile([0.5, 0.5, 0, 0], (count, 1)), np.arange(count))
    tree = planned(PUZZLE, [level], model, 2).tree
    assert (tree.parents[0, 1:3] == 0).all()
    assert tree.bounds[0].tolist() == sorted(tree.values[0, 1:3])
    assert tree.bounds[0, 0] < tree.bounds[0, 1]


def after(found):
    """What was found below the action taken, and an outcome of it."""
    tree, action = found.tree, found.actions[0]
    return Branch(tree, 0, action), tree.states[0, tree.children[0, 0, action]]


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(("puzzle", "branching"), [(PUZZLE, 2), (GAMBLE, 4)], ids=["certain", "chance"])
def test_a_search_goes_on_with_what_an_earlier_one_found(puzzle, branching, seed):
    level, rng = tiny(seed, branching, depth=4, kinds=(INNER,))
    model = network(puzzle, level, 2, rng)
    first = planned(puzzle, [level], model, 30)
    branch, state = after(first)
    nodes, asked = branch.nodes(state, NONE), len(model.asked)
    second = planned(puzzle, [level], model, 30, states=state[None], branches=[branch])
    old, tree = first.tree, second.tree
    assert (tree.states[0, : len(nodes)] == old.states[0, nodes]).all()
    assert tree.visits[0, 0].sum() == old.visits[0, nodes[0]].sum() + 30
    assert (tree.before[0] == old.visits[0, nodes[0]]).all()
    again = model.asked[asked:]
    assert len(again) == len({*again})
    assert not {*again[1:]} & {*old.states[0, nodes, 0].tolist()}


@pytest.mark.parametrize("seed", range(5))
def test_actions_are_refused_unless_no_other_is_allowed(seed):
    level, rng = tiny(seed, branching=3, depth=3)
    model = network(PUZZLE, level, 3, rng)
    best = planned(PUZZLE, [level], model, 200).actions[0]
    other = planned(PUZZLE, [level], model, 200, refused=[best])
    assert other.actions[0] != best
    assert other.policies[0, best] == 0
    assert planned(PUZZLE, [level], model, 200, refused=range(ACTIONS)).actions[0] == best


# -- the agent -----------------------------------------------------------------------------------


@pytest.mark.parametrize("id", ["CatMouse-v0", "EightPuzzle-v0", "Bait-v0"])
def test_the_planner_plays(id):
    env = gym.make_vec(id, num_envs=3)
    agent = make_agent("planner:simulations=4", env, seed=1)
    assert isinstance(agent, Policy)
    observation, _ = env.reset(seed=1)
    actions, memory = agent.predict(observation)
    assert (actions.shape, actions.dtype) == ((3,), np.int64)
    assert (make_agent("planner:simulations=4,model=pretrained", env, seed=1).predict(observation)[0] == actions).all()
    assert make_agent("planner:simulations=4", env, seed=1).predict(observation[0])[0] == actions[0]
    assert {array.shape[0] for array in memory} == {3}, "an entry of each array belongs to an environment"
    best, _ = agent.predict(observation, memory, deterministic=True)
    assert (best == agent.predict(observation, deterministic=True)[0]).all()
    thoughts = thoughts_of(agent, observation[1], memory, 1)
    assert sum(thoughts.probabilities) == pytest.approx(1)
    assert thoughts.figures["simulations"] == "4"


def test_the_planner_returns_to_no_state_of_its_episode():
    """A network for which all states are alike would go to and fro; each episode begins anew."""
    env = gym.make("EightPuzzle-v0", max_episode_steps=40)
    agent = make_agent("planner:simulations=4", env)
    evaluate = agent.model.evaluate
    agent.model.evaluate = lambda *rows, as_played: _even(evaluate(*rows))._replace(values=np.zeros(len(rows[0])))
    memory = None
    for start in (True, True):
        observation, _ = env.reset(seed=3)
        seen, over = [observation.tobytes()], False
        while not over:
            action, memory = agent.predict(observation, memory, np.array([start]), deterministic=True)
            observation, _, terminated, truncated, _ = env.step(int(action))
            seen.append(observation.tobytes())
            start, over = False, terminated or truncated
        assert len(set(seen)) == len(seen) > 20


def _even(evaluation):
    allowed = evaluation.log_policy > -np.inf
    return evaluation._replace(log_policy=np.where(allowed, -np.log(allowed.sum(axis=1, keepdims=True)), -np.inf))


def test_where_the_planner_does_not_apply():
    wumpus = gym.make("Wumpus-v0")
    assert "planner" not in agent_entries(wumpus.unwrapped.puzzle)
    with pytest.raises(ValueError, match=r"'planner' plays .*, not wumpus"):
        make_agent("planner", wumpus)
    with pytest.raises(ValueError, match="simulations=0: must be an integer from 1 to 100,000"):
        make_agent("planner:simulations=0", gym.make("EightPuzzle-v0"))
    with pytest.raises(ValueError, match="value_scale=-1: must be a number from 0 to 100"):
        make_agent("planner:value_scale=-1", gym.make("EightPuzzle-v0"))
    with pytest.raises(ValueError, match="no parameter 'depth'; it has model, simulations, value_scale"):
        make_agent("planner:depth=3", gym.make("EightPuzzle-v0"))
