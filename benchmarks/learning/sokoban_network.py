"""Trains the network of Sokoban that comes with the suite: PPO, while the solver sees every dead end.

    python -m benchmarks.learning.sokoban_network runs/sokoban --levels runs/levels/boxoban runs/levels/medium
    python -m benchmarks.learning ship runs/sokoban --averaged

At every step the solver, which takes 0.1 ms a position, says after which pushes the level can still be solved. A push
into a dead end ends the episode, so that no steps are spent where nothing can be won, and the advantage of the push
itself says what was lost. A second loss, -log(1 - p) for the probability p of all pushes into dead ends, also learns
from those that were not sampled. A third one is for searches, which look beyond dead ends, too, though no episode goes
on there: the value is to be that of endless steps, less one for each box on a goal, so that nothing is won by further
ones (:func:`worth_of_lost`). It is learned after one push into a dead end of each state, and in some lost games that
the network plays on. Gradient steps use the 40 % of the states of each rollout with the largest advantages, entropies
and p. Levels are seen in eight orientations.

``--blocks`` makes the network deeper: new blocks begin with no effect. With ``--undo`` a push into a dead end is taken
back instead, and the episode goes on: the later pushes of hard levels are played more often, but the network learns to
walk about where it is not sure. Use it first, and then go on without it.

``runs/levels/medium`` is the pack ``sokoban-10x10-medium`` of ``training_levels.py``; ``runs/levels/boxoban`` are files
of levels from Boxoban's unfiltered training set. The model is saved every minute; ``--start`` goes on from one. A core
with bfloat16 instructions plays and learns from 870 to 2,300 steps a second, two cores without them 600.
"""

import dataclasses
from collections import deque
from typing import NamedTuple

import numpy as np
import torch

from gridpuzzles_gym.agents.networks.network import Output
from gridpuzzles_gym.agents.orientations import DIRECTIONS
from gridpuzzles_gym.agents.training.collector import advantages_of, environments
from gridpuzzles_gym.agents.training.learner import Learner
from gridpuzzles_gym.agents.training.orientations import Orientations
from gridpuzzles_gym.agents.training.ppo import VALUE_WEIGHT, entropies, loss_by_rewards, normalized
from gridpuzzles_gym.agents.training.presets import preset_settings
from gridpuzzles_gym.agents.training.run import between
from gridpuzzles_gym.agents.training.settings import Settings
from gridpuzzles_gym.agents.training.torch_networks.acting import log_probabilities
from gridpuzzles_gym.agents.training.torch_networks.weights import first_weights
from gridpuzzles_gym.engine.kernels import kernel
from gridpuzzles_gym.engine.rule_kernels import make_mask_batch, make_observe_batch
from gridpuzzles_gym.puzzles.sokoban.observing import BOX_PLANE, GOAL_PLANE
from gridpuzzles_gym.puzzles.sokoban.rules import BOXOBAN_BOX, BOXOBAN_STEP

from .own_loop import first_model, parser_of, train
from .sokoban_dead_ends import DeadEnds

ENV_ID = "Sokoban-v0"
KEPT = 0.4
"""The share of the states to learn from."""
DEAD_END_WEIGHT, DEAD_END_SCORE = 2.0, 4.0
"""Weight of the loss of dead ends; weight of their probability in the choice of states."""
LOST_GAMES, LOST_STEPS = 64, 8
"""Number of lost games that are played on, and for how many steps on average."""
BFLOAT16 = torch.cpu.get_capabilities().get("avx512_bf16", False)
"""Whether the processor has instructions for bfloat16."""
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


