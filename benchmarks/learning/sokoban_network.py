"""Trains the network of Sokoban that comes with the suite: PPO, while the solver sees every dead end.

    python -m benchmarks.learning.sokoban_network runs/sokoban --levels runs/levels/boxoban runs/levels/medium
    python -m benchmarks.learning ship runs/sokoban --averaged

At every step the solver, which takes 0.1 ms a position, says after which pushes the level can still be solved. A push
into a dead end ends the episode, so that no steps are spent where nothing can be won, and the advantage of the push
itself says what was lost. A second loss, -log(1 - p) for the probability p of all pushes into dead ends, also learns
from those that were not sampled. A third one is for searches, which also look at dead ends, though no episode goes on
there: after one push into a dead end of each state, the value is to be that of endless steps. Gradient steps use the
40 % of the states of each rollout with the largest advantages, entropies and p. Levels are seen in eight orientations.
``--blocks`` makes the network deeper: new blocks begin with no effect. With ``--undo`` a push into a dead end is taken
back instead, and the episode goes on: the later pushes of hard levels are played more often, but the network learns to
walk about where it is not sure. Use it first, and then go on without it.

``runs/levels/medium`` is the pack ``sokoban-10x10-medium`` of ``training_levels.py``; ``runs/levels/boxoban`` are files
of levels from Boxoban's unfiltered training set. The model is saved every minute; ``--start`` goes on from one. A core
with bfloat16 instructions plays and learns from 1,300 to 2,300 steps a second.
"""

import dataclasses
from collections import deque
from typing import NamedTuple

import numpy as np
import torch

from gridpuzzles_gym.agents.networks.network import Output
from gridpuzzles_gym.agents.search.nodes import equal, hash_of
from gridpuzzles_gym.agents.training.collector import advantages_of, environments
from gridpuzzles_gym.agents.training.learner import Learner
from gridpuzzles_gym.agents.training.orientations import Orientations
from gridpuzzles_gym.agents.training.ppo import VALUE_WEIGHT, entropies, loss_by_rewards, normalized
from gridpuzzles_gym.agents.training.presets import preset_settings
from gridpuzzles_gym.agents.training.run import between
from gridpuzzles_gym.agents.training.settings import Settings
from gridpuzzles_gym.agents.training.teachers.planners import LONGEST, UNDECIDED, make_planner
from gridpuzzles_gym.agents.training.torch_networks.acting import log_probabilities
from gridpuzzles_gym.agents.training.torch_networks.weights import first_weights
from gridpuzzles_gym.engine.compile.compilation import compiled
from gridpuzzles_gym.engine.kernels import kernel
from gridpuzzles_gym.engine.puzzle import load_puzzle
from gridpuzzles_gym.engine.rule_kernels import make_observe_batch
from gridpuzzles_gym.puzzles.sokoban.rules import BOXOBAN_STEP, PLAYER

from .own_loop import first_model, parser_of, train

ENV_ID = "Sokoban-v0"
KEPT = 0.4
"""The share of the states to learn from."""
NODES = 300
"""Maximum number of positions that the solver expands; it decides 499 of 500 pushes with less."""
DEAD_END_WEIGHT, DEAD_END_SCORE = 2.0, 4.0
"""Weight of the loss of dead ends; weight of their probability in the choice of states."""
WARM_UP = 0.02
"""Share of the run in which the learning rate rises."""


class Rollout(NamedTuple):
    """T steps of B environments; or some states, with one axis. Names are those of the suite's ``Experience``."""

    views: torch.Tensor
    """uint8[T, B, C, H, W]"""
    masks: torch.Tensor
    """bool[T, B, A]: legal actions."""
    lost: torch.Tensor
    """bool[T, B, A]: True for pushes into dead ends."""
    dead_ends: torch.Tensor
    """uint8[T, B, C, H, W]: what is seen after one of these pushes, if there are any."""
    actions: torch.Tensor
    """int64[T, B]"""
    log_probabilities: torch.Tensor
    """float32[T, B], of the actions."""
    scores: torch.Tensor
    """float32[T, B]: how much a state says, apart from its advantage."""
    returns: torch.Tensor
    """float32[T, B]"""
    advantages: torch.Tensor
    """float32[T, B]"""


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
        views = np.zeros_like(self.batch.observations)
        found = np.empty((len(rows), *views.shape[1:]), np.uint8)
        self.observe(self.levels[rows], self.after[rows], found.reshape(*found.shape[:2], -1))
        views[self.envs[rows]] = found
        return lost, views


