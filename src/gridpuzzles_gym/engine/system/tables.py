"""Tables of words and numbers for the terminal that remain readable when it is narrow."""

import dataclasses
import html
from collections.abc import Sequence

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

GAP = 2
"""The number of blanks between two columns."""


@dataclasses.dataclass(frozen=True)
class NumberTable:
    """A table for a Rich console with columns of words, then columns of numbers.

    Words wrap at blanks, numbers never. If the terminal is too narrow even so, the words of each row are printed on a
    separate line above its numbers.
    """

    words: Sequence[str]
    """Headings of the columns of words, which come first."""
    numbers: Sequence[str]
    """Headings of the columns of numbers."""
    rows: Sequence[Sequence[str]]
    """The rows, each with a cell for each heading."""
    title: str = ""
    """A line above the table."""
    total: Sequence[str] = ()
    """An optional last row, below a rule."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> list[RenderableType]:
        """Choose the layout that fits the console's width."""
        table = self._side_by_side()
        fits = Measurement.get(console, options.update(max_width=10_000), table).minimum <= options.max_width
        return [*([Text(self.title, "italic")] if self.title else []), table if fits else self._below()]

    def _repr_html_(self) -> str:
        """Return the table for notebooks."""
        caption = f'<caption style="text-align: left">{html.escape(self.title)}</caption>' if self.title else ""
        head = self._html_row((*self.words, *self.numbers), "th")
        rows = "".join(self._html_row(row, "td") for row in self._all_rows())
        return f"<table>{caption}<thead>{head}</thead><tbody>{rows}</tbody></table>"

    def _html_row(self, cells: Sequence[str], kind: str) -> str:
        sides = ["left"] * len(self.words) + ["right"] * len(self.numbers)
        texts = zip(sides, map(html.escape, cells), strict=True)
        return "<tr>" + "".join(f'<{kind} style="text-align: {side}">{text}</{kind}>' for side, text in texts) + "</tr>"

    def _side_by_side(self) -> Table:
        """The table with words and numbers on the same line."""
        table = Table(
            box=box.SIMPLE_HEAD,
            padding=(0, GAP - 1, 0, 0),
            pad_edge=False,
            show_edge=False,
            show_footer=bool(self.total),
        )
        ends = [*self.total] or [""] * (len(self.words) + len(self.numbers))
        for heading, end in zip(self.words, ends, strict=False):
            table.add_column(heading, Text(end))
        for heading, end, width in zip(self.numbers, ends[len(self.words) :], self._widths(), strict=True):
            table.add_column(heading, end, justify="right", no_wrap=True, min_width=width)
        for row in self.rows:
            table.add_row(*map(Text, row))
        return table

    def _below(self) -> Group:
        """The table with the numbers of each row below its words."""
        widths = self._widths()
        head = self._line(self.numbers, widths)
        lines = [Text(head, "bold"), Text("─" * len(head))]
        for row in self._all_rows():
            words = " ".join(word for word in row[: len(self.words)] if word)
            lines += [Text(words), Text(self._line(row[len(self.words) :], widths))]
        if self.total:
            lines.insert(-2, Text("─" * len(head)))
        return Group(*lines)

    def _all_rows(self) -> list[Sequence[str]]:
        return [*self.rows, self.total] if self.total else [*self.rows]

    def _widths(self) -> list[int]:
        """The width of each column of numbers."""
        cells = [self.numbers, *(row[len(self.words) :] for row in self._all_rows())]
        return [max(map(len, column)) for column in zip(*cells, strict=True)]

    @staticmethod
    def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
        return (" " * GAP).join(cell.rjust(width) for cell, width in zip(cells, widths, strict=True))
