"""Data sets of tasks: items made on demand, determined by a seed."""

import dataclasses
import hashlib
import itertools
import json
import operator
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, overload

from gridpuzzles_gym.agents.samplers.base import mix

from ...engine.arguments import choice, integer, pair
from ...engine.messages import did_you_mean, quote
from ...engine.system.files import read_json, replacing
from ...engine.system.progress_bar import progress
from ...engine.wording import wording_of
from ...registration import bare_id, puzzle_of_id
from ..replies import MOST_ACTIONS, REWARD_VERSION
from ..views import View
from .kinds import TASKS, Draft, Source, Task, keys_of_tests, tasks_of

DIFFICULTIES = ("easy", "medium", "hard")
MOST_ITEMS = 10**9
MOST_TRIES: Final = 3000
"""The maximum number of attempts in a row without a new item; then there seem to be no others."""
_RANGES = {
    "least_length": (1, 1000), "most_length": (1, 1000), "most_actions": (1, MOST_ACTIONS), "nodes": (1, 10**9),
    "least_expanded": (0, 10**9), "changes": (0, 10_000), "shuffled": (3, 100),
}  # fmt: skip
"""The smallest and the largest value of each numeric setting of a task."""
_ORDERED = ("least_length", "most_length", "most_actions")
"""Settings of which none may be larger than the next."""


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
    reward_version: int = REWARD_VERSION
    """The version of the scores; see :data:`~gridpuzzles_gym.text.REWARD_VERSION`."""

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
        return {**dataclasses.asdict(self), "prompt": self.prompt, "messages": self.messages}

    @classmethod
    def of_row(cls, row: Any) -> "Item":
        """Return the item of a row that :meth:`row` returned.

        Raises:
            ValueError: A field is missing, the task is unknown, or the item is of another version.
        """
        names = [field.name for field in dataclasses.fields(cls)]
        missing = [name for name in names if not isinstance(row, Mapping) or name not in row]
        if missing:
            raise ValueError(f"not an item of a task: it has no {' and no '.join(map(repr, missing))}")
        if row["reward_version"] != REWARD_VERSION:
            raise ValueError(f"reward_version={quote(row['reward_version'])}: must be {REWARD_VERSION}; make it again")
        choice("task", row["task"], TASKS)
        return cls(**{name: row[name] for name in names})