class Player:
    """Plays the environments.

    Args:
        settings: Settings of the run.
        env: The environments.
        learner: The network that plays and learns.
        undo: Whether a push into a dead end is taken back; else it ends the episode.

    Attributes:
        solved: For the last 3,000 episodes, whether they were solved without a push into a dead end.
        clean: bool[B]: no push was taken back in the current episode.
    """

    def __init__(self, settings: Settings, env, learner: Learner, undo: bool) -> None:
        self.settings, self.env, self.learner, self.undo = settings, env, learner, undo
        self.dead_ends = DeadEnds(env, settings.seed)
        self.turned = Orientations(env.num_envs, env.single_observation_space.shape)
        self.solved: deque[bool] = deque(maxlen=3000)
        self.clean = np.ones(env.num_envs, np.bool_)
        env.reset(seed=settings.seed)

    def play(self) -> Rollout:
        """Play the steps of a rollout."""
        rows = [self._step() for _ in range(self.settings.n_steps)]
        *columns, values, rewards, ended = (np.stack(column) for column in zip(*rows, strict=True))
        after = self._values(self.env.batch.observations)
        gamma, gae_lambda = self.settings.gamma, self.settings.gae_lambda
        data = map(torch.from_numpy, (rewards, np.concatenate([values, after[None]]), ended))
        advantages = advantages_of(*data, gamma, gae_lambda)
        return Rollout(*map(torch.from_numpy, columns), advantages + torch.from_numpy(values), advantages)

    def _step(self) -> tuple[np.ndarray, ...]:
        """Play one step; return the columns of a rollout up to the scores, values, rewards, and ends."""
        env, batch, turned = self.env, self.env.batch, self.turned
        before, legal = batch.observations.copy(), batch.action_masks()
        view = turned.seen(before)
        lost, dead_ends = self.dead_ends.find(legal)
        seen_legal, seen_lost = turned.per_action(legal), turned.per_action(lost)
        with torch.no_grad():
            output = read(self.learner, torch.from_numpy(view))
            logs = log_probabilities(output.logits, torch.from_numpy(seen_legal))
            chances = logs.exp()
            actions = torch.multinomial(chances, 1, generator=self.learner.generator)
            scores = entropies(logs) + DEAD_END_SCORE * (chances * torch.from_numpy(seen_lost)).sum(1)
        played = turned.played(actions[:, 0].numpy())
        _, rewards, terminated, truncated, _ = env.step(played)
        rewards, cut = self.settings.reward_scale * rewards.astype(np.float32), truncated & ~terminated
        if cut.any():
            last = np.where(cut[:, None, None, None], batch.final_observations, batch.observations)
            rewards += self.settings.gamma * cut * self._values(last)
        ended = terminated | truncated
        fell = lost[np.arange(len(played)), played] & ~ended
        over = ended if self.undo else ended | fell
        if self.undo:
            batch.states[fell], batch.observations[fell] = batch.befores[fell], before[fell]
        elif fell.any():
            env.reset(options={"reset_mask": fell})
        self.clean &= ~fell
        self.solved.extend((terminated & self.clean)[over].tolist())
        self.clean |= over
        columns = (
            view,
            seen_legal,
            seen_lost,
            turned.seen(dead_ends),
            actions[:, 0].numpy(),
            logs.gather(1, actions)[:, 0].numpy(),
        )
        return *columns, scores.numpy(), output.values.numpy(), rewards, ended | fell

    @torch.no_grad()
    def _values(self, observations: np.ndarray) -> np.ndarray:
        return read(self.learner, torch.from_numpy(self.turned.seen(observations))).values.numpy()