class LostGames:
    """Games that can't be won any more, in which the network plays on.

    Args:
        env: The environments.
        learner: The network.
        seed: Says how long each game goes on.
    """

    def __init__(self, env, learner: Learner, seed: int) -> None:
        puzzle, self.shape = env.config.puzzle, env.single_observation_space.shape
        self.step, self.learner, self.random = puzzle.rules.step, learner, np.random.default_rng(seed)
        self.observe = kernel(make_observe_batch, puzzle, env.config.observation)
        self.mask = kernel(make_mask_batch, puzzle)
        self.turned = Orientations(LOST_GAMES, self.shape)
        self.levels = np.zeros((LOST_GAMES, env.batch.levels.shape[1]), np.int16)
        self.states = np.zeros((LOST_GAMES, env.batch.states.shape[1]), np.int16)
        self.left = np.zeros(LOST_GAMES, np.int64)
        """Steps until each game is replaced."""

    @torch.no_grad()
    def play(self, levels, states) -> np.ndarray:
        """Play a step of each game; those that are over are replaced by some of these, at least one.

        Returns:
            What is seen before the step: uint8[LOST_GAMES, C, H, W].
        """
        over = np.flatnonzero(self.left <= 0)
        rows = np.arange(len(over)) % len(levels)
        self.levels[over], self.states[over] = levels[rows], states[rows]
        self.left[over] = self.random.geometric(1 / LOST_STEPS, len(over))
        views, legal = np.empty((LOST_GAMES, *self.shape), np.uint8), np.ones((LOST_GAMES, len(DIRECTIONS)), np.bool_)
        self.observe(self.levels, self.states, views.reshape(*views.shape[:2], -1))
        self.mask(self.levels, self.states, legal)
        seen = self.turned.seen(views)
        logits = read(self.learner, torch.from_numpy(seen)).logits
        chances = log_probabilities(logits, torch.from_numpy(self.turned.per_action(legal))).exp()
        actions = torch.multinomial(chances, 1, generator=self.learner.generator)[:, 0].numpy()
        for level, state, action in zip(self.levels, self.states, self.turned.played(actions).tolist(), strict=True):
            self.step(level, state, action, np.ones(1, np.uint64))
        self.left -= 1
        return seen


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
        self.dead_ends, self.lost_games = DeadEnds(env, settings.seed), LostGames(env, learner, settings.seed)
        self.turned = Orientations(env.num_envs, env.single_observation_space.shape)
        self.solved: deque[bool] = deque(maxlen=3000)
        self.clean = np.ones(env.num_envs, np.bool_)
        env.reset(seed=settings.seed)

    def play(self) -> tuple[Rollout, torch.Tensor]:
        """Play the steps of a rollout; return it, and what was seen in lost games: uint8[T * LOST_GAMES, C, H, W]."""
        rows, beyond = [], []
        for _ in range(self.settings.n_steps):
            rows.append(self._step())
            beyond.append(self.lost_games.play(*self.dead_ends.found))
        *columns, values, rewards, ended = (np.stack(column) for column in zip(*rows, strict=True))
        after = self._values(self.env.batch.observations, np.arange(self.env.num_envs))
        gamma, gae_lambda = self.settings.gamma, self.settings.gae_lambda
        data = map(torch.from_numpy, (rewards, np.concatenate([values, after[None]]), ended))
        advantages = advantages_of(*data, gamma, gae_lambda)
        rollout = Rollout(*map(torch.from_numpy, columns), advantages + torch.from_numpy(values), advantages)
        return rollout, torch.from_numpy(np.concatenate(beyond))

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
            rewards[cut] += self.settings.gamma * self._values(batch.final_observations, np.flatnonzero(cut))
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
    def _values(self, observations: np.ndarray, envs: np.ndarray) -> np.ndarray:
        """Return the values of some environments."""
        return read(self.learner, torch.from_numpy(self.turned.seen(observations[envs], envs))).values.numpy()


def read(learner: Learner, views: torch.Tensor) -> Output:
    """Return the network's output for views, computed in bfloat16 if the processor has instructions for it."""
    with torch.autocast("cpu", torch.bfloat16, enabled=BFLOAT16):
        return learner.read(views, torch.zeros(len(views), 0))


def worth_of_lost(views: torch.Tensor, settings: Settings) -> torch.Tensor:
    """Return the values of lost positions, as the network is to learn them: float32[N] for views uint8[N, C, H, W].

    If it were only the value of endless steps, a search would find it better to lose, and to put more boxes on goals
    then, than to go on in a hard level.
    """
    on_goals = (views[:, BOX_PLANE] * views[:, GOAL_PLANE]).sum((1, 2))
    return settings.reward_scale * (BOXOBAN_STEP / (1 - settings.gamma) - BOXOBAN_BOX * on_goals)


def learn(learner: Learner, rollout: Rollout, beyond: torch.Tensor, settings: Settings, share: float) -> None:
    """Take gradient steps on the states that say most, and on what was seen in lost games, after a share of the run."""
    rate = between(settings.learning_rate, settings.final_learning_rate, share) * min(share / WARM_UP, 1)
    bonus = between(settings.entropy, settings.final_entropy, share)
    flat = Rollout(*(column.flatten(0, 1) for column in rollout))
    scores = flat.scores + flat.advantages.abs() / flat.advantages.std()
    chosen = scores.topk(int(KEPT * len(scores))).indices
    batches = chosen[torch.randperm(len(chosen), generator=learner.generator)].split(settings.batch_size)
    for k, rows in enumerate(batches):
        batch = Rollout(*(column[rows] for column in flat))
        batch = batch._replace(advantages=normalized(batch.advantages))
        lost = torch.cat([batch.dead_ends[batch.lost.any(1)], beyond[k :: len(batches)]])
        output = read(learner, torch.cat([batch.views, lost]))
        logs = log_probabilities(output.logits[: len(rows)], batch.masks)
        loss = loss_by_rewards(logs, output.values[: len(rows)], batch, settings.clip_range, bonus)
        falls = (logs.exp() * batch.lost).sum(1)
        errors = output.values[len(rows) :] - worth_of_lost(lost, settings)
        loss += VALUE_WEIGHT * errors.square().sum() / len(rows)
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
        "threads": given.threads, "device": "cpu", "engine": "own",
    }  # fmt: skip
    settings = preset_settings(ENV_ID, {"levels": given.levels, "max_episode_steps": 120}, chosen)
    env = environments(settings, None)
    about = dataclasses.replace(start.description, network=parameters | {"averaged": False})
    network = about.network_for(env.single_observation_space.shape)
    learner = Learner(
        network, first_weights(network, given.seed) | start.weights, torch.device("cpu"), given.seed, given.threads
    )
    player, steps = Player(settings, env, learner, given.undo), 0

    def improve(share: float) -> tuple[int, str]:
        nonlocal steps
        learn(learner, *player.play(), settings, share)
        steps += settings.num_envs * settings.n_steps
        return steps, f"{steps:,} steps, {np.mean(player.solved):.1%} of 3,000 episodes solved"

    train(given, settings, env.config, learner, improve)


if __name__ == "__main__":
    main()
