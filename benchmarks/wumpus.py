"""Results of the agents in the Wumpus World, and the optimum; prints the tables of the documentation.

``python benchmarks/wumpus.py``; ``--model runs/wumpus`` adds a trained model. All play the episodes of
``gridpuzzles compare``; the optima are exact, see docs/wumpus-optimum.md.
"""

import argparse
import itertools
import time

import gymnasium as gym
import numpy as np

import gridpuzzles_gym  # noqa: F401  (registers the environments)
from gridpuzzles_gym.agents.evaluation import compare
from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.agents.registry import make_agent
from gridpuzzles_gym.agents.wumpus.optimum.policy import load_or_solve

ID = "Wumpus-v0"
AGENTS = ("random", "online-search", "online-search-sound", "online-search-careful", "bayesian", "optimal")
COURSE = {"climb": True, "reward": "textbook", "pit_probability": 0.2, "max_episode_steps": 1000}
HEADING = "return ± 95 % | success | deaths | timeout | steps | caves"


def row(name: str, agent: str, episodes: int, every_level: bool = False, **kwargs: object) -> str:
    """One row of a table."""
    score = compare(Game.of(ID, **kwargs), [agent], episodes, progress=False, every_level=every_level).scores[0]
    cells = [
        f"{score.mean_return:+.1f} ± {score.interval:.1f}",
        f"{score.success:.1%}",
        f"{score.deaths:.1%}",
        f"{score.timeouts:.1%}",
        f"{score.steps:.1f}",
        f"{episodes:,}",
    ]
    return f"| {name} | {' | '.join(cells)} |"


def print_default_cave(climb: bool, episodes: int, models: list[str]) -> None:
    print(f"\nWumpus-v0, climb={climb}\n\n| agent | {HEADING} |\n|---|---:|---:|---:|---:|---:|---:|")
    for agent in (*AGENTS, *models):
        print(row(agent, agent, episodes, climb=climb), flush=True)
    optimum = load_or_solve(4, 4, 3, climb, 100)
    print(f"| the optimum, exactly | {optimum.value:+.4f} | | | | at most {optimum.longest} | all |")
    print(f"\nrelaxed bound {optimum.bound:.4f}, {np.count_nonzero(optimum.keys):,} situations in the table")


def print_course(episodes: int) -> None:
    print(f"\nThe course's scoring, bayesian\n\n| size | {HEADING} |\n|---|---:|---:|---:|---:|---:|---:|")
    for size in (4, 5, 6, 7):
        print(row(f"{size}x{size}", "bayesian", episodes, size=size, **COURSE), flush=True)
    for name, as_read in (("tournament, as written", False), ("tournament, as read", True)):
        caves = tournament(np.random.default_rng(1), as_read)
        print(
            row(name, "bayesian", len(caves), every_level=True, levels="\n\n".join(caves) + "\n", **COURSE), flush=True
        )


def tournament(random: np.random.Generator, as_read: bool) -> list[str]:
    """Caves as the programs of CS 171 at UC Irvine make them for its tournaments: 10,000, of 4x4 to 7x7 squares.

    Wumpus, gold and pits are independent of each other. One program writes the row and column of each pit; the one that
    plays the cave reads them as column and row, and drops those outside the cave: ``as_read``.
    """
    caves = []
    for width, height in itertools.product(range(4, 8), repeat=2):
        for _ in range(2500 if width == height == 4 else 500):
            pits = random.random((height, width)) < 0.2
            if as_read:
                side, read = min(width, height), np.zeros_like(pits)
                read[:side, :side] = pits[:side, :side].T
                pits = read
            wumpus, gold = random.integers(1, width * height, 2)
            cells = np.where(pits, "P", "").astype("U4").ravel()
            cells[0] = "A"
            cells[wumpus] += "W"
            cells[gold] += "G"
            rows = np.where(cells == "", ".", cells).reshape(height, width)[::-1]
            caves.append("\n".join(" ".join(line) for line in rows))
    return caves


def print_speed(size: int, pits: int, caves: int = 200) -> None:
    """Processor time of the Bayesian agent's decisions one by one, in a large cave."""
    env = gym.make(ID, size=size, pits=pits, observation="percepts", max_episode_steps=1000)
    agent, spent = make_agent("bayesian", env), []
    for seed in range(caves):
        percepts, _ = env.reset(seed=seed)
        memory, over = None, False
        while not over:
            begun = time.process_time()
            action, memory = agent.predict(percepts, memory)
            spent.append(time.process_time() - begun)
            percepts, _, terminated, truncated, _ = env.step(action)
            over = terminated or truncated or memory.rows[0, 8] > 300
    ordered = 1000 * np.sort(spent[1:])  # the first one compiles
    print(f"\n{size}x{size}, {pits} pits, {len(ordered):,} decisions one by one, ms: mean {ordered.mean():.3f}, "
          f"99.9 % {ordered[int(0.999 * len(ordered))]:.2f}, most {ordered[-1]:.2f}")  # fmt: skip


def main() -> None:
    """Measure and print Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=100_000)
    parser.add_argument("--model", action="append", default=[], help="a trained model for the six actions")
    arguments = parser.parse_args()
    print_default_cave(False, arguments.episodes, arguments.model)
    print_default_cave(True, arguments.episodes, [])
    print_course(max(arguments.episodes // 10, 1))
    print_speed(8, 10)


if __name__ == "__main__":
    main()