def read(learner: Learner, views: torch.Tensor) -> Output:
    """Return the network's output for views, computed in bfloat16."""
    with torch.autocast("cpu", torch.bfloat16):
        return learner.read(views, torch.zeros(len(views), 0))


def learn(learner: Learner, rollout: Rollout, settings: Settings, share: float) -> None:
    """Take gradient steps on the states that say most, after a share of the run."""
    dead_value = settings.reward_scale * BOXOBAN_STEP / (1 - settings.gamma)
    rate = between(settings.learning_rate, settings.final_learning_rate, share) * min(share / WARM_UP, 1)
    bonus = between(settings.entropy, settings.final_entropy, share)
    flat = Rollout(*(column.flatten(0, 1) for column in rollout))
    scores = flat.scores + flat.advantages.abs() / flat.advantages.std()
    chosen = scores.topk(int(KEPT * len(scores))).indices
    for rows in chosen[torch.randperm(len(chosen), generator=learner.generator)].split(settings.batch_size):
        batch = Rollout(*(column[rows] for column in flat))
        batch = batch._replace(advantages=normalized(batch.advantages))
        near = batch.lost.any(1)
        output = read(learner, torch.cat([batch.views, batch.dead_ends[near]]))
        logs = log_probabilities(output.logits[: len(rows)], batch.masks)
        loss = loss_by_rewards(logs, output.values[: len(rows)], batch, settings.clip_range, bonus)
        falls = (logs.exp() * batch.lost).sum(1)
        loss += VALUE_WEIGHT * (output.values[len(rows) :] - dead_value).square().sum() / len(rows)
        learner.improve(loss - DEAD_END_WEIGHT * torch.log1p(-falls.clamp(max=0.999)).mean(), rate)


def main() -> None:
    """Train."""
    parser = parser_of(__doc__, 80)
    parser.add_argument(
        "--levels", nargs="+", required=True, metavar="FOLDER", help="levels; one named twice counts twice"
    )
    parser.add_argument("--blocks", type=int, metavar="N", help="residual blocks; default: those of the first model")
    parser.add_argument("--undo", action="store_true", help="take pushes into dead ends back, and go on")
    parser.add_argument("--learning-rate", type=float, default=2.8e-4, metavar="RATE", help="default: 2.8e-4")
    parser.add_argument("--entropy", type=float, default=1.5e-3, metavar="WEIGHT", help="default: 1.5e-3")
    given = parser.parse_args()
    start = first_model(given, ENV_ID)
    parameters = start.description.network | ({"blocks": given.blocks} if given.blocks else {})
    used = {name: start.description.settings[name] for name in ("network", "hidden", "depth", "channels")}
    chosen = used | {
        "blocks": parameters["blocks"],
        "minutes": given.minutes, "seed": given.seed, "num_envs": 512, "n_steps": 32, "batch_size": 1024, "n_epochs": 1,
        "learning_rate": given.learning_rate, "final_learning_rate": 5e-6,
        "entropy": given.entropy, "final_entropy": 1.5e-4,
        "threads": 1, "device": "cpu", "engine": "own",
    }  # fmt: skip
    settings = preset_settings(ENV_ID, {"levels": given.levels, "max_episode_steps": 120}, chosen)
    env = environments(settings, None)
    about = dataclasses.replace(start.description, network=parameters | {"averaged": False})
    network = about.network_for(env.single_observation_space.shape)
    learner = Learner(network, first_weights(network, given.seed) | start.weights, torch.device("cpu"), given.seed)
    player, steps = Player(settings, env, learner, given.undo), 0

    def improve(share: float) -> tuple[int, str]:
        nonlocal steps
        learn(learner, player.play(), settings, share)
        steps += settings.num_envs * settings.n_steps
        return steps, f"{steps:,} steps, {np.mean(player.solved):.1%} of 3,000 episodes solved"

    train(given, settings, env.config, learner, improve)


if __name__ == "__main__":
    main()
