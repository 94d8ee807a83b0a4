"""A value in a JSON file that several processes may change at the same time.

Errors of the disk are not raised but reported by ``notify``. An unreadable file is renamed; if the file cannot be
written, the value stays in memory, and the next change tries again.
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
"""The version of the file format, stored in each file."""
MAX_BYTES = 2**26
"""Maximum size of a file, in bytes; a larger one is renamed and not read."""
LOCK_SECONDS = 2.0
"""Maximum time to wait for another process's lock, in seconds."""
LOCK = ".lock"
"""The name of the file in each folder that is locked while one of its files is read or written."""

Value = TypeVar("Value")


class JsonStore(Generic[Value]):
    """One file and its value.

    Args:
        path: The file; None for a value in memory only.
        empty: The value if there is no file.
        read: ``read(content)`` returns the value of a JSON object; it raises ValueError if the object is invalid.
        write: ``write(value)`` returns the JSON object of a value.
        merge: ``merge(theirs, ours)`` combines two values if another process has changed the file.
        notify: Called with each message for the person.
    """

    def __init__(
        self,
        path: Path | None,
        empty: Value,
        read: Callable[[dict[str, Any]], Value],
        write: Callable[[Value], dict[str, Any]],
        merge: Callable[[Value, Value], Value],
        notify: Callable[[str], None],
    ) -> None:
        self.path, self.value = path, empty
        self._read, self._write, self._merge, self._notify = read, write, merge, notify
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
            if time.monotonic() - start > LOCK_SECONDS:
                raise TimeoutError("another process is writing")

        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with locked(path.with_name(LOCK), wait):
                work(path)
        except OSError as error:
            reason = error.strerror or str(error)
            self._notify(f"{path.parent} cannot be used ({reason}); until it can, progress will not be saved")

    def _changed(self, file: Path) -> Value | None:
        """Return the value of the file if another process has changed it; None otherwise."""
        found = _signature(file)
        if found is None or found == self._seen:
            return None
        try:
            value = self._read(_content(file))
        except (OSError, ValueError) as error:
            self._rename(file, error)
            return None
        self._seen = found
        return value

    def _rename(self, file: Path, error: Exception) -> None:
        """Rename a file that cannot be read.

        Raises:
            OSError: It cannot be renamed.
        """
        names = (file.with_name(f"{file.stem}.damaged-{number}{file.suffix}") for number in itertools.count(1))
        damaged = next(path for path in names if not os.path.lexists(path))
        os.rename(file, damaged)
        self._notify(shorten(f"{file.name} could not be read ({error}); it was renamed to {damaged}"))


def _content(file: Path) -> dict[str, Any]:
    """Return the JSON object in a file; raises ValueError if it holds something else."""
    status = file.stat()
    if not stat.S_ISREG(status.st_mode):  # reading a pipe would wait forever
        raise ValueError("it is not a regular file")
    if status.st_size > MAX_BYTES:
        raise ValueError(f"it has {status.st_size:,} bytes; the maximum is {MAX_BYTES:,}")
    content = read_json(file.read_bytes())
    if not isinstance(content, dict):
        raise ValueError("it is not a JSON object")
    if content.pop("format", None) != FORMAT:
        raise ValueError("it was written by another program or a newer version")
    return content


def _signature(file: Path) -> tuple[int, ...] | None:
    """Return numbers that change whenever a file is replaced; None if there is no file."""
    try:
        status = file.stat()
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
