"""Tasks of one turn: a question, a reply, a score."""

import time
from collections.abc import Callable
from typing import Any

from ...engine.system.progress_bar import progress
from ...text.history import Message
from ...text.tasks import TaskDataset
from .journal import Record
from .retrying import Ask

ANSWER = "answer"
"""The model without a network that replies with the data set's own answers."""
_PASSED = 1.0 - 1e-9


class Items:
    """The items of a data set of tasks, as :class:`~.asking.work.Work`.

    Args:
        dataset: The data set; its items are made here, with a progress bar on a terminal if that takes long.

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
        """Return what determines the items; a JSON object."""
        return dict(self.dataset.description)

    async def play(self, number: int, place: int, ask: Ask) -> Record:
        """Ask for one item; see :meth:`.asking.work.Work.play`."""
        item, begun = self.dataset[number], time.monotonic()
        found = await ask(item.messages, None)
        score = float(self.dataset.score(number, found.message))
        return Record(
            index=number,
            success=score >= _PASSED,
            score=score,
            turns=1,
            level=item.level,
            tokens=found.tokens,
            seconds=round(time.monotonic() - begun, 3),
            difficulty=dict(item.difficulty),
            answer=item.answer,
            messages=[*item.messages, found.recorded()],
        )

    def scripted(self, name: str, number: int) -> Callable[[list[Message]], Message]:
        """Return a model without a network: it replies with the answers of the data set.

        Raises:
            ValueError: Another one is wanted.
        """
        if name != ANSWER:
            raise ValueError(f"--scripted {name}: for tasks of one turn, only {ANSWER} is allowed")
        item = self.dataset[number]
        return lambda messages: {"role": "assistant", "content": item.answer}

    def close(self) -> None:
        """There is nothing to close."""
