"""The unfinished game of each level: saved while it is played, and continued when the level is opened again.

A game that is not the level's own (see :attr:`.Game.slot`) is saved apart, and only continued from the start screen.
"""

from ...session.game import Game
from .progress import Progress


def save_unfinished(game: Game, progress: Progress) -> None:
    """Save a game; one without actions, and a solved one, leave nothing to continue."""
    unfinished = (game.can_undo or game.can_redo) and not game.solved
    progress.save_game(game.puzzle.name, game.save() if unfinished else None, game.identity)


def continue_unfinished(game: Game, progress: Progress) -> None:
    """Continue a level where it was left, unless it has been continued already."""
    own = not (game.slot or game.can_undo or game.can_redo)
    saved = progress.game(game.puzzle.name, game.identity) if own else None
    if saved is not None:
        try:
            game.restore(saved)
        except (ValueError, KeyError, TypeError):  # it was played by other rules
            game.go_to(game.number)
