"""Single-turn tasks: a question, a reply and a score."""

import time
from collections.abc import Callable
from typing import Any

from ...engine.system.progress_bar import progress
from ...text.history import Message
from ...text.tasks import TaskDataset
from .journal import Record
from .retrying import Ask

ANSWER = "answer"
"""The name of the scripted model that replies with the data set's own answers."""
PASSED = 1.0 - 1e-9
"""The minimum score of a task that counts as correct."""


class Items:
    """The items of a data set of tasks, as :class:`~.asking.work.Work`.

    Args:
        dataset: The data set; its items are made here, with a progress bar on a terminal.

    Raises:
        ValueError: There are too few distinct items.
    """

    noun = "task"

    def __init__(self, dataset: TaskDataset) -> None:
        self.dataset, self.count = dataset, len(dataset)
        with progress(self.count, noun="making task") as advance:
            for _ in dataset:
                advance()

    def options(self) -> dict[str, Any]:
        """Return the options that determine the items, as a JSON object."""
        return dict(self.dataset.description)

    async def play(self, number: int, worker: int, ask: Ask) -> Record:
        """Ask for one item; see :meth:`.asking.work.Work.play`."""
        item, began = self.dataset[number], time.monotonic()
        found = await ask(item.messages, None)
        score = float(self.dataset.score(number, found.message))
        return Record(
            index=number,
            success=score >= PASSED,
            score=score,
            turns=1,
            level=item.level,
            tokens=found.tokens,
            seconds=round(time.monotonic() - began, 3),
            difficulty=dict(item.difficulty),
            answer=item.answer,
            messages=[*item.messages, found.recorded()],
        )

    def scripted(self, name: str, number: int) -> Callable[[list[Message]], Message]:
        """Return a scripted model, which replies with the answer of the data set.

        Raises:
            ValueError: The name is not :data:`ANSWER`.
        """
        if name != ANSWER:
            raise ValueError(f"--scripted {name}: for single-turn tasks, only {ANSWER} is allowed")
        item = self.dataset[number]
        return lambda messages: {"role": "assistant", "content": item.answer}

    def close(self) -> None:
        """Do nothing: there is nothing to close."""
