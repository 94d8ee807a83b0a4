"""Work on each level of a file or pack, and a table with a row for each that grows row by row."""

import contextlib
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from gridpuzzles_gym.agents.parallel import open_executor, ordered

from ...engine.messages import quote
from ...engine.puzzle import Level
from ...engine.system.csv_text import read_rows, row_text
from ...engine.system.progress_bar import progress
from ...play.arguments import new_file
from ...play.line_file import LineFile

Result = TypeVar("Result")


class RowTable:
    """A CSV file of ``--csv``; without a row, an existing file is left as it is.

    Args:
        lines: The file.
        columns: The names of its columns; the first has the names of the levels.
        rows: The rows that it has.
    """

    def __init__(self, lines: LineFile, columns: Sequence[str], rows: list[list[str]]) -> None:
        self._lines, self._columns, self.rows = lines, columns, rows

    def write(self, row: Sequence[str]) -> None:
        """Write a row to disk; raises OSError."""
        if not self._lines.begun:
            self._lines.add(row_text(self._columns))
        self._lines.add(row_text(row))
        self.rows.append(list(row))


@contextlib.contextmanager
def open_table(
    path: Path | None, columns: Sequence[str], levels: Sequence[Level], force: bool = False, resume: bool = False
) -> Iterator[RowTable | None]:
    """Open the table of the options ``--csv``, ``--force`` and ``--resume``; None if there is none.

    Args:
        path: The file.
        columns: Its columns.
        levels: All levels; the rows of a table that is continued must be those of the first ones.
        force: Overwrite an existing file.
        resume: Add to an existing file; its last line is dropped if it is not complete.

    Raises:
        ValueError: The file has other columns or other levels, it is damaged, or both options are given.
        OSError: The file exists and neither is given, or it cannot be read or written.
    """
    if resume and force:
        raise ValueError("--resume and --force cannot be combined")
    if path is None:
        if resume:
            raise ValueError("--resume continues a table: it needs --csv FILE")
        yield None
        return
    with contextlib.closing(LineFile(path)) as lines:
        continued = resume and path.exists()
        rows = _read(lines, columns, levels) if continued else []
        if not continued:
            new_file(path, force)
        yield RowTable(lines, columns, rows)


def _read(lines: LineFile, columns: Sequence[str], levels: Sequence[Level]) -> list[list[str]]:
    """Return the rows of a file that is continued."""
    header, *rows = read_rows(lines.read()) or [list(columns)]
    if header != list(columns):
        raise ValueError(f"{lines.path}: cannot be resumed: its columns are {', '.join(header)}")
    for number, row in enumerate(rows):
        place = f"{lines.path}, line {number + 2}"
        if len(row) != len(columns):
            raise ValueError(f"{place}: must have {len(columns)} values, has {len(row)}")
        wanted = levels[number].name if number < len(levels) else None
        if row[0] != wanted:
            raise ValueError(f"{place}: cannot be resumed: it has level {quote(row[0])}; {quote(wanted)} is expected")
    return rows


def results_of(
    work: Callable[[Level], Result], levels: Sequence[Level], done: int, workers: int | None, ray: str | None
) -> Generator[Result, None, None]:
    """Yield the results of levels in order, and show the progress.

    Args:
        work: A callable that other processes can import.
        levels: All levels.
        done: How many of them, the first ones, are done already.
        workers: The number of processes; None is one for each core.
        ray: The address of a Ray cluster that works instead; None: this machine.

    Raises:
        ValueError, OSError: As ``work`` raises them, and as :func:`~gridpuzzles_gym.agents.parallel.open_executor`.
    """
    with (
        open_executor(workers, ray) as executor,
        progress(len(levels), done) as advance,
        contextlib.closing(ordered(executor, work, levels[done:])) as results,
    ):
        for _, result in results:
            yield result
            advance()
