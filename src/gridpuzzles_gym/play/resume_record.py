"""The record of an output file that is not complete: ``FILE.unfinished``, so that ``--resume`` goes on with it.

It has one JSON object a line: first the request, which must be the same whenever the work goes on; then whatever the
work keeps there. It is removed when the output is complete. Until the process ends, ``FILE.lock`` is locked: two
processes never write the same output.
"""

import contextlib
import errno
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..engine.system.file_lock import locked
from ..engine.system.json_text import read_json
from .line_file import LineFile

SUFFIX, LOCK = ".unfinished", ".lock"
"""They follow the name of the output file."""


class Unfinished:
    """The record of an output file, and its lock until :meth:`close`.

    Args:
        out: The output file; missing folders are created.
        request: What determines the output; a JSON object.

    Raises:
        OSError: Another process is writing the output.
    """

    def __init__(self, out: Path, request: Mapping[str, Any]) -> None:
        self.out = out
        self._request = request
        file = Path(os.path.realpath(out))  # the same for all links to it
        file.parent.mkdir(parents=True, exist_ok=True)
        self._file = LineFile(file.with_name(file.name + SUFFIX))
        self._held = contextlib.ExitStack()
        self._held.enter_context(exclusive(out))

    @property
    def path(self) -> Path:
        """The file of the record."""
        return self._file.path

    @property
    def begun(self) -> bool:
        """Whether there is something to resume."""
        return self._file.begun

    def read(self) -> list[Any]:
        """Read the record; return the objects after the request: none if it has no complete line.

        Raises:
            ValueError: It was begun with another request, it is damaged, or there is none.
            OSError: It cannot be read.
        """
        try:
            text = self._file.read()
        except FileNotFoundError:
            raise ValueError(f"{self.path}: there is nothing to resume; start without --resume") from None
        if not text:  # the process was killed as it began the file
            return []
        try:
            first, *others = map(read_json, text.splitlines())
            before = dict(first)
        except (ValueError, TypeError):
            raise self.damaged() from None
        check_request(self.path, before, self._request)
        return others

    def damaged(self) -> ValueError:
        """Return the error that the record cannot be used."""
        return ValueError(f"{self.path}: is damaged; use --force to start again")

    def begin(self) -> None:
        """Write the request, unless the record was read.

        Raises:
            OSError: It cannot be written.
        """
        if not self.begun:
            self._add(self._request)

    def add(self, item: Mapping[str, Any]) -> None:
        """Write an object, after the request.

        Raises:
            OSError: It cannot be written.
        """
        self.begin()
        self._add(item)

    def _add(self, item: Mapping[str, Any]) -> None:
        self._file.add(json.dumps(item) + "\n")

    def finish(self) -> None:
        """Remove the record: the output is complete."""
        self._file.close()
        self.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Release the lock; the record is kept."""
        self._file.close()
        self._held.close()


def check_request(path: Path | str, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Check that the request of a file that was begun equals the current one.

    Args:
        path: The file, for the message.
        before: The request, as read from the file.
        now: The current request; a JSON object.

    Raises:
        ValueError: They differ.
    """
    now = json.loads(json.dumps(now))
    for name in {**before, **now}:
        if before.get(name) != now.get(name):
            was, is_now = json.dumps(before.get(name)), json.dumps(now.get(name))
            raise ValueError(f"{path}: cannot be resumed with other options: {name} was {was}, now it is {is_now}")


@contextlib.contextmanager
def exclusive(out: Path) -> Iterator[None]:
    """Hold the lock of an output within the block.

    Raises:
        OSError: Another process is writing the output.
    """

    def refuse() -> None:
        raise BlockingIOError(errno.EAGAIN, "is being written by another process", str(out))

    file = Path(os.path.realpath(out))  # the same for all links to it
    with locked(file.with_name(file.name + LOCK), refuse, remove=True):
        yield
