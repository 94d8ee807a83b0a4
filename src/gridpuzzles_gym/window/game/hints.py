"""Hints on the screen of a game: shown in one line of the window, and played if asked for again."""

from ...engine.messages import plural
from ...session.game import Game
from ..model.advice import Advice, Hint
from ..model.controls import LABELS, keys_of
from ..screens.host import Host


class Hints:
    """The hints of a game.

    Args:
        app: The app.
        game: The game; its level may change.

    Attributes:
        guides: Whether :meth:`follow` shows the next step after each move.
        guidance: That step; empty if there is none.
    """

    def __init__(self, app: Host, game: Game) -> None:
        self.app, self.game = app, game
        self._advice = Advice(game)
        self._shown: Hint | None = None
        self.guides, self.guidance = False, ""

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

    def follow(self) -> None:
        """Show the next step, if the person is guided."""
        self.guidance = ""
        if self.guides and not self.game.over:
            self._show(self._advice.ask())

    def cancel(self) -> None:
        """Stop the search."""
        self._advice.cancel()

    def _show(self, hint: Hint | None) -> None:
        self._shown = hint
        say = self._guide if self.guides else self.app.say
        if hint is None:
            say("thinking…")
        elif hint.action is None:
            say(hint.message or f"{hint.source} knows nothing to do here")
        else:
            puzzle, options = self.game.puzzle, self.game.env.options
            keys = keys_of(puzzle, options, self.app.preferences)
            step = keys.words.get(hint.action) or puzzle.actions(options)[hint.action]
            left = f", {plural(len(hint.plan), 'move')} to the goal" if hint.solves else ""
            self.game.hint(hint.action)
            if self.guides:
                key = next(
                    (LABELS.get(key, key.upper()) for key in keys.actions if keys.actions[key] == hint.action), ""
                )
                say(f"Press {key}: {step}{left}")
            else:
                say(f"hint: {step}{left} (ask again to play it)")

    def _guide(self, words: str) -> None:
        self.guidance = words
