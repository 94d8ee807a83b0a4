"""What has been generated so far, on disk, so that ``gridpuzzles generate`` goes on after Ctrl-C or a kill.

The file has one JSON object a line: the request, then each candidate, in the order of the random bits. It is there from
the first candidate on, until the levels are written.
"""

import dataclasses
import errno
import json
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TextIO

from gridpuzzles_gym.agents.candidates import Candidate
from gridpuzzles_gym.agents.level_sources.makers import maker_of

from ..engine.puzzle import Puzzle

SUFFIX = ".unfinished"
"""It follows the name of the level file."""


class OtherRequestError(ValueError):
    """A file was begun with another request."""


class Journal:
    """The candidates that have been made for a level file.

    Args:
        out: The level file.
        puzzle: The puzzle of the levels.
        request: What determines the candidates; a JSON object.
        resume: Go on with the journal that is there.
        force: Replace the journal that is there.

    Attributes:
        candidates: Those that the journal has when it is resumed.

    Raises:
        ValueError: There is nothing to resume, it was begun with another request, or both options are given.
        OSError: There is a journal and neither is given, or it cannot be read or written.
    """

    def __init__(
        self, out: Path, puzzle: Puzzle, request: Mapping[str, Any], resume: bool = False, force: bool = False
    ) -> None:
        self.path = out.with_name(out.name + SUFFIX)
        self.candidates: list[Candidate] = []
        maker = maker_of(puzzle)
        self._difficulty = None if maker is None else maker.difficulty
        if resume and force:
            raise ValueError("--resume and --force cannot be combined")
        self._request, self._kept = request, 0
        self._file: TextIO | None = None
        if resume:
            self._kept = self._read(request)
        elif self.path.exists() and not force:
            why = "an unfinished generation is there; use --resume to go on, --force to start again"
            raise FileExistsError(errno.EEXIST, why, str(self.path))

    def _read(self, request: Mapping[str, Any]) -> int:
        """Read the candidates; return the size in bytes of the complete lines."""
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            raise ValueError(f"{self.path}: there is nothing to resume; start without --resume") from None
        kept = content.rfind(b"\n") + 1
        try:
            first, *lines = map(json.loads, content[:kept].decode().splitlines())
            check_request(self.path, first, request)
            self.candidates = [self._candidate(line) for line in lines]
        except OtherRequestError:
            raise
        except (ValueError, TypeError, AttributeError):
            raise ValueError(f"{self.path}: is damaged; use --force to start again") from None
        return kept

    @property
    def begun(self) -> bool:
        """Is there something to resume?"""
        return self._file is not None or self._kept > 0

    def add(self, candidate: Candidate) -> None:
        """Write a candidate to disk.

        Raises:
            OSError: It cannot be written.
        """
        if self._file is None:
            self._file = self._open()
        fields = dataclasses.asdict(candidate) | {"key": candidate.key.hex()}
        _write(self._file, {name: value for name, value in fields.items() if value or name == "random_bits"})

    def finish(self) -> None:
        """Delete the journal: the levels are written."""
        self.close()
        self.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Close the file, which is kept."""
        if self._file is not None:
            self._file.close()

    def _open(self) -> TextIO:
        """Open the file with the first candidate, after its last complete line."""
        file = self.path.open("r+" if self._kept else "w", encoding="utf-8")
        file.seek(self._kept)
        file.truncate()
        if not self._kept:
            _write(file, self._request)
        return file

    def _candidate(self, fields: dict[str, Any]) -> Candidate:
        difficulty = fields.get("difficulty")
        if difficulty is not None:
            assert self._difficulty is not None
            fields["difficulty"] = self._difficulty(**difficulty)
        return Candidate(**fields | {"key": bytes.fromhex(fields.get("key", ""))})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def check_request(path: Path | str, first: Mapping[str, Any], request: Mapping[str, Any]) -> None:
    """Compare the request that a file was begun with, as read from it, with that of now.

    Raises:
        OtherRequestError: They differ.
    """
    request = json.loads(json.dumps(request))
    for name in {**first, **request}:
        if first.get(name) != request.get(name):
            was, now = json.dumps(first.get(name)), json.dumps(request.get(name))
            raise OtherRequestError(f"{path}: cannot be resumed with other options: {name} was {was}, now it is {now}")


def _write(file: TextIO, line: Mapping[str, Any]) -> None:
    file.write(json.dumps(line) + "\n")
    file.flush()
