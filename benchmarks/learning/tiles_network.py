"""Trains a network of the 15-puzzle for searches: it learns the distance to the goal, and the next move.

    python benchmarks/learning/tiles_network.py runs/tiles --minutes 26
    python benchmarks/guided.py FifteenPuzzle-v0 --model runs/tiles --nodes 2000 --search value-astar:weight=1.1

Labels are exact: shortest solutions by IDA* with pattern databases. One in four starts from a random board; the others
start some random moves beside an earlier solution, because a search also asks about the states beside its solution.
Every state on a solution has as its labels the number of moves left, and the first of them; so has its mirror image,
rows and columns exchanged. The loss is the squared error of the distance in tens of moves, times
:data:`DISTANCE_WEIGHT`, plus the cross-entropy of the move. The value is the return without discount, 1000 - distance.

By itself it solves fewer boards than the network that comes with the suite, from which it starts: that one also learned
what to do where its own mistakes led.
"""

import argparse
import dataclasses
import shlex
import sys
import time
from pathlib import Path

import numpy as np
import torch
from rich.progress import BarColumn, Progress, TextColumn

from gridpuzzles_gym.agents.models.model_file import MODEL, Model, read_model, write_model
from gridpuzzles_gym.agents.models.pretrained import PRETRAINED, model_to_start
from gridpuzzles_gym.agents.search.problem import Limits, Problem
from gridpuzzles_gym.agents.search_tables import heuristic_named, search_named
from gridpuzzles_gym.agents.training.collector import environments
from gridpuzzles_gym.agents.training.learner import Learner
from gridpuzzles_gym.agents.training.presets import preset_settings
from gridpuzzles_gym.agents.training.provenance import described
from gridpuzzles_gym.agents.training.run import between
from gridpuzzles_gym.agents.training.torch_networks.acting import log_probabilities
from gridpuzzles_gym.engine.kernels import kernel
from gridpuzzles_gym.engine.rule_kernels import make_mask_batch, make_observe_batch
from gridpuzzles_gym.puzzles.n_puzzle.rules import BLANK, DOWN, LEFT, RIGHT, TILES, UP

ENV_ID = "FifteenPuzzle-v0"
FIRST_SEED = 1_000_000
"""Random boards in training have this seed, and those that follow."""
CAPACITY = 2_000_000
"""The number of labelled states that are kept."""
FARTHEST = 20
"""The maximum number of random moves away from a solution."""
REUSED = 6
"""How often a labelled state is learned from, on average."""
DISTANCE_WEIGHT = 5.0
MIRRORED = np.arange(16).reshape(4, 4).T.flatten()
"""For each square, the one with row and column exchanged."""
RENAMED, MOVES = np.array([0, *(MIRRORED[:15] + 1)]), np.array([LEFT, RIGHT, UP, DOWN])
"""What tiles, and moves, become on a mirrored board, so that its goal is the same."""
SAVING = 30
"""Seconds between two copies of the model."""


class Solutions:
    """Labelled states of shortest solutions, in a ring buffer.

    Args:
        env: The environments; the first of them poses the random boards.
        seed: Random seed.
    """

    def __init__(self, env, seed: int) -> None:
        self.env, self.rng, self.next_seed, self.count = env, np.random.default_rng(seed), FIRST_SEED, 0
        self.puzzle = env.config.puzzle
        self.search = search_named("tile-ida-star", self.puzzle)
        self.estimate = heuristic_named("pdb-6-6-3", self.puzzle)
        self.states = np.zeros((CAPACITY, env.batch.states.shape[1]), np.int16)
        self.moves, self.distances = np.zeros(CAPACITY, np.int64), np.zeros(CAPACITY, np.float32)

    def solve(self) -> None:
        """Add the shortest solutions of a random board and of three boards beside earlier solutions."""
        self.env.reset(seed=self.next_seed)
        self.next_seed += 1
        self._add(Problem.of(self.env))
        for _ in range(3):
            problem = Problem.of(self.env)
            state = self.states[self.rng.integers(min(self.count, CAPACITY))].copy()
            for _ in range(self.rng.integers(1, FARTHEST + 1)):
                self.puzzle.rules.step(problem.level, state, self.rng.integers(4), np.ones(1, np.uint64))
            if not self.puzzle.rules.solved(problem.level, state):
                self._add(dataclasses.replace(problem, state=state))

    def _add(self, problem: Problem) -> None:
        moves = np.array(self.search.solve(problem, self.estimate, Limits()).actions)
        states = np.repeat(problem.state[None], len(moves), axis=0)
        for k in range(1, len(moves)):
            states[k] = states[k - 1]
            self.puzzle.rules.step(problem.level, states[k], moves[k - 1], np.ones(1, np.uint64))
        mirrored = states.copy()
        mirrored[:, BLANK] = MIRRORED[states[:, BLANK]]
        mirrored[:, TILES:] = RENAMED[states[:, TILES:][:, MIRRORED]]
        places = (self.count + np.arange(2 * len(moves))) % CAPACITY
        self.states[places] = np.concatenate([states, mirrored])
        self.moves[places] = np.concatenate([moves, MOVES[moves]])
        self.distances[places] = np.tile(np.arange(len(moves), 0, -1), 2)
        self.count += len(places)

    def sample(self, size: int) -> tuple[torch.Tensor, ...]:
        """Return observations, legal moves, moves and distances of random states."""
        rows = self.rng.integers(min(self.count, CAPACITY), size=size)
        states, levels = self.states[rows], np.repeat(self.env.batch.levels[:1], size, axis=0)
        shape = self.env.single_observation_space.shape
        views, masks = np.empty((size, shape[0], shape[1] * shape[2]), np.uint8), np.ones((size, 4), np.bool_)
        kernel(make_observe_batch, self.puzzle, "planes")(levels, states, views)
        kernel(make_mask_batch, self.puzzle)(levels, states, masks)
        arrays = views.reshape(size, *shape), masks, self.moves[rows], self.distances[rows]
        return tuple(map(torch.from_numpy, arrays))


