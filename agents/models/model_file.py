"""A model on disk: one file with its weights and its description of itself.

The library safetensors reads and writes the format. This module limits the size, the types of numbers and the header,
refuses numbers that are not finite, and stores the description as one text in the file's metadata. Reading a file
builds arrays and nothing else, so no file can run code.

Weights may be stored in 8 bits, a quarter of their size: an array of int8, with a factor for each of its rows.
"""

import dataclasses
import json
import math
import os
import stat
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, deserialize
from safetensors.numpy import save

from gridpuzzles_gym.engine.config import EnvConfig
from gridpuzzles_gym.engine.messages import one_line, quote, shorten
from gridpuzzles_gym.engine.puzzle import Puzzle, load_puzzle
from gridpuzzles_gym.engine.system.files import read_json, write_bytes
from gridpuzzles_gym.registration import find_spec

from ..networks.architectures import network_of
from ..networks.network import NUMPY, Network

Arrays = dict[str, npt.NDArray[np.float32]]
MOST_BYTES = 256 * 2**20
"""Maximum size of a file."""
MOST_HEADER = 2**20
"""Maximum size of its header; the library allows 100 times as much."""
_KEY = "gridpuzzles_gym"
"""The entry of the metadata that holds the description."""
_METADATA = "__metadata__"
_TYPES: dict[str, np.dtype[Any]] = {"F32": np.dtype("<f4"), "F16": np.dtype("<f2"), "I8": np.dtype("i1")}
_LENGTH = 8
"""Bytes of the header's length, in front of the header."""


def write_weights(
    path: str | os.PathLike[str], arrays: Mapping[str, npt.NDArray[Any]], about: Mapping[str, Any]
) -> None:
    """Write arrays and a description of them; if interrupted, a previous file stays as it is.

    Args:
        path: The file to write or overwrite.
        arrays: Arrays of float32, of float16 to halve the size, or of int8, by name.
        about: The description, serializable as JSON.

    Raises:
        ValueError: An array has another type or numbers that are not finite, or the file would exceed a limit.
        OSError: It cannot be written.
    """
    write_bytes(path, packed(arrays, about, str(path)))


def packed(arrays: Mapping[str, npt.NDArray[Any]], about: Mapping[str, Any], source: str = "the model") -> bytes:
    """Return the content of a file; see :func:`write_weights`, ``source`` names the file in errors."""
    stored = {}
    for name, array in arrays.items():
        dtype = array.dtype.newbyteorder("<")
        if name == _METADATA or dtype not in _TYPES.values():
            raise ValueError(
                f"{source}: cannot write array {quote(name)} of {array.dtype}; allowed are float32, float16 and int8"
            )
        if not np.isfinite(array).all():
            raise ValueError(f"{source}: array {quote(name)} has numbers that are not finite")
        stored[name] = np.asarray(array, dtype, order="C")  # the library takes any array for a contiguous one
    content = save(stored, {_KEY: json.dumps(about, ensure_ascii=False, allow_nan=False)})
    header = int.from_bytes(content[:_LENGTH], "little")
    if header > MOST_HEADER or len(content) > MOST_BYTES:
        numbers = len(content) - _LENGTH - header
        raise ValueError(f"{source} would be too large: {header:,} bytes of header and {numbers:,} of numbers")
    return content


def read_weights(source: str | os.PathLike[str] | bytes) -> tuple[Arrays, dict[str, Any]]:
    """Read a file's arrays and their description.

    Args:
        source: The file, or its content.

    Returns:
        The arrays as float32, by name; and the description, empty if the file has none.

    Raises:
        ValueError: The file is missing or cannot be read, is not of this format, has numbers that are not finite or
            of another type than float32, float16 and int8, or exceeds a limit.
    """
    if isinstance(source, bytes):
        return _read("the model", source)
    return _read(str(source), _content(source))


def _content(path: str | os.PathLike[str]) -> bytes:
    """Return the content of a regular file; anything else could block, or have no end."""
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            raise ValueError(f"{path} is not a file")
        if status.st_size > MOST_BYTES:
            raise ValueError(f"{path} is too large: {status.st_size:,} bytes; the maximum is {MOST_BYTES:,}")
        with Path(path).open("rb") as file:
            return file.read(MOST_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        raise ValueError(f"no model file {path}") from None
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror or error}") from None


def _read(source: str, content: bytes) -> tuple[Arrays, dict[str, Any]]:
    if len(content) > MOST_BYTES:
        raise ValueError(f"{source} is too large: {len(content):,} bytes; the maximum is {MOST_BYTES:,}")
    if content[_LENGTH : _LENGTH + 1] != b"{":
        raise ValueError(f"{source} is not a model: it is not a safetensors file")
    end = _LENGTH + int.from_bytes(content[:_LENGTH], "little")
    if end - _LENGTH > MOST_HEADER:
        length = f"it claims a header of {end - _LENGTH:,} bytes; the maximum is {MOST_HEADER:,}"
        raise ValueError(f"{source} is not a model: {length}")
    try:
        found = deserialize(content)
    except SafetensorError as error:
        raise ValueError(f"{source} is damaged ({shorten(one_line(error), 150)})") from None
    header = _json(source, content[_LENGTH:end])
    arrays: Arrays = {}
    for name, entry in found:
        if header[name].keys() != {"dtype", "shape", "data_offsets"}:
            raise ValueError(f"{source} is damaged: array {quote(name)} must have a dtype, a shape and data_offsets")
        if entry["dtype"] not in _TYPES:
            allowed = ", ".join(_TYPES)
            raise ValueError(
                f"{source}: array {quote(name)} has numbers of type {quote(entry['dtype'])}; allowed are {allowed}"
            )
        try:
            numbers = np.frombuffer(entry["data"], _TYPES[entry["dtype"]]).reshape(entry["shape"])
        except ValueError:  # more axes, or longer ones, than an array can have
            wrong = f"array {quote(name)} has an invalid shape {quote(entry['shape'])}"
            raise ValueError(f"{source} is damaged: {wrong}") from None
        arrays[name] = numbers.astype(np.float32)
        if not np.isfinite(arrays[name]).all():
            raise ValueError(f"{source} is damaged: array {quote(name)} has numbers that are not finite")
    metadata = header.get(_METADATA) or {}
    return arrays, _json(source, metadata.get(_KEY, "{}").encode())


