"""Turns per second of conversations without a model, and whether their text can be read back.

``python benchmarks/conversations.py`` prints, for each environment, the turns per second of one process with 1,024
conversations whose replies are random actions. With ``--states 100000`` it also writes that many different states of
random play in each view, reads them back, and compares observations and, where all is observable, states.
"""

import argparse
import itertools
import time
from collections.abc import Iterator
from typing import Any

import gymnasium as gym
import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

import gridpuzzles_gym
from gridpuzzles_gym.agents.bait.sampler import BaitSampler
from gridpuzzles_gym.text.conversations import Conversations
from gridpuzzles_gym.text.views import View

CONVERSATIONS = 1024
TURNS = 60
VARIED: dict[str, dict[str, Any]] = {
    "CatMouse-v0": {"maze": "random", "cats": 2},
    "Bait-v0": {"levels": BaitSampler(difficulty="medium")},
    "Wumpus-v0": {"size": 6},
}
"""Settings with more different states than the default's."""


def turns_per_second(env_id: str) -> float:
    """Return the turns per second of processor time, with random actions as replies."""
    conversations = Conversations(env_id, CONVERSATIONS)
    conversations.start(seeds=0)
    names, random = conversations.config.action_names, np.random.default_rng(0)
    spent = 0.0
    for _ in range(TURNS):
        actions = random.integers(0, len(names), CONVERSATIONS).tolist()
        replies = {i: f"ACTIONS: {names[action]}" for i, action in enumerate(actions)}
        began = time.process_time()
        conversations.start([i for i in range(CONVERSATIONS) if conversations.turn(i).done])
        conversations.reply(replies)
        spent += time.process_time() - began
    return CONVERSATIONS * TURNS / spent


def observations(env_id: str) -> Iterator[tuple[Any, Any]]:
    """Yield an environment and its observations in random play, without end."""
    observation = Conversations(env_id).view.observation
    envs: Any = gym.make_vec(env_id, num_envs=CONVERSATIONS, observation=observation, **VARIED.get(env_id, {}))
    envs = envs.unwrapped
    yield envs, envs.reset(seed=1)[0]
    random = np.random.default_rng(1)
    while True:
        yield envs, envs.step(random.integers(0, envs.single_action_space.n, CONVERSATIONS))[0]


def read_back(env_id: str, states: int) -> str:
    """Write and read different states; return what was compared. Raises AssertionError if anything differs."""
    known: set[str] = set()
    decoded = 0
    met = observations(env_id)
    for envs, seen in itertools.takewhile(lambda _: len(known) < states, met):
        config, view = envs.config, View(envs.config)
        texts = view.write(seen)
        for i in range(CONVERSATIONS):
            if texts[i] in known:
                continue
            known.add(texts[i])
            assert np.array_equal(view.read(texts[i]), seen[i]), texts[i]
            if config.puzzle.observations[config.observation].decode and not envs.batch.ends[:2, i].any():
                shown = view.read(texts[i])
                level, state = config.puzzle.decode(config.observation, shown, config.extent, config.options)
                assert np.array_equal(state, envs.batch.states[i])
                assert np.array_equal(level, envs.batch.levels[i])
                decoded += 1
    return f"{len(known):,} observations, {decoded:,} states"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--states", type=int, default=0, help="Number of different states to write and read back.")
    states = parser.parse_args().states
    console = Console(stderr=True)
    table = Table("", "thousand turns a second")
    for row in track(gridpuzzles_gym.ENVIRONMENTS, "measuring", console=console):
        table.add_row(row.id, f"{turns_per_second(row.id) / 1000:.0f}")
    Console().print(table)
    if states:
        for row in track(gridpuzzles_gym.ENVIRONMENTS, "reading back", console=console):
            print(f"{row.id}: {read_back(row.id, states)}")


if __name__ == "__main__":
    main()
