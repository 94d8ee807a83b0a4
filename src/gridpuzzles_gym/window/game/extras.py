"""What can be done with a game besides playing it: copy and paste, solutions and snapshots, replays, statistics."""

import datetime
import functools
from collections.abc import Callable, Sequence
from typing import Protocol

from ...engine.messages import plural
from ...engine.puzzle import Puzzle
from ...session.choices import playing_settings
from ...session.game import Game
from ...session.pushes import has_walks, redo_push, undo_push
from ...session.turning import CLOCKWISE, MIRRORED, can_turn, turned_further
from ..model import clipboard
from ..model.progress import level_id
from ..model.results.solutions import SavedGame
from ..model.results.statistics import statistics_lines, time_text
from ..model.score_line import save_game_as
from ..screens.host import Host
from ..screens.screen import Entry, KeyHelp
from ..screens.solving import Replay
from ..views.button import key_name
from .copying import copy_text, pasted_text, said

MOST_LETTERS = 40
"""Maximum length of the name of a snapshot, in characters."""


class Playing(Protocol):
    """The part of the screen of a game that this uses."""

    app: Host
    game: Game

    def replace(self, game: Game) -> None:
        """Play another game of the same puzzle."""

    def change(self, change: Callable[[Game], bool]) -> None:
        """Change the position by undoing or redoing, or turn the board; the function returns whether it has."""


