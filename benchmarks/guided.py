"""Searches guided by a network next to those with a heuristic, on the same instances, by the states they expand.

``python benchmarks/guided.py Sokoban-v0 --levels medium-test``; without ``--levels``, instances are sampled.
``python benchmarks/guided.py FifteenPuzzle-v0 --search tile-ida-star:nodes=1000000000 --search phs``.
A search may have parameters, and ``network`` is the network by itself, which samples its actions. Costs are compared to
those of the first search. With ``--journal FILE`` what is finished is stored, and the same command goes on.
"""

import argparse
import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from statistics import mean, median
from typing import Any

import gymnasium as gym
import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from gridpuzzles_gym.agents.models.trained_agent import ModelEvaluator, load_evaluator
from gridpuzzles_gym.agents.parameters import read_parameters
from gridpuzzles_gym.agents.search.problem import EXHAUSTED, FOUND, Limits, Problem, Result
from gridpuzzles_gym.agents.search.search import MODEL
from gridpuzzles_gym.agents.search_tables import heuristic_named, search_named
from gridpuzzles_gym.engine.levels.sources import find_levels

NETWORK = "network"
SEARCHES = ("astar", "greedy", NETWORK, "lts", "phs", "value-astar")


def problems(env_id: str, levels: str | None, count: int, seed: int) -> Iterator[tuple[str, Any, Problem]]:
    """Yield (name, environment, problem) of every instance."""
    env: Any = gym.make(env_id, disable_env_checker=True, **({} if levels is None else {"levels": levels}))
    chosen = find_levels(env.unwrapped.puzzle, levels) if levels else range(count)
    for number, level in enumerate(chosen[:count]):
        env.reset(seed=seed + number, options={"level": level} if levels else None)
        yield f"{levels or env_id}:{number + 1 if levels else seed + number}", env, Problem.of(env)


def played(problem: Problem, model: ModelEvaluator, steps: int) -> Result:
    """What the network does by itself in so many steps."""
    rng, rules, state, actions = np.random.default_rng(0), problem.puzzle.rules, problem.state.copy(), []
    while not (over := problem.reaches_goal(actions)) and len(actions) < steps:
        policy = np.exp(model.evaluate(problem.level[None], state[None], as_played=True).log_policy[0])
        actions.append(int(rng.choice(len(policy), p=policy / policy.sum())))
        _, ended = rules.step(problem.level, state, actions[-1], np.ones(1, np.uint64))
        if ended and not problem.reaches_goal(actions):
            break
    return Result(FOUND if over else EXHAUSTED, tuple(actions), len(actions), len(actions), 0, 0, 0, 0.0)


def solve(text: str, problem: Problem, model: ModelEvaluator, limits: Limits, steps: int) -> Result:
    """Run a search, given with its parameters, or the network by itself."""
    name, parameters = read_parameters(text, "search")
    if name == NETWORK:
        return played(problem, model, steps)
    search, heuristic = search_named(name, problem.puzzle), parameters.pop("heuristic", None)
    network = {MODEL: model} if search.guided else {}
    limits = dataclasses.replace(limits, nodes=parameters.pop("nodes", limits.nodes))
    return search.solve(problem, heuristic_named(heuristic, problem.puzzle), limits, **network, **parameters)


def summary(searches: list[str], records: dict[tuple[str, str], dict[str, Any]]) -> Table:
    """Return a table with a row for each search."""
    table = Table(title="expanded: median and mean of all instances, and a second; cost: mean of those solved")
    for heading in ("search", "solved", "median", "mean", "cost", "over the first", "a second"):
        table.add_column(heading, justify="left" if heading == "search" else "right")
    best = {
        name: record["cost"] for (search, name), record in records.items() if search == searches[0] and record["solved"]
    }
    for search in searches:
        own = {instance: record for (name, instance), record in records.items() if name == search}
        solved = {instance: record for instance, record in own.items() if record["solved"]}
        expanded = [record["expanded"] for record in own.values()]
        over = [record["cost"] - best[instance] for instance, record in solved.items() if instance in best]
        table.add_row(
            search,
            f"{len(solved)} of {len(own)}",
            f"{median(expanded):,.0f}",
            f"{mean(expanded):,.0f}",
            f"{mean(record['cost'] for record in solved.values()):.1f}" if solved else "",
            f"{mean(over):+.2f}" if over else "",
            f"{sum(expanded) / seconds:,.0f}" if (seconds := sum(record["seconds"] for record in own.values())) else "",
        )
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("env_id")
    parser.add_argument("--levels", help="a file or a bundled pack; else instances are sampled")
    parser.add_argument("--count", type=int, default=100, help="number of instances")
    parser.add_argument("--seed", type=int, default=0, help="of the first instance that is sampled")
    parser.add_argument("--model", default="pretrained")
    parser.add_argument("--nodes", type=int, default=10_000, help="limit of each search")
    parser.add_argument("--steps", type=int, default=200, help="limit of the network by itself")
    parser.add_argument("--search", action="append", metavar="NAME[:PARAMETERS]", help=f"default {', '.join(SEARCHES)}")
    parser.add_argument("--journal", type=Path, help="file of what is finished")
    arguments = parser.parse_args()
    searches, records = arguments.search or list(SEARCHES), {}
    if arguments.journal and arguments.journal.exists():
        for line in arguments.journal.read_text().splitlines():
            record = json.loads(line)
            records[record.pop("search"), record.pop("instance")] = record
    instances = problems(arguments.env_id, arguments.levels, arguments.count, arguments.seed)
    model, limits = None, Limits(nodes=arguments.nodes, memory=4 << 30)
    for name, env, problem in track(instances, total=arguments.count, console=Console(stderr=True)):
        model = model or load_evaluator(arguments.model, env)
        for search in searches:
            if (search, name) not in records:
                result = solve(search, problem, model, limits, arguments.steps)
                records[search, name] = {
                    "solved": result.solved,
                    "expanded": result.expanded,
                    "cost": result.cost,
                    "seconds": round(result.seconds, 3),
                }
                if arguments.journal:
                    with arguments.journal.open("a") as file:
                        line = {"search": search, "instance": name, **records[search, name]}
                        file.write(json.dumps(line) + "\n")
    Console().print(summary(searches, records))


if __name__ == "__main__":
    main()
