"""Sokoban, sliding tiles and Bait for automated planners: PDDL files, plans of unified-planning, and our own minima.

Install: unified-planning, and the planners that you want: up-fast-downward, up-pyperplan, up-enhsp (needs Java),
up-tamer. Run: ``python examples/planners.py Sokoban-v0 --levels first:1 --planner fast-downward-opt``; seconds. Each
plan is played in the environment by an agent, and its cost compared with the minimum that a search of ours proves.
``--write DIR`` also writes every problem as a pair of PDDL files, for planners without Python. See docs/planners.md.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import unified_planning.shortcuts as up
from unified_planning.exceptions import UPException
from unified_planning.io import PDDLWriter

import gridpuzzles_gym
from gridpuzzles_gym.agents.search.problem import Limits, Problem
from gridpuzzles_gym.agents.search_tables import heuristic_named, search_named
from gridpuzzles_gym.puzzles.n_puzzle.boards import goal_tiles

DIRECTIONS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
TYPES = {"d": "direction", "t": "tile"}
"""The types of parameters by their letters; all others are squares."""
SEARCHES = {"pushes": "sokoban-pushes", "sokoban": "sokoban-moves", "n_puzzle": "tile-ida-star", "bait": "astar"}
"""The searches of ours that prove minima, by cost or puzzle."""

# Actions: parameters, preconditions, effects. The first parameter is the direction, which is the environment's action.
SOKOBAN = {
    "walk": ("d a b", "player a, clear b, next a b d", "player b, -player a"),
    "push": (
        "d a b c",
        "player a, box b, clear c, next a b d, next b c d",
        "player b, -player a, box c, -box b, clear b, -clear c",
    ),
}
TILES = {"slide": ("d a b t", "blank a, on t b, next a b d", "blank b, -blank a, on t a, -on t b")}
# Bait: `clear` is a square without a box or mushroom, `solid` one without a hole, `plain` one with nothing on the
# ground. Walking into a hole is death, so no action does it. Without the key, a push onto a goal moves only the box.
GROUNDS = {
    "": ("plain b", "player b, -player a"),
    "_key": ("key b", "player b, -player a, plain b, -key b, holding, -empty_handed"),
    "_goal": ("goal b, holding", "player b, -player a, plain b, -goal b"),
    "_off_goal": ("goal b, empty_handed", ""),
}
BEYOND = {
    "": ("clear c, solid c", "box c, -clear c"),
    "_into_hole": ("hole c", "-hole c, solid c, plain c"),
}
BAIT = {
    f"walk{name}": ("d a b", f"player a, clear b, next a b d, {needs}", effects)
    for name, (needs, effects) in GROUNDS.items()
    if effects
}
BAIT["eat"] = ("d a b", "player a, mushroom b, next a b d", "player b, -player a, clear b, -mushroom b")
for ground, (needs, effects) in GROUNDS.items():
    for place, (needs_too, effects_too) in BEYOND.items():
        needs_all = f"player a, box b, next a b d, next b c d, {needs}, {needs_too}"
        BAIT[f"push{ground}{place}"] = ("d a b c", needs_all, f"{effects}, clear b, -box b, {effects_too}".strip(", "))


def board_facts(text, walls):
    """Return the facts about neighbours, and the symbol on each square that is no wall."""
    squares = {(r, c): symbol for r, row in enumerate(text) for c, symbol in enumerate(row) if symbol not in walls}
    facts = [
        f"next s{r}_{c} s{r + down}_{c + right} {name}"
        for r, c in squares
        for name, (down, right) in DIRECTIONS.items()
        if (r + down, c + right) in squares
    ]
    return facts, {f"s{r}_{c}": symbol for (r, c), symbol in squares.items()}


def where(squares, facts):
    """Return a fact about each square for each name whose symbols include that on it."""
    return [f"{name} {square}" for name, symbols in facts.items() for square in squares if squares[square] in symbols]


def described(problem):
    """Return the actions, the facts at the start, and the goals of a position."""
    text, name = problem.puzzle.format(problem.level, problem.state).splitlines(), problem.puzzle.name
    if name == "n_puzzle":
        tiles = [line.split() for line in text if not line.startswith("goal")]
        facts, squares = board_facts(tiles, ())
        final = dict(zip(squares, map(str, goal_tiles(problem.level)), strict=True))
        facts += [f"on t{tile} {square}" if tile != "0" else f"blank {square}" for square, tile in squares.items()]
        return TILES, facts, [f"on t{tile} {square}" for square, tile in final.items() if tile != "0"]
    if name == "sokoban":
        facts, squares = board_facts(text, "#")
        facts += where(squares, {"player": "@+", "box": "$*", "clear": " .@+"})
        return SOKOBAN, facts, where(squares, {"box": ".+*"})
    facts, squares = board_facts(text, "w")
    ground = {"key": "k%", "goal": "g*", "hole": "0", "plain": ".1mAK", "solid": ".kg1%*mAK"}
    facts += where(squares, {"player": "AK", "box": "1%*", "mushroom": "m", "clear": ".kg0AK", **ground})
    facts.append("holding" if any("K" in row for row in text) else "empty_handed")
    return BAIT, facts, where(squares, {"plain": "g*"})


def planning_problem(problem, cost):
    """Return a position as a problem of unified-planning; ``cost`` is "pushes", "moves" or "none"."""
    actions, facts, goals = described(problem)
    types, fluents, objects = {name: up.UserType(name) for name in ("direction", "tile", "square")}, {}, {}
    result = up.Problem(problem.puzzle.name)

    def literal(fact, values):
        name, *arguments = fact.split()
        return fluents[name](*(values[argument] for argument in arguments))

    for name, (letters, needs, effects) in actions.items():
        kinds = {letter: types[TYPES.get(letter, "square")] for letter in letters.split()}
        action = up.InstantaneousAction(name, **kinds)
        values = {letter: action.parameter(letter) for letter in kinds}
        for fact in f"{needs}, {effects}".split(", "):
            fluent, *arguments = fact.strip("-").split()
            if fluent not in fluents:
                named = {f"x{k}": kinds[letter] for k, letter in enumerate(arguments)}
                fluents[fluent] = up.Fluent(fluent, up.BoolType(), **named)
                result.add_fluent(fluents[fluent], default_initial_value=False)
        for fact in needs.split(", "):
            action.add_precondition(literal(fact, values))
        for fact in effects.split(", "):
            action.add_effect(literal(fact.strip("-"), values), not fact.startswith("-"))
        result.add_action(action)
    for name, *arguments in map(str.split, facts + goals):
        for argument, parameter in zip(arguments, fluents[name].signature, strict=True):
            objects.setdefault(argument, up.Object(argument, parameter.type))
    result.add_objects(objects.values())
    for fact in facts:
        result.set_initial_value(literal(fact, objects), True)
    for fact in goals:
        result.add_goal(literal(fact, objects))
    if cost != "none":
        costs = {a: up.Int(int(cost == "moves" or a.name.startswith("push"))) for a in result.actions}
        result.add_quality_metric(up.MinimizeActionCosts(costs))
    return result


class PlannerAgent:
    """Plays a planner's plans in the suite's environments, single or vector: one plan at the start of each episode.

    Its memory is the plan of each environment, and the number of its actions that were played. Where there is no plan,
    or an end of it, it plays action 0. ``results`` has the planner's last result for each environment.
    """

    def __init__(self, env, planner="fast-downward", cost="moves", seconds=None):
        self.env, self.planner, self.cost, self.seconds, self.results = env, planner, cost, seconds, {}

    def plan(self, i=0):
        """Return a plan for the current state of environment ``i``, as actions."""
        problem = Problem.of(self.env, i)
        with up.OneshotPlanner(name=self.planner) as planner:
            result = self.results[i] = planner.solve(planning_problem(problem, self.cost), timeout=self.seconds)
        names = problem.puzzle.actions(problem.options)
        return [] if result.plan is None else [names.index(str(a.actual_parameters[0])) for a in result.plan.actions]

    def predict(self, observation, state=None, episode_start=None, deterministic=True):
        count = getattr(self.env.unwrapped, "num_envs", None)
        if state is None:
            state, episode_start = (np.zeros((count or 1, 1), np.int64), np.zeros(count or 1, np.int64)), None
            starts = np.ones(count or 1, bool)
        else:
            starts = np.broadcast_to(False if episode_start is None else episode_start, count or 1)
        plans, played = state[0].copy(), np.where(starts, 0, state[1])
        for i in np.flatnonzero(starts).tolist():
            plan = self.plan(i)
            plans = np.pad(plans, ((0, 0), (0, max(0, len(plan) + 1 - plans.shape[1]))))
            plans[i] = np.pad(plan, (0, plans.shape[1] - len(plan)))
        actions = plans[np.arange(len(plans)), np.minimum(played, plans.shape[1] - 1)]
        return actions if count else actions[0], (plans, played + 1)


def play(env, agent, seconds, cost):
    """Let the agent play the current level of an environment, and return a line about it."""
    start, begun = Problem.of(env), time.perf_counter()
    action, state = agent.predict(None)
    taken, result = time.perf_counter() - begun, agent.results[0]
    actions, done, outcome = [], result.plan is None, 0
    while not done and len(actions) < len(result.plan.actions):
        actions.append(int(action))
        _, _, done, _, info = env.step(action)
        outcome = info["outcome"]
        action, state = agent.predict(None, state)
    line = f"{result.status.name}, {taken:.1f} s"
    if result.plan is None:
        return line
    unit = "pushes" if cost == "pushes" else "moves"
    name = SEARCHES["pushes" if cost == "pushes" else start.puzzle.name]
    ours = search_named(name, start.puzzle).solve(start, heuristic_named(None, start.puzzle), Limits(seconds=seconds))
    costs = [start.metrics(found)["pushes"] if cost == "pushes" else len(found) for found in (actions, ours.actions)]
    minimum = f"minimum by {name} {costs[1]}, {ours.seconds:.1f} s" if ours.solved else f"{name}: {ours.reason}"
    return f"{line}, replayed: {gridpuzzles_gym.Outcome(outcome).name}, {costs[0]} {unit}; {minimum}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("env_id", choices=["Sokoban-v0", "EightPuzzle-v0", "FifteenPuzzle-v0", "Bait-v0"])
    parser.add_argument(
        "--levels", help="levels, as for `gridpuzzles solve`: a pack, first:3, a title, a file, a board"
    )
    parser.add_argument("--planner", action="append", default=[], help="unified-planning's name of a planner")
    parser.add_argument("--cost", choices=["pushes", "moves", "none"], default="moves", help="what a plan minimises")
    parser.add_argument("--seconds", type=float, help="time limit of each search; some planners ignore it")
    parser.add_argument("--write", type=Path, metavar="DIR", help="write the problems as PDDL files into this folder")
    options = parser.parse_args()
    if options.cost == "pushes" and options.env_id != "Sokoban-v0":
        parser.error("--cost pushes: only Sokoban counts pushes")
    up.get_environment().credits_stream = None
    try:
        game = gridpuzzles_gym.Game.of(options.env_id, levels=options.levels).with_levels()
        for number, level in enumerate(game.levels):
            env = game.make()
            env.reset(options={"level": number})
            if options.write:
                options.write.mkdir(parents=True, exist_ok=True)
                writer = PDDLWriter(planning_problem(Problem.of(env), options.cost))
                writer.write_domain(str(options.write / f"domain-{number + 1}.pddl"))
                writer.write_problem(str(options.write / f"problem-{number + 1}.pddl"))
            for planner in options.planner:
                env.reset(options={"level": number})
                agent = PlannerAgent(env, planner, options.cost, options.seconds)
                print(f"{level.name}: {planner}: {play(env, agent, options.seconds, options.cost)}", flush=True)
    except (ValueError, OSError, UPException) as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
