"""Trains the network of Sokoban that comes with the suite: PPO, while the solver sees every dead end.

    python benchmarks/learning/sokoban_network.py runs/sokoban --levels runs/levels/boxoban runs/levels/medium
    python -m benchmarks.learning ship runs/sokoban --averaged

At every step the solver, which takes 0.1 ms a position, says after which pushes the level can still be solved. A push
into a dead end ends the episode, so that no steps are spent where nothing can be won, and the advantage of the push
itself says what was lost. A second loss, -log(1 - p) for the probability p of all pushes into dead ends, also learns
from those that were not sampled. Gradient steps use the ``--kept`` states of each rollout with the largest advantages,
entropies and p. Levels are seen in eight orientations.

``runs/levels/medium`` is the pack ``sokoban-10x10-medium`` of ``training_levels.py``; ``runs/levels/boxoban`` are files
of levels from Boxoban's unfiltered training set. The model is saved every two minutes; ``--start`` goes on from one. A
core with bfloat16 instructions plays and learns from 1,300 to 2,300 steps a second.
"""

import argparse
import dataclasses
import shlex
import sys
import time
from collections import deque
from pathlib import Path
from typing import NamedTuple

import gymnasium as gym
import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from rich.progress import BarColumn, Progress, TextColumn

from gridpuzzles_gym.agents.models.model_file import MODEL, Model, read_model, write_model
from gridpuzzles_gym.agents.models.pretrained import PRETRAINED, model_to_start
from gridpuzzles_gym.agents.networks.network import Output
from gridpuzzles_gym.agents.search.nodes import equal, hash_of
from gridpuzzles_gym.agents.training.collector import advantages_of
from gridpuzzles_gym.agents.training.learner import Learner
from gridpuzzles_gym.agents.training.orientations import Orientations
from gridpuzzles_gym.agents.training.ppo import VALUE_WEIGHT
from gridpuzzles_gym.agents.training.run import between
from gridpuzzles_gym.agents.training.teachers.planners import LONGEST, UNDECIDED, make_planner
from gridpuzzles_gym.agents.training.torch_networks.acting import log_probabilities
from gridpuzzles_gym.engine.compile.compilation import compiled
from gridpuzzles_gym.engine.puzzle import load_puzzle
from gridpuzzles_gym.puzzles.sokoban.rules import PLAYER

ENV_ID = "Sokoban-v0"
ENV_KWARGS = {"reward": "boxoban", "max_episode_steps": 120}
GAMMA, GAE_LAMBDA, REWARD_SCALE, CLIP_RANGE = 0.97, 0.95, 0.2, 0.2
"""As in the environment's preset."""
NODES = 300
"""Maximum number of positions that the solver expands; it decides 499 of 500 pushes with less."""
DEAD_END_WEIGHT, DEAD_END_SCORE = 0.5, 4.0
"""Weight of the loss of dead ends; weight of their probability in the choice of states."""
WARM_UP = 0.02
"""Share of the run in which the learning rate rises."""
SAVING = 120
"""Seconds between two copies of the model."""


