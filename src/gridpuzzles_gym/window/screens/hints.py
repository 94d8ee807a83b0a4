"""Hints on the screen of a game: asked for, told in one line of the window, and played if asked for again."""

from ...engine.messages import plural
from ...session.game import Game
from ..model.advice import Advice, Hint
from ..model.controls import keys_of
from .host import Host


class Hints:
    """The hints of a game.

    Args:
        app: The app.
        game: The game; its level may change.
    """

    def __init__(self, app: Host, game: Game) -> None:
        self.app, self.game = app, game
        self._advice = Advice(game)
        self._told: Hint | None = None
        self._advised = ""

    @property
    def waiting(self) -> bool:
        """Is a hint being looked for? Call :meth:`poll` then."""
        return self._advice.waiting

    def ask(self) -> int | None:
        """Ask for a hint, which is told when it is known; return its action if it has been told already."""
        if self._told is not None and self._told.action is not None:
            return self._told.action
        self._tell(self._advice.ask())
        return None

    def look_ahead(self) -> None:
        """Look for the hint before it is asked for, if a process is ready."""
        if self.app.looks_ahead:
            self._advice.look_ahead()

    def poll(self) -> None:
        """Tell the hint that was asked for, once it is known."""
        hint = self._advice.poll() if self.waiting else None
        if hint is not None:
            self._tell(hint)

    def forget(self) -> None:
        """The position has changed: what was told no longer applies."""
        self._told = None
        if self._advised and self.app.message == self._advised:
            self.app.say("")

    def cancel(self) -> None:
        """Stop looking."""
        self._advice.cancel()

    def _tell(self, hint: Hint | None) -> None:
        self._told = hint
        if hint is None:
            self.app.say("thinking…")
        elif hint.action is None:
            self.app.say(hint.message or f"{hint.source} knows nothing to do here")
        else:
            puzzle, options = self.game.puzzle, self.game.env.options
            words = keys_of(puzzle, options, self.app.preferences).words
            step = words.get(hint.action) or puzzle.actions(options)[hint.action]
            left = f", {plural(len(hint.plan), 'move')} to the goal" if hint.solves else ""
            self._advised = f"{hint.source} advises: {step}{left} (ask again to play it)"
            self.app.say(self._advised)
