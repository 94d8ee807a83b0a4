"""Data sets of tasks: items made on demand, determined by a seed."""

import hashlib
import json
import operator
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, overload

from gridpuzzles_gym.agents.samplers.base import levels_of
from gridpuzzles_gym.agents.samplers.mixing import mix

from ...engine.arguments import choice, integer
from ...engine.messages import did_you_mean, quote
from ...engine.system.progress_bar import progress
from ..prompts import rules_text
from ..views import View
from .instances import Source, start_of
from .keys import digest, key_of_instance, keys_of_tests
from .settings import settings_for
from .table import TASKS
from .task import Draft, Item

MOST_ITEMS = 10**9
MOST_TRIES: Final = 3000
"""The maximum number of attempts in a row without a new item; then there seem to be no others."""


class TaskDataset(Sequence[Item]):
    """Items of one task in one environment: ``TaskDataset("plan", "Sokoban-v0", size=1000)[0].prompt``.

    An item depends on the task, the environment, the settings, the seed and its index only: it is the same in every
    process. Items are made on demand, in order, and stored. No item occurs twice, and none has a level of a
    bundled test pack; turned and mirrored boards count as the same, except in a set.

    Args:
        task: A key of :data:`~.table.TASKS` that the environment has.
        env_id: The id of the environment.
        size: The number of items.
        seed: The random seed. Data sets of different seeds are independent of each other, so they can have items in
            common; ``avoid`` excludes that.
        difficulty: ``"easy"``, ``"medium"`` or ``"hard"``: a name for settings.
        view: How positions are written; see :class:`~gridpuzzles_gym.text.View`.
        avoid: Items to exclude: data sets, items or their rows, or levels, as ``gym.make`` takes them for ``levels=``.
        **settings: Settings that replace those of the difficulty: the task's own, those of the puzzle's level maker,
            and the puzzle's options; or the name of a set of other levels, such as ``corridor=True``, which has no
            difficulty.

    Raises:
        ValueError: There is no such task, environment, difficulty, view or setting; or a value is invalid.
    """

    def __init__(
        self,
        task: str,
        env_id: str,
        size: int = 1000,
        seed: int = 0,
        difficulty: str = "easy",
        *,
        view: str = "board",
        avoid: Sequence[Any] = (),
        **settings: Any,
    ) -> None:
        self.task = TASKS[choice("task", task, TASKS)]
        self.env_id, self.view = env_id, view
        self.size, self.seed = integer("size", size, 0, MOST_ITEMS), integer("seed", seed, 0, 2**64 - 1)
        self.settings = settings_for(self.task, env_id, difficulty, settings)
        self._source = Source(env_id, self.settings)
        self.difficulty = self._source.set_name or difficulty
        View(self._source(1).config, view)  # raises an error if the view is invalid
        self._avoid = [avoid] if isinstance(avoid, str | TaskDataset) else [*avoid]
        self._avoided: set[str] | None = None
        self._bits = _random_bits(self.description)
        self._tried = 0
        self._items: list[Item] = []
        self._keys: set[str] = set()

    @property
    def description(self) -> dict[str, Any]:
        """The arguments that determine the items, except ``avoid``, as a JSON object."""
        return {
            "task": self.task.name,
            "env_id": self.env_id,
            "seed": self.seed,
            "difficulty": self.difficulty,
            "view": self.view,
            "settings": self.settings,
        }

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

    def __iter__(self) -> Iterator[Item]:
        return map(self.__getitem__, range(self.size))

    def score(self, index: int, reply: str | Mapping[str, Any]) -> float:
        """Return the score of a reply to an item, from 0 to 1.

        Args:
            index: The item's index.
            reply: A text, or an assistant message in OpenAI's form. No reply raises an error.
        """
        return score(self[index], reply)

    def rows(self) -> list[dict[str, Any]]:
        """Return all items as objects for JSON, as ``datasets.Dataset.from_list`` takes them.

        If this takes long, a terminal shows a progress bar.
        """
        with progress(self.size, noun="item") as advance:
            rows = []
            for item in self:
                rows.append(item.row())
                advance()
            return rows

    def _add(self) -> None:
        """Make the next item."""
        if self._avoided is None:
            self._avoided = self._all_avoided()
        index = len(self._items)
        for _ in range(MOST_TRIES):
            self._tried += 1
            bits = mix(self._bits, self._tried)
            draft = self.task.make(self._source, self.settings, bits, _parity(self._bits, index))
            if draft is None:
                continue
            key, positions = digest(draft.key), (draft.origin, draft.instance)
            if key in self._keys or key in self._avoided:
                continue
            if any(digest(key_of_instance(position)) in self._avoided for position in positions):
                continue
            self._keys.add(key)
            self._items.append(self._item(index, draft, key))
            return
        raise ValueError(
            f"there seem to be only {index:,} distinct items of {self.task.name} in {self.env_id} with these settings "
            f"({self.difficulty}): {MOST_TRIES:,} more tries gave no other; size={self.size} is too large"
        )

    def _all_avoided(self) -> set[str]:
        puzzle = self._source.puzzle
        keys = set(keys_of_tests(puzzle))
        for avoided in self._avoid:
            if isinstance(avoided, TaskDataset):
                keys |= {item.key for item in avoided}
            elif isinstance(avoided, Item):
                keys.add(avoided.key)
            elif isinstance(avoided, Mapping):
                keys.add(Item.of_row(avoided).key)
            else:
                keys |= {digest(key_of_instance(start_of(puzzle, level))) for level in levels_of(avoided, puzzle)}
        return keys

    def _item(self, index: int, draft: Draft, key: str) -> Item:
        config = draft.instance.config
        view = View(config, self.view)
        legend = "" if draft.picture is not None else f"You are shown the position as text:\n\n{view.legend}"
        return Item(
            index=index,
            task=self.task.name,
            env_id=self.env_id,
            system="\n\n".join(filter(None, (rules_text(config), legend, draft.question))),
            user=draft.instance.seen(view) if draft.picture is None else draft.picture,
            answer=draft.answer,
            difficulty={"name": self.difficulty, **draft.numbers},
            level=draft.instance.text,
            key=key,
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
    if asked.task not in TASKS:
        raise ValueError(f"task={quote(asked.task)} is not known; {did_you_mean(asked.task, TASKS)}")
    return TASKS[asked.task].score(asked, reply)


def _random_bits(description: Mapping[str, Any]) -> int:
    """Return the random bits of a data set, from 0 to 2**64 - 1."""
    asked = {name: value for name, value in description.items() if name not in ("view", "difficulty")}
    text = json.dumps(asked, sort_keys=True, default=str)
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def _parity(random_bits: int, index: int) -> int:
    """Return 0 or 1: each exactly once for every two items."""
    return (mix(~random_bits & (2**64 - 1), index // 2) + index) & 1
