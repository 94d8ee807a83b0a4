"""Hints on the screen of a game: shown in one line of the window, and played if asked for again."""

from ...engine.messages import plural
from ...session.game import Game
from ..model.advice import Advice, Hint
from ..model.controls import keys_of
from ..screens.host import Host


class Hints:
    """The hints of a game.

    Args:
        app: The app.
        game: The game; its level may change.
    """

    def __init__(self, app: Host, game: Game) -> None:
        self.app, self.game = app, game
        self._advice = Advice(game)
        self._shown: Hint | None = None

    @property
    def waiting(self) -> bool:
        """Whether a hint is being searched for; then :meth:`poll` must be called."""
        return self._advice.waiting

    def ask(self) -> int | None:
        """Return the action of the hint that is shown; without one, search for a hint and return None."""
        if self._shown is not None and self._shown.action is not None:
            return self._shown.action
        self._show(self._advice.ask())
        return None

    def look_ahead(self) -> None:
        """Search for the hint before the person asks for it, if a process is ready."""
        if self.app.looks_ahead:
            self._advice.look_ahead()

    def poll(self) -> None:
        """Show the hint that was asked for, once it is known."""
        hint = self._advice.poll() if self.waiting else None
        if hint is not None:
            self._show(hint)

    def forget(self) -> None:
        """Remove the hint, because the position has changed."""
        self._shown = None

    def cancel(self) -> None:
        """Stop the search."""
        self._advice.cancel()

    def _show(self, hint: Hint | None) -> None:
        self._shown = hint
        if hint is None:
            self.app.say("thinking…")
        elif hint.action is None:
            self.app.say(hint.message or f"{hint.source} knows nothing to do here")
        else:
            puzzle, options = self.game.puzzle, self.game.env.options
            words = keys_of(puzzle, options, self.app.preferences).words
            step = words.get(hint.action) or puzzle.actions(options)[hint.action]
            left = f", {plural(len(hint.plan), 'move')} to the goal" if hint.solves else ""
            self.game.hint(hint.action)
            self.app.say(f"hint: {step}{left} (ask again to play it)")
