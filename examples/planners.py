"""Sokoban, sliding tiles and Bait for automated planners: PDDL files, plans of unified-planning, and our own minima.

Install: unified-planning and up-fast-downward; other planners: docs/planners.md. Run: ``python examples/planners.py
Sokoban-v0 --levels first:1 --planner fast-downward-opt``; seconds. An agent plays each plan in the environment, and its
cost is compared with the minimum that a search of ours proves. ``--write DIR`` writes PDDL files.
"""

import argparse
import contextlib
import tempfile
import time
from pathlib import Path

import numpy as np
import unified_planning.shortcuts as up
from unified_planning.exceptions import UPException
from unified_planning.io import PDDLWriter

import gridpuzzles_gym
from gridpuzzles_gym.agents.policy import as_batch
from gridpuzzles_gym.agents.search.problem import Limits, Problem
from gridpuzzles_gym.agents.search_tables import heuristic_named, search_named
from gridpuzzles_gym.engine.config import config_of
from gridpuzzles_gym.puzzles.n_puzzle.rules import home

DIRECTIONS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
TYPES = {"d": "direction", "t": "tile"}  # of parameters, by letter; all others are squares
SEARCHES = {"pushes": "sokoban-pushes", "sokoban": "sokoban-moves", "n_puzzle": "tile-ida-star", "bait": "astar"}

# Actions: parameters, preconditions, effects. The first parameter is the direction, which is the environment's action.
PUSH = "player a, box b, next a b d, next b c d"
SOKOBAN = {"walk": ("d a b", "player a, clear b, next a b d", "player b, -player a")}
SOKOBAN["push"] = ("d a b c", f"{PUSH}, clear c", "player b, -player a, box c, -box b, clear b, -clear c")
TILES = {"slide": ("d a b t", "blank a, on t b, next a b d", "blank b, -blank a, on t a, -on t b")}
# Bait: `clear` is a square without a box or mushroom, `solid` one without a hole, `plain` one with nothing on the
# ground. Walking into a hole is death, so no action does it. Without the key, a push onto a goal moves only the box.
BAIT = {"eat": ("d a b", "player a, mushroom b, next a b d", "player b, -player a, clear b, -mushroom b")}
for ground, needs, effects in (
    ("", "plain b", "player b, -player a, "),
    ("_key", "key b", "player b, -player a, plain b, -key b, holding, -empty_handed, "),
    ("_goal", "goal b, holding", "player b, -player a, plain b, -goal b, "),
    ("_off_goal", "goal b, empty_handed", ""),
):
    if effects:
        BAIT[f"walk{ground}"] = ("d a b", f"player a, clear b, next a b d, {needs}", effects.strip(", "))
    effects += "clear b, -box b, "
    BAIT[f"push{ground}"] = ("d a b c", f"{PUSH}, {needs}, clear c, solid c", f"{effects}box c, -clear c")
    BAIT[f"fill{ground}"] = ("d a b c", f"{PUSH}, {needs}, hole c", f"{effects}-hole c, solid c, plain c")


def described(problem):
    """Return the actions, the facts at the start, and the goals of a position."""
    text, name = problem.puzzle.format(problem.level, problem.state).splitlines(), problem.puzzle.name
    rows = [line.split() for line in text if not line.startswith("goal")] if name == "n_puzzle" else text
    on = {(r, c): symbol for r, row in enumerate(rows) for c, symbol in enumerate(row) if symbol not in "#w"}
    near = [(r, c, r + y, c + x, way) for r, c in on for way, (y, x) in DIRECTIONS.items() if (r + y, c + x) in on]
    facts = [f"next s{r}_{c} s{r2}_{c2} {way}" for r, c, r2, c2, way in near]
    squares = {f"s{r}_{c}": symbol for (r, c), symbol in on.items()}

    def where(**kinds):
        return [f"{fact} {square}" for fact, found in kinds.items() for square in squares if squares[square] in found]

    if name == "n_puzzle":
        facts += [f"on t{tile} {square}" if tile != "0" else f"blank {square}" for square, tile in squares.items()]
        places = list(squares)
        return TILES, facts, [f"on t{tile} {places[home(problem.level, tile)]}" for tile in range(1, len(places))]
    if name == "sokoban":
        return SOKOBAN, facts + where(player="@+", box="$*", clear=" .@+"), where(box=".+*")
    facts += where(player="AK", box="1%*", mushroom="m", clear=".kg0AK", solid=".kgm1%*AK")
    facts += where(plain=".m1AK", key="k%", goal="g*", hole="0")
    return BAIT, [*facts, "holding" if "K" in squares.values() else "empty_handed"], where(plain="g*")


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
        for fluent, *arguments in (fact.strip("-").split() for fact in f"{needs}, {effects}".split(", ")):
            if fluent not in fluents:
                fluents[fluent] = up.Fluent(fluent, **{f"x{k}": kinds[letter] for k, letter in enumerate(arguments)})
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
    result.add_goal(up.And(literal(goal, objects) for goal in goals))
    if cost != "none":
        costs = {action: up.Int(int(cost == "moves" or action.name == "push")) for action in result.actions}
        result.add_quality_metric(up.MinimizeActionCosts(costs))
    return result


