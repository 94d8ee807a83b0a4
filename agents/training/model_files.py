"""Model files: their training settings, and which files are safe to load.

A model file is the zip archive that Stable-Baselines3 writes. It contains pickles, and a pickle can run
arbitrary code in the process that loads it. So only models trained by this user are loaded by default: :func:`sign`
appends an HMAC of the file's bytes as the archive's comment, made with a key that only this user can read. A file from
elsewhere, or one that was modified, is loaded only if the caller declares it trusted. The settings are
JSON: reading them runs no code.
"""

import hmac
import io
import json
import os
import secrets
import warnings
import zipfile
import zlib
from pathlib import Path
from typing import Any

import gymnasium as gym

from gridpuzzles_gym.engine.files import write_bytes
from gridpuzzles_gym.engine.puzzle import Puzzle, load_puzzle

from .settings import Settings

MODEL = "model.zip"
"""Name of the model file in a run folder."""
_KEY_BYTES = 32
_SIGNATURE = b"gridpuzzles_gym signature 1: "
"""Prefix of a signature, followed by the HMAC-SHA256 in hexadecimal digits."""
_NO_COMMENT = b"\0\0"
"""The end of an archive without a comment: the comment's length as uint16."""
_MOST_BYTES = 64 * 2**20
"""Maximum size of the settings and the other JSON in a model."""


def model_file(path: str | Path) -> Path:
    """The model file a path refers to: itself, or ``model.zip`` inside a folder."""
    path = Path(path)
    return path / MODEL if path.is_dir() else path


def read_settings(path: str | Path) -> Settings:
    """The settings a saved model was trained with.

    Args:
        path: The ``model.zip``, or the folder it is in.

    Raises:
        ValueError: There is no model, or ``gridpuzzles train`` did not write the file.
    """
    path = model_file(path)
    try:
        with zipfile.ZipFile(path) as archive, archive.open("data") as data:
            text = data.read(_MOST_BYTES + 1)
        if len(text) > _MOST_BYTES:
            raise ValueError("too large")
        return Settings(**json.loads(text)["puzzle_settings"])
    except FileNotFoundError:
        raise ValueError(f"no model file {path}") from None
    except (
        zipfile.BadZipFile, zlib.error, KeyError, TypeError, ValueError, OSError, EOFError, RuntimeError,
    ) as error:  # fmt: skip
        raise ValueError(f"{path} is not a model that `gridpuzzles train` wrote ({type(error).__name__})") from None


def observation_of(path: str | Path, puzzle: Puzzle, env_id: str | None = None) -> str | None:
    """The ``observation=`` that a saved model was trained on; None is the puzzle's default.

    Args:
        path: The ``model.zip``, or the folder it is in.
        puzzle: The puzzle to play.
        env_id: The id of the environment to play, for error messages; None if unknown.

    Raises:
        ValueError: There is no model, or it was trained on another puzzle.
    """
    settings = read_settings(path)
    spec = gym.registry.get(settings.env_id.rpartition(":")[2])
    if spec is None or load_puzzle(spec.kwargs.get("puzzle", puzzle)) is not puzzle:
        raise ValueError(f"{path} was trained on {settings.env_id}, this is {env_id or puzzle.title}")
    observation: str | None = settings.env_kwargs.get("observation")
    return observation


def sign(path: Path) -> None:
    """Sign a model file as this user's own; if no key can be stored, warn and leave it unsigned.

    Args:
        path: The archive, just written, without a comment.
    """
    content = path.read_bytes()
    key = _key(make=True)
    if key is None:
        warnings.warn(
            f"cannot store a key in {_key_path()}: models are not signed, and load with trust_pickle=True only",
            stacklevel=2,
        )
        return
    signature = _signature(content, key)
    path.write_bytes(content.removesuffix(_NO_COMMENT) + len(signature).to_bytes(2, "little") + signature)


def open_model(path: Path, trust_pickle: bool = False) -> io.BytesIO:
    """The content of a model file, if it may be loaded.

    Args:
        path: The ``model.zip``.
        trust_pickle: Load it, whoever wrote it: it can run arbitrary code.

    Raises:
        ValueError: There is no such file; or this user did not train it, and ``trust_pickle`` is False.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise ValueError(f"no model file {path}") from None
    if not (trust_pickle or _is_signed(content)):
        raise ValueError(
            f"{path} was not trained by you on this machine, or was modified since; loading a model can run "
            "arbitrary code contained in the file. If you trust its source, use --trust-pickle (trust_pickle=True)"
        )
    return io.BytesIO(content)


def is_own(path: Path) -> bool:
    """Did this user train the model on this machine? Only then is it loaded without ``trust_pickle``.

    Args:
        path: The ``model.zip``.

    Raises:
        OSError: It cannot be read.
    """
    return _is_signed(path.read_bytes())


def _is_signed(content: bytes) -> bool:
    key = _key()
    length = len(_SIGNATURE) + 2 * _KEY_BYTES
    archive, size, signature = content[: -length - 2], content[-length - 2 : -length], content[-length:]
    if key is None or size != length.to_bytes(2, "little"):
        return False
    return hmac.compare_digest(_signature(archive + _NO_COMMENT, key), signature)


def _signature(content: bytes, key: bytes) -> bytes:
    return _SIGNATURE + hmac.digest(key, content, "sha256").hex().encode()


def _key(make: bool = False) -> bytes | None:
    """The user's key; None if there is none that only this user can read. Optionally creates one."""
    path = _key_path()
    if path is None:
        return None
    key = _read_key(path)
    if key is None and make:
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_bytes(path, secrets.token_bytes(_KEY_BYTES), mode=0o600)
        except OSError:
            return None
        key = _read_key(path)
    return key


def _key_path() -> Path | None:
    """Path of the key: in ``XDG_DATA_HOME`` or ``~/.local/share``; None for a user without a home."""
    chosen = os.environ.get("XDG_DATA_HOME")
    try:
        folder = Path(chosen) if chosen else Path.home() / ".local" / "share"
    except RuntimeError:
        return None
    return folder / "gridpuzzles_gym" / "model-key"


def _read_key(path: Path) -> bytes | None:
    try:
        with path.open("rb") as file:
            status: Any = os.fstat(file.fileno())
            key = file.read(_KEY_BYTES + 1)
    except OSError:
        return None
    private = not hasattr(os, "getuid") or (status.st_uid == os.getuid() and not status.st_mode & 0o077)
    return key if private and len(key) == _KEY_BYTES else None