class Rollout(NamedTuple):
    """T steps of B environments."""

    views: torch.Tensor
    """uint8[T, B, C, H, W]"""
    legal: torch.Tensor
    """bool[T, B, A]"""
    lost: torch.Tensor
    """bool[T, B, A]: True for pushes into dead ends."""
    actions: torch.Tensor
    """int64[T, B]"""
    logs: torch.Tensor
    """float32[T, B]: the logarithms of the actions' probabilities."""
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
    """

    def __init__(self, env) -> None:
        self.batch, self.pushes = env.batch, _pushes()
        self.planner = make_planner(env.config, "sokoban", nodes=NODES, threads=1)
        most = env.num_envs * len(env.config.action_names)
        self.after = np.zeros((most, self.batch.states.shape[1]), np.int16)
        self.levels = np.zeros((most, self.batch.levels.shape[1]), np.int16)
        self.envs, self.actions = np.zeros((2, most), np.int64)
        self.keys = np.zeros(most, np.uint64)
        self.known: dict[int, bool] = {}

    def find(self, legal):
        """Return the pushes into dead ends, bool[B, A], among the legal actions, bool[B, A]."""
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
        lost = np.zeros(legal.shape, np.bool_)
        lost[self.envs[:count], self.actions[:count]] = [self.known[key] for key in keys]
        return lost


class Player:
    """Plays the environments.

    Args:
        env: The environments.
        learner: The network that plays and learns.
        seed: Seed of the levels.

    Attributes:
        solved: For the last 3,000 episodes, whether they were solved.
    """

    def __init__(self, env, learner: Learner, seed: int) -> None:
        self.env, self.learner, self.dead_ends = env, learner, DeadEnds(env)
        self.turned = Orientations(env.num_envs, env.single_observation_space.shape)
        self.solved: deque[bool] = deque(maxlen=3000)
        env.reset(seed=seed)

    def play(self, steps: int) -> Rollout:
        """Play some steps."""
        rows = [self._step() for _ in range(steps)]
        *columns, values, rewards, ended = (np.stack(column) for column in zip(*rows, strict=True))
        after = self._values(self.env.batch.observations)
        advantages = advantages_of(rewards, np.concatenate([values, after[None]]), ended, GAMMA, GAE_LAMBDA)
        return Rollout(*map(torch.from_numpy, (*columns, advantages + values, advantages)))

    def _step(self) -> tuple[np.ndarray, ...]:
        """Play one step; return the columns of a rollout up to the scores, values, rewards, and ends."""
        env, batch, turned = self.env, self.env.batch, self.turned
        view, legal = turned.seen(batch.observations), batch.action_masks()
        lost = self.dead_ends.find(legal)
        seen_legal, seen_lost = turned.per_action(legal), turned.per_action(lost)
        with torch.no_grad():
            output = read(self.learner, torch.from_numpy(view))
            logs = log_probabilities(output.logits, torch.from_numpy(seen_legal))
            chances = logs.exp()
            actions = torch.multinomial(chances, 1, generator=self.learner.generator)
            scores = entropies(logs) + DEAD_END_SCORE * (chances * torch.from_numpy(seen_lost)).sum(1)
        played = turned.played(actions[:, 0].numpy())
        _, rewards, terminated, truncated, _ = env.step(played)
        rewards, cut = REWARD_SCALE * rewards.astype(np.float32), truncated & ~terminated
        if cut.any():
            last = np.where(cut[:, None, None, None], batch.final_observations, batch.observations)
            rewards += GAMMA * cut * self._values(last)
        ended = terminated | truncated
        fell = lost[np.arange(len(played)), played] & ~ended
        if fell.any():
            env.reset(options={"reset_mask": fell})
        self.solved.extend(terminated[ended | fell].tolist())
        columns = view, seen_legal, seen_lost, actions[:, 0].numpy(), logs.gather(1, actions)[:, 0].numpy()
        return *columns, scores.numpy(), output.values.numpy(), rewards, ended | fell

    @torch.no_grad()
    def _values(self, observations: np.ndarray) -> np.ndarray:
        return read(self.learner, torch.from_numpy(self.turned.seen(observations))).values.numpy()


def read(learner: Learner, views: torch.Tensor) -> Output:
    """Return the network's output for views, computed in bfloat16."""
    with torch.autocast("cpu", torch.bfloat16):
        return learner.read(views, torch.zeros(len(views), 0))


def entropies(logs: torch.Tensor) -> torch.Tensor:
    """Return the entropies of policies [N, A]."""
    return -(logs.exp() * logs.clamp(min=-50)).sum(1)


