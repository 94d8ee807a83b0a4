"""Asking several episodes or tasks at once, until all are done or something ends the run."""

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
from .retrying import RETRIES, Ask, Retrying
from .work import Work

MOST_FAILURES = 20
"""The number of episodes that may fail one after the other before the run ends."""


@dataclasses.dataclass
class RunStatus:
    """How a run goes, and has ended."""

    spent: Spent = dataclasses.field(default_factory=Spent)
    failed: dict[int, str] = dataclasses.field(default_factory=dict)
    """Why episodes have no result, by number."""
    stopped: str = ""
    """Why the run has ended early; empty if it has not."""
    useless: bool = False
    """Was that an error?"""
    interrupted: bool = False
    """Was it Ctrl-C?"""


class Run:
    """Asks a model all that a journal does not have yet.

    Args:
        work: What it is asked.
        journal: Gets the records.
        places: How many are asked at the same time.
        budget: Limits of the run.
        changed: Called after each reply and each record.

    Attributes:
        course: How it goes.
    """

    def __init__(
        self, work: Work, journal: Journal, places: int, budget: Budget, changed: Callable[[], object] = lambda: None
    ) -> None:
        self.work, self.journal, self.places, self.budget, self._changed = work, journal, places, budget, changed
        self.course = RunStatus()
        self._failures = 0
        self._replied = False

    def with_endpoint(self, endpoint: Endpoint, retries: int = RETRIES) -> RunStatus:
        """Ask a model behind an endpoint.

        Raises:
            ImportError: httpx is not installed.
            OSError: The journal cannot be written.
        """

        async def run() -> None:
            trusted = certificates()
            async with contextlib.AsyncExitStack() as held:
                clients = [await held.enter_async_context(Client(endpoint, trusted)) for _ in range(self.places)]
                asks = [Retrying(client, self.budget, self.course.spent, retries) for client in clients]
                await self._workers(lambda place, number: asks[place])

        return self._guarded(run)

    def with_script(self, name: str) -> RunStatus:
        """Ask one of the models that need no network.

        Raises:
            ValueError: There is none of that name.
            OSError: The journal cannot be written.
        """

        def ask_of(place: int, number: int) -> Ask:
            model = self.work.scripted(name, number)

            async def ask(messages: Sequence[Any], tools: Any) -> Completion:
                self.course.spent.send(self.budget)
                await asyncio.sleep(0)  # Ctrl-C and the time limit come here
                return Completion(model(messages))

            return ask

        return self._guarded(lambda: self._workers(ask_of))

    def _guarded(self, run: Callable[[], Any]) -> RunStatus:
        async def limited() -> None:
            async with asyncio.timeout(self.budget.seconds):
                await run()

        try:
            run_to_end(limited)
        except TimeoutError:
            self.course.stopped = f"the budget of {self.budget.seconds:g} s is used up"
        except EndpointUnusableError as error:
            self.course.stopped, self.course.useless = str(error), True
        except KeyboardInterrupt:
            self.course.interrupted = True
        return self.course

    async def _workers(self, ask_of: Callable[[int, int], Ask]) -> None:
        waiting = (number for number in range(self.work.count) if number not in self.journal.records)
        tasks = [asyncio.create_task(self._worker(place, waiting, ask_of)) for place in range(self.places)]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _worker(self, place: int, waiting: Iterator[int], ask_of: Callable[[int, int], Ask]) -> None:
        for number in waiting:
            ask = self._watched(ask_of(place, number))
            try:
                record = await self.work.play(number, place, ask)
            except BudgetError as error:  # the others can finish what they have begun, if that needs no further request
                self.course.stopped = str(error)
                return
            except (RetryableError, RefusedError) as error:
                self._fail(number, error)
            else:
                self.journal.add(record)
                self._failures = 0
            self._changed()

    def _watched(self, ask: Ask) -> Ask:
        async def watched(messages: Sequence[Any], tools: Any) -> Completion:
            found = await ask(messages, tools)
            self._replied = True
            self._changed()
            return found

        return watched

    def _fail(self, number: int, error: Exception) -> None:
        """Note that an episode has no result; end the run if that is hopeless."""
        self.course.failed[number] = str(error)
        self._failures += 1
        if not self._replied:
            raise EndpointUnusableError(str(error))
        if self._failures >= MOST_FAILURES:
            raise EndpointUnusableError(
                f"{plural(self._failures, self.work.noun)} failed one after the other, the last: {error}"
            )