class TaskDataset(Sequence[Item]):
    """Items of one task in one environment: ``TaskDataset("plan", "Sokoban-v0", size=1000)[0].prompt``.

    An item depends on the task, the environment, the settings, the seed and its index only: it is the same in every
    process. Items are made on demand, in order, and stored. No item occurs twice, and none has a level of a
    bundled test pack; turned and mirrored boards count as the same.

    Args:
        task: A key of :data:`~gridpuzzles_gym.text.tasks.TASKS` that the environment has.
        env_id: The id of the environment.
        size: The number of items.
        seed: The random seed. Data sets of different seeds are independent of each other, so they can have items in
            common; ``avoid`` excludes that.
        difficulty: ``"easy"``, ``"medium"`` or ``"hard"``: a name for settings.
        avoid: Items to exclude, such as another data set.
        levels: Settings of the levels that replace those of the difficulty: of the puzzle's level maker, and the
            puzzle's options.
        **settings: Settings of the task that replace those of the difficulty; ``TASKS[task].defaults`` has them all.

    Raises:
        ValueError: There is no such task, environment, difficulty or setting; or a value is invalid.
    """

    def __init__(
        self,
        task: str,
        env_id: str,
        size: int = 1000,
        seed: int = 0,
        difficulty: str = "easy",
        *,
        avoid: Iterable[Item] = (),
        levels: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> None:
        self.task = TASKS[choice("task", task, TASKS)]
        self.env_id = env_id
        self.size, self.seed = integer("size", size, 0, MOST_ITEMS), integer("seed", seed, 0, 2**64 - 1)
        self.difficulty = difficulty
        self.levels, self.settings = _settings(self.task, env_id, difficulty, levels or {}, settings)
        self._source = Source(env_id, self.levels)
        self._avoided = {item.key for item in avoid}
        determining = [task, env_id, self.seed, self.levels, self.settings]
        text = json.dumps(determining, sort_keys=True, default=str)
        self._bits = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")
        self._tried = 0
        self._items: list[Item] = []
        self._keys: set[str] = set()

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> list[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | list[Item]:
        """Return an item, or those of a slice.

        Raises:
            IndexError: There is no such index.
            ValueError: There are too few distinct items with these settings.
        """
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(self.size))]
        place = operator.index(index)
        place += self.size if place < 0 else 0
        if not 0 <= place < self.size:
            raise IndexError(f"item {index}: this data set has {self.size:,} items, counted from 0")
        while len(self._items) <= place:
            self._add()
        return self._items[place]

    def rows(self) -> list[dict[str, Any]]:
        """Return all items as objects for JSON, as ``datasets.Dataset.from_list`` takes them.

        If this takes long, a terminal shows a progress bar.
        """
        rows = []
        with progress(self.size, noun="item") as advance:
            for item in self:
                rows.append(item.row())
                advance()
        return rows

    def write(self, path: str | Path) -> None:
        """Write all items to a file, one JSON object a line, for ``gridpuzzles ask --tasks`` and :func:`read_items`.

        Raises:
            OSError: It cannot be written.
        """
        lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in self.rows()]
        with replacing(path) as unfinished:
            unfinished.write_text("".join(lines), encoding="utf-8")

    def _add(self) -> None:
        """Make the next item."""
        index, tests = len(self._items), keys_of_tests(self._source.puzzle)
        parity = (mix(~self._bits & (2**64 - 1), index // 2) + index) & 1  # each exactly once for every two items
        for _ in range(MOST_TRIES):
            self._tried += 1
            draft = self.task.make(self._source, self.settings, mix(self._bits, self._tried), parity)
            if draft is None or draft.position.key in self._keys:
                continue
            if (self._avoided | tests).isdisjoint({draft.position.key, draft.origin.key}):
                self._keys.add(draft.position.key)
                self._items.append(self._item(index, draft))
                return
        raise ValueError(
            f"there seem to be only {index:,} distinct items of {self.task.name} in {self.env_id} with these settings "
            f"({self.difficulty}): {MOST_TRIES:,} more tries gave no other; size={self.size} is too large"
        )

    def _item(self, index: int, draft: Draft) -> Item:
        config, picture = draft.position.config, draft.picture
        view = View(config)
        legend = "" if picture is not None else f"You are shown the position as text:\n\n{view.legend}"
        return Item(
            index=index,
            task=self.task.name,
            env_id=self.env_id,
            system="\n\n".join(filter(None, (wording_of(config.puzzle).rules(config), legend, draft.question))),
            user=draft.position.seen(view) if picture is None else picture,
            answer=draft.answer,
            difficulty={"name": self.difficulty, **draft.numbers},
            level=draft.position.text,
            key=draft.position.key,
            info={"settings": dict(self._source.play), **draft.info},
        )


def score(item: Item | Mapping[str, Any], reply: str | Mapping[str, Any]) -> float:
    """Return the score of a reply to an item, from 0 to 1.

    Args:
        item: An item, or its row.
        reply: A text, or an assistant message in OpenAI's form. No reply raises an error.

    Raises:
        ValueError: The row is not an item's.
    """
    asked = item if isinstance(item, Item) else Item.of_row(item)
    return TASKS[asked.task].score(vars(asked), reply)


def read_items(path: str | Path) -> list[Item]:
    """Return the items in a file that :meth:`TaskDataset.write` has written.

    Raises:
        ValueError: A line is not an item.
        OSError: The file cannot be read.
    """
    items = []
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), start=1):
        try:
            items.append(Item.of_row(read_json(line)))
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None
    return items


def tasks_for(env_id: str) -> list[str]:
    """Return the names of the tasks that an environment has.

    Raises:
        ValueError: It has no tasks.
    """
    return list(_difficulties(env_id))


def _difficulties(env_id: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the settings by task and difficulty of an environment, or else of its puzzle's first one."""
    difficulties = tasks_of(puzzle_of_id(env_id)).difficulties
    return difficulties.get(bare_id(env_id)) or next(iter(difficulties.values()))


def _settings(
    task: Task, env_id: str, difficulty: str, levels: Mapping[str, Any], given: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the settings of the levels, and those of the task."""
    difficulties = _difficulties(env_id)
    if task.name not in difficulties:
        raise ValueError(f"{env_id} has no task {quote(task.name)}; {did_you_mean(task.name, difficulties)}")
    for name in given:
        if name not in task.defaults:
            raise ValueError(f"{task.name} has no setting {quote(name)}; {did_you_mean(name, task.defaults)}")
    chosen = dict(difficulties[task.name][choice("difficulty", difficulty, DIFFICULTIES)])
    made = {**chosen.pop("levels"), **levels}
    settings = {**task.defaults, **chosen, **given}
    for name, value in settings.items():
        if name == "changes":
            settings[name] = tuple(integer(name, each, *_RANGES[name]) for each in pair(value))
        elif name != "shuffled" or value is not None:
            settings[name] = integer(name, value, *_RANGES[name])
    for least, most in itertools.pairwise(name for name in _ORDERED if name in settings):
        if settings[least] > settings[most]:
            raise ValueError(f"{least}={settings[least]} is more than {most}={settings[most]}")
    if list(settings.get("changes", ())) != sorted(settings.get("changes", ())):
        raise ValueError(f"changes={list(settings['changes'])}: the first number must not be larger than the second")
    return made, settings