class PlannerAgent:
    """Plays a plan for each episode; its memory is the rest of the plan, and when that is empty, it plays action 0."""

    def __init__(self, env, planner="fast-downward", cost="moves", seconds=None):
        self.config, self.planner, self.cost, self.seconds, self.status = config_of(env), planner, cost, seconds, ""
        up.get_environment().credits_stream = None

    def plan(self, observation):
        """Return a plan for the state that an observation shows, as actions."""
        puzzle, options = self.config.puzzle, self.config.options
        shown = puzzle.decode(self.config.observation, observation, self.config.extent, options)
        problem = Problem(puzzle, *shown, options)
        folder = tempfile.TemporaryDirectory()  # Fast Downward writes output.sas where it runs
        with folder, contextlib.chdir(folder.name), up.OneshotPlanner(name=self.planner) as planner:
            result = planner.solve(planning_problem(problem, self.cost), timeout=self.seconds)
        self.status, names = result.status.name, puzzle.actions(options)
        return [] if result.plan is None else [names.index(str(a.actual_parameters[0])) for a in result.plan.actions]

    def predict(self, observation, state=None, episode_start=None, deterministic=True):
        observations, single = as_batch(observation, self.config.space.shape)
        rest = np.empty(len(observations), object) if state is None else state[0].copy()
        starts = np.full(len(rest), state is None) | (False if episode_start is None else episode_start)
        for i, view in enumerate(observations):
            rest[i] = self.plan(view) if starts[i] else rest[i][1:]
        actions = np.array([plan[0] if plan else 0 for plan in rest])
        return actions[0] if single else actions, (rest,)


def play(env, agent, number):
    """Let the agent play a level, and return a line about it."""
    observation, info = env.reset(options={"level": number})
    start, begun, actions = Problem.of(env), time.perf_counter(), []
    action, state = agent.predict(observation)
    line = f"{agent.planner}: {agent.status}, {time.perf_counter() - begun:.1f} s"
    if not agent.status.startswith("SOLVED"):
        return line
    while info["outcome"] == gridpuzzles_gym.Outcome.UNFINISHED and len(actions) < 10_000:
        observation, *_, info = env.step(action)
        actions.append(int(action))
        action, state = agent.predict(observation, state)
    pushes = agent.cost == "pushes"
    search = search_named(SEARCHES["pushes" if pushes else start.puzzle.name], start.puzzle)
    ours = search.solve(start, heuristic_named(None, start.puzzle), Limits(seconds=agent.seconds))
    cost, minimum = (start.metrics(plan)["pushes"] if pushes else len(plan) for plan in (actions, ours.actions))
    line += f", replayed: {gridpuzzles_gym.Outcome(info['outcome']).name}, {cost} {'pushes' if pushes else 'moves'}; "
    return f"{line}{search.name}: " + (f"{minimum}, {ours.seconds:.1f} s" if ours.solved else ours.reason)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("env_id", choices=["Sokoban-v0", "EightPuzzle-v0", "FifteenPuzzle-v0", "Bait-v0"])
    parser.add_argument("--levels", help="levels, as for gridpuzzles solve: a pack, first:3, a title, a file, a board")
    parser.add_argument("--planner", action="append", default=[], help="unified-planning's name of a planner")
    parser.add_argument("--cost", choices=["pushes", "moves", "none"], default="moves", help="what a plan minimises")
    parser.add_argument("--seconds", type=float, help="time limit of each search; some planners ignore it")
    parser.add_argument("--write", type=Path, metavar="DIR", help="write the problems as PDDL files into this folder")
    options = parser.parse_args()
    try:
        if missing := set(options.planner) - set(up.get_environment().factory.engines):
            raise ValueError(f"--planner {missing.pop()}: not installed, or no planner of unified-planning")
        if options.cost == "pushes" and options.env_id != "Sokoban-v0":
            raise ValueError("--cost pushes: only Sokoban counts pushes")
        game = gridpuzzles_gym.Game.of(options.env_id, levels=options.levels).with_levels()
        env = game.make()
        for number, level in enumerate(game.levels, start=1):
            env.reset(options={"level": number - 1})
            if options.write:
                options.write.mkdir(parents=True, exist_ok=True)
                writer = PDDLWriter(planning_problem(Problem.of(env), options.cost))
                writer.write_domain(str(options.write / f"domain-{number}.pddl"))
                writer.write_problem(str(options.write / f"problem-{number}.pddl"))
            for planner in options.planner:
                agent = PlannerAgent(env, planner, options.cost, options.seconds)
                print(f"{level.name}: {play(env, agent, number - 1)}", flush=True)
    except (ValueError, OSError, UPException) as error:
        raise SystemExit(f"planners.py: {error}") from None


if __name__ == "__main__":
    main()
