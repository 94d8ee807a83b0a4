"""What a model is asked: something numbered, of which each number gives a record."""

from typing import Any, Protocol

from .journal import Record
from .retrying import Ask


class Work(Protocol):
    """Episodes or tasks, numbered from 0."""

    count: int
    """How many there are."""
    noun: str
    """What one of them is called."""

    def options(self) -> dict[str, Any]:
        """Return what determines them; a JSON object."""

    async def play(self, number: int, place: int, ask: Ask) -> Record:
        """Ask a model all that one of them needs.

        Args:
            number: Which.
            place: The number of the worker, from 0: two calls at the same time have different ones.
            ask: The model.

        Raises:
            RequestError: A request has failed.
            BudgetError: A budget is used up.
        """

    def scripted(self, name: str, number: int) -> Any:
        """Return a model without a network: ``model(messages)`` returns an assistant message.

        Args:
            name: Which model.
            number: What it is asked.

        Raises:
            ValueError: There is none of that name.
        """

    def close(self) -> None:
        """Close the environments."""
