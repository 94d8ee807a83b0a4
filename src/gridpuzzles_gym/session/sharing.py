"""A game as text, for the clipboard, mails and other programs: its level, position, solution and id, and back.

A game's id says which level it is: ``8-puzzle#7`` the instance of a seed, ``Wumpus-v0?size=6&pits=5#28`` one with
settings, ``Sokoban-v0:starter#12`` a level of a bundled pack. Any other level is its own board.
"""

import itertools
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qsl, urlencode

import numpy as np

from gridpuzzles_gym.agents.command_words import typed

from ..engine.levels.bundled import bundled
from ..engine.levels.sources import levels_text
from ..engine.messages import did_you_mean, plural, quote
from ..engine.puzzle import Puzzle
from .arguments import environment, read_settings, resolve_id
from .choices import ids_of
from .game import Game
from .puzzle_detection import puzzle_for, puzzle_of_text

_ID = re.compile(r"(?P<env>[\w:-]+?)(:(?P<pack>[\w-]+))?(\?(?P<settings>[^#\s]*))?#(?P<number>\d{1,20})")
_PUSHES = "pushes"


def level_text(game: Game) -> str:
    """Return the level with its title, as level text.

    Raises:
        ValueError: Something in it is hidden from the player until the game is over.
    """
    return _text(game, game.states[0])


def position_text(game: Game) -> str:
    """Return the current position, as level text.

    Raises:
        ValueError: As for :func:`level_text`, or the puzzle's levels cannot describe it.
    """
    return _text(game, game.states[-1])


def solution_text(game: Game) -> str:
    """Return the moves so far: letters (LURD, upper case for pushes) if the puzzle counts pushes, otherwise names."""
    names = game.puzzle.actions(game.env.options)
    if _PUSHES not in game.metrics():
        return " ".join(names[action] for action in game.taken)
    return "".join(names[action][0].upper() if push else names[action][0] for action, push in _pushing(game))


def read_moves(puzzle: Puzzle, options: Any, text: str) -> list[int]:
    """Return the actions of a text that :func:`solution_text` returned, or of letters in any case.

    Raises:
        ValueError: A word is no action.
    """
    names = puzzle.actions(options)
    letters = {name[0]: action for action, name in enumerate(names)}
    compact = "".join(text.lower().split())
    if len(letters) == len(names) and set(compact) <= letters.keys():
        return [letters[letter] for letter in compact]
    return _named_moves(names, text)


def game_id(game: Game) -> str:
    """Return what identifies the level: see above.

    Raises:
        ValueError: As for :func:`level_text`, of a level that has no other id than its board.
    """
    if game.pack is None:
        own = game.puzzle.options.__dataclass_fields__
        settings = {name: value for name, value in game.settings.items() if name in own}
        query = urlencode({name: typed(value) for name, value in settings.items() if value is not None})
        return f"{game.env_id}{query and '?'}{query}#{game.seed}"
    if game.choice in bundled(game.puzzle):
        return f"{game.env_id}:{game.choice}#{game.number + 1}"
    return "/".join(line for line in level_text(game).splitlines() if not line.startswith(";"))


def read_game(text: str, puzzle: Puzzle | None = None) -> Game:
    """Start the game of an id, or of pasted levels.

    Args:
        text: What :func:`game_id` returns, or level text in any format of the puzzle, of one or several levels.
        puzzle: The puzzle of the levels; None detects it.

    Raises:
        ValueError: It is neither an id nor levels; the message says what is wrong and where.
    """
    found = _ID.fullmatch(text.strip())
    if found is not None:
        return _of_id(found)
    board = text.strip("\n")
    several = "\n" in board
    if puzzle is None:
        puzzle = puzzle_of_text(board, None)[0] if several else puzzle_for(board, None)
    return Game(ids_of(puzzle)[0], levels=f"{board}\n" if several else board)


def _of_id(found: re.Match[str]) -> Game:
    env_id, pack, number = resolve_id(found["env"]), found["pack"], int(found["number"])
    pairs = [f"{name}={value}" for name, value in parse_qsl(found["settings"] or "", keep_blank_values=True)]
    settings = read_settings(pairs, "game id:")
    if pack is None:
        return Game(env_id, None, number, **settings)
    puzzle = environment(env_id)[1]
    if pack not in bundled(puzzle):
        raise ValueError(f"{puzzle.title} has no pack {quote(pack)}; {did_you_mean(pack, bundled(puzzle))}")
    game = Game(env_id, pack, **settings)
    if not 1 <= number <= (game.count or 0):
        raise ValueError(f"{pack} has no level {number}; it has {plural(game.count or 0, 'level')}, counted from 1")
    game.go_to(number - 1)
    return game


def _text(game: Game, state: Any) -> str:
    if game.puzzle.hidden is not None and not game.over:
        raise ValueError("this level is hidden until the game is over")
    board = game.puzzle.format(game.scene().level, state)
    return levels_text([game.title], [board.rstrip("\n")])


def _pushing(game: Game) -> list[tuple[int, bool]]:
    """Return each move and whether it pushes."""
    puzzle, scene = game.puzzle, game.scene()
    assert puzzle.metrics is not None
    names = list(puzzle.metric_kinds(game.env.options))
    metrics, counts = np.zeros(len(names), np.int32), [0]
    for before, after in itertools.pairwise(game.states):
        puzzle.metrics.count(scene.level, before, after, metrics)
        counts.append(int(metrics[names.index(_PUSHES)]))
    return [
        (action, after > before) for action, (before, after) in zip(game.taken, itertools.pairwise(counts), strict=True)
    ]


def _named_moves(names: Sequence[str], text: str) -> list[int]:
    """Return the actions whose names follow each other, longest names first: some have several words."""
    by_length = sorted(range(len(names)), key=lambda action: -len(names[action]))
    rest, actions = " ".join(text.lower().split()), []
    while rest:
        action = next((each for each in by_length if f"{rest} ".startswith(f"{names[each].lower()} ")), None)
        if action is None:
            raise ValueError(f"{quote(rest.partition(' ')[0])} is no move; allowed are {', '.join(names)}")
        actions.append(action)
        rest = rest[len(names[action]) :].lstrip()
    return actions
