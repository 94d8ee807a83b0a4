"""The view of a watched player: its board, its numbers, and what it thinks."""

import pygame

from ...session.players import WatchedPlayer
from ...session.watching import Watching, path_of, targets_of
from ..screens.screen import Screen
from .board_view import BoardView
from .thoughts_view import draw_path, draw_targets, draw_values, draw_words


def draw_player(
    screen: Screen,
    surface: pygame.Surface,
    watching: Watching,
    player: WatchedPlayer,
    view: BoardView,
    area: pygame.Rect,
    thoughts_shown: bool,
) -> None:
    """Draw a player in a part of the window.

    Args:
        screen: The screen; it has the colours and the size of text.
        surface: Where to draw.
        watching: The watched players.
        player: The player.
        view: The player's board.
        area: The part of the window, in pixels.
        thoughts_shown: Whether to draw what the player thinks; never drawn while a person plays.
    """
    puzzle = watching.puzzle
    line = round(1.3 * screen.text)
    rows = [pygame.Rect(area.left, area.top + k * line, area.width, line) for k in range(2)]
    screen.write(
        surface, f"{player.name}: {_status(watching, player)}", rows[0], screen.theme.accent, 1.1 * screen.text
    )
    screen.write(surface, _numbers(watching, player), rows[1], screen.theme.faint, screen.text)
    thoughts = player.thoughts
    count = len(thoughts.figures) + len(thoughts.probabilities) + len(thoughts.legend) + bool(thoughts.values)
    below = line * min(max(count, 6), max(area.height // (4 * line), 0)) if thoughts_shown else 0
    board = pygame.Rect(area.left, rows[1].bottom, area.width, area.bottom - rows[1].bottom - below - 4)
    view.draw(surface, board, screen.theme.panel)
    if not thoughts_shown or watching.secret or view.scene is None:
        return
    if not view.moving:
        draw_values(surface, view, thoughts.values)
        draw_path(surface, view, thoughts.path or path_of(view.scene, puzzle, thoughts.plan), screen.theme.accent)
        targets = targets_of(view.scene, puzzle, thoughts.probabilities)
        if targets and puzzle.gestures is not None:
            here = puzzle.gestures.actor(view.scene.level, view.scene.state)
            draw_targets(surface, view, here, targets, screen.theme.accent)
    names = puzzle.actions(player.game.env.options)
    words = pygame.Rect(area.left + area.width // 8, board.bottom + 4, 3 * area.width // 4, below)
    draw_words(screen, surface, thoughts, names, words)


def _status(watching: Watching, player: WatchedPlayer) -> str:
    if player.error:
        return player.error
    game = player.game
    if game.over:
        return game.summary()
    if player.ended:
        return f"nothing more to play after step {player.steps}"
    if player.thinking:
        return "thinking …"
    words = f"step {player.steps}, return {game.scene().score:g}"
    return f"{words}, paused" if watching.paused else words


def _numbers(watching: Watching, player: WatchedPlayer) -> str:
    game = player.game
    count = "" if game.count is None else f"{game.number + 1} of {game.count}: "
    parts = [f"{count}{game.title}", watching.tally(player), f"{watching.pace:g} steps/s"]
    return " · ".join(part for part in parts if part)