class Extras:
    """The menu *More* of a game.

    Args:
        screen: The game's screen.
    """

    def __init__(self, screen: Playing) -> None:
        self.screen, self.app = screen, screen.app

    @property
    def game(self) -> Game:
        """The current game."""
        return self.screen.game

    def entries(self) -> Sequence[Entry]:
        """Return the entries; ``possible`` says which of them can be used now."""
        game, step = self.game, self.screen.change
        walks = (
            Entry("Undo to the last push", lambda: step(undo_push), "ctrl+u", lambda: game.can_undo),
            Entry("Redo to the next push", lambda: step(redo_push), "ctrl+y", lambda: game.can_redo),
        )
        shown = (
            Entry("Turn the board", lambda: self._turn(CLOCKWISE), "ctrl+right"),
            Entry("Mirror the board", lambda: self._turn(MIRRORED), "ctrl+m"),
        )
        return (
            *(walks if has_walks(game) else ()),
            Entry("Replay my moves", self.replay, "ctrl+r", lambda: game.can_undo or game.can_redo),
            Entry("My solutions and snapshots", self._show_saved, "ctrl+l"),
            Entry("Save a snapshot", self._ask_name, "ctrl+s", lambda: game.can_undo),
            Entry("Copy …", self._ask_what, "ctrl+c"),
            Entry("Paste a level or a game ID", self.paste, "ctrl+v"),
            *(shown if game.level is not None and can_turn(game.puzzle) else ()),
            Entry("Statistics", lambda: show_statistics(self.app, game.puzzle), "ctrl+t"),
        )

    def keys(self) -> KeyHelp:
        """Return the keys of the entries."""
        return [(key_name(entry.key), entry.label[0].lower() + entry.label[1:]) for entry in self.entries()]

    def open(self) -> None:
        """Show the menu."""
        self.app.show("menu", "More", [entry for entry in self.entries() if _can(entry)])

    def press(self, entry: Entry) -> None:
        """Do what an entry says, if it can be used now."""
        if _can(entry):
            entry.action()

    # -- solutions and snapshots -----------------------------------------------------------------------

    def replay(self) -> None:
        """Show all moves again from the start of the level, in a game of their own."""
        saved = self.game.save()
        self._show("your moves", self.game.copied(taken=[*saved["taken"], *saved["undone"]], undone=[]))

    def _show(self, name: str, game: Game) -> None:
        self.app.show("solving", game, Replay(name, self.screen.replace))

    @property
    def _level(self) -> tuple[str, str]:
        """The puzzle's name, and the level's id among the solutions."""
        return self.game.puzzle.name, level_id(self.game.level_identity)

    def _show_saved(self) -> None:
        saved = self.app.progress.solutions.of(*self._level)
        if not saved:
            self.app.say("no solution and no snapshot of this level yet")
            return
        by_length = sorted(saved, key=lambda each: (bool(each.name), each.numbers.get("moves", 0)))
        entries = [Entry(_label(each), functools.partial(self._choose, each)) for each in by_length]
        self.app.show("menu", f"{self.game.title}: solutions and snapshots", entries)

    def _choose(self, saved: SavedGame) -> None:
        def remove() -> None:
            self.app.progress.solutions.remove(*self._level, saved)

        uses: dict[str, Callable[[Game], object]] = {
            "Replay it": functools.partial(self._show, _label(saved)),
            "Copy its moves": self._copy_moves,
        }
        if saved.name:
            uses = {"Play on from here": self.screen.replace, **uses}
        entries = [Entry(label, functools.partial(self._use, saved, use)) for label, use in uses.items()]
        self.app.show("menu", _label(saved), [*entries, Entry("Remove it", remove)])

    def _use(self, saved: SavedGame, use: Callable[[Game], object]) -> None:
        try:
            game = saved.game(self.game)
        except ValueError as error:
            self.app.say(f"it cannot be played: {error}")
        else:
            use(game)

    def _copy_moves(self, game: Game) -> None:
        self.app.say(copy_text("the moves", clipboard.moves_text(game)))
        game.close()

    def _ask_name(self) -> None:
        def save(name: str) -> Callable[[], None]:
            save_game_as(self.game, self.app.progress, name)
            return lambda: self.app.say(f"snapshot saved: {name}")

        def fits(name: str) -> bool:
            return len(name) <= MOST_LETTERS

        number = sum(bool(each.name) for each in self.app.progress.solutions.of(*self._level)) + 1
        self.app.show("asking", "Name of the snapshot", f"snapshot {number}", (("Save", fits, save),))

    # -- the clipboard ---------------------------------------------------------------------------------

    def _ask_what(self) -> None:
        """Ask what to copy; a level or position of which a part is hidden would show it."""
        game = self.game
        texts: dict[str, Callable[[Game], str]] = {"the moves so far": clipboard.moves_text}
        if clipboard.shows_all(game):
            texts = {"the position": clipboard.position_text, "the level": clipboard.level_text, **texts}
        if clipboard.id_of(game):
            texts["the game ID"] = clipboard.id_of
        entries = [Entry(f"Copy {name}", functools.partial(self._copy, name, text)) for name, text in texts.items()]
        self.app.show("menu", "Copy", entries)

    def _copy(self, name: str, text: Callable[[Game], str]) -> None:
        self.app.say(copy_text(name, text(self.game)))

    def paste(self) -> None:
        """Play the level, or the game of the ID, in the clipboard."""
        try:
            game, words = self._pasted()
        except (ValueError, OSError) as error:
            self.app.say(said(error))
            return
        if game.puzzle is self.game.puzzle:
            self.screen.replace(game)
        else:
            self.app.show("playing", game)
        if words:
            self.app.say(said(words))

    def _pasted(self) -> tuple[Game, str]:
        """Return a game of the first level in the clipboard, or of the ID in it, and a line on what is left out."""
        text, puzzle = pasted_text(), self.game.puzzle
        if clipboard.is_id(text):
            return clipboard.read_id(text).game(self.app.preferences), ""
        choice, left_out = clipboard.pasted_levels(puzzle, text)
        return choice.game(**playing_settings(self.app.preferences, puzzle)), left_out

    # -- turning ---------------------------------------------------------------------------------------

    def _turn(self, by: int) -> None:
        def turn(game: Game) -> bool:
            game.turn(turned_further(game.way, by))
            return True

        self.screen.change(turn)


def show_statistics(app: Host, puzzle: Puzzle) -> None:
    """Show what has been solved of a puzzle."""
    lines = statistics_lines(app.progress, puzzle.name, datetime.date.today())
    app.show("card", f"{puzzle.title}: statistics", lines)


def _can(entry: Entry) -> bool:
    return entry.possible is None or entry.possible()


def _label(saved: SavedGame) -> str:
    """Return a solution or snapshot in a few words."""
    moves = plural(saved.numbers.get("moves", 0), "move")
    pushes = f", {plural(saved.numbers['pushes'], 'push', 'pushes')}" if "pushes" in saved.numbers else ""
    hints = f", {plural(saved.hints, 'hint')}" if saved.hints else ""
    day = datetime.datetime.fromtimestamp(saved.when).strftime("%d %b %Y")
    return f"{saved.name or 'solution'}: {moves}{pushes}{hints}, {time_text(saved.seconds)}, {day}"
