"""Running several episodes or tasks at once, until all are done or the run is stopped."""

import asyncio
import contextlib
import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...engine.messages import plural
from .budget import Budget, BudgetError, Spent
from .endpoint import Client, Completion, Endpoint, certificates
from .faults import EndpointUnusableError, RefusedError, RetryableError
from .journal import Journal
from .loops import run_to_end
from .retrying import Ask, Retrying
from .work import Work

MOST_FAILURES = 20
"""The number of failures in a row after which the run ends."""


@dataclasses.dataclass
class RunStatus:
    """The state of a run."""

    spent: Spent = dataclasses.field(default_factory=Spent)
    failed: dict[int, str] = dataclasses.field(default_factory=dict)
    """The errors of episodes without a result, by number."""
    stopped: str = ""
    """Why the run ended early; empty if it did not."""
    unusable: bool = False
    """Whether it ended because the endpoint is unusable."""
    interrupted: bool = False
    """Whether it ended by Ctrl-C."""


class Run:
    """Asks a model the episodes or tasks that a journal does not have yet.

    Args:
        work: The episodes or tasks.
        journal: Where records are written.
        workers: Maximum number of episodes or tasks at the same time.
        budget: Limits of the run.
        changed: Called after each reply and each record.

    Attributes:
        status: The state of the run.
    """

    def __init__(
        self, work: Work, journal: Journal, workers: int, budget: Budget, changed: Callable[[], object] = lambda: None
    ) -> None:
        self.work, self.journal, self.workers, self.budget, self._changed = work, journal, workers, budget, changed
        self.status = RunStatus()
        self._failures = 0
        self._replied = False

    def with_endpoint(self, endpoint: Endpoint) -> RunStatus:
        """Ask a model behind an endpoint.

        Raises:
            ImportError: httpx is not installed.
            OSError: The journal cannot be written.
        """

        async def run() -> None:
            trusted = certificates()
            async with contextlib.AsyncExitStack() as stack:
                clients = [await stack.enter_async_context(Client(endpoint, trusted)) for _ in range(self.workers)]
                asks = [Retrying(client, self.budget, self.status.spent) for client in clients]
                await self._run_workers(lambda worker, number: asks[worker])

        return self._guarded(run)

    def with_script(self, name: str) -> RunStatus:
        """Ask a scripted model.

        Raises:
            ValueError: There is no such model.
            OSError: The journal cannot be written.
        """

        def ask_of(worker: int, number: int) -> Ask:
            model = self.work.scripted(name, number)

            async def ask(messages: Sequence[Any], tools: Any) -> Completion:
                self.status.spent.count_request(self.budget)
                await asyncio.sleep(0)  # where Ctrl-C and the time limit take effect
                return Completion(model(messages))

            return ask

        return self._guarded(lambda: self._run_workers(ask_of))

    def _guarded(self, run: Callable[[], Any]) -> RunStatus:
        async def limited() -> None:
            async with asyncio.timeout(self.budget.seconds):
                await run()

        try:
            run_to_end(limited)
        except TimeoutError:
            self.status.stopped = f"the budget of {self.budget.seconds:g} s is used up"
        except EndpointUnusableError as error:
            self.status.stopped, self.status.unusable = str(error), True
        except KeyboardInterrupt:
            self.status.interrupted = True
        return self.status

    async def _run_workers(self, ask_of: Callable[[int, int], Ask]) -> None:
        numbers = (number for number in range(self.work.count) if number not in self.journal.records)
        tasks = [asyncio.create_task(self._run_worker(worker, numbers, ask_of)) for worker in range(self.workers)]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _run_worker(self, worker: int, numbers: Iterator[int], ask_of: Callable[[int, int], Ask]) -> None:
        for number in numbers:
            ask = self._reported(ask_of(worker, number))
            try:
                record = await self.work.play(number, worker, ask)
            except BudgetError as error:  # other workers can finish if they need no further request
                self.status.stopped = str(error)
                return
            except (RetryableError, RefusedError) as error:
                self._fail(number, error)
            else:
                self.journal.add(record)
                self._failures = 0
            self._changed()

    def _reported(self, ask: Ask) -> Ask:
        async def reported(messages: Sequence[Any], tools: Any) -> Completion:
            found = await ask(messages, tools)
            self._replied = True
            self._changed()
            return found

        return reported

    def _fail(self, number: int, error: Exception) -> None:
        """Record a failure; end the run if no request has succeeded yet, or after too many failures in a row."""
        self.status.failed[number] = str(error)
        self._failures += 1
        if not self._replied:
            raise EndpointUnusableError(str(error))
        if self._failures >= MOST_FAILURES:
            raise EndpointUnusableError(
                f"{plural(self._failures, self.work.noun)} failed one after the other, the last: {error}"
            )
