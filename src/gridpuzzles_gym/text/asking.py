"""Asking a model behind an OpenAI-compatible endpoint: episodes as conversations, or single-turn tasks.

Each episode or task that is finished becomes a line of a file, a JSON object; a second run with the same file skips
those that are there. Requests, their retries and their time limits are those of the client library ``openai``.
"""

import asyncio
import dataclasses
import json
import os
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..engine.messages import one_line, plural, shorten
from ..engine.puzzle import Outcome
from ..engine.system.files import read_json
from .conversations import Conversations, Message, Turn
from .replies import REWARD_VERSION
from .scripted import AgentModel, RandomModel
from .tasks import Item, score

Record = dict[str, Any]
"""A finished episode or task: ``index``, ``run`` (what determines it), ``success``, ``score``, ``seconds``,
``prompt_tokens``, ``completion_tokens``, ``messages`` and others."""
Reply = Callable[[Sequence[Message], Any], Awaitable[Message]]
"""``await reply(messages, tools)``: the assistant's message, with ``usage``."""
MOST_FAILURES = 20
"""The number of failures in a row after which a run ends."""
PICTURE = "[picture]"
"""The text in place of a picture in the record of a conversation."""
_SECRET = 8
"""Minimum length of keys that are removed from texts; shorter ones are placeholders, such as ``EMPTY``."""


class UnusableError(OSError):
    """The endpoint has failed so often that the run has ended."""


class RequestError(Exception):
    """A request has failed, after all retries."""


class RefusedError(Exception):
    """The endpoint refuses a request, for example because it has too many tokens."""


