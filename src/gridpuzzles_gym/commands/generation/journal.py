"""What has been generated so far, on disk, so that ``gridpuzzles generate`` goes on after Ctrl-C or a kill.

It is the record of the unfinished level file, which has each candidate, in the order of the random bits. It is there
from the first candidate on, until the levels are written.
"""

import dataclasses
import errno
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gridpuzzles_gym.agents.candidates import Candidate
from gridpuzzles_gym.agents.level_sources.makers import maker_of

from ...engine.puzzle import Puzzle
from ...session.resume_record import Unfinished


class Journal:
    """The candidates that have been made for a level file, which no other process writes until :meth:`close`.

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
        OSError: There is a journal and neither is given, it cannot be read, or another process is writing it.
    """

    def __init__(
        self, out: Path, puzzle: Puzzle, request: Mapping[str, Any], resume: bool = False, force: bool = False
    ) -> None:
        if resume and force:
            raise ValueError("--resume and --force cannot be combined")
        self.candidates: list[Candidate] = []
        maker = maker_of(puzzle)
        self._difficulty = None if maker is None else maker.difficulty
        self._record = Unfinished(out, request)
        try:
            if resume:
                self._read()
            elif self._record.path.exists() and not force:
                why = "an unfinished generation is there; use --resume to go on, --force to start again"
                raise FileExistsError(errno.EEXIST, why, str(self._record.path))
        except BaseException:
            self.close()
            raise

    def _read(self) -> None:
        lines = self._record.read()
        try:
            self.candidates = [self._candidate(line) for line in lines]
        except (ValueError, TypeError, AttributeError):
            raise self._record.damaged() from None

    @property
    def begun(self) -> bool:
        """Whether there is something to resume."""
        return self._record.begun

    def add(self, candidate: Candidate) -> None:
        """Write a candidate to disk.

        Raises:
            OSError: It cannot be written.
        """
        fields = dataclasses.asdict(candidate) | {"key": candidate.key.hex()}
        self._record.add({name: value for name, value in fields.items() if value or name == "random_bits"})

    def finish(self) -> None:
        """Delete the journal: the levels are written."""
        self._record.finish()

    def close(self) -> None:
        """Let other processes write the level file; the journal is kept."""
        self._record.close()

    def _candidate(self, fields: dict[str, Any]) -> Candidate:
        difficulty = fields.get("difficulty")
        if difficulty is not None:
            assert self._difficulty is not None
            fields["difficulty"] = self._difficulty(**difficulty)
        return Candidate(**fields | {"key": bytes.fromhex(fields.get("key", ""))})
