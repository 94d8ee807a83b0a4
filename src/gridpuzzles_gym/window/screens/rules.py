"""The rules of a puzzle in sentences, on a card above its game."""

from collections.abc import Callable, Sequence

from ...engine.config import EnvConfig
from ...engine.puzzle import Puzzle
from ...engine.wording import wording_of
from ...session.game import Game
from ..model.controls import controls
from .card import CardScreen
from .host import Host
from .screen import Entry

SEEN = "rules_seen"
"""The name of a puzzle's choice that is set once its rules were shown."""


class RulesScreen(CardScreen):
    """The rules of a puzzle, and its keys.

    Args:
        app: The app.
        puzzle: The puzzle.
        config: The environment that is played, on whose options the rules depend.
        guide: Called if the person wants to be shown every step.

    Raises:
        ValueError: The puzzle has no wording.
    """

    def __init__(self, app: Host, puzzle: Puzzle, config: EnvConfig, guide: Callable[[], object]) -> None:
        rules = wording_of(puzzle).rules(config)
        keys = "; ".join(f"{key}: {words}" for key, words in controls(puzzle, config.options, app.preferences))
        super().__init__(app, puzzle.title, [*(part for part in rules.splitlines() if part.strip()), f"{keys}."])
        self._guide = guide

    def entries(self) -> Sequence[Entry]:
        """Return the buttons."""
        return Entry("Play", self.back, "return"), Entry("Show me each step", self._play_guided, "g")

    def _play_guided(self) -> None:
        self.app.pop_to("playing")
        self._guide()


def has_rules(puzzle: Puzzle) -> bool:
    """Return whether a puzzle's rules are written in sentences."""
    try:
        wording_of(puzzle)
    except ValueError:
        return False
    return True


def teach(app: Host, game: Game, guide: Callable[[], object]) -> None:
    """Show the rules above a game if it is the person's first of this puzzle; ``guide`` as for the screen."""
    puzzle = game.puzzle
    if app.teaches and has_rules(puzzle) and not app.preferences.chosen(puzzle.name, SEEN, False):
        app.progress.save_preferences(app.preferences.choosing(puzzle.name, SEEN, True))
        app.show("rules", puzzle, game.env.config, guide)