@dataclasses.dataclass(frozen=True)
class Endpoint:
    """A model behind an endpoint."""

    base_url: str
    """The address up to ``/v1``."""
    model: str
    key: str = "EMPTY"
    parameters: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Other fields of each request, such as ``temperature``."""
    timeout: float = 300.0
    """Time limit of a request, in seconds."""
    retries: int = 5
    """Maximum number of times that a request is sent again after temporary errors."""

    def client(self) -> Any:
        """Return the client; raises ImportError if ``openai`` is not installed."""
        from openai import AsyncOpenAI

        client = AsyncOpenAI(base_url=self.base_url, api_key=self.key, timeout=self.timeout, max_retries=self.retries)
        client.organization = client.project = None  # what the environment has is for OpenAI alone
        return client

    async def reply(self, client: Any, messages: Sequence[Message], tools: Any) -> Message:
        """Return the model's message.

        Raises:
            RefusedError: The endpoint refuses this request.
            RequestError: It failed otherwise, after all retries.
        """
        import openai

        body = {"model": self.model, "messages": list(messages), **self.parameters} | (
            {"tools": tools} if tools else {}
        )
        try:
            found = await client.post("/chat/completions", cast_to=object, body=body)
            message, usage = found["choices"][0]["message"], found.get("usage") or {}
            more = {"reasoning": message.get("reasoning_content") or message.get("reasoning") or ""}
            more |= {"finish": found["choices"][0].get("finish_reason") or ""}
            content = message.get("content") or ""
        except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
            raise RefusedError(self.redacted(one_line(error))) from None
        except (openai.APIError, ValueError) as error:
            raise RequestError(shorten(self.redacted(one_line(error)))) from None
        except (AttributeError, IndexError, KeyError, TypeError):
            raise RequestError("the endpoint's response has no choices with a message") from None
        calls = {"tool_calls": message["tool_calls"]} if message.get("tool_calls") else {}
        return {
            "role": "assistant",
            "content": content,
            **calls,
            **{k: v for k, v in more.items() if v},
            "usage": usage,
        }

    def redacted(self, text: str) -> str:
        """Return a text with the key replaced."""
        if len(self.key) < _SECRET:
            return text
        return text.replace(self.key, "[key]").replace(json.dumps(self.key)[1:-1], "[key]")


class Episodes:
    """Whole episodes as conversations.

    Args:
        conversations: As many conversations as there are workers.
        count: The number of episodes.
        seed: The random seed of the first episode; later ones use seed+1, seed+2, …
        every_level: Whether episode i is played on level i of the environment's levels.
        run: What determines the records, as a JSON object.
    """

    noun = "episode"

    def __init__(
        self, conversations: Conversations, count: int, seed: int, every_level: bool, run: Mapping[str, Any]
    ) -> None:
        self.conversations, self.count, self.seed, self.every_level = conversations, count, seed, every_level
        self.run = {**run, "seed": seed, "every_level": every_level, "reward_version": REWARD_VERSION}

    async def play(self, number: int, worker: int, reply: Reply) -> Record:
        """Play an episode; a request that the endpoint refuses after the first ends it, with ``error``."""
        conversations, error, turns = self.conversations, "", 0
        turn = conversations.start([worker], [self.seed + number])[0]
        if self.every_level:
            turn = conversations.start([worker], [None], number)[0]
        level = conversations.envs.batch.level_played(worker)
        messages: list[Message] = [{"role": "system", "content": conversations.system}, self._user(turn)]
        while not turn.done:
            try:
                message = await reply(conversations.messages(worker), conversations.tools)
            except RefusedError as refused:
                if not turns:
                    raise
                error = str(refused)
                break
            turn, turns = conversations.reply({worker: _sent(message)})[worker], turns + 1
            messages += {**message, "actions": [*turn.info["actions"]], "fault": turn.info["fault"]}, self._user(turn)
        info = turn.info
        return {
            "success": bool(info.get("is_success", False)),
            "score": float(info["score"]),
            "outcome": str(Outcome(info.get("outcome", Outcome.UNFINISHED))),
            "steps": info["steps"],
            "turns": turns,
            "invalid_replies": info["invalid_replies"],
            "seed": self.seed + number,
            "level": level.name if level is not None else "",
            "error": error,
            "messages": messages,
        }

    def _user(self, turn: Turn) -> Message:
        return {"role": "user", "content": f"{turn.text}{PICTURE}" if self.conversations.images else turn.text}

    def scripted(self, name: str, number: int) -> Callable[[Sequence[Message]], Message]:
        """Return a model that replies at random, or an agent that sees only the messages."""
        seed = self.seed + number + 10**12
        return RandomModel(self.conversations, seed) if name == "random" else AgentModel(self.conversations, name, seed)


def _sent(message: Message) -> Message:
    """Return a reply without what later prompts do not include, such as reasoning."""
    return {name: message[name] for name in ("role", "content", "tool_calls") if name in message}


class Tasks:
    """The items of a data set of tasks, with the methods of :class:`Episodes`."""

    noun = "task"

    def __init__(self, items: Sequence[Item], run: Mapping[str, Any]) -> None:
        self.items, self.count = items, len(items)
        self.run = {**run, "reward_version": REWARD_VERSION}

    async def play(self, number: int, worker: int, reply: Reply) -> Record:
        """Ask for one item."""
        item = self.items[number]
        message = await reply(item.messages, None)
        found = score(item, message)
        return {
            "success": found == 1,
            "score": found,
            "task": item.task,
            "key": item.key,
            "difficulty": dict(item.difficulty),
            "answer": item.answer,
            "messages": [*item.messages, message],
        }

    def scripted(self, name: str, number: int) -> Callable[[Sequence[Message]], Message]:
        """Return a model that replies with the item's answer."""
        if name != "answer":
            raise ValueError(f"--scripted {name}: for tasks, only answer is allowed")
        return lambda messages: {"role": "assistant", "content": self.items[number].answer}


