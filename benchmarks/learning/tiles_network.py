"""Trains a network of the 15-puzzle for searches: it learns the distance to the goal, and the next move.

    python -m benchmarks.learning.tiles_network runs/tiles --minutes 85
    python benchmarks/guided.py FifteenPuzzle-v0 --model runs/tiles --nodes 2000 --search value-astar

Labels are exact: shortest solutions by IDA* with pattern databases. Of four solutions, one starts from a random board;
one some random moves beside an earlier solution, because a search also asks about the states beside its solution; and
two where the network is in its own play, so that it learns what to do where its mistakes lead (DAgger). Every state of
a solution has as its labels the number of moves left, and the first of them; so has its mirror image, rows and columns
exchanged. The loss is the squared error of the distance in tens of moves, times :data:`DISTANCE_WEIGHT`, plus the
cross-entropy of the move. The value is the return without discount, 1000 - distance.
"""

import dataclasses

import numpy as np
import torch

from gridpuzzles_gym.agents.networks.network import Output
from gridpuzzles_gym.agents.search.problem import Limits, Problem
from gridpuzzles_gym.agents.search_tables import heuristic_named, search_named
from gridpuzzles_gym.agents.training.collector import environments
from gridpuzzles_gym.agents.training.learner import Learner
from gridpuzzles_gym.agents.training.presets import preset_settings
from gridpuzzles_gym.agents.training.run import between
from gridpuzzles_gym.agents.training.torch_networks.acting import log_probabilities
from gridpuzzles_gym.engine.kernels import kernel
from gridpuzzles_gym.engine.rule_kernels import make_mask_batch, make_observe_batch
from gridpuzzles_gym.engine.scene import Row
from gridpuzzles_gym.puzzles.n_puzzle.rules import BLANK, DOWN, LEFT, RIGHT, TILES, UP

from .own_loop import first_model, parser_of, train

ENV_ID = "FifteenPuzzle-v0"
FIRST_SEED = 1_000_000
"""Random boards in training come from this seed, and those that follow."""
PLAYED = 256
"""The number of boards that the network plays at once."""
CAPACITY = 2_000_000
"""The number of labelled states that are kept."""
FARTHEST = 20
"""The maximum number of random moves away from a solution."""
REUSED = 6
"""How often a labelled state is learned from, on average."""
DISTANCE_WEIGHT = 5.0
REWARD_SCALE = 0.1
MIRRORED = np.arange(16).reshape(4, 4).T.flatten()
"""For each square, the one with row and column exchanged."""
RENAMED, MOVES = np.array([0, *(MIRRORED[:15] + 1)]), np.array([LEFT, RIGHT, UP, DOWN])
"""What tiles, and moves, become on a mirrored board, so that its goal is the same."""