def losses(learner: Learner, batch: tuple[torch.Tensor, ...], scale: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the mean squared error of the distance, in tens of moves, and the mean cross-entropy of the move."""
    views, masks, moves, distances = batch
    output = learner.read(learner.network.view(learner.ops, views), torch.zeros(len(views), 0))
    wrong = (1000 - output.values / scale - distances) / 10
    logs = log_probabilities(output.logits, masks)
    return wrong.square().mean(), -logs.gather(1, moves[:, None]).mean()


def main() -> None:
    """Train."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="folder of the model")
    parser.add_argument("--start", default=PRETRAINED, metavar="MODEL", help="default: the suite's model")
    parser.add_argument("--minutes", type=float, default=10.0, help="minutes of processor time; default: 10")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    start = read_model(model_to_start(given.start, ENV_ID))
    used = {name: start.description.settings[name] for name in ("algorithm", "network", "hidden", "depth")}
    chosen = used | {
        "minutes": given.minutes, "seed": given.seed, "batch_size": 1024, "gamma": 1.0, "reward_scale": 0.1,
        "learning_rate": 7e-4, "final_learning_rate": 1e-5, "threads": 1, "device": "cpu", "engine": "own",
        "num_envs": 1, "n_steps": 2, "teacher": None, "phases": "auto", "kept_states": 0,
    }  # fmt: skip
    settings = preset_settings(ENV_ID, {}, chosen)
    env = environments(settings, None)
    network, weights = start.description.network_for(), dict(start.weights)
    if start.description.settings["gamma"] != 1:  # its values are of another kind
        weights["value.out.weight"] = np.zeros_like(weights["value.out.weight"])
        weights["value.out.bias"] = np.full(1, 95, np.float32)
    learner, solutions = Learner(network, weights, torch.device("cpu"), given.seed), Solutions(env, given.seed)
    begun = saved = time.process_time()
    updates, errors = 0, np.ones(2)

    def keep() -> None:
        seconds = time.process_time() - begun
        about = described(settings, env.config, network, solutions.count, seconds, "CPU, 1 thread", str(given.start))
        command = f"python benchmarks/learning/tiles_network.py {shlex.join(sys.argv[1:])}"
        minutes = round(start.description.minutes + about.minutes, 2)
        given.out.mkdir(parents=True, exist_ok=True)
        about = dataclasses.replace(about, minutes=minutes, command=command)
        write_model(given.out / MODEL, Model(about, learner.arrays()))

    columns = BarColumn(), TextColumn("{task.completed:.1f} of {task.total:.0f} minutes{task.description}")
    try:
        with Progress(*columns) as progress:
            bar = progress.add_task("", total=given.minutes)
            while (minutes := (time.process_time() - begun) / 60) < given.minutes:
                while solutions.count < max(updates * settings.batch_size / REUSED, 20 * settings.batch_size):
                    solutions.solve()
                share = minutes / given.minutes
                distance, move = losses(learner, solutions.sample(settings.batch_size), settings.reward_scale)
                rate = between(settings.learning_rate, settings.final_learning_rate, share)
                learner.improve(DISTANCE_WEIGHT * distance + move, rate)
                updates += 1
                errors = 0.98 * errors + 0.02 * np.array([100 * distance.item(), move.item()])
                said = f"error {errors[0] ** 0.5:.2f} moves, cross-entropy {errors[1]:.3f}"
                progress.update(bar, completed=minutes, description=f", {solutions.count:,} states, {said}")
                if time.process_time() > saved + SAVING:
                    keep()
                    saved = time.process_time()
    except KeyboardInterrupt:
        print(f"stopped; --start {given.out} goes on")
    keep()


if __name__ == "__main__":
    main()
