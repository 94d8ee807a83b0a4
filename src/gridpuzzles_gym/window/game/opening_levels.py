"""Levels from elsewhere in the level picker: from files, from the clipboard, and by the ids of games."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from ...engine.puzzle import Puzzle
from ...session.choices import Choice, ids_of
from ...session.game import Game
from ...session.puzzle_detection import UnclearError, puzzle_for
from ..model import clipboard
from ..model.own_levels import own_folder
from ..screens.files import ANY
from ..screens.host import Host
from .copying import pasted_text, said


class Picker(Protocol):
    """The part of the level picker that this uses."""

    app: Host
    puzzle: Puzzle

    def show_choice(self, choice: Choice) -> None:
        """Show the levels of a choice that is added to the list; raises ValueError if there are none."""

    def open_game(self, game: Game) -> None:
        """Play a game, instead of the current one of the same puzzle, if there is one."""


def ask_for_levels(picker: Picker) -> None:
    """Ask for a file or folder, or the id of a game."""
    app = picker.app
    folder = own_folder(app.progress, picker.puzzle)
    heading = "A file or folder of levels, or a game ID such as sokoban medium:3"
    start = Path.home() if folder is None or not folder.is_dir() else folder

    def use(path: Path) -> Callable[[], object] | None:
        if clipboard.is_id(str(path)) and not os.path.exists(path):
            game = clipboard.read_id(str(path)).game(app.preferences)
            return lambda: picker.open_game(game)
        if not os.path.exists(path):
            raise ValueError(f"{path}: no such file or folder, and no game ID")
        try:
            puzzle = puzzle_for(str(path), None)
        except UnclearError:
            puzzle = picker.puzzle
        if puzzle is not picker.puzzle:
            return lambda: app.open_levels(str(path))
        picker.show_choice(Choice(path.stem, ids_of(puzzle)[0], str(path)))
        return None

    def paste(_: Path) -> Callable[[], object]:
        return lambda: paste_levels(picker)

    app.show("files", heading, start, [("Open", ANY, use), ("Paste", ANY, paste)])


def paste_levels(picker: Picker) -> None:
    """Show the levels in the clipboard, or play the game whose id is there."""
    app = picker.app
    try:
        text = pasted_text()
        if clipboard.is_id(text):
            picker.open_game(clipboard.read_id(text).game(app.preferences))
            return
        choice, left_out = clipboard.pasted_levels(picker.puzzle, text)
        picker.show_choice(choice)
    except (ValueError, OSError) as error:
        app.say(said(error))
    else:
        if left_out:
            app.say(said(left_out))
