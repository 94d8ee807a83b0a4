"""Results of the agents on the classic maze, and the optimum; prints the table of the documentation.

``python benchmarks/cat_mouse.py``; ``--model runs/CatMouse-v0-ppo`` adds a trained model, in the variant where the cat
catches. All play the episodes of ``gridpuzzles compare``; the optima are exact.
"""

import argparse
from typing import Any

import gymnasium as gym

import gridpuzzles_gym  # noqa: F401  (registers the environments)
from gridpuzzles_gym.agents.cat_mouse import optimum as values
from gridpuzzles_gym.agents.cat_mouse.optimum import chain_of
from gridpuzzles_gym.agents.evaluation import compare
from gridpuzzles_gym.agents.game import Game

ID = "CatMouse-v0"
AGENTS = ("random", "wall-follower", "wall-follower-left", "shortest-path", "uct", "value-iteration")
SLOW = {"uct": 200}
"""The divisor of the number of episodes, for slow agents."""


def simulated(agent: str, episodes: int, **kwargs: Any) -> str:
    """One row of the table."""
    count = max(episodes // SLOW.get(agent, 1), 1)
    score = compare(Game.of(ID, **kwargs), [agent], count, num_envs=min(1024, -(-count // 5)), progress=False).scores[0]
    cells = [
        f"{score.mean_return:+.1f} ± {score.interval:.1f}",
        f"{score.success:.1%}",
        f"{score.deaths:.1%}",
        f"{score.timeouts:.1%}",
        f"{score.steps:.1f}",
        f"{count:,}",
    ]
    variant = ", walls to each other" if kwargs else ""
    return " | ".join([f"{agent}{variant}", *cells])


def exact(limit: int | None, **kwargs: Any) -> str:
    """One row of the table: the exact value of value iteration's policy."""
    batch: Any = gym.make(ID, **kwargs).unwrapped.batch
    level, first = batch.pool.rows(0)
    chain = chain_of(level)
    start = chain.start(level, first)
    found = values.expectation(values.solve(chain), start, limit)
    left = 1 - found.survival - found.death
    name = "exact value" + (", walls to each other" if kwargs else "") + (", no limit" if limit is None else "")
    if limit is not None:
        name += f" (the best within {limit} steps: {start @ values.best_within(chain, limit):+.3f})"
    cells = [f"{found.mean_return:+.3f}", f"{found.survival:.2%}", f"{found.death:.2%}", f"{max(left, 0):.3%}"]
    return " | ".join([name, *cells, f"{found.steps:.2f}", "–"])


def main() -> None:
    """Measure and print Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=100_000)
    parser.add_argument("--model", action="append", default=[], help="a trained model")
    parser.add_argument("--agent", nargs="+", choices=AGENTS, default=AGENTS)
    chosen = parser.parse_args()
    print(
        "| agent | return ± 95 % | escaped | caught | timeout | steps | episodes |\n|---|---:|---:|---:|---:|---:|---:|"
    )
    limit = gym.spec(ID).max_episode_steps
    for kwargs in ({}, {"cat_blocked": True}):
        for agent in (*chosen.agent, *([] if kwargs else chosen.model)):
            print(f"| {simulated(agent, chosen.episodes, **kwargs)} |", flush=True)
        for steps in (limit, None):
            print(f"| {exact(steps, **kwargs)} |", flush=True)


if __name__ == "__main__":
    main()
