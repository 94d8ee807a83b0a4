"""A CSV file with a row for each level, which grows row by row: an interruption loses no rows, and can be resumed."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self, TextIO

from ..engine.puzzle import Level
from .arguments import new_file


def open_rows(
    path: Path | None, columns: Sequence[str], levels: Sequence[Level], force: bool, resume: bool
) -> tuple["RowFile | None", list[list[str]]]:
    """Return the table that the options ``--csv``, ``--force`` and ``--resume`` stand for, and the rows that it has.

    Args:
        path: The file; None: there is no table, and no row.
        columns: Its columns.
        levels: All levels; the rows must be those of the first ones.
        force: Overwrite an existing file.
        resume: Add to an existing file.

    Raises:
        ValueError: As :class:`RowFile` raises it, or there is no table to resume.
        OSError: As :class:`RowFile` raises it.
    """
    if path is None:
        if resume:
            raise ValueError("--resume continues a table: it needs --csv FILE")
        return None, []
    table = RowFile(path, columns, force, resume)
    table.check(levels)
    return table, list(table.rows)


class RowFile:
    """A table on disk, whose first column has the names of levels.

    It is opened with the first row: if there is none, an existing file is left unchanged.

    Args:
        path: The file.
        columns: Its first line.
        force: Overwrite an existing file.
        resume: Add to an existing file. A last line that was not finished is removed.

    Attributes:
        rows: The rows that the file has when it is resumed.

    Raises:
        ValueError: The file to resume has other columns, or both options are given.
        OSError: The file exists and neither is given, or it cannot be read or written.
    """

    def __init__(self, path: Path, columns: Sequence[str], force: bool = False, resume: bool = False) -> None:
        self.path, self._columns = path, list(columns)
        self.rows: list[list[str]] = []
        self._file: TextIO | None = None
        self._kept = 0
        if resume and force:
            raise ValueError("--resume and --force cannot be combined")
        if resume and path.exists():
            self._read()
        else:
            new_file(path, force)

    def check(self, levels: Sequence[Level]) -> None:
        """Check that the rows are those of the first of these levels.

        Raises:
            ValueError: They are those of others.
        """
        names = [level.name for level in levels]
        for number, row in enumerate(self.rows):
            if row[0] not in names[number : number + 1]:
                wanted = repr(names[number]) if number < len(names) else "nothing"
                raise ValueError(
                    f"{self.path}, line {number + 2}: cannot be resumed: it has level {row[0]!r}; {wanted} is expected"
                )

    def _read(self) -> None:
        content = self.path.read_bytes()
        self._kept = content.rfind(b"\n") + 1
        lines = list(csv.reader(io.StringIO(content[: self._kept].decode("utf-8"), newline="")))
        if self._kept and lines[0] != self._columns:
            raise ValueError(f"{self.path}: cannot be resumed: its columns are {', '.join(lines[0])}")
        for number, row in enumerate(lines, start=1):
            if len(row) != len(self._columns):
                raise ValueError(f"{self.path}, line {number}: must have {len(self._columns)} values, has {len(row)}")
        self.rows = lines[1:]

    def write(self, row: Sequence[str]) -> None:
        """Write a row to disk.

        Raises:
            OSError: It cannot be written.
        """
        if self._file is None:
            self._file = self._open()
        csv.writer(self._file).writerow(row)
        self._file.flush()

    def _open(self) -> TextIO:
        file = self.path.open("r+" if self._kept else "w", encoding="utf-8", newline="")
        file.seek(self._kept)
        file.truncate()
        if not self._kept:
            csv.writer(file).writerow(self._columns)
        return file

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()
