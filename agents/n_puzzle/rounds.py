"""The rounds of IDA*: each searches below a bound, and the bound increases until there is a solution."""

import abc

from ..search import loops
from ..search.running import Run


class Rounds(abc.ABC):
    """The bounds of one search.

    Args:
        run: The search in progress.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self.estimate = int(run.control[loops.LEAST])
        self.next_bound: int | None = self.estimate
        """The bound of the round to begin next; None while one is in progress."""

    @abc.abstractmethod
    def begin(self, bound: int) -> None:
        """Begin a round."""

    def begin_next(self) -> bool:
        """Begin the next round if the last one has ended; return False if it would exceed the depth limit."""
        bound, depth_limit = self.next_bound, self.run.limits.depth
        if bound is None:
            return True
        if depth_limit is not None and bound > depth_limit:
            self.run.control[loops.CUT] = 1
            return False
        self.begin(bound)
        self.run.lower_bound, self.next_bound = bound, None
        return True
