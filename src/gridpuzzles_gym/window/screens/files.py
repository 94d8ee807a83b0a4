"""The screens that ask for the path of a file."""

import functools
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ...engine.puzzle import Puzzle
from ..model.trained_models import check_model, suggested
from .asking import AskingScreen
from .host import Host
from .screen import Entry

Use = Callable[[Path], Any]
NEW, OLD, ANY = "new", "old", "any"
"""Which paths a button is for: those without a file, those with one, or both."""
MODEL = "a trained model…"
"""The entry of menus of agents for :func:`ask_for_model`."""
MOST_FILES = 1000
"""Maximum number of entries of a folder that are listed."""


class FileScreen(AskingScreen):
    """A line for the path of a file, and buttons.

    Args:
        app: The app.
        heading: The heading.
        path: The initial path.
        uses: (label, kind of paths, function) of each button, otherwise as for :class:`~.asking.AskingScreen`.
    """

    def __init__(self, app: Host, heading: str, path: Path, uses: Sequence[tuple[str, str, Use]]) -> None:
        whole = [
            (label, functools.partial(self._is, kind), lambda text, use=use: use(Path(os.path.expanduser(text))))
            for label, kind, use in uses
        ]
        super().__init__(app, heading, str(path), whole)

    @property
    def selected(self) -> tuple[int, int]:
        """The name without its suffix; of a folder, everything."""
        path = Path(self.answer)
        if os.path.isdir(path):
            return 0, len(self.answer)
        return len(self.answer) - len(path.name), len(self.answer) - len(path.suffix)

    @property
    def remark(self) -> str:
        """Whether the file exists."""
        return "this file exists" if self._is(OLD, self.answer) else ""

    def others(self) -> Sequence[Entry]:
        """Return a button for choosing a file."""
        return (Entry("Browse…", self._browse),)

    @staticmethod
    def _is(kind: str, text: str) -> bool:
        return kind in (ANY, OLD if os.path.isfile(os.path.expanduser(text)) else NEW)

    def _browse(self) -> None:
        path = Path(os.path.expanduser(self.answer)).absolute()
        folder = next(each for each in (path, *path.parents) if os.path.isdir(each))
        browse(self.app, folder.resolve(), self._choose)

    def _choose(self, path: Path) -> None:
        self.answer = str(path)
        self.open(self.size)


def browse(app: Host, folder: Path, choose: Callable[[Path], object]) -> None:
    """Show the files of a folder, and go to other folders, until a file or folder is chosen."""
    try:
        found = [(not path.is_dir(), path.name.lower(), path) for path in folder.iterdir() if path.name[:1] != "."]
    except OSError as error:
        app.say(f"{folder}: {error.strerror}")
        return
    entries = [Entry("this folder", lambda: choose(folder))]
    if folder.parent != folder:
        entries.append(Entry("../", functools.partial(browse, app, folder.parent, choose)))
    for is_file, _, path in sorted(found)[:MOST_FILES]:
        use = functools.partial(choose, path) if is_file else functools.partial(browse, app, path, choose)
        entries.append(Entry(path.name if is_file else f"{path.name}/", use))
    if len(found) > MOST_FILES:
        app.say(f"the first {MOST_FILES:,} of {len(found):,} files are shown")
    app.show("menu", str(folder), entries)


def ask_for_model(app: Host, puzzle: Puzzle, use: Callable[[str], None]) -> None:
    """Ask for the path of a trained model; an unusable one is an error on that screen.

    Args:
        app: The app.
        puzzle: The puzzle that it has to play.
        use: Called with the path.
    """

    def check_and_use(path: Path) -> None:
        check_model(path, puzzle)
        use(str(path))

    uses = (("Let it play", ANY, check_and_use),)
    app.show("files", f"A model of {puzzle.title}: its file, or the folder of its training", suggested(puzzle), uses)