def learn(learner: Learner, rollout: Rollout, given: argparse.Namespace, rate: float, bonus: float) -> None:
    """Take gradient steps on the states that say most."""
    flat = Rollout(*(column.flatten(0, 1) for column in rollout))
    scores = flat.scores + flat.advantages.abs() / flat.advantages.std()
    chosen = scores.topk(int(given.kept * len(scores))).indices
    for rows in chosen[torch.randperm(len(chosen), generator=learner.generator)].split(given.batch):
        batch = Rollout(*(column[rows] for column in flat))
        output = read(learner, batch.views)
        logs = log_probabilities(output.logits, batch.legal)
        advantages = (batch.advantages - batch.advantages.mean()) / (batch.advantages.std() + 1e-8)
        ratio = (logs.gather(1, batch.actions[:, None])[:, 0] - batch.logs).exp()
        clipped = ratio.clamp(1 - CLIP_RANGE, 1 + CLIP_RANGE)
        loss = -torch.minimum(advantages * ratio, advantages * clipped).mean()
        loss += VALUE_WEIGHT * (output.values - batch.returns).square().mean() - bonus * entropies(logs).mean()
        falls = (logs.exp() * batch.lost).sum(1)
        learner.improve(loss - DEAD_END_WEIGHT * torch.log1p(-falls.clamp(max=0.999)).mean(), rate)


def save(model: Model, learner: Learner, steps: int, minutes: float, folder: Path) -> None:
    """Write the model."""
    about = model.description
    settings = {
        **about.settings,
        "gamma": GAMMA,
        "gae_lambda": GAE_LAMBDA,
        "reward_scale": REWARD_SCALE,
        "turned": True,
    }
    command = f"python benchmarks/learning/sokoban_network.py {shlex.join(sys.argv[1:])}"
    about = dataclasses.replace(
        about, settings=settings, env_kwargs=ENV_KWARGS, steps=about.steps + steps, minutes=about.minutes + minutes,
        device="CPU, 1 thread", command=command, scores=(),
    )  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    write_model(folder / MODEL, Model(about, learner.arrays()))


def main() -> None:
    """Train."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="folder of the model")
    parser.add_argument(
        "--levels", nargs="+", required=True, metavar="FOLDER", help="levels; one named twice counts twice"
    )
    parser.add_argument(
        "--start", default=PRETRAINED, metavar="MODEL", help="model to begin with; default: the suite's"
    )
    parser.add_argument("--minutes", type=float, default=80.0, help="minutes of training; default: 80")
    parser.add_argument("--rates", type=float, nargs=2, default=(2.8e-4, 5e-6), help="first and last learning rate")
    parser.add_argument("--bonus", type=float, default=1.5e-3, help="weight of the entropy; falls to a tenth")
    parser.add_argument("--kept", type=float, default=0.4, help="share of the states to learn from; default: 0.4")
    parser.add_argument("--batch", type=int, default=1024, help="states of a gradient step; default: 1,024")
    parser.add_argument("--envs", type=int, default=512, help="environments; default: 512")
    parser.add_argument("--steps", type=int, default=32, help="steps of a rollout; default: 32")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    model = read_model(model_to_start(given.start, ENV_ID))
    env = gym.make_vec(
        ENV_ID,
        num_envs=given.envs,
        levels=given.levels,
        autoreset_mode=AutoresetMode.SAME_STEP,
        copy=False,
        **ENV_KWARGS,
    )
    network = model.description.network_for(env.single_observation_space.shape)
    learner = Learner(network, model.weights, torch.device("cpu"), given.seed)
    player, begun = Player(env, learner, given.seed), time.monotonic()
    saved, steps = begun, 0
    columns = BarColumn(), TextColumn("{task.completed:.1f} of {task.total:.0f} minutes{task.description}")
    try:
        with Progress(*columns) as progress:
            bar = progress.add_task("", total=given.minutes)
            while (minutes := (time.monotonic() - begun) / 60) < given.minutes:
                share = minutes / given.minutes
                rollout = player.play(given.steps)
                rate = between(*given.rates, share) * min(share / WARM_UP, 1)
                learn(learner, rollout, given, rate, between(given.bonus, given.bonus / 10, share))
                steps += given.envs * given.steps
                text = f", {steps:,} steps, {np.mean(player.solved):.1%} of 3,000 episodes solved"
                progress.update(bar, completed=minutes, description=text)
                if time.monotonic() > saved + SAVING:
                    save(model, learner, steps, minutes, given.out)
                    saved = time.monotonic()
    except KeyboardInterrupt:
        print(f"stopped; --start {given.out} goes on")
    save(model, learner, steps, (time.monotonic() - begun) / 60, given.out)


if __name__ == "__main__":
    main()
