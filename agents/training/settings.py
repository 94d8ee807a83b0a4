"""All settings of a training run, and its phases: behaviour cloning, DAgger, PPO, each with its share of the run.

``clone``   the teacher plays, the learner imitates it; one environment in eight is played by the learner, to
            measure its success
``dagger``  the learner plays, and imitates what the teacher would do in the states it reaches (S. Ross, G. Gordon and
            D. Bagnell, AISTATS 2011)
``ppo``     the learner plays and learns from rewards; with a teacher, it is at first also pulled towards the teacher's
            actions (kickstarting: S. Schmitt et al., 2018)
"""

import dataclasses
import functools
import math
import os
from collections.abc import Callable, Mapping
from typing import Any

from gridpuzzles_gym.engine.messages import did_you_mean, quote
from gridpuzzles_gym.engine.pictures.pixels import PIXELS
from gridpuzzles_gym.engine.system.process import usable_cores

from ..game import Game
from ..level_sources.named_samplers import read_sampler
from ..models.model_file import model_file, read_description
from ..networks.architectures import NETWORKS
from ..puzzle_agents import Preset

ALGORITHMS = ("ppo", "maskable-ppo")
CLONE, DAGGER, PPO = "clone", "dagger", "ppo"
KINDS = (CLONE, DAGGER, PPO)
_ALONE = ((PPO, 1.0),)
_TAUGHT = ((CLONE, 0.2), (DAGGER, 0.5), (PPO, 0.3))
_REMOVED = ("device", "engine", "env_runners", "learners")
"""Settings that models of earlier versions have and this one ignores."""
_RENAMED = {"pull": "teacher_weight"}
"""Settings that models of earlier versions have under another name."""
_ALLOWED: dict[str, tuple[Callable[[float], bool], tuple[str, ...]]] = {
    "a positive integer up to 10¹⁵": (lambda value: 1 <= value <= 10**15, ("total_steps",)),
    "a positive integer up to 1,000,000": (
        lambda value: 1 <= value <= 1_000_000,
        ("num_envs", "n_steps", "batch_size", "n_epochs", "cloning_batch", "cloning_epochs"),
    ),
    "0 or a positive integer up to 10⁹": (lambda value: 0 <= value <= 10**9, ("kept_states",)),
    "a positive integer up to 65,536": (lambda value: 1 <= value <= 65_536, ("hidden", "channels")),
    "a positive integer up to 1,024": (lambda value: 1 <= value <= 1024, ("threads", "depth", "blocks")),
    "an integer from 0 to 4,294,967,295": (lambda value: 0 <= value < 2**32, ("seed",)),
    "a positive number": (
        lambda value: 0 < value < math.inf,
        ("minutes", "learning_rate", "cloning_rate", "clip_range", "reward_scale", "checkpoint_minutes"),
    ),
    "0 or a positive number": (
        lambda value: 0 <= value < math.inf,
        ("final_learning_rate", "entropy", "final_entropy", "teacher_weight"),
    ),
    "a number from 0 to 1": (lambda value: 0 <= value <= 1, ("gamma", "gae_lambda")),
}
"""The allowed range of numbers, with a test and the settings it applies to; the tests are false for NaN."""


