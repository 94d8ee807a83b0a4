"""Files of weights, in the safetensors format: named arrays of numbers, and a description of them as JSON.

The library safetensors reads and writes the format. This module limits the size, the types of numbers and the header,
refuses numbers that are not finite, and stores the description as one text in the file's metadata. Reading a file
builds arrays and nothing else, so no file can run code.
"""

import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, deserialize
from safetensors.numpy import save

from gridpuzzles_gym.engine.messages import one_line, quote, shorten
from gridpuzzles_gym.engine.system.files import read_json, write_bytes

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
