"""Tables as CSV, written and read in one way.

Spreadsheets take a cell that begins with ``=``, ``+``, ``-``, ``@``, a tab or a carriage return for a formula, which
runs when the table is opened. Titles of levels come from untrusted sources. A text that begins like this gets an
apostrophe in front, which :func:`read_rows` removes again; numbers are written as they are.
"""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TextIO

_FORMULA = re.compile("'*[=+\\-@\t\r＝＋－＠]")
_NUMBER = re.compile(r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf|nan)", re.IGNORECASE)


def cell(value: Any) -> Any:
    """Return what is written for a value: a text that a spreadsheet would take for a formula is made plain."""
    if isinstance(value, str) and _FORMULA.match(value) and not _NUMBER.fullmatch(value):
        return f"'{value}"
    return value


def value_of(text: str) -> str:
    """Return the text that :func:`cell` was called with."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


def write_table(
    file: TextIO, columns: Sequence[str], rows: Iterable[Mapping[str, Any]], header: bool = True, end: str = "\r\n"
) -> None:
    """Write rows to a file that was opened with ``newline=""``.

    Args:
        file: The file.
        columns: The names of the columns.
        rows: Values by column; a missing one is empty.
        header: Write the names first.
        end: The end of a line.
    """
    writer = csv.DictWriter(file, columns, lineterminator=end)
    if header:
        writer.writerow({name: cell(name) for name in columns})
    writer.writerows({name: cell(value) for name, value in row.items()} for row in rows)


def table_text(columns: Sequence[str], rows: Iterable[Mapping[str, Any]], end: str = "\n") -> str:
    """Return what :func:`write_table` writes."""
    text = io.StringIO(newline="")
    write_table(text, columns, rows, end=end)
    return text.getvalue()


def row_text(row: Iterable[Any]) -> str:
    """Return a row as a line, with its end."""
    line = io.StringIO(newline="")
    csv.writer(line).writerow(map(cell, row))
    return line.getvalue()


def read_rows(text: str) -> list[list[str]]:
    """Return the rows of a table, the header first.

    Raises:
        ValueError: It is not a table.
    """
    try:
        return [list(map(value_of, row)) for row in csv.reader(io.StringIO(text, newline=""))]
    except csv.Error as error:
        raise ValueError(str(error)) from None
