"""Limits of a run: requests, tokens and seconds."""

import dataclasses
import math
from collections.abc import Mapping

from ...engine.messages import plural


class BudgetError(Exception):
    """A budget is used up; the message says which."""


@dataclasses.dataclass(frozen=True)
class Budget:
    """The limits; None: no limit."""

    requests: int | None = None
    """The maximum number of requests, retries included."""
    tokens: int | None = None
    """The number of tokens in prompts and replies after which no request is sent."""
    seconds: float | None = None
    """The time after which the run ends, in seconds."""

    def __post_init__(self) -> None:
        for name in ("requests", "tokens"):
            limit = getattr(self, name)
            if limit is not None and not 1 <= limit < math.inf:
                raise ValueError(f"--budget-{name} {limit}: must be a number of at least 1")
        if self.seconds is not None and not 0 < self.seconds < math.inf:
            raise ValueError(f"--budget-seconds {self.seconds:g}: must be a positive number of seconds")


@dataclasses.dataclass
class Spent:
    """Requests and tokens that a run has used so far."""

    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    """Tokens in replies; like those in prompts, as the endpoint counts them."""
    estimated_tokens: int = 0
    """Tokens of requests whose tokens the endpoint does not report, estimated from their length."""

    @property
    def tokens(self) -> int:
        """All tokens."""
        return self.prompt_tokens + self.completion_tokens + self.estimated_tokens

    def count_request(self, budget: Budget) -> None:
        """Count a request that is about to be sent.

        Raises:
            BudgetError: It would exceed the budget.
        """
        if budget.requests is not None and self.requests >= budget.requests:
            raise BudgetError(f"the budget of {plural(budget.requests, 'request')} is used up")
        if budget.tokens is not None and self.tokens >= budget.tokens:
            raise BudgetError(f"the budget of {plural(budget.tokens, 'token')} is used up")
        self.requests += 1

    def add(self, tokens: Mapping[str, int] | None, characters: int) -> None:
        """Count the tokens of a reply.

        Args:
            tokens: As :attr:`.endpoint.Completion.tokens`.
            characters: The length of prompt and reply; without ``tokens``, 4 characters count as one token.
        """
        if tokens is None:
            self.estimated_tokens += -(-characters // 4)
        else:
            self.prompt_tokens += tokens["prompt"]
            self.completion_tokens += tokens["completion"]

    def __str__(self) -> str:
        """Return the numbers in words."""
        words = [plural(self.requests, "request")]
        if self.prompt_tokens or self.completion_tokens:
            words.append(f"{self.prompt_tokens:,} tokens in prompts and {self.completion_tokens:,} in replies")
        if self.estimated_tokens:
            words.append(f"about {self.estimated_tokens:,} tokens that the endpoint did not count")
        return ", ".join(words)
