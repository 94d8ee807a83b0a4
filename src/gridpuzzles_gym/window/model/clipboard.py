"""What a person copies from a game and pastes into it: levels, positions, moves, and the ids of games."""

import contextlib
from collections.abc import Mapping
from typing import Any, NamedTuple

from gridpuzzles_gym.agents.identity import board_of
from gridpuzzles_gym.agents.search.problem import Problem

from ...engine.arguments import integer
from ...engine.levels.bundled import bundled, is_bundled
from ...engine.levels.left_out import levels_in_text, line_about, parted
from ...engine.levels.sources import levels_text
from ...engine.messages import did_you_mean, quote
from ...engine.puzzle import LevelError, Puzzle
from ...session.arguments import (
    check_settings,
    environment,
    puzzle_named,
    read_settings,
    resolve_id,
    short_names,
    split_number,
)
from ...session.choices import Choice, ids_of, playing_settings
from ...session.game import Game
from ...session.preferences import Preferences
from ...session.solving import count_pushes, letters_of

SOURCE = "the clipboard"
MOST_CHARACTERS = 10_000_000
"""Maximum length of a text that is read."""
MAX_SEED = 2**63 - 1


def level_text(game: Game) -> str:
    """Return the level of a game at its start, with its title."""
    return f"; {game.title}\n{game.puzzle.format(game.scene().level, game.states[0])}"


def position_text(game: Game) -> str:
    """Return the current position of a game, as level text."""
    scene = game.scene()
    return game.puzzle.format(scene.level, scene.state)


def moves_text(game: Game) -> str:
    """Return the moves so far: letters where pushes are counted, in upper case for a push (LURD), otherwise names."""
    puzzle, options = game.puzzle, game.env.options
    names, taken = puzzle.actions(options), game.taken
    if not puzzle.deterministic:
        return " ".join(names[action] for action in taken)
    pushes = count_pushes(Problem(puzzle, game.scene().level, game.states[0], options), taken)
    return " ".join(names[action] for action in taken) if pushes is None else letters_of(names, taken, pushes)


# -- ids of games ------------------------------------------------------------------------------------


class GameId(NamedTuple):
    """What an id of a game says."""

    choice: Choice
    number: int
    settings: Mapping[str, Any]

    def game(self, preferences: Preferences) -> Game:
        """Start the game; raises ValueError if there is no such level."""
        own = playing_settings(preferences, environment(self.choice.env_id)[1])
        return self.choice.game(self.number, **{**own, **self.settings})


def id_of(game: Game) -> str:
    """Return the id of a game, which :func:`read_id` reads; empty if it would show what is hidden.

    Such as ``sokoban medium:3``, ``15-puzzle seed=7 width=5``, or, for a level of one's own, ``sokoban ####|#@$.#|…``.
    """
    name = short_names(game.env_id)[0]
    shown = playing_settings(Preferences(), game.puzzle)
    settings = {key: value for key, value in game.settings.items() if key not in (*shown, "levels")}
    if game.limit is not None:
        settings["max_episode_steps"] = game.limit
    own = "".join(f" {key}={value}" for key, value in settings.items())
    if game.level is None:
        return f"{name} seed={game.seed}{own}"
    if is_bundled(game.puzzle, game.choice):
        return f"{name} {game.choice}:{game.number + 1}{own}"
    rows = board_of(game.puzzle, game.level, game.env.options).splitlines()
    return f"{name} {'|'.join(rows)}" if shows_all(game) else ""


def shows_all(game: Game) -> bool:
    """Whether the person sees the whole level."""
    return game.puzzle.hidden is None or game.over


def is_id(text: str) -> bool:
    """Whether a text begins like the id of a game: with the name of a puzzle."""
    first = text.split(maxsplit=1)[:1]
    try:
        return "\n" not in text.strip() and bool(first) and puzzle_named(first[0]) is not None
    except ValueError:
        return False


def read_id(text: str) -> GameId:
    """Return what an id says.

    Raises:
        ValueError: It is not an id, or the puzzle is unknown.
    """
    name, _, rest = text.strip().partition(" ")
    if not name or "\n" in text.strip():
        raise ValueError("a game ID is one line, such as: sokoban medium:3")
    env_id = resolve_id(name)
    puzzle = environment(env_id)[1]
    if "|" in rest:
        return GameId(Choice(SOURCE, env_id, "\n".join(rest.split("|")) + "\n"), 0, {})
    words = rest.split()
    level = words.pop(0) if words and "=" not in words[0] else None
    settings = read_settings(words, "")
    if level is None:
        if "seed" not in settings:
            raise ValueError(f"{quote(text)}: a game ID has a level or a seed, such as: {name} seed=12")
        seed = integer("seed", settings.pop("seed"), 0, MAX_SEED)
        check_settings(puzzle, settings)
        return GameId(Choice(name, env_id, None), seed, settings)
    pack, number = split_number(level)
    if not is_bundled(puzzle, pack):
        raise ValueError(f"unknown pack {quote(pack)}; {did_you_mean(pack, bundled(puzzle))}")
    check_settings(puzzle, settings)
    return GameId(Choice(pack, env_id, pack), 0 if number is None else number - 1, settings)


# -- levels ------------------------------------------------------------------------------------------


def pasted_levels(puzzle: Puzzle, text: str) -> tuple[Choice, str]:
    """Return the levels in a text that was copied from anywhere, and a line on those that are left out.

    Raises:
        ValueError: It has no valid level of this puzzle.
    """
    if not text.strip():
        raise ValueError(f"{SOURCE} is empty")
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"{SOURCE} has {len(text):,} characters; the maximum is {MOST_CHARACTERS:,}")
    formats = puzzle.formats
    text = text.replace("\r\n", "\n").rstrip() + "\n"
    levels, errors = parted(levels_in_text(puzzle.read, text, SOURCE))
    if not levels and formats is not None:
        with contextlib.suppress(LevelError):
            entries, errors = parted(formats.import_levels(text, SOURCE, {}))
            text = next(iter(formats.writers.values()))(entries)
            levels = puzzle.parse(text, SOURCE) if entries else []
    if not levels:
        raise LevelError(f"no level of {puzzle.title} in {SOURCE}" + (f": {errors[0]}" if errors else ""))
    if errors:
        text = levels_text([level.name for level in levels], [board_of(puzzle, level) for level in levels])
    return Choice("pasted", ids_of(puzzle)[0], text), line_about(SOURCE, len(levels), errors) if errors else ""
