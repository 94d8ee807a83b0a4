"""Learning from a teacher, for every on-policy algorithm and policy of Stable-Baselines3.

:func:`pretrain` imitates a teacher in states that it and, in a growing share, the learner reach (behaviour cloning,
then DAgger: S. Ross, G. Gordon and D. Bagnell, AISTATS 2011). :class:`TeacherCallback` adds a cross-entropy with the
teacher's actions to the loss of PPO, whose weight falls to 0 (kickstarting: S. Schmitt et al., 2018).

Both work with ``PPO``, ``MaskablePPO`` and ``RecurrentPPO`` on :class:`~gridpuzzles_gym.PuzzleVecEnv`, wrapped or not.
"""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from rich.progress import Progress
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import update_learning_rate
from stable_baselines3.common.vec_env import VecEnvWrapper

from ..teachers import AUTO, Labels, Teacher, make_teacher
from .sb3_vec_env import Orientations, PuzzleVecEnv, TurnedVecEnv

TEACHER_WEIGHT_ENDS = 0.5
"""The share of PPO after which the teacher's actions have no weight."""
TAUGHT = 0.875
"""The share of environments that the teacher plays at first; in the others the learner's success is measured."""
_OF_BATCHES = ("action_masks", "lstm_states", "episode_starts")
"""What a minibatch of these algorithms has for ``evaluate_actions()`` besides observations and actions."""
_TINY = 1e-8


