"""Beliefs in the Wumpus World, counted by the answer-set solver clingo: it lists all caves that agree with a history.

A history is what an agent has perceived in a random cave after some steps, half of them its own and half random. Where
it is, is followed here from its actions and the bumps; the caves of the game are all equally likely.
"""

import random
from collections import Counter
from collections.abc import Iterator

import clingo
import gymnasium as gym
import numpy as np
from rich.progress import Progress

from gridpuzzles_gym.agents.registry import make_agent
from gridpuzzles_gym.agents.wumpus.belief import GOLD, LAIR, PIT

from . import Row

HISTORIES = 200
SIDE = 4
NORTH, EAST, SOUTH, WEST = (-1, 0), (0, 1), (1, 0), (0, -1)
FACINGS = (NORTH, EAST, SOUTH, WEST)
LEFT, RIGHT, FORWARD, GRAB, _, SHOOT = range(6)
CAVES = """
square(1..4, 1..4).
near(R, C, R+D, C+E) :- square(R, C), square(R+D, C+E), D = -1..1, E = -1..1, |D| + |E| = 1.
{ pit(R, C) : square(R, C) } = 3.
{ wumpus(R, C) : square(R, C) } = 1.
{ gold(R, C) : square(R, C) } = 1.
:- square(R, C), 2 { pit(R, C); wumpus(R, C); gold(R, C); start(R, C) }.
breeze(R, C) :- near(R, C, S, D), pit(S, D).
stench(R, C) :- near(R, C, S, D), wumpus(S, D).
stench(R, C) :- wumpus(R, C).
hit :- wumpus(R, C), flown(R, C).
:- shot, hit, not scream.
:- scream, not hit.
:- visited(R, C), pit(R, C).
:- visited(R, C), gold(R, C).
:- alive(R, C), wumpus(R, C).
:- visited(R, C), breeze(R, C), not felt_breeze(R, C).
:- felt_breeze(R, C), not breeze(R, C).
:- visited(R, C), stench(R, C), not felt_stench(R, C).
:- felt_stench(R, C), not stench(R, C).
#show pit/2. #show wumpus/2. #show gold/2.
"""
"""``alive``: squares that were visited before the wumpus's scream; ``flown``: squares that the arrow flew through."""


def history(env: gym.Env, seed: int) -> tuple[set[str], np.ndarray]:
    """Return the facts of a history, and the agent's belief after it."""
    chance, agent = random.Random(seed), make_agent("bayesian", env)
    percepts, _ = env.reset(seed=seed)
    place, facing, facts, shot, memory = (SIDE, 1), 1, {"start(4, 1)"}, False, None
    for left in reversed(range(chance.randrange(1, 40))):
        stench, breeze, glitter = percepts[:3]
        if glitter:
            break  # the agent would take it, and that is the end
        here = "({}, {})".format(*place)
        facts |= {f"visited{here}"} | ({f"alive{here}"} if "scream" not in facts else set())
        facts |= {f"felt_breeze{here}"} if breeze else set()
        facts |= {f"felt_stench{here}"} if stench else set()
        action, memory = agent.predict(percepts, memory)
        belief = memory.beliefs[0].copy()
        if left == 0:
            break
        if chance.random() < 0.5:
            action = np.array(chance.randrange(6))
            memory = agent.acted(memory, np.atleast_1d(action))
        percepts, _, terminated, truncated, _ = env.step(int(action))
        if terminated or truncated:
            break
        ahead = place[0] + FACINGS[facing][0], place[1] + FACINGS[facing][1]
        if action == SHOOT and not shot:
            shot = True
            facts |= {"shot"} | ({"scream"} if percepts[4] else set())
            while 1 <= min(ahead) and max(ahead) <= SIDE:
                facts.add("flown({}, {})".format(*ahead))
                ahead = ahead[0] + FACINGS[facing][0], ahead[1] + FACINGS[facing][1]
        elif action == FORWARD and not percepts[3]:
            place = ahead
        facing = (facing + (action == RIGHT) - (action == LEFT)) % 4
    return facts, belief


def count(facts: set[str]) -> tuple[int, np.ndarray]:
    """Return the number of caves that agree with a history, and the share of each thing on each square."""
    control, counts = clingo.Control(["0", "--warn=none"]), Counter()
    control.add("base", [], CAVES + "".join(f"{fact}. " for fact in sorted(facts)))
    control.ground([("base", [])])
    with control.solve(yield_=True) as models:
        for caves, model in enumerate(models, start=1):
            counts.update(map(str, model.symbols(shown=True)))
    shares = np.zeros((3, SIDE, SIDE))
    for row, thing in ((PIT, "pit"), (LAIR, "wumpus"), (GOLD, "gold")):
        for r, c in np.ndindex(SIDE, SIDE):
            shares[row, r, c] = counts[f"{thing}({r + 1},{c + 1})"] / caves
    return caves, shares.reshape(3, -1)


def rows(progress: Progress) -> Iterator[Row]:
    """The probabilities of a pit, the wumpus and the gold on every square."""
    env = gym.make("Wumpus-v0", observation="percepts")
    worst, total, largest = 0.0, 0, 0
    for seed in progress.track(range(HISTORIES), description="Wumpus World: clingo"):
        facts, belief = history(env, seed)
        caves, shares = count(facts)
        worst = max(worst, float(abs(belief[:3] - shares).max()))
        total, largest = total + caves, max(largest, caves)
    question = f"Wumpus World, {HISTORIES} histories: the probabilities of pit, wumpus and gold on each square"
    cases = HISTORIES * 3 * SIDE * SIDE
    yield Row(question, f"clingo {clingo.__version__}", cases, "exact", f"{total:,} caves counted", f"{worst:.0e}")
