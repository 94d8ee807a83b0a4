"""Slow, obvious twins of the searches: textbook pseudocode over the interpreted rules, no numba, no limits.

Each answers an :class:`Answer`. Those that draw random numbers draw the same ones in the same order as
the fast searches, so their answers are equal, too.
"""

import dataclasses
import heapq
import itertools
import math
from typing import NamedTuple

import numpy as np

from gridpuzzles_gym.agents.search.heuristic import DEAD_END
from gridpuzzles_gym.engine.puzzle import SOLVED
from gridpuzzles_gym.engine.random import below, initial_bits, next_bits


class Child(NamedTuple):
    action: int
    state: tuple
    solved: bool
    over: bool
    reward: float


@dataclasses.dataclass
class Answer:
    actions: list | None = None
    expanded: int = 0
    generated: int = 0


class World:
    """A problem whose states are tuples, and what was counted."""

    def __init__(self, problem, evaluate=None, seed=0):
        self.problem = problem
        self.start = tuple(problem.state.tolist())
        self.rng = np.array([initial_bits(np.random.default_rng(seed))], np.uint64)
        self.answer = Answer()
        self._evaluate = evaluate or (lambda level, state, tables: 0)

    def row(self, state):
        return np.array(state, np.int16)

    def estimate(self, state):
        return int(self._evaluate(self.problem.level, self.row(state), None))

    def children(self, state):
        rules, level = self.problem.puzzle.rules, self.problem.level
        found = []
        for action in range(len(self.problem.costs)):
            row = self.row(state)
            if rules.legal(level, row, action):
                reward, over = rules.step(level, row, action, self.rng)
                solved = rules.outcome(level, row) == SOLVED
                found.append(Child(action, tuple(row.tolist()), bool(solved), bool(over), float(reward)))
        self.answer.expanded += 1
        return found

    def solved(self, plan):
        self.answer.actions = plan
        return self.answer


def breadth_first(problem):
    world = World(problem)
    queue, met = [(world.start, [])], {world.start}
    for state, plan in queue:
        for child in world.children(state):
            world.answer.generated += 1
            if child.state in met:
                continue
            met.add(child.state)
            if child.solved:
                return world.solved([*plan, child.action])
            if not child.over:
                queue.append((child.state, [*plan, child.action]))
    return world.answer


def _dive(world, state, cost, plan, before, seen, bound, depth, informed, once):
    """Depth-first below a bound: a plan, or the least cost + estimate that was more than the bound."""
    least = math.inf
    for child in world.children(state):
        world.answer.generated += 1
        estimate = world.estimate(child.state)
        if child.state == before or estimate >= DEAD_END or len(plan) + 1 > depth:
            continue
        there = cost + (int(world.problem.costs[child.action]) if informed else 1)
        if there + informed * estimate > bound:
            least = min(least, there + informed * estimate)
            continue
        if child.solved:
            return [*plan, child.action]
        if child.over or (child.state in seen and (once or seen[child.state] <= there)):
            continue
        seen[child.state] = there
        further = _dive(
            world, child.state, there, [*plan, child.action], state, seen, bound, depth, informed, once
        )  # fmt: skip
        if isinstance(further, list):
            return further
        least = min(least, further)
    return least


def depth_first(problem):
    world = World(problem)
    found = _dive(world, world.start, 0, [], None, {world.start: 0}, math.inf, math.inf, False, True)
    return world.solved(found if isinstance(found, list) else None)


def depth_limited(problem, depth):
    world = World(problem)
    found = _dive(world, world.start, 0, [], None, {world.start: 0}, math.inf, depth, False, False)
    return world.solved(found if isinstance(found, list) else None)


def _deepening(world, bound, informed):
    while bound < math.inf:
        found = _dive(world, world.start, 0, [], None, {world.start: 0}, bound, math.inf, informed, False)
        if isinstance(found, list):
            return world.solved(found)
        bound = found
    return world.answer


def iterative_deepening(problem):
    return _deepening(World(problem), 0, False)


def ida_star(problem, evaluate):
    world = World(problem, evaluate)
    return _deepening(world, world.estimate(world.start), True)


def best_first(problem, evaluate=None, weight_cost=1.0, weight_estimate=1.0):
    """Uniform-cost, greedy, A* and weighted A*, by their weights; a state is expanded again where it got cheaper."""
    world = World(problem, evaluate)
    numbers = itertools.count()
    queue, cheapest = [(0.0, next(numbers), 0, world.start, [], False)], {world.start: 0}
    while queue:
        _, _, cost, state, plan, solved = heapq.heappop(queue)
        if solved:
            return world.solved(plan)
        if cost > cheapest[state]:
            continue
        for child in world.children(state):
            there = cost + int(problem.costs[child.action])
            estimate = world.estimate(child.state)
            if (child.over and not child.solved) or estimate >= DEAD_END:
                continue
            if there < cheapest.get(child.state, math.inf):
                cheapest[child.state] = there
                key = weight_cost * there + weight_estimate * estimate
                heapq.heappush(
                    queue, (key, next(numbers), there, child.state, [*plan, child.action], child.solved)
                )  # fmt: skip
    return world.answer


