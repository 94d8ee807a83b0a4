"""Finds all pushes into dead ends of Sokoban, in many environments, by the solver."""

import numpy as np

from gridpuzzles_gym.agents.search.nodes import equal, hash_of
from gridpuzzles_gym.agents.training.teachers.planners import LONGEST, UNDECIDED, make_planner
from gridpuzzles_gym.engine.compile.compilation import compiled
from gridpuzzles_gym.engine.kernels import kernel
from gridpuzzles_gym.engine.puzzle import load_puzzle
from gridpuzzles_gym.engine.rule_kernels import make_observe_batch
from gridpuzzles_gym.puzzles.sokoban.rules import PLAYER

NODES = 300
"""Maximum number of positions that the solver expands; it decides 499 of 500 pushes with less."""


def _pushes():
    """Return the kernel that writes the states after all pushes, and the keys of these."""
    step = load_puzzle("gridpuzzles_gym.puzzles.sokoban").rules.step

    def pushes(levels, states, legal, after, above, envs, actions, keys):
        count, rng = 0, np.ones(1, np.uint64)
        for i in range(states.shape[0]):
            for action in range(legal.shape[1]):
                if not legal[i, action]:
                    continue
                after[count], above[count] = states[i], levels[i]
                _, solved = step(levels[i], after[count], action, rng)
                player = after[count, PLAYER]
                after[count, PLAYER] = states[i, PLAYER]
                moved = not equal(after[count], states[i])
                after[count, PLAYER] = player
                if moved and not solved:
                    envs[count], actions[count] = i, action
                    keys[count] = hash_of(levels[i]) * np.uint64(0xD6E8FEB86659FD93) ^ hash_of(after[count])
                    count += 1
        return count

    return compiled(pushes, "sokoban-pushes-of-states")


class DeadEnds:
    """Finds the pushes after which the solver finds no solution, and remembers them.

    Args:
        env: The environments.
        seed: Chooses the dead ends that are seen.

    Attributes:
        found: The levels int16[N, L] and states int16[N, S] after all pushes into dead ends that were found last.
    """

    def __init__(self, env, seed: int) -> None:
        self.batch, self.pushes = env.batch, _pushes()
        self.planner = make_planner(env.config, "sokoban", nodes=NODES, threads=1)
        most = env.num_envs * len(env.config.action_names)
        self.after = np.zeros((most, self.batch.states.shape[1]), np.int16)
        self.levels = np.zeros((most, self.batch.levels.shape[1]), np.int16)
        self.envs, self.actions = np.zeros((2, most), np.int64)
        self.keys = np.zeros(most, np.uint64)
        self.known: dict[int, bool] = {}
        self.observe = kernel(make_observe_batch, env.config.puzzle, env.config.observation)
        self.random = np.random.default_rng(seed)

    def find(self, legal):
        """Return the pushes into dead ends, bool[B, A], among the legal actions, bool[B, A]; and where one leads.

        The latter is what is seen after one of these pushes of each environment, uint8[B, C, H, W]; 0 if there is none.
        """
        count = self.pushes(
            self.batch.levels, self.batch.states, legal, self.after, self.levels, self.envs, self.actions, self.keys
        )
        keys = self.keys[:count].tolist()
        unknown = np.array([k for k, key in enumerate(keys) if key not in self.known], np.int64)
        plans, lengths = np.zeros((len(unknown), LONGEST), np.uint8), np.full(len(unknown), UNDECIDED)
        limits, planner = np.full(len(unknown), NODES), self.planner
        planner.kernel(self.levels, self.after, unknown, planner.tables, planner.settings, limits, plans, lengths)
        if len(self.known) > 4_000_000:
            self.known = {key: self.known[key] for key in keys if key in self.known}
        self.known |= zip([keys[k] for k in unknown], (lengths < 0).tolist(), strict=True)
        lost, dead = np.zeros(legal.shape, np.bool_), np.array([self.known[key] for key in keys], np.bool_)
        lost[self.envs[:count], self.actions[:count]] = dead
        rows = self.random.permutation(np.flatnonzero(dead))
        self.found = self.levels[rows], self.after[rows]
        views = np.zeros_like(self.batch.observations)
        found = np.empty((len(rows), *views.shape[1:]), np.uint8)
        self.observe(self.levels[rows], self.after[rows], found.reshape(*found.shape[:2], -1))
        views[self.envs[rows]] = found
        return lost, views
