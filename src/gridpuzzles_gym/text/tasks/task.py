"""Tasks and their items."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from .instances import Instance, Source


@dataclasses.dataclass(frozen=True)
class Item:
    """One question with its answer; it consists of texts and numbers, so it can be saved as JSON."""

    index: int
    """Its index in the data set."""
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
    """The name of the difficulty, and measurements."""
    level: str
    """The position as level text, including everything that is hidden."""
    key: str
    """Equal for items with the same problem, even rotated or mirrored."""
    info: Mapping[str, Any]
    """Data for scoring; ``"settings"`` are the keyword arguments of an environment that plays the level."""

    @property
    def prompt(self) -> str:
        """The whole question."""
        return f"{self.system}\n\n{self.user}"

    @property
    def messages(self) -> list[dict[str, str]]:
        """The question as OpenAI's chat messages."""
        return [{"role": "system", "content": self.system}, {"role": "user", "content": self.user}]

    def row(self) -> dict[str, Any]:
        """Return the item as a JSON object, with ``prompt`` and ``messages``."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {**fields, "prompt": self.prompt, "messages": self.messages}

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> "Item":
        """Return the item of a row that :meth:`row` returned.

        Raises:
            ValueError: A field is missing.
        """
        names = [field.name for field in dataclasses.fields(cls)]
        missing = [name for name in names if name not in row]
        if missing:
            raise ValueError(f"not an item of a task: it has no {' and no '.join(map(repr, missing))}")
        return cls(**{name: row[name] for name in names})


class Draft(NamedTuple):
    """A task's output for some random bits: an item without the parts common to all tasks."""

    instance: Instance
    """The position that is shown."""
    origin: Instance
    """The start of its level."""
    key: bytes
    """Equal for items with the same problem."""
    question: str
    """The question, and how to reply."""
    answer: str
    """A correct reply."""
    numbers: Mapping[str, int]
    """Measurements of its difficulty, by name."""
    info: Mapping[str, Any]
    """Data for scoring."""
    picture: str | None = None
    """The position as text with a legend; None: as the player sees it."""


@dataclasses.dataclass(frozen=True)
class Task:
    """A family of questions with an exact verifier."""

    name: str
    description: str
    """One line that says what is scored."""
    make: Callable[[Source, Mapping[str, Any], int, int], Draft | None]
    """``make(source, settings, random_bits, parity)``: a draft, determined by the arguments; None if these random bits
    give none. ``parity`` is 0 or 1, equally often; tasks with two answers balance them by it."""
    score: Callable[[Item, Any], float]
    """``score(item, reply)``: from 0 to 1; no reply raises an error."""
    defaults: Mapping[str, Any]
    """The task's own settings with their default values."""
    check: Callable[[Mapping[str, Any]], None]
    """``check(settings)``: raises ValueError if one of the task's own settings is invalid."""
