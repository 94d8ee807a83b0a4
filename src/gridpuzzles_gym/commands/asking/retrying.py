"""Sending a request again, later and later, where that helps."""

import asyncio
import dataclasses
import json
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from ...engine.messages import plural
from .budget import Budget, Spent
from .endpoint import Client, Completion
from .faults import RetryableError

RETRIES = 5
"""Default number of times that a request is sent again."""
FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0
"""The first and the longest wait before a request is sent again, in seconds; each is twice the one before."""
LONGEST_ASKED = 300.0
"""The longest wait that an endpoint can ask for, in seconds."""

Ask = Callable[[Sequence[Mapping[str, Any]], Sequence[Mapping[str, Any]] | None], Awaitable[Completion]]
"""``await ask(messages, tools)``: a model's reply. Raises RequestError or BudgetError."""


@dataclasses.dataclass
class Retrying:
    """Asks a client, again where that helps, within a budget; an :data:`Ask`."""

    client: Client
    budget: Budget
    spent: Spent
    retries: int = RETRIES

    async def __call__(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]] | None
    ) -> Completion:
        """Return the model's reply.

        Raises:
            RequestError: All tries have failed, or the endpoint refuses the request.
            BudgetError: A budget is used up.
        """
        for number in range(self.retries + 1):
            self.spent.send(self.budget)
            try:
                found = await self.client.complete(messages, tools)
            except RetryableError as error:
                if number == self.retries:
                    raise RetryableError(f"{error} ({plural(number + 1, 'try', 'tries')})") from None
                await asyncio.sleep(wait(number, error.wait))
            else:
                self.spent.add(found.tokens, _characters(messages) + _characters(found.message))
                return found
        raise AssertionError


def wait(number: int, asked: float | None) -> float:
    """Return how many seconds to wait before a request is sent again.

    Args:
        number: How often it was sent again before.
        asked: What the endpoint asks for, in seconds; None: nothing.
    """
    longest: float = min(FIRST_WAIT * 2.0**number, LONGEST_WAIT)
    own = longest * random.uniform(0.5, 1.0)  # requests that failed together are not sent together again
    return own if asked is None else min(asked, LONGEST_ASKED) + own * 0.1


def _characters(value: Any) -> int:
    return len(json.dumps(value))