@dataclasses.dataclass(frozen=True)
class Settings:
    """All settings of a training run; saved in its model and next to it as ``settings.json``.

    Each environment of the suite has a preset that overrides the defaults, see :func:`preset_settings`. Scheduled
    values decrease linearly over their phase. Only a single-threaded run without a time limit (``minutes=None``) is
    reproducible.

    Raises:
        ValueError: A value is invalid.
    """

    env_id: str = "Wumpus-v0"
    """The environment, a registered id."""
    env_kwargs: dict[str, Any] = dataclasses.field(default_factory=dict)
    """Its keyword arguments."""
    sampler: str = "uniform"
    """The level sampler: a name of :data:`~gridpuzzles_gym.agents.level_sources.named_samplers.SAMPLERS`, optionally
    followed by parameters: ``"curriculum:up=0.7,episodes=500"``."""
    algorithm: str = "ppo"
    """``"ppo"``; or ``"maskable-ppo"``, which never takes an action that does nothing."""
    teacher: str | None = None
    """The agent to learn from, optionally followed by parameters (``"tile-ida-star:nodes=10000"``); ``"auto"`` is the
    puzzle's best; None learns from rewards alone."""
    phases: str = "auto"
    """The phases of the run and the share of each: ``"clone=0.2,dagger=0.5,ppo=0.3"``, see
    :mod:`~gridpuzzles_gym.agents.training.settings`. ``"auto"`` is this with a teacher, ``"ppo=1"`` without."""
    total_steps: int = 8_000_000
    """Total number of environment steps."""
    minutes: float | None = 9.5
    """Stop after this many minutes even if steps are left; the schedules follow whichever ends first."""
    num_envs: int = 512
    """Number of parallel environments."""
    n_steps: int = 64
    """Steps in each environment between updates."""
    batch_size: int = 4096
    """Transitions per gradient step."""
    n_epochs: int = 3
    """Passes over the transitions at each update."""
    learning_rate: float = 1.5e-3
    """Adam's learning rate at the start of PPO."""
    final_learning_rate: float = 1e-4
    """Adam's learning rate at the end, of PPO and of cloning."""
    cloning_rate: float = 1e-3
    """Adam's learning rate at the start of cloning."""
    cloning_batch: int = 512
    """Labelled states per gradient step of cloning."""
    cloning_epochs: int = 1
    """Passes over as many labelled states as a rollout has, at each update of cloning."""
    kept_states: int = 0
    """Number of the latest labelled states from which cloning samples; 0: those of the last rollout only. Useful if the
    teacher is slow."""
    teacher_weight: float = 1.0
    """Weight of the cross-entropy with the teacher's actions at the start of PPO; falls to 0 over its first half."""
    entropy: float = 0.1
    """Weight of the entropy bonus at the start: without it PPO on Wumpus-v0 learns to stand still to avoid death."""
    final_entropy: float = 0.01
    """Weight of the entropy bonus at the end."""
    gamma: float = 0.98
    """Discount per step."""
    gae_lambda: float = 0.95
    """λ of GAE: trades bias against variance of the advantage estimate."""
    clip_range: float = 0.2
    """Clipping range of PPO, which limits the change of the policy in an update."""
    reward_scale: float = 0.005
    """Factor on rewards, to bring returns to a few units for the value network."""
    turned: bool = False
    """Whether to play levels rotated and mirrored, in eight orientations. Requires rules that are the same in all
    directions."""
    network: str = "mlp"
    """``"mlp"``; ``"egocentric"``, which shifts the board to put the player in the middle; or ``"residual"``,
    convolutional, for boards of any size."""
    hidden: int = 256
    """Width of the network's layers."""
    depth: int = 1
    """Number of shared layers, of mlp and egocentric."""
    channels: int = 32
    """Channels of the residual network."""
    blocks: int = 4
    """Blocks of the residual network."""
    centred: bool = False
    """Whether to subtract the mean of the first rollout from the input of mlp. Useful if most inputs never change."""
    checkpoint_minutes: float = 1.0
    """Minutes between checkpoints, from which a run that was killed resumes."""
    seed: int = 0
    """Random seed of the levels, the network and the sampled actions."""
    threads: int = dataclasses.field(default_factory=lambda: min(2, usable_cores()))
    """Torch threads. More than there are free cores make training ten times slower: they wait for each other."""

    def __post_init__(self) -> None:
        for name, known in (("algorithm", ALGORITHMS), ("network", tuple(NETWORKS))):
            if getattr(self, name) not in known:
                value = getattr(self, name)
                raise ValueError(f"{name}={quote(value)} is not known; {did_you_mean(value, known)}")
        if isinstance(self.env_kwargs, dict) and str(self.env_kwargs.get("observation")) == PIXELS:
            raise ValueError(
                "observation='pixels' is for the CnnPolicy of Stable-Baselines3: "
                "PPO('CnnPolicy', PuzzleVecEnv(env_id, num_envs, observation='pixels'))"
            )
        if self.centred and self.network != "mlp":
            raise ValueError(f"centred=True requires network='mlp', not network={quote(self.network)}")
        read_phases(self.phases, self.teacher is not None)
        read_sampler(self.sampler)
        for what, (allowed, names) in _ALLOWED.items():
            for name in names:
                value = getattr(self, name)
                if value is not None and not allowed(value):
                    raise ValueError(f"{name}={quote(value)}: must be {what}")
        if self.num_envs * self.n_steps < 2:
            raise ValueError("num_envs × n_steps must be at least 2: an update requires more than one transition")
        # PPO leaves a single advantage as it is.
        if self.batch_size == 1 or (self.masked and self.num_envs * self.n_steps % self.batch_size == 1):
            raise ValueError(f"batch_size={self.batch_size} leaves a single transition for a gradient step: at least 2")

    def changed(self) -> dict[str, Any]:
        """Return the settings that are not the defaults, by name, without the environment's."""
        defaults, names = Settings(self.env_id), (field.name for field in dataclasses.fields(self))
        others = (name for name in names if name not in ("env_id", "env_kwargs"))
        return {name: getattr(self, name) for name in others if getattr(self, name) != getattr(defaults, name)}

    @functools.cached_property
    def game(self) -> Game:
        """The game that is learned."""
        return Game.of(self.env_id, **self.env_kwargs)

    @property
    def masked(self) -> bool:
        """Whether the policy takes legal actions only."""
        return self.algorithm == "maskable-ppo"


