"""A CSV file with a row for each level, which grows row by row: an interruption loses no rows, and can be resumed."""

import contextlib
import errno
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...engine.messages import quote
from ...engine.puzzle import Level
from ...engine.system.csv_text import read_rows, row_text
from ...session.arguments import new_file
from ...session.line_file import LineFile
from ...session.resume_record import Unfinished

Columns = Mapping[str, Callable[[str], object]]
"""The names of a table's columns, and what reads a value of each, which raises ValueError if it is invalid."""


@contextlib.contextmanager
def open_rows(
    path: Path | None,
    columns: Columns,
    levels: Sequence[Level],
    request: Mapping[str, Any],
    force: bool = False,
    resume: bool = False,
) -> Iterator["RowFile | None"]:
    """Open the table of the options ``--csv``, ``--force`` and ``--resume``; no other process writes it.

    What its rows depend on is kept next to it while rows are missing; see :mod:`.resume_record`.

    Args:
        path: The file; None: there is no table.
        columns: Its columns; the first has the names of the levels.
        levels: All levels; the rows must be those of the first ones.
        request: What determines the rows, in addition to the levels; a JSON object.
        force: Overwrite an existing file.
        resume: Add to an existing file.

    Raises:
        ValueError: The table cannot be resumed: there is none, it has other columns or other levels or was begun with
            another request, or it is damaged. Or both options are given.
        OSError: The file exists and neither is given, it cannot be read or written, or another process writes it.
    """
    if resume and force:
        raise ValueError("--resume and --force cannot be combined")
    if path is None:
        if resume:
            raise ValueError("--resume continues a table: it needs --csv FILE")
        yield None
        return
    if path.exists() and not (path.is_file() or path.is_dir()):  # a pipe or a device, which cannot be resumed
        with contextlib.closing(LineFile(new_file(path, force))) as lines:
            yield RowFile(path, columns, lines)
        return
    with contextlib.closing(Unfinished(path, request)) as record, contextlib.closing(LineFile(path)) as lines:
        table = RowFile(path, columns, lines, record)
        if resume and path.exists():
            table.read(levels)
        elif record.path.exists() and path.exists() and not force:
            why = "an unfinished table is there; use --resume to go on, --force to start again"
            raise FileExistsError(errno.EEXIST, why, str(path))
        else:
            new_file(path, force)
        yield table
        if len(table.rows) == len(levels):
            record.finish()


class RowFile:
    """A table on disk. It is opened with the first row: if there is none, an existing file is left unchanged.

    Args:
        path: The file.
        columns: Its columns.
        lines: The file, for writing.
        record: Has the options with which the table was begun; None: it cannot be resumed.

    Attributes:
        rows: All rows.
    """

    def __init__(self, path: Path, columns: Columns, lines: LineFile, record: Unfinished | None = None) -> None:
        self.path, self._columns, self._lines, self._record = path, columns, lines, record
        self.rows: list[list[str]] = []

    def read(self, levels: Sequence[Level]) -> None:
        """Read the rows of a file that is to be resumed.

        Raises:
            ValueError: It cannot be resumed.
            OSError: It cannot be read.
        """
        try:
            lines = read_rows(self._lines.read())
        except ValueError as error:
            raise ValueError(f"{self.path}: is damaged: {error}") from None
        if lines and lines[0] != list(self._columns):
            raise ValueError(f"{self.path}: cannot be resumed: its columns are {', '.join(lines[0])}")
        names = [level.name for level in levels]
        for number, row in enumerate(lines[1:]):
            self._check(row, f"{self.path}, line {number + 2}", *names[number : number + 1])
        self.rows = lines[1:]
        record = self._record
        if record is None or not self.rows:
            return
        if record.path.exists():
            record.read()
        elif len(self.rows) < len(levels):
            raise ValueError(
                f"{self.path}: cannot be resumed: {record.path.name} is missing, which has the options of its rows; "
                "use --force to start again"
            )

    def _check(self, row: Sequence[str], place: str, level: str | None = None) -> None:
        """Check a row that was read.

        Args:
            row: Its values.
            place: The file and the line.
            level: The name of its level; None if there is none.

        Raises:
            ValueError: It is not a row of that level.
        """
        if len(row) != len(self._columns):
            raise ValueError(f"{place}: must have {len(self._columns)} values, has {len(row)}")
        if row[0] != level:
            wanted = "nothing" if level is None else repr(level)
            raise ValueError(f"{place}: cannot be resumed: it has level {quote(row[0])}; {wanted} is expected")
        for (name, read), text in zip(self._columns.items(), row, strict=True):
            try:
                read(text)
            except ValueError:
                raise ValueError(f"{place}, column {quote(name)}: {quote(text)} is invalid") from None

    def write(self, row: Sequence[str]) -> None:
        """Write a row to disk.

        Raises:
            OSError: It cannot be written.
        """
        if not self._lines.begun:
            self._lines.add(row_text(self._columns))
        if self._record is not None:  # after an old table is gone, and before there is a row of this one
            self._record.begin()
        self._lines.add(row_text(row))
        self.rows.append(list(row))
