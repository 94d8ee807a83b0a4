"""A JSON file that is kept between starts, and that several processes may change at the same time.

Nothing here raises because of the disk. A file that cannot be read as expected is set aside under another name; where
nothing can be written, the value is kept in memory, and the next change tries again. The person is told of both.
"""

import itertools
import json
import os
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar

from ...engine.messages import shorten
from ...engine.system.file_lock import locked
from ...engine.system.files import remove_unfinished, write_text
from ...engine.system.json_text import read_json

FORMAT = 1
"""The number in each file by which other versions recognize the files of this one."""
LARGEST = 2**26
"""The maximum size of a file in bytes; a larger one is set aside unread."""
PATIENCE = 2.0
"""The maximum time to wait while another process writes, in seconds."""
LOCK = ".lock"
"""The name of the file in each folder that is locked while one of its files is read or written."""

Value = TypeVar("Value")


class JsonStore(Generic[Value]):
    """One file and its value.

    Args:
        path: The file; None keeps the value in memory only.
        empty: The value if there is no file.
        read: ``read(content)``: the value of a JSON object; raises ValueError if the object is not one of its kind.
        write: ``write(value)``: the JSON object of a value.
        merge: ``merge(theirs, ours)``: what is kept of two values, if another process has changed the file meanwhile.
        tell: Called with each message for the person.
    """

    def __init__(
        self,
        path: Path | None,
        empty: Value,
        read: Callable[[dict[str, Any]], Value],
        write: Callable[[Value], dict[str, Any]],
        merge: Callable[[Value, Value], Value],
        tell: Callable[[str], None],
    ) -> None:
        self.path, self.value = path, empty
        self._read, self._write, self._merge, self._tell = read, write, merge, tell
        self._seen: tuple[int, ...] | None = None
        self._locked(self._open)

    def save(self, value: Value) -> None:
        """Replace the value and write it, merged with what another process has written since the last time."""
        self.value = value
        self._locked(self._replace)

    def _open(self, file: Path) -> None:
        found = self._changed(file)
        if found is not None:
            self.value = found

    def _replace(self, file: Path) -> None:
        theirs = self._changed(file)
        if theirs is not None:
            self.value = self._merge(theirs, self.value)
        text = json.dumps({"format": FORMAT, **self._write(self.value)}, allow_nan=False)
        remove_unfinished(file)
        write_text(file, text)
        self._seen = _signature(file)

    def _locked(self, work: Callable[[Path], None]) -> None:
        """Call ``work(path)`` while no other process reads or writes in the folder; an OSError becomes a message."""
        path, start = self.path, time.monotonic()
        if path is None:
            return

        def wait() -> None:
            if time.monotonic() - start > PATIENCE:
                raise TimeoutError("another process is writing")

        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with locked(path.with_name(LOCK), wait):
                work(path)
        except OSError as error:
            reason = error.strerror or str(error)
            self._tell(f"{path.parent} cannot be used ({reason}); until it can, nothing is kept after the end")

    def _changed(self, file: Path) -> Value | None:
        """Return the value of the file if it is not what was last read or written here; else None."""
        found = _signature(file)
        if found is None or found == self._seen:
            return None
        try:
            value = self._read(_content(file))
        except (OSError, ValueError) as error:
            self._set_aside(file, error)
            return None
        self._seen = found
        return value

    def _set_aside(self, file: Path, error: Exception) -> None:
        """Rename a file that cannot be read.

        Raises:
            OSError: It cannot be renamed.
        """
        names = (file.with_name(f"{file.stem}.damaged-{number}{file.suffix}") for number in itertools.count(1))
        aside = next(path for path in names if not os.path.lexists(path))
        os.rename(file, aside)
        self._tell(shorten(f"{file.name} could not be read ({error}); it was renamed to {aside}"))


def _content(file: Path) -> dict[str, Any]:
    """Return the JSON object in a file; raises ValueError if it holds something else."""
    status = file.stat()
    if not stat.S_ISREG(status.st_mode):  # reading a pipe would wait for ever
        raise ValueError("it is not a regular file")
    if status.st_size > LARGEST:
        raise ValueError(f"it has {status.st_size:,} bytes; the maximum is {LARGEST:,}")
    content = read_json(file.read_bytes())
    if not isinstance(content, dict):
        raise ValueError("it is not a JSON object")
    if content.pop("format", None) != FORMAT:
        raise ValueError("it was written by another program or a newer version")
    return content


def _signature(file: Path) -> tuple[int, ...] | None:
    """Return numbers that are different after each replacement of a file; None if there is no file."""
    try:
        status = file.stat()
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