def preset_settings(game: Game | str, chosen: Mapping[str, Any]) -> Settings:
    """Return the settings of a new run: the defaults, overridden by the preset of its id, overridden by ``chosen``.

    The environment settings of a preset apply to training only: `compare` and `watch` play the registered environment.
    Its sampler is for learning from rewards, with the levels and the observation of the registered environment.

    Args:
        game: The game, or the id of one with no settings. Its settings override the preset's one by one; if one of
            :attr:`Preset.unless` is given, none of the preset's environment settings are used.
        chosen: Fields of the settings that were given.

    Raises:
        ValueError: A value is invalid.
    """
    if isinstance(game, str):
        game = Game.of(game)
    preset = game.agents.presets.get(game.name, Preset({}, {}))
    own_starts = any(game.settings.get(name) is not None for name in preset.unless)
    environment = {} if own_starts else dict(preset.environment)
    if read_sampler(chosen.get("sampler", Settings.sampler)).name == "on-the-fly":
        environment.pop("levels", None)  # the sampler makes its own
    learner = dict(preset.learner) | (dict(preset.taught) if chosen.get("teacher") else {})
    if chosen.get("teacher") or {"levels", "observation"} & game.settings.keys():
        learner.pop("sampler", None)
    learner |= dict(chosen)
    return Settings(env_id=game.id, env_kwargs=environment | dict(game.settings), **learner)


def read_settings(path: str | os.PathLike[str]) -> Settings:
    """Return the settings that a model was trained with.

    Args:
        path: The model file, or the folder of its run.

    Raises:
        ValueError: There is no model, the file is invalid, or another version of the program trained it.
    """
    try:
        saved = read_description(path).settings
        return Settings(**{_RENAMED.get(name, name): value for name, value in saved.items() if name not in _REMOVED})
    except TypeError as error:
        raise ValueError(f"{model_file(path)} was trained by another version of gridpuzzles_gym ({error})") from None


def read_phases(text: str, taught: bool) -> tuple[tuple[str, float], ...]:
    """Parse ``"clone=0.2,dagger=0.5,ppo=0.3"`` into phases and their shares, which sum to 1.

    Args:
        text: Phases with positive numbers, in this order; ``"auto"`` is the default.
        taught: Whether there is a teacher.

    Raises:
        ValueError: A phase is unknown, given twice, out of order, without a positive number, or needs a teacher.
    """
    if not isinstance(text, str):
        raise ValueError(f"phases={quote(text)}: must be a text")
    if text == "auto":
        return _TAUGHT if taught else _ALONE
    phases: dict[str, float] = {}
    for part in text.split(","):
        name, _, value = (piece.strip() for piece in part.partition("="))
        try:
            share = float(value)
        except ValueError:
            share = math.nan
        if name not in KINDS or not 0 < share < math.inf:
            raise ValueError(
                f"phases={quote(text)}: expected phases with positive numbers, such as clone=1,dagger=2,ppo=1"
            )
        if any(KINDS.index(name) <= KINDS.index(other) for other in phases):
            raise ValueError(f"phases={quote(text)}: each phase at most once, in the order {', '.join(KINDS)}")
        if name != PPO and not taught:
            raise ValueError(f"phases={quote(text)}: {name} needs a teacher")
        phases[name] = share
    total = sum(phases.values())
    return tuple((name, share / total) for name, share in phases.items())


def moment(phases: tuple[tuple[str, float], ...], share: float) -> tuple[str, float]:
    """Return the phase after a share of the run, 0 to 1, and its completed share; clone and dagger count as one."""
    begun = 0.0
    for name, length in phases:
        if share < begun + length or name == phases[-1][0]:
            break
        begun += length
    cloning = [length for kind, length in phases if kind != PPO]
    first, whole = (begun, length) if name == PPO else (0.0, sum(cloning))
    return name, min(max((share - first) / whole, 0.0), 1.0)
