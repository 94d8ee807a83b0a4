"""The interface of what a model is asked: numbered episodes or tasks, each with a record as its result."""

from typing import Any, Protocol

from .journal import Record
from .retrying import Ask


class Work(Protocol):
    """Episodes or tasks, numbered from 0."""

    count: int
    """The number of episodes or tasks."""
    noun: str
    """The word for one of them."""

    def options(self) -> dict[str, Any]:
        """Return the options that determine them, as a JSON object."""

    async def play(self, number: int, worker: int, ask: Ask) -> Record:
        """Play one episode, or ask one task.

        Args:
            number: Its number.
            worker: The number of the worker, from 0; it differs between calls at the same time.
            ask: Sends a request to the model.

        Raises:
            RequestError: A request has failed.
            BudgetError: A budget is used up.
        """

    def scripted(self, name: str, number: int) -> Any:
        """Return a scripted model, which needs no network: ``model(messages)`` returns an assistant message.

        Args:
            name: The name of the model.
            number: The number of the episode or task.

        Raises:
            ValueError: There is no such model.
        """

    def close(self) -> None:
        """Close the environments."""