def _json(source: str, text: bytes) -> dict[str, Any]:
    """Return a JSON object; a name that occurs twice in it, or a number that JSON does not have, is an error."""
    try:
        found = read_json(text, "its header", object_pairs_hook=_unique)
    except ValueError as error:
        raise ValueError(f"{source} is damaged: {error}") from None
    if not isinstance(found, dict):
        raise ValueError(f"{source} is damaged: its header must be a JSON object")
    return found


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name occurs twice")
    return found


SCALE = ".scale"
"""``weight.scale`` holds the factors of the rows of ``weight``, float32[rows]."""
LARGEST = 127


def quantized(weights: Mapping[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[Any]]:
    """Return weights as they are stored in 8 bits; arrays with one axis are small and stay float32.

    Args:
        weights: Arrays of float32 by name. A number is rounded to the nearest of 255 between minus and plus the largest
            absolute value of its row (the first axis).
    """
    found: dict[str, npt.NDArray[Any]] = {}
    for name, array in weights.items():
        if array.ndim < 2:
            found[name] = array.astype(np.float32)
            continue
        rows = array.reshape(len(array), -1)
        scale = (abs(rows).max(axis=1) / LARGEST).astype(np.float32)
        steps = np.rint(rows / np.where(scale > 0, scale, 1)[:, None])
        found[name], found[name + SCALE] = steps.astype(np.int8).reshape(array.shape), scale
    return found


def restored(arrays: Arrays) -> Arrays:
    """Return the weights of arrays that were read from a file, with the factors multiplied in.

    Raises:
        ValueError: There are factors for an array that is missing, or has another number of rows.
    """
    weights = {name: array for name, array in arrays.items() if not name.endswith(SCALE)}
    for name in arrays.keys() - weights.keys():
        of = name.removesuffix(SCALE)
        if of not in weights or arrays[name].shape != weights[of].shape[:1]:
            raise ValueError(f"{name} must have a number for each row of {of}")
        weights[of] = weights[of] * arrays[name].reshape(-1, *[1] * (weights[of].ndim - 1))
    return weights


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


MODEL = "model.safetensors"
"""Name of the model file in a run folder."""


class Model(NamedTuple):
    """A trained model."""

    description: Description
    weights: Arrays


def model_file(path: str | os.PathLike[str]) -> Path:
    """Return the model file that a path refers to: itself, or the ``model.safetensors`` in a folder."""
    path = Path(path)
    return path / MODEL if path.is_dir() else path


def read_description(path: str | os.PathLike[str]) -> Description:
    """Return only the description of a model; its whole file is read and checked.

    Args:
        path: The model file, or the folder of a run.

    Raises:
        ValueError: There is no model, or the file is not a model or is damaged.
    """
    path = model_file(path)
    return _described(path, read_weights(path)[1])


def read_model(path: str | os.PathLike[str]) -> Model:
    """Read a model; no file can run code by this.

    Args:
        path: The model file, or the folder of a run.

    Raises:
        ValueError: There is no model, the file is not a model or is damaged, or it has the weights of another network.
    """
    path = model_file(path)
    arrays, about = read_weights(path)
    description = _described(path, about)
    try:
        weights = restored(arrays)
    except ValueError as error:
        raise ValueError(shorten(f"{path} is damaged: {one_line(error)}")) from None
    _check(path, description, weights)
    return Model(description, weights)


def write_model(path: str | os.PathLike[str], model: Model) -> None:
    """Write a model; if interrupted, a previous file stays as it is.

    Raises:
        ValueError: A weight is not finite, or the file would be too large.
        OSError: It cannot be written.
    """
    write_weights(path, model.weights, model.description.to_json())


def _described(path: Path, about: object) -> Description:
    try:
        description = Description.from_json(about)
        description.network_for()
    except ValueError as error:
        raise ValueError(shorten(f"{path}: {one_line(error)}")) from None
    return description


def _check(path: Path, description: Description, weights: Arrays) -> None:
    """Raise ValueError unless the weights are those of the described network."""
    network = description.network_for()
    needed = {name: shape.sizes for name, shape in network.shapes().items()}
    given = {name: array.shape for name, array in weights.items()}
    wrong = f"{path} is damaged: its weights are not those of its network {network.name!r}"
    for name in sorted(needed.keys() | given.keys()):
        if needed.get(name) != given.get(name):
            found, wanted = given.get(name, "missing"), needed.get(name, "left out")
            raise ValueError(shorten(f"{wrong} ({quote(name)} is {found}, must be {wanted})"))
    try:  # parameters that do not show in the weights, such as the number of a plane
        network.forward(NUMPY, weights, np.zeros((1, *network.shape), np.uint8))
    except (ValueError, IndexError) as error:
        raise ValueError(shorten(f"{wrong} ({one_line(error)})")) from None