@dataclasses.dataclass
class Run:
    """A run over episodes or tasks.

    Args:
        work: The episodes or tasks.
        model: The endpoint, or the name of a scripted model, which needs no network.
        out: The file of records; None: they are kept in memory only.

    Attributes:
        records: The finished ones, by number; those that the file had, before :meth:`ask`.
        failed: The errors of those without a result, by number.

    Raises:
        ValueError: The file is of another run, or is damaged; or there is no such scripted model.
        OSError: The file cannot be read.
    """

    work: Episodes | Tasks
    model: Endpoint | str
    out: Path | None = None
    records: dict[int, Record] = dataclasses.field(default_factory=dict)
    failed: dict[int, str] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        if isinstance(self.model, str):
            self.work.scripted(self.model, 0)
            self._described = {"model": f"{self.model}, by text", **self.work.run}
        else:
            self._described = {"model": self.model.model, "parameters": dict(self.model.parameters), **self.work.run}
        self._described = json.loads(json.dumps(self._described, default=str))
        self._in_a_row = 0
        if self.out is not None and self.out.exists():
            self._read(self.out)

    @property
    def name(self) -> str:
        """The name of the model."""
        return str(self._described["model"])

    def _read(self, path: Path) -> None:
        """Read the finished records; a half-written last line is dropped."""
        content = path.read_bytes()
        complete = content[: content.rfind(b"\n") + 1]
        for number, line in enumerate(complete.splitlines(), start=1):
            try:
                record = read_json(line)
                run, index = record["run"], record["index"]
            except (ValueError, TypeError, KeyError):
                raise ValueError(f"{path}, line {number}: is not a line of gridpuzzles ask") from None
            for name in {**run, **self._described}:
                now, then = self._described.get(name), run.get(name)
                if now != then:
                    raise ValueError(
                        f"{path}, line {number}: is of another run: {name} is {json.dumps(then)} there and "
                        f"{json.dumps(now)} now; name another file"
                    )
            if index < self.work.count:
                self.records[index] = record
        if len(complete) < len(content):
            os.truncate(path, len(complete))

    def ask(self, concurrency: int = 8, advance: Callable[[], object] = lambda: None) -> None:
        """Ask for all that are not finished.

        Args:
            concurrency: Maximum number of requests at the same time; the conversations must be as many.
            advance: Called after each episode or task.

        Raises:
            UnusableError: No request has succeeded, or :data:`MOST_FAILURES` failed one after the other.
            KeyboardInterrupt: Ctrl-C; what is finished is in ``records`` and in the file.
        """
        missing = iter([number for number in range(self.work.count) if number not in self.records])
        asyncio.run(self._ask(missing, concurrency, advance))

    async def _ask(self, missing: Iterable[int], concurrency: int, advance: Callable[[], object]) -> None:
        client = None if isinstance(self.model, str) else self.model.client()
        try:
            async with asyncio.TaskGroup() as group:
                for worker in range(concurrency):
                    group.create_task(self._work(missing, worker, client, advance))
        except* (OSError, ValueError) as errors:
            raise errors.exceptions[0] from None
        finally:
            if client is not None:
                await client.close()

    async def _work(self, missing: Iterable[int], worker: int, client: Any, advance: Callable[[], object]) -> None:
        for number in missing:
            try:
                self._add(await self._record(number, worker, client))
            except (RequestError, RefusedError) as error:
                self._fail(number, str(error))
            advance()

    async def _record(self, number: int, worker: int, client: Any) -> Record:
        """Return the record of an episode or task."""
        spent = {"prompt_tokens": 0, "completion_tokens": 0}
        script = self.work.scripted(self.model, number) if isinstance(self.model, str) else None

        async def reply(messages: Sequence[Message], tools: Any) -> Message:
            if script is not None:
                await asyncio.sleep(0)  # where Ctrl-C takes effect
                return dict(script(messages))
            assert isinstance(self.model, Endpoint)
            message = await self.model.reply(client, messages, tools)
            usage = message.pop("usage")
            for name in spent:
                spent[name] += usage[name] if isinstance(usage.get(name), int) else 0
            self._in_a_row = 0
            return message

        began = time.monotonic()
        record = await self.work.play(number, worker, reply)
        seconds = round(time.monotonic() - began, 3)
        return {"index": number, "run": self._described, **record, **spent, "seconds": seconds}

    def _fail(self, number: int, error: str) -> None:
        self.failed[number] = error
        self._in_a_row += 1
        if not self.records or self._in_a_row >= MOST_FAILURES:
            failures = plural(self._in_a_row, self.work.noun)
            raise UnusableError(
                error if not self.records else f"{failures} failed one after the other, the last: {error}"
            )

    def _add(self, record: Record) -> None:
        self.records[record["index"]] = record
        if self.out is not None:
            line = json.dumps(record, default=str)
            with self.out.open("a", encoding="utf-8") as file:
                file.write((self.model.redacted(line) if isinstance(self.model, Endpoint) else line) + "\n")
