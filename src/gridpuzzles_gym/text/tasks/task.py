"""What a task is, and an item of it."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from .instances import Instance, Source


@dataclasses.dataclass(frozen=True)
class Item:
    """One question with its answer. It consists of texts and numbers, so it can be written as JSON and read back."""

    index: int
    """Its place in the data set."""
    task: str
    """The name of the task, a key of :data:`~gridpuzzles_gym.text.tasks.TASKS`."""
    env_id: str
    """The id of the environment."""
    system: str
    """The rules, the question, and how to reply."""
    user: str
    """The position."""
    answer: str
    """A correct reply, of score 1."""
    difficulty: Mapping[str, int | str]
    """The name of the difficulty, and measured numbers."""
    level: str
    """The position as level text, with everything that is hidden."""
    key: str
    """Equal for items that ask the same, also turned or mirrored."""
    info: Mapping[str, Any]
    """What the score depends on; ``"settings"`` are the keyword arguments of an environment that plays the level."""

    @property
    def prompt(self) -> str:
        """The whole question."""
        return f"{self.system}\n\n{self.user}"

    @property
    def messages(self) -> list[dict[str, str]]:
        """The question as OpenAI's chat messages."""
        return [{"role": "system", "content": self.system}, {"role": "user", "content": self.user}]

    def row(self) -> dict[str, Any]:
        """Return it as an object for JSON, with ``prompt`` and ``messages`` too."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {**fields, "prompt": self.prompt, "messages": self.messages}

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> "Item":
        """Return the item that :meth:`row` wrote.

        Raises:
            ValueError: A field is missing.
        """
        names = [field.name for field in dataclasses.fields(cls)]
        missing = [name for name in names if name not in row]
        if missing:
            raise ValueError(f"not an item of a task: it has no {' and no '.join(map(repr, missing))}")
        return cls(**{name: row[name] for name in names})


class Draft(NamedTuple):
    """What a task makes of random bits."""

    instance: Instance
    """The position that is shown."""
    origin: Instance
    """The start of its level."""
    key: bytes
    """Equal for items that ask the same."""
    question: str
    """What is asked, and how to reply."""
    answer: str
    numbers: Mapping[str, int]
    """Measured numbers by name: how hard it is."""
    info: Mapping[str, Any]
    """What the score depends on."""
    picture: str | None = None
    """The position as text with a legend; None: as its player sees it."""


@dataclasses.dataclass(frozen=True)
class Task:
    """A family of questions with an exact verifier."""

    name: str
    description: str
    """One line."""
    make: Callable[[Source, Mapping[str, Any], int, int], Draft | None]
    """``make(source, settings, random_bits, turn)``: what is needed for an item; None if these random bits give none.
    Equal arguments give equal drafts. ``turn`` is 0 or 1, equally often; tasks with two answers balance them by it."""
    score: Callable[[Item, Any], float]
    """``score(item, reply)``: from 0 to 1, for any reply; it raises no error."""
    defaults: Mapping[str, Any]
    """The task's own settings with their default values."""
    check: Callable[[Mapping[str, Any]], None]
    """``check(settings)``: raises ValueError if one of the task's own settings is invalid."""
