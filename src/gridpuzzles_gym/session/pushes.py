"""Undo and redo from push to push, in puzzles whose player walks without changing anything else."""

from collections.abc import Callable

from gridpuzzles_gym.agents.puzzle_agents import agents_record

from .game import Game


def has_walks(game: Game) -> bool:
    """Whether the player can walk without changing anything else."""
    return agents_record(game.puzzle).walker is not None


def undo_push(game: Game) -> bool:
    """Undo the last push and the walk after it, without a push all moves; return False if there is nothing to undo."""
    return _until_push(game, game.undo)


def redo_push(game: Game) -> bool:
    """Play undone moves again, up to and with the next push; return False if there are none."""
    return _until_push(game, game.redo)


def _until_push(game: Game, step: Callable[[], bool]) -> bool:
    before, moved = _without_player(game), False
    while step():
        moved = True
        if _without_player(game) != before:
            break
    return moved


def _without_player(game: Game) -> bytes:
    """Return the state without the player's square."""
    state, walker = game.scene().state.copy(), agents_record(game.puzzle).walker
    if walker is not None:
        state[walker] = 0
    return state.tobytes()
