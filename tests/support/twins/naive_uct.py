"""A slow, obvious twin of Monte-Carlo tree search: a dictionary of states, with equal random numbers."""

import math

from naive_search import World, least

from gridpuzzles_gym.agents.search.heuristic import DEAD_END
from gridpuzzles_gym.engine.random import below, next_bits


class Node:
    def __init__(self, estimate, solved=False, dead=False):
        self.estimate, self.solved, self.dead = estimate, solved, dead
        self.children, self.rewards, self.visits, self.totals = {}, {}, {}, {}
        self.expanded = False


def uct(problem, evaluate, seed, simulations, exploration, greedy, rollout_depth, epsilon, first=True):
    """UCT with one node a state; the answer's plan still has its loops."""
    world = World(problem, evaluate, seed)
    rng = world.rng
    nodes = {world.start: Node(world.estimate(world.start))}
    played, moves, visited = [world.start], [], {world.start}
    low, high = math.inf, -math.inf
    plans = []

    def alive(state):
        return [action for action, child in nodes[state].children.items() if not nodes[child].dead]

    def select(state, way):
        node = nodes[state]
        allowed = [a for a in alive(state) if node.children[a] not in visited and node.children[a] not in way]
        untried = [a for a in allowed if not node.visits[a]]
        if untried:
            return min(untried, key=lambda a: nodes[node.children[a]].estimate)
        total = sum(node.visits.values())
        scale = 1 / (high - low) if high > low else 0.0
        reach = exploration * math.sqrt(math.log(max(total, 1)))

        def value(a):
            return (node.totals[a] / node.visits[a] - low) * scale + reach / math.sqrt(node.visits[a])

        return max(allowed, key=value, default=None)

    def expand(state, plan):
        node = nodes[state]
        node.expanded = True
        for child in world.children(state):
            if child.state not in nodes:
                estimate = world.estimate(child.state)
                dead = not child.solved and (child.over or estimate >= DEAD_END)
                nodes[child.state] = Node(estimate, child.solved, dead)
            node.children[child.action], node.rewards[child.action] = child.state, child.reward
            node.visits[child.action], node.totals[child.action] = 0, 0.0
            if nodes[child.state].solved:
                plans.append([*plan, child.action])

    def rollout(state, before, plan):
        total = 0.0
        for _ in range(rollout_depth):
            children = world.children(state)
            goals = [child for child in children if child.solved]
            if goals:
                plans.append([*plan, goals[0].action])
                return total + goals[0].reward
            candidates, back = [], None
            for child in children:
                if child.state == before:
                    back = None if child.over else child
                elif not child.over and (not greedy or world.estimate(child.state) < DEAD_END):
                    candidates.append((child, world.estimate(child.state)))
            if greedy and next_bits(rng) >= round(epsilon * 2**32):
                chosen = least(candidates, rng)
            else:
                chosen = candidates[below(rng, len(candidates))] if candidates else None
            child = chosen[0] if chosen else back
            if child is None:
                return min(low, total)
            total += child.reward
            plan = [*plan, child.action]
            before, state = state, child.state
        estimate = world.estimate(state)
        return min(low, total) if estimate >= DEAD_END else total - estimate

    def simulate():
        nonlocal low, high
        way, plan = [played[-1]], list(moves)
        steps = []
        while True:
            state = way[-1]
            if nodes[state].solved:
                value = 0.0
                break
            if nodes[state].dead:
                return
            if nodes[state].expanded:
                action = select(state, way)
                if action is not None:
                    steps.append((state, action))
                    plan.append(action)
                    way.append(nodes[state].children[action])
                    continue
            else:
                expand(state, plan)
                if plans and first:
                    return
            if not alive(state):
                nodes[state].dead = True
                return
            before = way[-2] if len(way) > 1 else (played[-2] if len(played) > 1 else state)
            value = rollout(state, before, plan)
            break
        for state, action in reversed(steps):
            node = nodes[state]
            value += node.rewards[action]
            node.visits[action] += 1
            node.totals[action] += value
            low, high = min(low, value), max(high, value)

    while True:
        for _ in range(simulations):
            simulate()
            if plans and first:
                return world.solved(plans[-1])
        while True:
            node = nodes[played[-1]]
            allowed = [a for a in alive(played[-1]) if node.children[a] not in visited]
            if allowed:
                action = max(allowed, key=lambda a: (node.visits[a], node.totals[a] / max(node.visits[a], 1), -a))
                moves.append(action)
                played.append(node.children[action])
                visited.add(played[-1])
            elif not moves:
                return world.solved(min(plans, key=len, default=None))
            else:
                moves.pop()
                played.pop()
            if nodes[played[-1]].solved:
                return world.solved(min(plans, key=len))
            if sum(nodes[played[-1]].children[a] not in visited for a in alive(played[-1])) != 1:
                break
