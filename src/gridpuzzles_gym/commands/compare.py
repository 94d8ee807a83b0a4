"""The files that a grading is written to."""

import dataclasses
import importlib
from pathlib import Path

from ..engine.puzzle import Puzzle
from ..play.arguments import new_file


@dataclasses.dataclass(frozen=True)
class Files:
    """The files that a comparison is written to; None: not written."""

    csv: Path | None = None
    """The scores."""
    chart: Path | None = None
    """A chart, as PNG."""
    report: Path | None = None
    """A page (HTML) with the table, and the first episodes of the agents side by side."""
    force: bool = False
    """Whether existing files are overwritten."""

    def check(self, puzzle: Puzzle) -> None:
        """Check, before any long work, that all files can be written; raises ValueError, OSError or ImportError."""
        if self.csv is not None:
            new_file(self.csv, self.force)
        if self.chart is not None:
            new_file(self.chart, self.force, ".png")
            importlib.import_module("matplotlib")
        if self.report is not None:
            from ..web.film import check_drawing

            new_file(self.report, self.force, ".html")
            check_drawing(puzzle)
