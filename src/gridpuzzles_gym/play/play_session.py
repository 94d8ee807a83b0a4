"""A game that a person plays: levels by number, undo and redo without limit, restart, hints, and saving.

A saved game is small and survives any change of the level's file: it contains the level's text, the seed and the
actions, which are played again.
"""

import contextlib
import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

import gymnasium as gym

from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.agents.puzzle_agents import board_of, key_of

from ..engine.arguments import integer, step_limit
from ..engine.messages import one_line, quote
from ..engine.puzzle import Level, LevelError, Outcome
from ..engine.scene import Scene
from .session import Session

VERSION = 1
"""The version of the format of saved games."""


class PlaySession(Session):
    """A session for a person. Each level has an environment of exactly its size.

    In a puzzle without chance, an action that changes nothing is shown, but it is no move: it is not counted, and undo
    does not lead back to it.

    Args:
        game: The game. Without levels, the puzzle's default pack is played, or instances that the puzzle generates.
        number: The number of the first level, from 0; of generated instances, which have no end, the seed; None chooses
            the first level, or any instance.
        limit: The maximum number of steps of an episode, unless the game's settings have one; None for no limit.
        seed: The seed of what is random in a level; None chooses one.

    Attributes:
        pack: The levels; None if they are generated.
        every_action: Whether actions that change nothing are moves, too, as they are for an agent.
        slot: Where the unfinished game is saved, of several for the same level; empty for the level's own.

    Raises:
        ValueError: A level or number is invalid.
    """

    every_action = False
    slot = ""
    _blocked: int | None = None
    """The last action, if it changed nothing and is no move."""

    def __init__(
        self, game: Game, number: int | None = None, limit: int | None = None, seed: int | None = None
    ) -> None:
        game = game.with_levels()
        self.pack = game.levels or None
        self._keys: dict[int, bytes] = {}
        self._own_seed: int | None = None
        super().__init__(game, seed)
        self.limit = game.limit if "max_episode_steps" in game.settings else limit
        if self.pack is None:
            first, self.first_seed = (self.first_seed if number is None else number), 0
        else:
            first = number or 0
        self.go_to(first)

    @classmethod
    def of(
        cls,
        env_id: str,
        choice: str | None = None,
        number: int | None = None,
        limit: int | None = None,
        seed: int | None = None,
        **settings: Any,
    ) -> "PlaySession":
        """Return a session for an id.

        Args:
            env_id: A registered id.
            choice: A level file, folder, pack or a level's title; None plays the environment's levels.
            number: As for the class.
            limit: As for the class.
            seed: As for the class.
            **settings: Keyword arguments of the environment.

        Raises:
            ValueError: The id, level or number is unknown, or a setting is invalid.
        """
        if choice is not None:
            if "levels" in settings:
                raise ValueError("level and levels= cannot be combined")
            settings["levels"] = choice
        return cls(Game.of(env_id, **settings), number, limit, seed)

    @property
    def choice(self) -> str | None:
        """The file, folder, bundled pack or title that has the levels; None if there is none."""
        choice = self.game.choice
        return choice if isinstance(choice, str) and "\n" not in choice else None

    # -- levels --------------------------------------------------------------------------------------

    @property
    def number(self) -> int:
        """The number of the level from 0, or the seed."""
        return self.episode

    @property
    def count(self) -> int | None:
        """The number of levels; None if they are generated."""
        return None if self.pack is None else len(self.pack)

    @property
    def level(self) -> Level | None:
        """The level; None if it was generated."""
        return None if self.pack is None else self.pack[self.number]

    @property
    def title(self) -> str:
        """The level's title, or its seed."""
        return self.level.name if self.level is not None else f"seed {self.seed}"

    @property
    def key(self) -> bytes | None:
        """The key of the level, equal for levels that are the same; None if it was generated."""
        if self.level is not None and self.number not in self._keys:
            self._keys[self.number] = key_of(self.puzzle, self.level, self.env.options)
        return self._keys.get(self.number)

    @property
    def identity(self) -> bytes:
        """What identifies the game among all of the puzzle: its level and its slot."""
        return self._level_identity + self.slot.encode()

    @property
    def _level_identity(self) -> bytes:
        """What identifies its level, which may be generated."""
        return self.key or self.scene().level.tobytes() + self.states[0].tobytes()

    @property
    def seed(self) -> int:
        """The seed of this level, which a restored game keeps."""
        return super().seed if self._own_seed is None else self._own_seed

    def go_to(self, number: int) -> None:
        """Play another level from its start, in the level's own slot.

        Raises:
            ValueError: There is no level with this number.
        """
        if number < 0 or (self.pack is not None and number >= len(self.pack)):
            raise ValueError(f"there is no level {number + 1}; levels are numbered from 1 to {self.count}")
        if self.pack is not None:
            self.env.close()
            self.env = self._make_env(levels=[self.pack[number]])
        self.episode, self._own_seed, self.slot = number - 1, None, ""
        self.begin()

    def has(self, step: int) -> bool:
        """Whether there is a level ``step`` after this one."""
        number = self.number + step
        return number >= 0 and (self.pack is None or number < len(self.pack))

    def go_on(self) -> None:
        """Play the next level; after the last one, the first with another seed."""
        if self.has(1):
            self.go_to(self.number + 1)
        else:
            self.first_seed += self.count or 0
            self.go_to(0)

    def restart(self) -> None:
        """Return to the start of the level; the actions can be redone."""
        while self.undo():
            pass

    # -- moves ---------------------------------------------------------------------------------------

    def begin(self) -> Any:
        """Start the next level and return its first observation."""
        self._hint: tuple[int, int] | None = None
        self._hinted: set[int] = set()
        self._blocked = None
        return super().begin()

    def play(self, action: int) -> Any:
        """Play an action and return the next observation; one that changes nothing only shows that."""
        rows = self._now.state["levels"][0], self._now.state["states"][0]
        self._blocked = None
        counted = self.every_action or not self.puzzle.deterministic or self.over
        valid = 0 <= action < len(self.env.batch.action_names)
        if valid and not counted and not self.puzzle.rules.legal(*rows, action):
            self._blocked = action
            return None
        number = len(self._past)
        self._hinted = {each for each in self._hinted if each < number}
        if self._hint == (number, action):
            self._hinted.add(number)
        return super().play(action)

    def hint(self, action: int) -> None:
        """Say that the person is shown this action as a hint; if it is the next one, :attr:`hints` counts it."""
        self._hint = (len(self._past), action)

    @property
    def hints(self) -> int:
        """The number of moves so far that followed a hint."""
        return sum(number < len(self._past) for number in self._hinted)

    def _go(self, source: Any, target: Any) -> bool:
        self._blocked = None
        return super()._go(source, target)

    def scene(self, notes: dict[tuple[int, int], str] | None = None) -> Scene:
        """Return the scene to draw; after an action that changed nothing, it shows that."""
        scene = super().scene(notes)
        if self._blocked is None:
            return scene
        return dataclasses.replace(scene, before=scene.state, action=self._blocked)

    # -- the state of the game -----------------------------------------------------------------------

    @property
    def solved(self) -> bool:
        """Whether the goal is reached."""
        return self.outcome == Outcome.SOLVED

    @property
    def moves(self) -> int:
        """The number of moves so far: the puzzle's metric of that name, or else the number of actions."""
        scene = self.scene()
        return int(scene.metrics.get("moves", scene.steps))

    def metrics(self) -> dict[str, int]:
        """Return the puzzle's own metrics of the episode so far, by name."""
        return dict(self.scene().metrics)

    # -- saving ----------------------------------------------------------------------------------------

    def save(self) -> dict[str, Any]:
        """Return the game as a dict for JSON, from which :meth:`resumed` continues it."""
        left_out = "levels", "max_episode_steps"
        settings = {name: value for name, value in self.game.settings.items() if name not in left_out}
        text = None if self.level is None else board_of(self.puzzle, self.level, self.env.options)
        return {
            "version": VERSION,
            "id": self.game.id,
            "choice": self.choice,
            "number": self.number,
            "title": self.title,
            "slot": self.slot,
            "text": text,
            "limit": self.limit,
            "seed": self.seed,
            "settings": settings,
            "taken": self.actions,
            "undone": self.undone,
            "hinted": sorted(self._hinted),
        }

    @classmethod
    def resumed(cls, saved: Mapping[str, Any]) -> "PlaySession":
        """Continue a saved game. If its level file has changed or is gone, only the saved level is there.

        Args:
            saved: As returned by :meth:`save`.

        Raises:
            ValueError: It is not a saved game of this version, or cannot be played.
        """
        with _only_value_errors():
            if saved["version"] != VERSION:
                raise ValueError(f"it has version {quote(saved['version'])}, not {VERSION}")
            game = cls._with_level_of(saved)
        game.restore(saved)
        return game

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Play this level from its start as in a saved game, with what was undone.

        Args:
            saved: As returned by :meth:`save`, for the same level.

        Raises:
            ValueError: It is not a saved game of this level, or its actions cannot be played.
        """
        with _only_value_errors():
            self.slot = str(saved["slot"])
            if self.pack is not None:
                self._own_seed = integer("seed", saved["seed"], 0, 2**63)
            self.episode -= 1  # the next episode is this one again
            self.begin()
            taken, undone = ([integer("action", action, 0) for action in saved[name]] for name in ("taken", "undone"))
            for action in [*taken, *undone]:
                self.play(action)
            for _ in undone:
                self.undo()
            self._hinted = {integer("hinted", number, 0) for number in saved["hinted"]}

    def copied(self, **saved: Any) -> "PlaySession":
        """Return another game of this level, with some entries of :meth:`save` replaced; see :meth:`resumed`."""
        game = PlaySession.resumed({**self.save(), **saved})
        game.pictures = self.pictures
        return game

    @classmethod
    def _with_level_of(cls, saved: Mapping[str, Any]) -> "PlaySession":
        env_id, choice, settings, text = saved["id"], saved["choice"], dict(saved["settings"]), saved["text"]
        number, limit = integer("number", saved["number"], 0), step_limit(saved["limit"])
        if text is None:
            return cls.of(env_id, None, number, limit, **settings)
        if choice is not None:
            with contextlib.suppress(ValueError):  # the file is gone, has fewer levels, or is none any more
                session = cls.of(env_id, choice, number, limit, **settings)
                if session.level is not None and board_of(session.puzzle, session.level, session.env.options) == text:
                    return session
                session.close()
        game = Game.of(env_id, **settings)
        levels = game.puzzle.parse(text, "saved game")
        if len(levels) != 1:
            raise LevelError("the saved level is not one level")
        level = dataclasses.replace(levels[0], name=str(saved["title"]))
        return cls(game.with_settings(levels=[level]), 0, limit)


@contextlib.contextmanager
def _only_value_errors() -> Iterator[None]:
    """Raise what a game raises that was not saved by this program, or was damaged, as a ValueError."""
    try:
        yield
    except (KeyError, TypeError, AttributeError, IndexError, OverflowError, OSError, gym.error.Error) as error:
        raise ValueError(f"not a saved game ({type(error).__name__}: {one_line(error)})") from None
