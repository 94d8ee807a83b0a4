"""A training run of our own learner, for what Stable-Baselines3's PPO does not offer."""

from pathlib import Path

from gridpuzzles_gym.engine.messages import quote

from ..level_sources.sampler_choice import read_parameters
from .cloning import LabelledStates, imitate
from .collector import Collector, environments
from .learner import Learner
from .level_scores import scores_for
from .phases import PPO, Moment, moment
from .ppo import Coefficients, improve_policy
from .provenance import device_name
from .run import TrainingRun, between
from .setting_up import device_for, steps_environments
from .settings import Settings
from .teachers.choosing import make_teacher

PULL_ENDS = 0.5
"""The share of PPO after which the teacher's actions have no weight."""


class OwnRun(TrainingRun):
    """A training run of this process, by a teacher, or by rewards on a GPU.

    Arguments are those of the base. With rewards alone, and levels that no sampler chooses, environments and
    experience are on the device that trains the network; else the environments are on the CPU.
    """

    def __init__(self, settings: Settings, folder: Path, start: str | Path | None = None) -> None:
        super().__init__(settings, folder, start)
        device = device_for(settings.device)
        on_gpu = settings.teacher is None and self.sampler is None and steps_environments(device, settings.device)
        self.env = environments(settings, self.sampler, "cuda" if on_gpu else "cpu")
        weights = self._prepare(self.env)
        self.device = device_name(device, settings.threads)
        self.learner: Learner = Learner(self.network, weights, device, settings.seed, settings.threads)
        teacher = None
        if settings.teacher is not None:
            name, parameters = read_parameters(settings.teacher, "teacher")
            teacher = make_teacher(name, self.env, **{"seed": settings.seed} | parameters)
        self.collector = Collector(settings, self.env, self.learner, teacher)
        self.episodes = self.collector.episodes
        if settings.kept_states and self.network.learns_memory:
            raise ValueError(f"network={quote(self.network.name)} learns from whole episodes: kept_states must be 0")
        self.labelled = LabelledStates(settings.kept_states) if settings.kept_states else None
        self.scores = scores_for(self.sampler, settings.num_envs)

    def close(self) -> None:
        """Close the environments."""
        self.env.close()

    def _begin_episodes(self) -> None:
        self.collector.begin(self._seed())

    def _advance(self, now: Moment) -> dict[str, float]:
        figures = self._update(now)
        self.steps += self.settings.num_envs * self.settings.n_steps
        return figures

    def _update(self, now: Moment) -> dict[str, float]:
        """Play a rollout and update once; return figures about the update."""
        settings = self.settings
        taught = self.collector.teacher is not None
        pull = settings.pull * max(1 - now.share / PULL_ENDS, 0.0) * taught
        advised = taught and (now.phase != PPO or pull > 0)
        experience = self.collector.collect(now.phase, advised)
        self._centre(lambda: experience.views.flatten(0, 1).cpu().numpy())
        if self.scores is not None:
            self.scores.report(experience.advantages.cpu().numpy(), self.collector.ended)
        states = settings.num_envs * settings.n_steps
        if now.phase != PPO:
            rate = between(settings.cloning_rate, settings.final_learning_rate, now.share)
            size = min(settings.cloning_batch, states)
            loss = imitate(self.learner, experience, self.labelled, size, settings.cloning_epochs, rate)
            return {"train/loss": loss, "train/learning_rate": rate}
        rate = between(settings.learning_rate, settings.final_learning_rate, now.share)
        entropy = between(settings.entropy, settings.final_entropy, now.share)
        coefficients = Coefficients(rate, settings.clip_range, entropy, pull)
        size = min(settings.batch_size, states)
        improve_policy(self.learner, experience, size, settings.n_epochs, coefficients)
        return {"train/entropy_bonus": entropy, "train/learning_rate": rate, "train/pull": pull}


def attempt(run: OwnRun) -> None:
    """Play a run's first rollout, learn from it, and close the run without saving anything."""
    try:
        run._begin_episodes()
        run._advance(moment(run.phases, 0.0))
    finally:
        run.close()
