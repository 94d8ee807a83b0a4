"""Files of weights, in the safetensors format: named arrays of numbers and one JSON text about them.

A file is the length of its header (8 bytes, little-endian), the header (JSON: the type, shape and place of each array)
and then the numbers themselves. Reading one builds arrays and nothing else, so no file can run code; a file that is not
exactly as the format says, or larger than a limit, is refused. The text about the arrays is an entry of the header's
metadata. https://huggingface.co/docs/safetensors describes the format; other programs that know it read these files.
"""

import json
import math
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.messages import quote
from gridpuzzles_gym.engine.system.files import write_bytes
from gridpuzzles_gym.engine.system.json_text import read_json

Arrays = dict[str, npt.NDArray[np.float32]]
MOST_BYTES = 256 * 2**20
"""Maximum size of a file."""
MOST_HEADER = 2**20
"""Maximum size of its header."""
_KEY = "gridpuzzles_gym"
"""The entry of the metadata that holds our JSON."""
_METADATA = "__metadata__"
_TYPES: dict[str, np.dtype[Any]] = {"F32": np.dtype("<f4"), "F16": np.dtype("<f2"), "I8": np.dtype("i1")}
_MOST_AXES = 8
_LENGTH = 8
"""Bytes of the number in front of the header; the header is padded to a multiple of it."""


class _Place(NamedTuple):
    """Where an array is in the data, and what it looks like."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    begin: int
    end: int


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
    types = {dtype: name for name, dtype in _TYPES.items()}
    header: dict[str, Any] = {_METADATA: {_KEY: json.dumps(about, ensure_ascii=False, allow_nan=False)}}
    parts: list[bytes] = []
    at = 0
    for name in sorted(arrays, key=lambda name: (-arrays[name].dtype.itemsize, name)):  # larger types first: aligned
        array = arrays[name]
        stored = types.get(array.dtype.newbyteorder("<"))
        if name == _METADATA or stored is None:
            raise ValueError(
                f"{source}: cannot write array {quote(name)} of {array.dtype}; allowed are float32, float16 and int8"
            )
        if not np.isfinite(array).all():
            raise ValueError(f"{source}: array {quote(name)} has numbers that are not finite")
        parts.append(array.astype(_TYPES[stored]).tobytes())
        header[name] = {"dtype": stored, "shape": list(array.shape), "data_offsets": [at, at + len(parts[-1])]}
        at += len(parts[-1])
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % _LENGTH)
    if len(text) > MOST_HEADER or _LENGTH + len(text) + at > MOST_BYTES:
        raise ValueError(f"{source} would be too large: {len(text):,} bytes of header and {at:,} of numbers")
    return b"".join((len(text).to_bytes(_LENGTH, "little"), text, *parts))


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
    try:
        with _opened(source) as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise _unreadable(source, error) from None
    return _read(str(source), content)


def read_about(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read only a file's description, without its numbers; empty if the file has none.

    Raises:
        ValueError: As for :func:`read_weights`, as far as the header shows it.
    """
    try:
        with _opened(path) as file:
            content = file.read(_LENGTH + MOST_HEADER)
            size = os.fstat(file.fileno()).st_size
    except OSError as error:
        raise _unreadable(path, error) from None
    return _header(str(path), content, size)[1]


