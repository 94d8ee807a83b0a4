"""What a model file says about itself: everything that is not a weight."""

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from gridpuzzles_gym.engine.config import EnvConfig
from gridpuzzles_gym.engine.messages import quote, shorten
from gridpuzzles_gym.engine.puzzle import Puzzle, load_puzzle
from gridpuzzles_gym.registration import find_spec

from ..networks.network import Network
from ..networks.table import network_of

FORMAT = 1
"""The version of the format."""
_LARGEST = 2**20
"""Maximum size of an axis, and of a network's parameters."""


@dataclasses.dataclass(frozen=True)
class Description:
    """What a trained model plays, what its network is, and how it was trained.

    Raises:
        ValueError: A value has another type or range than its field.
    """

    env_id: str
    """The id of the environment that it was trained on."""
    observation: str
    """The ``observation=`` that it plays with."""
    shape: tuple[int, ...]
    """The shape of one observation in training."""
    actions: int
    """The number of actions."""
    network: Mapping[str, Any]
    """The ``name`` of the network's architecture, and its parameters."""
    masks: bool = False
    """Whether it chooses only among the actions that the environment's action mask allows."""
    env_kwargs: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """The environment's keyword arguments in training."""
    settings: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """All settings of its training."""
    seed: int = 0
    """The random seed of its training."""
    steps: int = 0
    """The number of environment steps of its training."""
    minutes: float = 0.0
    """The duration of its training."""
    device: str = ""
    """What it was trained on: the name of a GPU, or "CPU, 2 threads"."""
    versions: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """The versions of the programs that it was trained with."""
    scores: Sequence[Mapping[str, Any]] = ()
    """How well it plays: one record for each measurement."""
    command: str = ""
    """The command that trains it again."""

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            what, allowed = _ALLOWED[field.name]
            if not allowed(getattr(self, field.name)):
                raise ValueError(f"its description is invalid: {field.name} must be {what}")
        for name in ("shape", "scores"):  # lists in JSON
            object.__setattr__(self, name, tuple(getattr(self, name)))

    @classmethod
    def from_json(cls, content: Any) -> Self:
        """Return the description that :meth:`to_json` has returned.

        Raises:
            ValueError: It is none, or of a newer version.
        """
        if not isinstance(content, dict) or "format" not in content:
            raise ValueError("has no description of a model: `gridpuzzles train` did not write it")
        if content["format"] != FORMAT:
            raise ValueError("is of a newer format: it needs a newer version of gridpuzzles_gym")
        given = {name: value for name, value in content.items() if name != "format"}
        fields = dataclasses.fields(cls)
        for name in given:
            if name not in _ALLOWED:
                raise ValueError(f"its description is invalid: unknown field {quote(name)}")
        for field in fields:
            required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
            if required and field.name not in given:
                raise ValueError(f"its description is invalid: it has no {field.name}")
        return cls(**given)

    def to_json(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return {"format": FORMAT, **{field.name: getattr(self, field.name) for field in dataclasses.fields(self)}}

    @property
    def reward_scale(self) -> float:
        """The factor on rewards in training, and so on the network's values; 1 if its settings have none."""
        scale: Any = self.settings.get("reward_scale")
        return float(scale) if type(scale) in (int, float) and 0 < scale < 1e300 else 1.0

    def network_for(self, shape: tuple[int, ...] | None = None) -> Network:
        """Return the network, for observations of that shape; None: the one of training.

        Raises:
            ValueError: There is no such network, or it cannot read observations of that shape.
        """
        parameters = dict(self.network)
        return network_of(parameters.pop("name"), shape or self.shape, self.actions, parameters)

    def plays(self, puzzle: Puzzle) -> bool:
        """Whether it was trained on this puzzle."""
        spec = find_spec(self.env_id)
        return spec is not None and "puzzle" in spec.kwargs and load_puzzle(spec.kwargs["puzzle"]) is puzzle

    def mismatch(self, config: EnvConfig, env_id: str | None = None, observed: bool = True) -> str:
        """Return why it cannot play an environment, to be written after its name; empty if it can.

        Args:
            config: The environment's configuration.
            env_id: Its id; None if unknown.
            observed: Whether it gets the environment's observations; otherwise those that it needs.
        """
        if not observed and self.observation in config.puzzle.observations:
            config = dataclasses.replace(config, observation=self.observation)
        if not self.plays(config.puzzle):
            return f"was trained on {shorten(self.env_id, 80)}, this is {env_id or config.puzzle.title}"
        if self.observation != config.observation:
            return f"plays with observation={quote(self.observation)}, this environment has {config.observation!r}"
        shape = tuple(config.space.shape or ())
        if self.network_for().any_size:
            if (len(shape), shape[:1]) != (len(self.shape), self.shape[:1]):
                return (
                    f"plays boards of any size with {self.shape[0]} planes, this environment has observations {shape}"
                )
        elif shape != self.shape:
            return f"plays observations of shape {self.shape}, this environment has {shape}"
        actions = len(config.action_names)
        return "" if actions == self.actions else f"has {self.actions} actions, this environment has {actions}"


def _text(value: Any) -> bool:
    return isinstance(value, str) and value.isprintable()


def _count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _mapping(value: Any) -> bool:
    return isinstance(value, Mapping) and all(map(_text, value))


def _shape(value: Any) -> bool:
    return isinstance(value, list | tuple) and 1 <= len(value) <= 4 and all(map(_size, value))


def _size(value: Any) -> bool:
    return _count(value) and 1 <= value <= _LARGEST


def _network(value: Any) -> bool:
    if not _mapping(value) or not isinstance(value.get("name"), str):
        return False
    return all(type(number) is bool or (type(number) is int and abs(number) <= _LARGEST)
               for name, number in value.items() if name != "name")  # fmt: skip


_TEXT = "a text in one line", _text
_COUNT = "a non-negative integer", _count
_MAPPING = "an object", _mapping
_ALLOWED: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "env_id": _TEXT,
    "observation": _TEXT,
    "shape": (f"1 to 4 integers from 1 to {_LARGEST:,}", _shape),
    "actions": (f"an integer from 1 to {_LARGEST:,}", _size),
    "network": ("a name and parameters that are integers or booleans", _network),
    "masks": ("true or false", lambda value: isinstance(value, bool)),
    "env_kwargs": _MAPPING,
    "settings": _MAPPING,
    "seed": _COUNT,
    "steps": _COUNT,
    "minutes": (
        "a non-negative number",
        lambda value: type(value) in (int, float) and 0 <= value < math.inf,
    ),
    "device": _TEXT,
    "versions": ("texts by name", lambda value: _mapping(value) and all(map(_text, value.values()))),
    "scores": ("a list of objects", lambda value: isinstance(value, list | tuple) and all(map(_mapping, value))),
    "command": ("a text", lambda value: isinstance(value, str)),
}
"""What the value of each field must be, and a test of it."""
