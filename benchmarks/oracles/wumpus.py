"""Beliefs in the Wumpus World, counted by the answer-set solver clingo: it lists all caves that agree with a history.

A history is what an agent has perceived in a random cave after some steps, half of them its own and half random. Where
it is, is followed here from its actions and the bumps. All caves of the game are equally likely.
"""

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import clingo
import gymnasium as gym
import numpy as np
import numpy.typing as npt
from rich.progress import Progress

from gridpuzzles_gym.agents.registry import make_agent
from gridpuzzles_gym.agents.wumpus.belief import GOLD, LAIR, PIT

from . import Row

HISTORIES = 200
SIDE = 4
FACINGS = ((-1, 0), (0, 1), (1, 0), (0, -1))  # north, east, south, west
LEFT, RIGHT, FORWARD, _, _, SHOOT = range(6)
CAVES = """
square(1..4, 1..4).
near(R, C, R+D, C+E) :- square(R, C), square(R+D, C+E), D = -1..1, E = -1..1, |D| + |E| = 1.
{ pit(R, C) : square(R, C) } = 3.    { wumpus(R, C) : square(R, C) } = 1.    { gold(R, C) : square(R, C) } = 1.
:- square(R, C), 2 { pit(R, C); wumpus(R, C); gold(R, C); start(R, C) }.
breeze(R, C) :- near(R, C, S, D), pit(S, D).
stench(R, C) :- near(R, C, S, D), wumpus(S, D).    stench(R, C) :- wumpus(R, C).
hit :- wumpus(R, C), flown(R, C).    :- scream, not hit.    :- shot, hit, not scream.
:- visited(R, C), pit(R, C).    :- visited(R, C), gold(R, C).    :- alive(R, C), wumpus(R, C).
:- visited(R, C), breeze(R, C), not felt_breeze(R, C).    :- felt_breeze(R, C), not breeze(R, C).
:- visited(R, C), stench(R, C), not felt_stench(R, C).    :- felt_stench(R, C), not stench(R, C).
#show pit/2.    #show wumpus/2.    #show gold/2.
"""
"""``alive``: squares that were visited before the scream; ``flown``: those that the arrow flew through."""


def history(env: Any, seed: int) -> tuple[set[str], npt.NDArray[np.float64]]:
    """Return the facts of a history, and the agent's belief after it."""
    chance, agent = random.Random(seed), make_agent("bayesian", env)
    percepts, _ = env.reset(seed=seed)
    (row, column), facing, facts, memory, over = (SIDE, 1), 1, {f"start({SIDE}, 1)"}, None, False
    for left in reversed(range(chance.randrange(1, 40))):
        stench, breeze, glitter = percepts[:3]
        if over or glitter:
            break  # the agent would take the gold, which is the end
        here = f"({row}, {column})"
        kinds = {"visited": True, "alive": "scream" not in facts, "felt_breeze": breeze, "felt_stench": stench}
        facts |= {f"{kind}{here}" for kind, true in kinds.items() if true}
        action, memory = agent.predict(percepts, memory)
        belief = memory.beliefs[0].copy()
        if left == 0:
            break
        if chance.random() < 0.5:
            action = np.array(chance.randrange(6))
            memory = agent.acted(memory, np.atleast_1d(action))
        percepts, _, terminated, truncated, _ = env.step(int(action))
        over, bump, scream = terminated or truncated, percepts[3], percepts[4]
        down, right = FACINGS[facing]
        if action == SHOOT and "shot" not in facts:
            facts |= {"shot", "scream"} if scream else {"shot"}
            path = [(row + down * k, column + right * k) for k in range(1, SIDE)]
            facts |= {f"flown({r}, {c})" for r, c in path if r in range(1, SIDE + 1) and c in range(1, SIDE + 1)}
        elif action == FORWARD and not bump:
            row, column = row + down, column + right
        facing = (facing + (action == RIGHT) - (action == LEFT)) % 4
    return facts, belief[[PIT, LAIR, GOLD]]


def count(facts: set[str]) -> tuple[int, npt.NDArray[np.float64]]:
    """Return the number of caves that agree with a history, and the share of them with each thing on each square."""
    control, counts = clingo.Control(["0", "--warn=none"]), Counter[str]()
    control.add("base", [], CAVES + "".join(f"{fact}. " for fact in sorted(facts)))
    control.ground([("base", [])])
    with control.solve(yield_=True) as models:
        for model in models:
            counts.update(["caves", *map(str, model.symbols(shown=True))])
    squares = [(row, column) for row in range(1, SIDE + 1) for column in range(1, SIDE + 1)]
    shares = [[counts[f"{thing}({r},{c})"] for r, c in squares] for thing in ("pit", "wumpus", "gold")]
    return counts["caves"], np.array(shares) / counts["caves"]


def rows(progress: Progress) -> Iterator[Row]:
    """The probabilities of a pit, the wumpus and the gold on every square."""
    env = gym.make("Wumpus-v0", observation="percepts")
    worst, total, numbers = 0.0, 0, 0
    for seed in progress.track(range(HISTORIES), description="Wumpus World: clingo"):
        facts, belief = history(env, seed)
        caves, shares = count(facts)
        worst, total, numbers = max(worst, float(abs(belief - shares).max())), total + caves, numbers + shares.size
    question = f"Wumpus World, {HISTORIES} histories: probabilities of pits, wumpus and gold"
    yield Row(question, f"clingo {clingo.__version__}", numbers, "computed", f"{total:,} caves listed", f"{worst:.0e}")