def _opened(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a regular file; anything else could block, or have no end."""
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):
        raise ValueError(f"{path} is not a file")
    if status.st_size > MOST_BYTES:
        raise ValueError(f"{path} is too large: {status.st_size:,} bytes; the maximum is {MOST_BYTES:,}")
    return Path(path).open("rb")


def _unreadable(path: str | os.PathLike[str], error: OSError) -> ValueError:
    missing = isinstance(error, FileNotFoundError | NotADirectoryError)
    return ValueError(f"no model file {path}" if missing else f"{path} cannot be read: {error.strerror or error}")


def _read(source: str, content: bytes) -> tuple[Arrays, dict[str, Any]]:
    places, about, start = _header(source, content, len(content))
    arrays: Arrays = {}
    for name, place in places.items():
        count = (place.end - place.begin) // place.dtype.itemsize
        stored = np.frombuffer(content, place.dtype, count, start + place.begin).reshape(place.shape)
        arrays[name] = stored.astype(np.float32)
        if not np.isfinite(arrays[name]).all():
            raise ValueError(f"{source} is damaged: array {quote(name)} has numbers that are not finite")
    return arrays, about


def _header(source: str, content: bytes, size: int) -> tuple[dict[str, _Place], dict[str, Any], int]:
    """Return the places of the arrays, the description, and where the data begins, in a file of ``size`` bytes."""
    if size > MOST_BYTES:
        raise ValueError(f"{source} is too large: {size:,} bytes; the maximum is {MOST_BYTES:,}")
    length = int.from_bytes(content[:_LENGTH], "little")
    if size < _LENGTH or content[_LENGTH : _LENGTH + 1] != b"{":
        raise ValueError(f"{source} is not a model: it is not a safetensors file")
    if length > MOST_HEADER:
        raise ValueError(
            f"{source} is not a model: it claims a header of {length:,} bytes; the maximum is {MOST_HEADER:,}"
        )
    start = _LENGTH + length
    if size < start:
        raise ValueError(f"{source} is damaged: it ends within its header")
    header = _json(source, content[_LENGTH:start])
    metadata = header.pop(_METADATA, {})
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise ValueError(f"{source} is damaged: its metadata must be texts by name")
    places = {name: _place(source, name, entry) for name, entry in header.items()}
    at = 0
    for name, place in sorted(places.items(), key=lambda item: (item[1].begin, item[1].end)):
        if place.begin != at:
            raise ValueError(f"{source} is damaged: array {quote(name)} begins at {place.begin:,}, and must at {at:,}")
        at = place.end
    if at != size - start:
        raise ValueError(f"{source} is damaged: it has {size - start:,} bytes of numbers, and must have {at:,}")
    return places, _json(source, metadata[_KEY].encode()) if _KEY in metadata else {}, start


def _place(source: str, name: str, entry: Any) -> _Place:
    """Check an array's entry in the header."""
    if not isinstance(entry, dict) or entry.keys() != {"dtype", "shape", "data_offsets"}:
        raise ValueError(f"{source} is damaged: array {quote(name)} must have a dtype, a shape and data_offsets")
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype, str) or dtype not in _TYPES:
        allowed = ", ".join(_TYPES)
        raise ValueError(f"{source}: array {quote(name)} has numbers of type {quote(dtype)}; allowed are {allowed}")
    if not _counts(shape) or len(shape) > _MOST_AXES:
        raise ValueError(f"{source} is damaged: array {quote(name)} has an invalid shape {quote(shape)}")
    if not _counts(offsets) or len(offsets) != 2:
        raise ValueError(f"{source} is damaged: array {quote(name)} has invalid data_offsets {quote(offsets)}")
    begin, end = offsets
    if end - begin != math.prod(shape) * _TYPES[dtype].itemsize:
        raise ValueError(
            f"{source} is damaged: array {quote(name)} has {end - begin:,} bytes for the shape {quote(shape)}"
        )
    return _Place(_TYPES[dtype], tuple(shape), begin, end)


def _counts(value: Any) -> bool:
    """Is this a list of non-negative integers up to the maximum size of a file?"""
    return isinstance(value, list) and all(type(number) is int and 0 <= number <= MOST_BYTES for number in value)


def _json(source: str, text: bytes) -> dict[str, Any]:
    """Return a JSON object; a name that occurs twice in it, or a number that JSON does not have, is an error."""
    try:
        found = read_json(text, "its header", object_pairs_hook=_unique, parse_constant=_refuse)
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


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not a number")