class TeacherCallback(BaseCallback):
    """Labels the states of each rollout by a teacher, and adds the cross-entropy with the labels to PPO's loss.

    While it is active, it replaces ``evaluate_actions()`` of the model's policy and ``_get_samples()`` of its buffer on
    these objects. The term is passed to PPO as a part of the entropy bonus, and is also in its logged entropy loss.

    Args:
        teacher: A teacher, or the name of an agent or search of the puzzle; ``"auto"`` is the best one.
        weight: The weight of the cross-entropy at the start; it falls linearly to 0.
        until: The share of the training after which it is 0.
        seed: Random seed of the teacher.
        **parameters: Parameters of the teacher, as for :func:`~..teachers.make_teacher`.

    Attributes:
        imitating: Whether the next rollouts are for :meth:`imitate`.
        taught: The share of environments that the teacher plays, in steps of an eighth; 0 except in imitation.
        current_weight: The current weight of the cross-entropy.
    """

    def __init__(
        self,
        teacher: str | Teacher = AUTO,
        weight: float = 1.0,
        until: float = TEACHER_WEIGHT_ENDS,
        seed: int = 0,
        **parameters: Any,
    ) -> None:
        super().__init__()
        self.weight, self.until = weight, until
        self.imitating, self.taught, self.current_weight = False, 0.0, 0.0
        self._choice, self._parameters = teacher, {"seed": seed} | parameters
        self._algorithm: Any = None

    def _init_callback(self) -> None:
        self._algorithm = self.model
        env, self._ways = _inner(self.training_env)
        self._batch = env.env.batch
        name = self._choice
        self.teacher = make_teacher(name, env.env, **self._parameters) if isinstance(name, str) else name
        count, actions = env.num_envs, int(env.action_space.n)  # type: ignore[attr-defined]
        self._labels: npt.NDArray[np.float32] = np.zeros((self._algorithm.n_steps, count, actions), np.float32)
        self._by_learner = np.ones(count, np.bool_)  # True if the learner has played the whole episode so far
        self._forced = np.full(count, -1)  # the teacher's action where it plays
        self._now: Labels | None = None  # of the current states
        self._rows = torch.zeros(0, dtype=torch.int64)  # of the last minibatch, in the labels by environment

    def _on_training_start(self) -> None:
        policy, buffer = self._algorithm.policy, self._algorithm.rollout_buffer
        self._now = None
        self._by_learner[:] = True
        policy.forward, policy.evaluate_actions = self._forward, self._evaluate
        buffer._get_samples = self._get_samples

    def _on_training_end(self) -> None:
        for place, names in (
            (self._algorithm.policy, ("forward", "evaluate_actions")),
            (self._algorithm.rollout_buffer, ("_get_samples",)),
        ):
            for name in names:
                place.__dict__.pop(name, None)

    def _on_rollout_start(self) -> None:
        model = self._algorithm
        done = 1 - model._current_progress_remaining
        self.current_weight = 0.0 if self.imitating else self.weight * max(1 - done / self.until, 0.0)
        if self.current_weight and not model.ent_coef:
            model.ent_coef = _TINY
        if not (self.imitating or self.current_weight):
            self._now = None
        elif self._now is None:
            self._now = self.teacher.label(self._batch, np.asarray(model._last_episode_starts, np.bool_))
        self._force()

    def _on_step(self) -> bool:
        self._by_learner &= self._forced < 0
        dones, infos = self.locals["dones"], self.locals["infos"]
        for i in np.flatnonzero(dones & ~self._by_learner).tolist():
            del infos[i]["episode"]  # statistics are the learner's
        self._by_learner |= dones
        if self._now is not None:
            self._labels[self.locals["n_steps"]] = self._shown(self._now.probabilities)
            actions = self.locals["actions"].reshape(-1)
            self.teacher.acted(actions if self._ways is None else self._ways.played(actions))
            self._now = self.teacher.label(self._batch, dones)
            self._force()
        return True

    def _shown(self, table: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return a table by action, [B, A], for the actions of the learner, whose board may be turned."""
        return table if self._ways is None else self._ways.per_action(table)

    def _force(self) -> None:
        """Determine where the teacher plays the next step, and which actions."""
        self._forced[:] = -1
        if self._now is not None and self.taught:
            plays = (np.arange(len(self._forced)) % 8 >= 8 * (1 - self.taught)) & self._now.known
            chosen = np.zeros_like(self._now.probabilities)
            chosen[np.arange(len(chosen)), self._now.actions] = 1
            self._forced[plays] = self._shown(chosen).argmax(axis=1)[plays]

    def _forward(self, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """As the policy's, with the teacher's actions where it plays."""
        policy = self._algorithm.policy
        actions, *others = type(policy).forward(policy, *args, **kwargs)
        if self._forced.max() >= 0:
            forced = torch.from_numpy(self._forced).to(actions.device)
            actions = torch.where(forced >= 0, forced, actions)
        return actions, *others

    def _evaluate(self, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """As the policy's, with the weighted cross-entropy as a part of the entropy."""
        policy = self._algorithm.policy
        values, logs, entropy = type(policy).evaluate_actions(policy, *args, **kwargs)
        if self.current_weight:
            labels = self._by_env()[self._rows].to(logs.device)
            entropy = entropy - self.current_weight / self._algorithm.ent_coef * self._cross_entropy(labels)
        return values, logs, entropy

    def _get_samples(self, rows: npt.NDArray[np.int64], *args: Any, **kwargs: Any) -> Any:
        """As the buffer's; remember which states they are."""
        buffer = self._algorithm.rollout_buffer
        samples = type(buffer)._get_samples(buffer, rows, *args, **kwargs)
        padded = getattr(buffer, "pad_and_flatten", None)  # of sequences
        self._rows = torch.from_numpy(rows) if padded is None else padded(rows.astype(np.float64)).long().cpu()
        return samples

    def _by_env(self) -> torch.Tensor:
        """Return the labels of the rollout in the order of the buffer, [B·T, A]."""
        return torch.from_numpy(self._labels).transpose(0, 1).flatten(0, 1)

    def _cross_entropy(self, labels: torch.Tensor) -> torch.Tensor:
        """Return the cross-entropy [N] of the policy that was just evaluated with labels; 0 where there are none."""
        logs: torch.Tensor = self._algorithm.policy.action_dist.distribution.logits
        return -(labels * logs).sum(1)

    def imitate(self, batch_size: int, epochs: int, rate: float, kept: "LabelledStates | None" = None) -> float:
        """Take gradient steps on the last rollout: actions towards the teacher's, values towards the returns.

        Args:
            batch_size: States per gradient step.
            epochs: Passes over as many states as the rollout has.
            rate: The learning rate.
            kept: The states to sample from, after adding those of the rollout; None: only those.

        Returns:
            The mean loss.
        """
        model = self._algorithm
        policy, losses = model.policy, []
        policy.set_training_mode(True)
        update_learning_rate(policy.optimizer, rate)
        for batch, labels in self._minibatches(batch_size, epochs, kept):
            more = [getattr(batch, name) for name in _OF_BATCHES if hasattr(batch, name)]
            actions = batch.actions.long().flatten()
            values, _, _ = type(policy).evaluate_actions(policy, batch.observations, actions, *more)
            errors = (values.flatten() - batch.returns).square()
            loss = self._cross_entropy(labels.to(errors.device)) + model.vf_coef * errors
            loss = (loss[batch.mask > _TINY] if hasattr(batch, "mask") else loss).mean()
            policy.optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(policy.parameters(), model.max_grad_norm)
            policy.optimizer.step()
            losses.append(loss.detach())
        return float(torch.stack(losses).mean()) if losses else float("nan")

    def _minibatches(self, size: int, epochs: int, kept: "LabelledStates | None") -> Iterator[tuple[Any, torch.Tensor]]:
        """Yield minibatches and their labels [N, A]."""
        buffer, labels = self._algorithm.rollout_buffer, self._by_env()
        if kept is None:
            for _ in range(epochs):
                for batch in buffer.get(size):
                    yield batch, labels[self._rows]
            return
        next(iter(buffer.get(1)))  # puts its arrays in order
        kept.add(buffer, labels.numpy())
        for _ in range(-(-epochs * len(labels) // size) if kept.count else 0):
            yield kept.sample(size, self._algorithm.device)


class LabelledStates:
    """The latest labelled states, from which imitation samples: a ring buffer.

    Args:
        capacity: Maximum number of states.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.count = self._next = 0
        self._stored: dict[str, npt.NDArray[Any]] = {}

    def add(self, buffer: Any, labels: npt.NDArray[np.float32]) -> None:
        """Store the states of a flattened rollout buffer that have labels, float32[N, A]."""
        known = np.flatnonzero(labels.any(axis=1))[-self.capacity :]
        arrays = {"labels": labels, "observations": buffer.observations, "returns": buffer.returns.flatten()}
        if hasattr(buffer, "action_masks"):
            arrays["action_masks"] = buffer.action_masks.reshape(labels.shape).astype(np.bool_)
        if not self._stored:
            self._stored = {name: np.zeros((self.capacity, *x.shape[1:]), x.dtype) for name, x in arrays.items()}
        places = (self._next + np.arange(len(known))) % self.capacity
        for name, array in arrays.items():
            self._stored[name][places] = array[known]
        self._next = (self._next + len(known)) % self.capacity
        self.count = min(self.count + len(known), self.capacity)

    def sample(self, size: int, device: Any = "cpu") -> tuple[Any, torch.Tensor]:
        """Return a random minibatch of ``size`` states, and their labels [N, A]."""
        rows = np.random.randint(0, self.count, size)  # seeded as the sampling of Stable-Baselines3's buffers is
        batch = {name: torch.from_numpy(array[rows]).to(device) for name, array in self._stored.items()}
        labels = batch.pop("labels")
        return SimpleNamespace(**batch, actions=labels.argmax(1)), labels


def pretrain(
    model: Any,
    teacher: str | Teacher = AUTO,
    steps: int = 100_000,
    *,
    learning_rate: float = 1e-3,
    batch_size: int = 128,
    epochs: int = 2,
    kept_states: int = 0,
    progress: bool = True,
    seed: int = 0,
    **parameters: Any,
) -> Any:
    """Train a model of Stable-Baselines3 to play as a teacher does, and its values to be the returns it gets.

    At first the teacher plays seven environments in eight, later fewer, and from the middle on the learner plays them
    all. The teacher labels every state; the loss is the cross-entropy with its probabilities of actions, plus the
    squared error of values. Ctrl-C ends it early; the model keeps what it has learned, and the function returns.

    Args:
        model: ``PPO``, ``A2C``, ``MaskablePPO`` or ``RecurrentPPO`` with any policy, whose environment is a
            :class:`~gridpuzzles_gym.PuzzleVecEnv`. A round is its ``n_steps`` in each environment: few (16 to 64) are
            better here than its default.
        teacher: A teacher, or the name of an agent or search of the puzzle; ``"auto"`` is the best one.
        steps: Environment steps, rounded up to whole rounds.
        learning_rate: The learning rate at the start; it falls linearly to a tenth.
        batch_size: States per gradient step.
        epochs: Passes over the states of each round.
        kept_states: Number of the latest labelled states from which minibatches are sampled; 0: those of the round
            only. Useful if the teacher is slow; not for ``RecurrentPPO``.
        progress: Show a progress bar.
        seed: Random seed of the teacher.
        **parameters: Parameters of the teacher, such as ``nodes=`` of a search.

    Returns:
        The model.

    Raises:
        ValueError: The environment is not of this suite, or there is no such teacher or parameter.
    """
    if kept_states and hasattr(model.policy, "lstm_actor"):
        raise ValueError(f"kept_states={kept_states}: must be 0 for RecurrentPPO, which learns from sequences")
    callback = TeacherCallback(teacher, seed=seed, **parameters)
    callback.imitating = True
    kept = LabelledStates(kept_states) if kept_states else None
    model._last_obs = None  # begin new episodes
    first = model.num_timesteps
    model._setup_learn(steps, callback, reset_num_timesteps=False)
    callback.on_training_start({"self": model}, {})
    with Progress(disable=not progress) as bar:
        task = bar.add_task(f"learning from the teacher {teacher}" if isinstance(teacher, str) else "", total=steps)
        try:
            while (done := model.num_timesteps - first) < steps:
                callback.taught = max(TAUGHT * (1 - 2 * done / steps), 0.0)
                model.collect_rollouts(model.env, callback, model.rollout_buffer, n_rollout_steps=model.n_steps)
                loss = callback.imitate(batch_size, epochs, learning_rate * (1 - 0.9 * done / steps), kept)
                scores = [info["r"] for info in model.ep_info_buffer]
                reached = f", mean return {np.mean(scores):+.3g}" if scores else ""
                bar.update(task, completed=done, description=f"loss {loss:.3f}{reached}")
            bar.update(task, completed=steps)
        except KeyboardInterrupt:
            bar.console.print(f"stopped after {model.num_timesteps - first:,} steps")
        finally:
            callback.on_training_end()
    return model


def _inner(env: Any) -> tuple[PuzzleVecEnv, Orientations | None]:
    """Return the environments of the suite in a ``VecEnv``, and the orientations of the boards that it shows."""
    ways = None
    while isinstance(env, VecEnvWrapper):
        ways = env.orientations if isinstance(env, TurnedVecEnv) else ways
        env = env.venv
    if not isinstance(env, PuzzleVecEnv):
        raise ValueError(f"a teacher needs a model on gridpuzzles_gym.PuzzleVecEnv, not on {type(env).__name__}")
    return env, ways