class Solutions:
    """Labelled states of shortest solutions, in a ring buffer.

    Args:
        env: The environments in which the network plays.
        learner: The network.
        seed: Random seed.
    """

    def __init__(self, env, learner: Learner, seed: int) -> None:
        self.env, self.learner, self.rng, self.count = env, learner, np.random.default_rng(seed), 0
        self.learned = 0  # from how many states, each as often as it was used
        env.reset(seed=FIRST_SEED + seed)
        self.first, self.puzzle = Problem.of(env), env.config.puzzle
        self.search = search_named("tile-ida-star", self.puzzle)
        self.estimate = heuristic_named("pdb-6-6-3", self.puzzle)
        self.states = np.zeros((CAPACITY, env.batch.states.shape[1]), np.int16)
        self.moves, self.distances = np.zeros(CAPACITY, np.int64), np.zeros(CAPACITY, np.float32)

    def play(self) -> None:
        """Play a move on all boards; a solved board becomes a random one."""
        masks = self.env.batch.action_masks()
        with torch.no_grad():
            output = self._read(torch.from_numpy(self.env.batch.observations))
        logs = log_probabilities(output.logits, torch.from_numpy(masks))
        self.env.step(torch.multinomial(logs.exp(), 1, generator=self.learner.generator)[:, 0].numpy())

    def refill(self, needed: int) -> None:
        """Solve boards until there are this many states, and one for every :data:`REUSED` that were learned from."""
        while self.count < max(needed, self.learned / REUSED):
            self._solve()

    def _solve(self) -> None:
        """Make one of the played boards random; add its shortest solution, one beside others, and two as played."""
        again = np.zeros(self.env.num_envs, np.bool_)
        again[self.rng.integers(len(again))] = True
        self.env.reset(options={"reset_mask": again})
        self._add(self.env.batch.states[again][0])
        self._add(self._beside())
        for state in self.env.batch.states[self.rng.integers(len(again), size=2)]:
            self._add(state)

    def _beside(self) -> Row:
        """Return a state some random moves beside an earlier solution."""
        state = self.states[self.rng.integers(min(self.count, CAPACITY))].copy()
        for _ in range(self.rng.integers(1, FARTHEST + 1)):
            self.puzzle.rules.step(self.first.level, state, self.rng.integers(4), np.ones(1, np.uint64))
        return state

    def _add(self, state: Row) -> None:
        problem = dataclasses.replace(self.first, state=state.copy())
        if problem.solved:
            return
        moves = np.array(self.search.solve(problem, self.estimate, Limits()).actions)
        states = np.array(problem.replay(moves)[:-1])
        mirrored = states.copy()
        mirrored[:, BLANK] = MIRRORED[states[:, BLANK]]
        mirrored[:, TILES:] = RENAMED[states[:, TILES:][:, MIRRORED]]
        places = (self.count + np.arange(2 * len(moves))) % CAPACITY
        self.states[places] = np.concatenate([states, mirrored])
        self.moves[places] = np.concatenate([moves, MOVES[moves]])
        self.distances[places] = np.tile(np.arange(len(moves), 0, -1), 2)
        self.count += len(places)

    def losses(self, size: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the mean squared error of the distance, in tens of moves, and the mean cross-entropy of the move.

        Args:
            size: The number of random states.
        """
        self.learned += size
        rows = self.rng.integers(min(self.count, CAPACITY), size=size)
        states, levels = self.states[rows], np.repeat(self.first.level[None], size, axis=0)
        channels, height, width = self.env.single_observation_space.shape
        views, masks = np.empty((size, channels, height * width), np.uint8), np.ones((size, 4), np.bool_)
        kernel(make_observe_batch, self.puzzle, "planes")(levels, states, views)
        kernel(make_mask_batch, self.puzzle)(levels, states, masks)
        output = self._read(torch.from_numpy(views))
        wrong = (1000 - output.values / REWARD_SCALE - torch.from_numpy(self.distances[rows])) / 10
        logs = log_probabilities(output.logits, torch.from_numpy(masks))
        return wrong.square().mean(), -logs.gather(1, torch.from_numpy(self.moves[rows])[:, None]).mean()

    def _read(self, views: torch.Tensor) -> Output:
        learner = self.learner
        return learner.read(learner.network.view(learner.ops, views), torch.zeros(len(views), 0))


def main() -> None:
    """Train."""
    given = parser_of(__doc__, 10).parse_args()
    start = first_model(given, ENV_ID)
    used = {name: start.description.settings[name] for name in ("algorithm", "network", "hidden", "depth")}
    chosen = used | {
        "minutes": given.minutes, "seed": given.seed, "batch_size": 1024, "gamma": 1.0, "reward_scale": REWARD_SCALE,
        "learning_rate": 7e-4, "final_learning_rate": 1e-5, "threads": given.threads, "device": "cpu", "engine": "own",
        "num_envs": PLAYED, "n_steps": 2, "teacher": None, "phases": "auto", "kept_states": 0,
    }  # fmt: skip
    settings = preset_settings(ENV_ID, {}, chosen)
    env, weights = environments(settings, None), dict(start.weights)
    if start.description.settings["gamma"] != 1:  # its values are of another kind
        weights["value.out.weight"] = np.zeros_like(weights["value.out.weight"])
        weights["value.out.bias"] = np.full(1, 95, np.float32)
    learner = Learner(start.description.network_for(), weights, torch.device("cpu"), given.seed, given.threads)
    solutions, errors = Solutions(env, learner, given.seed), np.ones(2)

    def improve(share: float) -> tuple[int, str]:
        nonlocal errors
        solutions.play()
        solutions.refill(20 * settings.batch_size)
        distance, move = solutions.losses(settings.batch_size)
        rate = between(settings.learning_rate, settings.final_learning_rate, share)
        learner.improve(DISTANCE_WEIGHT * distance + move, rate)
        errors = 0.98 * errors + 0.02 * np.array([100 * distance.item(), move.item()])
        said = f"error {errors[0] ** 0.5:.2f} moves, cross-entropy {errors[1]:.3f}"
        return solutions.count, f"{solutions.count:,} states, {said}"

    train(given, settings, env.config, learner, improve)


if __name__ == "__main__":
    main()
