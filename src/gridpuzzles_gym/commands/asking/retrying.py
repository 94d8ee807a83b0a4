"""Sending a request again after temporary errors, with growing waits."""

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

FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0
"""The first and the longest wait before a retry, in seconds; each wait is twice the one before."""
LONGEST_REQUESTED_WAIT = 300.0
"""The maximum wait that an endpoint can ask for, in seconds."""

Ask = Callable[[Sequence[Mapping[str, Any]], Sequence[Mapping[str, Any]] | None], Awaitable[Completion]]
"""``await ask(messages, tools)``: a model's reply. Raises RequestError or BudgetError."""


@dataclasses.dataclass
class Retrying:
    """Sends requests through a client, with retries, within a budget; an :data:`Ask`."""

    client: Client
    budget: Budget
    spent: Spent

    async def __call__(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]] | None
    ) -> Completion:
        """Return the model's reply.

        Raises:
            RequestError: All attempts have failed, or the endpoint refuses the request.
            BudgetError: A budget is used up.
        """
        retries = self.client.endpoint.retries
        for number in range(retries + 1):
            self.spent.count_request(self.budget)
            try:
                found = await self.client.complete(messages, tools)
            except RetryableError as error:
                if number == retries:
                    raise RetryableError(f"{error} ({plural(number + 1, 'try', 'tries')})") from None
                await asyncio.sleep(wait(number, error.wait))
            else:
                self.spent.add(found.tokens, _characters(messages) + _characters(found.message))
                return found
        raise AssertionError


def wait(retries: int, requested: float | None) -> float:
    """Return the wait before a request is sent again, in seconds.

    Args:
        retries: The number of earlier retries.
        requested: The wait that the endpoint asks for, in seconds; None: none.
    """
    longest: float = min(FIRST_WAIT * 2.0**retries, LONGEST_WAIT)
    own = longest * random.uniform(0.5, 1.0)  # so that requests that failed together are not repeated together
    return own if requested is None else min(requested, LONGEST_REQUESTED_WAIT) + own * 0.1


def _characters(value: Any) -> int:
    return len(json.dumps(value))