def bidirectional(problem):
    """The length of a shortest plan, by two growing sets of states; None where they never meet."""
    world = World(problem)
    rules, level = problem.puzzle.rules, problem.level
    row = world.row(world.start)
    rules.goal(level, row)
    ends = [{world.start}, {tuple(row.tolist())}]
    layers = [set(end) for end in ends]
    for length in itertools.count():
        if ends[0] & ends[1]:
            return length
        side, following = length % 2, set()
        for state in layers[side]:
            if side == 0:
                following |= {child.state for child in world.children(state)}
                continue
            for action in range(len(problem.costs)):
                row = world.row(state)
                if rules.undo(level, row, action):
                    following.add(tuple(row.tolist()))
        layers[side] = following - ends[side]
        if not layers[side]:
            return None
        ends[side] |= following


def beam(problem, evaluate, width):
    world = World(problem, evaluate)
    layer, met = [(world.start, [])], {world.start}
    while layer:
        found = []
        for state, plan in layer:
            for child in world.children(state):
                if child.state in met:
                    continue
                met.add(child.state)
                if child.solved:
                    return world.solved([*plan, child.action])
                if not child.over and world.estimate(child.state) < DEAD_END:
                    found.append((child.state, [*plan, child.action]))
        layer = sorted(found, key=lambda each: world.estimate(each[0]))[:width]  # a stable sort
    return world.answer


# -- local search --------------------------------------------------------------------------------


def least(candidates, rng):
    """One of those with the least score, by reservoir sampling."""
    chosen, ties = None, 0
    for child, score in candidates:
        if chosen is None or score < chosen[1]:
            chosen, ties = (child, score), 1
        elif score == chosen[1]:
            ties += 1
            if below(rng, ties) == 0:
                chosen = (child, score)
    return chosen


def local(problem, evaluate, seed, rule, sideways=100, walk=0, endless=False, schedule=(1.0, 1.0, 1.0), steps=10**4):
    """Hill climbing (rule "steepest" or "stochastic"), with restarts, or simulated annealing ("annealing")."""
    world = World(problem, evaluate, seed)
    rng = world.rng
    hottest, coldest, cooling = schedule
    path = [(world.start, None)]
    temperature, level, walking, restarts = hottest, 0, 0, 0
    known = None
    for _ in range(steps):
        state = path[-1][0]
        here = world.estimate(state)
        if known is None:
            known = world.children(state)
        goals = [child for child in known if child.solved]
        if goals:
            return world.solved([action for _, action in path[1:]] + [goals[-1].action])
        candidates = [(child, world.estimate(child.state)) for child in known if not child.over]
        candidates = [(child, score) for child, score in candidates if score < DEAD_END]
        better = [(child, here - score) for child, score in candidates if score < here]
        chosen, refused = None, False
        if walking:
            walking -= 1
            chosen = candidates[below(rng, len(candidates))][0] if candidates else None
        elif rule == "annealing":
            if candidates and temperature >= coldest:
                chosen, score = candidates[below(rng, len(candidates))]
                if score > here and next_bits(rng) >= math.exp((here - score) / temperature) * 2**32:
                    chosen, refused = None, True
                temperature *= cooling
        elif rule == "stochastic" and better:
            level = 0
            luck = below(rng, sum(weight for _, weight in better))
            for child, weight in better:
                if chosen is None and luck < weight:
                    chosen = child
                luck -= weight
        elif candidates:
            best, score = least(candidates, rng)
            if score < here:
                chosen, level = best, 0
            elif score == here and level < sideways:
                chosen, level = best, level + 1
        if chosen is not None:
            known = None
            for k, (visited, _) in enumerate(path):
                if visited == chosen.state:
                    del path[k + 1 :]
                    break
            else:
                path.append((chosen.state, chosen.action))
        elif not refused:
            if not endless:
                return world.answer
            restarts += 1
            del path[1:]
            known, level, temperature = None, 0, hottest
            if walk:
                walking = 1 + below(rng, walk * (1 + int(math.log2(restarts))))
    return world.answer


def guided(problem, model, priority, once=False):
    """Best-first search over paths, as Levin tree search is defined: the paths it expands, in order, and its plan.

    ``priority(depth, probability, distance)`` orders paths. It ends when it generates the goal. A state is expanded
    again by a more probable path, unless ``once``.
    """
    world, order, visited, number = World(problem), [], {}, itertools.count()

    def evaluated(state):
        return model.evaluate(problem.level[None], world.row(state)[None])

    frontier = [(0.0, 0, world.start, [], 1.0)]
    while frontier:
        _, _, state, plan, chance = heapq.heappop(frontier)
        if visited.get(state, 0) >= chance:
            continue
        visited[state] = 1 if once else chance
        order.append(plan)
        policy = np.exp(evaluated(state).log_policy[0])
        for child in world.children(state):
            path, likely = [*plan, child.action], chance * policy[child.action]
            if child.solved:
                return order, path
            if not child.over:
                key = priority(len(path), likely, evaluated(child.state).distances[0])
                heapq.heappush(frontier, (key, next(number), child.state, path, likely))
    return order, None
