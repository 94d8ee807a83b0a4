"""The file of finished episodes: a line with the options, then one JSON line for each episode when it ends."""

import contextlib
import dataclasses
import errno
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from ...engine.system.json_text import read_json
from ...session.arguments import new_file
from ...session.line_file import LineFile
from ...session.resume_record import check_request, exclusive

KIND = "gridpuzzles ask"
"""The kind of file that the first line names."""
_TYPES: Mapping[Any, tuple[type, ...]] = {int: (int,), bool: (bool,), str: (str,), float: (float, int)}


@dataclasses.dataclass(frozen=True)
class Record:
    """A finished episode, or a single-turn task."""

    index: int
    """Its number, from 0."""
    success: bool
    score: float
    """The sum of rewards; of a task, its score from 0 to 1."""
    outcome: str = ""
    """One of :data:`~gridpuzzles_gym.engine.puzzle.OUTCOMES`; empty for a task."""
    steps: int = 0
    """The number of actions."""
    turns: int = 0
    """The number of replies."""
    invalid_replies: int = 0
    level: str = ""
    """The name of the level; empty if it was generated."""
    seed: int | None = None
    tokens: Mapping[str, int] | None = None
    """The numbers in ``prompt`` and ``completion``; None if the endpoint did not report them for all replies."""
    seconds: float = 0.0
    """The duration, in seconds."""
    error: str = ""
    """Why the endpoint refused the last request; empty if it did not."""
    difficulty: Mapping[str, Any] | None = None
    """The difficulty of a task."""
    answer: Any = None
    """A correct reply to a task."""
    messages: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    """The whole conversation. In addition to the fields of a message, a reply has ``actions`` (the names of those
    performed), ``fault`` (what was wrong with it), and perhaps ``reasoning`` and ``finish``."""

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Self:
        """Return the record in a JSON object.

        Raises:
            ValueError: It is not a record.
        """
        try:
            record = cls(**content)
        except TypeError:
            raise ValueError("its fields are unknown") from None
        for field in dataclasses.fields(cls):
            value = getattr(record, field.name)
            if field.type in _TYPES and type(value) not in _TYPES[field.type]:
                raise ValueError(f"{field.name} is invalid")
        if not all(isinstance(message, dict) for message in record.messages):
            raise ValueError("messages is invalid")
        return record


class Journal:
    """The file of finished episodes; no other process can write it until :meth:`close`.

    Args:
        path: The file; None: records are in memory only.
        options: The options that determine the records, as a JSON object.
        resume: Continue the file, if it exists.
        force: Replace an existing file.

    Attributes:
        records: The finished episodes by number.

    Raises:
        ValueError: The file was begun with other options or is damaged, or both ``resume`` and ``force`` are given.
        OSError: The file already exists without ``resume`` and ``force``, cannot be read or written, or is in use.
    """

    def __init__(
        self, path: Path | None, options: Mapping[str, Any], resume: bool = False, force: bool = False
    ) -> None:
        if resume and force:
            raise ValueError("--resume and --force cannot be combined")
        if resume and path is None:
            raise ValueError("--resume continues a file: it needs --out FILE")
        self.path, self._options = path, options
        self.records: dict[int, Record] = {}
        self._resources = contextlib.ExitStack()
        self._lines: LineFile | None = None
        if path is None:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._resources.enter_context(exclusive(path))
            self._lines = self._resources.enter_context(contextlib.closing(LineFile(path)))
            if path.is_file() and resume:
                self._read(path, self._lines)
            elif path.is_file() and not force:
                why = "already exists; use --resume to go on, --force to start again"
                raise FileExistsError(errno.EEXIST, why, os.fspath(path))
            else:
                new_file(path, force)
        except BaseException:
            self.close()
            raise

    def _read(self, path: Path, lines: LineFile) -> None:
        text = lines.read()
        if not text:  # the process was killed when it began the file
            return
        first, *others = text.splitlines()
        try:
            header = read_json(first)
            options = dict(header["options"]) if header["kind"] == KIND else None
        except (ValueError, TypeError, KeyError):
            options = None
        if options is None:
            raise ValueError(f"{path}: cannot be resumed: it is not a file of {KIND}")
        check_request(path, options, self._options)
        for number, line in enumerate(others, start=2):
            try:
                record = Record.from_json(read_json(line))
                if record.index in self.records:
                    raise ValueError(f"episode {record.index} is in the file twice")
            except (ValueError, TypeError) as error:
                raise ValueError(f"{path}, line {number}: is damaged: {error}; use --force to start again") from None
            self.records[record.index] = record

    def add(self, record: Record) -> None:
        """Write a finished episode to disk.

        Raises:
            OSError: It cannot be written.
        """
        if self._lines is not None:
            if not self._lines.begun:
                self._lines.add(json.dumps({"kind": KIND, "options": self._options}) + "\n")
            self._lines.add(json.dumps(dataclasses.asdict(record)) + "\n")
        self.records[record.index] = record

    def close(self) -> None:
        """Close the file, so that other processes can write it."""
        self._resources.close()
