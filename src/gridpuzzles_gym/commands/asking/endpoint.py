"""A client of an OpenAI-compatible chat endpoint: one request, and its reply or error."""

import asyncio
import dataclasses
import datetime
import email.utils
import json
import math
import ssl
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self
from urllib.parse import urlsplit

from ...engine.messages import one_line, shorten
from ...engine.system.json_text import read_json
from .faults import EndpointUnusableError, RefusedError, RetryableError

if TYPE_CHECKING:
    import httpx

MOST_BYTES = 4 * 2**20
"""The maximum size of a reply in bytes; reading stops there, and the reply counts as broken."""
TIMEOUT = 300.0
"""Default time limit of a request, in seconds."""
RETRIES = 5
"""Default maximum number of times that a request is sent again."""
CONNECT_SECONDS = 10.0
"""Time limit of connecting, in seconds."""
KEY_REPLACED = "[key]"
"""The text in place of the key."""
SHORTEST_SECRET = 8
"""Minimum length of keys that are removed from texts; shorter ones are placeholders, such as ``EMPTY``."""
_LONGEST_DETAIL = 200
_RESERVED = ("model", "messages", "tools", "stream", "stream_options", "n")
_REFUSED_STATUSES, _UNUSABLE_STATUSES = (400, 413, 422), (401, 402, 403, 404, 405, 410)
_BUSY_STATUSES = (408, 409, 425, 429)


class Completion(NamedTuple):
    """A reply."""

    message: dict[str, Any]
    """The assistant's message: ``role``, ``content`` and perhaps ``tool_calls``."""
    tokens: dict[str, int] | None = None
    """The numbers of tokens of ``prompt`` and ``completion``; None if the endpoint does not report them."""
    reasoning: str = ""
    """The model's reasoning, if the endpoint returns it; later prompts do not include it."""
    finish: str = ""
    """Why the reply ended: ``"stop"``, ``"length"``, ``"tool_calls"``, …"""

    def recorded(self) -> dict[str, Any]:
        """Return the message for a record, with ``reasoning`` and ``finish`` if the endpoint returns them."""
        more = {"reasoning": self.reasoning, "finish": self.finish}
        return {**self.message, **{name: words for name, words in more.items() if words}}


@dataclasses.dataclass(frozen=True)
class Endpoint:
    """A model behind an endpoint, with the settings of its requests.

    Raises:
        ValueError: The address, the key or a parameter is invalid.
    """

    base_url: str
    """The address up to ``/v1``."""
    model: str
    """The name of the model."""
    key: str | None = dataclasses.field(default=None, repr=False)
    """Sent as ``Authorization: Bearer KEY``; None: not sent."""
    parameters: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Other fields of each request, such as ``temperature``."""
    timeout: float = TIMEOUT
    """Time limit of a request, in seconds."""
    retries: int = RETRIES
    """Maximum number of times that a request is sent again."""

    def __post_init__(self) -> None:
        allowed = "must be an address such as http://localhost:8000/v1"
        try:
            parts = urlsplit(self.base_url)
            invalid = parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0
            secret = parts.username is not None or parts.password is not None
        except ValueError:
            raise ValueError(f"--base-url: {allowed}") from None
        if secret or parts.query or parts.fragment:
            raise ValueError(f"--base-url: {allowed}, without a user, a password, ? and #")
        if invalid or not self.base_url.isascii() or not self.base_url.isprintable() or " " in self.base_url:
            raise ValueError(f"--base-url {one_line(self.base_url)}: {allowed}")
        if not self.model.strip():
            raise ValueError("--model must be the name of a model")
        if self.key is not None and not (self.key and self.key.isascii() and self.key.isprintable()):
            raise ValueError("the key must be one line of ASCII characters")
        for name in _RESERVED:
            if name in self.parameters:
                raise ValueError(f"--param {name}=… is not allowed: each request has its own")
        if not 0 < self.timeout < math.inf:
            raise ValueError(f"--timeout {self.timeout:g}: must be a positive number of seconds")

    @property
    def url(self) -> str:
        """The address that requests are sent to."""
        return f"{self.base_url.rstrip('/')}/chat/completions"

    def redacted(self, text: str) -> str:
        """Return a text, or JSON, with the key replaced."""
        if self.key is None or len(self.key) < SHORTEST_SECRET:
            return text
        return text.replace(self.key, KEY_REPLACED).replace(json.dumps(self.key)[1:-1], KEY_REPLACED)


class Client:
    """Sends requests to an endpoint, one after the other; an asynchronous context manager.

    Use several clients for requests at the same time: each request costs httpx time in proportion to the number of
    connections that it keeps.

    Args:
        endpoint: The endpoint.
        certificates: As :func:`certificates` returns them.

    Raises:
        ImportError: httpx is not installed.
    """

    def __init__(self, endpoint: Endpoint, certificates: ssl.SSLContext) -> None:
        import httpx

        self.endpoint = endpoint
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        headers["Accept-Encoding"] = "identity"  # compressed data has no known size
        if endpoint.key is not None:
            headers["Authorization"] = f"Bearer {endpoint.key}"
        self._http = httpx.AsyncClient(
            headers=headers,
            timeout=httpx.Timeout(endpoint.timeout, connect=min(CONNECT_SECONDS, endpoint.timeout)),
            verify=certificates,
            follow_redirects=False,  # another server must not get the key
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._http.aclose()

    async def complete(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]] | None = None
    ) -> Completion:
        """Return the model's reply to some messages.

        Args:
            messages: In OpenAI's chat form.
            tools: The tools that the model can call, in OpenAI's form.

        Raises:
            RequestError: The request has failed.
        """
        import httpx

        body: dict[str, Any] = {"model": self.endpoint.model, "messages": list(messages), **self.endpoint.parameters}
        if tools:
            body["tools"] = list(tools)
        data = json.dumps(body).encode()
        try:
            async with asyncio.timeout(self.endpoint.timeout):
                async with self._http.stream("POST", self.endpoint.url, content=data) as response:
                    content = await self._content(response)
        except TimeoutError:
            raise RetryableError(f"no complete reply within {self.endpoint.timeout:g} s") from None
        except httpx.HTTPError as error:
            words = one_line(self.endpoint.redacted(str(error))) or type(error).__name__
            raise RetryableError(f"no connection: {shorten(words, _LONGEST_DETAIL)}") from None
        if response.status_code != 200:
            raise self._failed(response, content)
        return self._completion(content)

    async def _content(self, response: "httpx.Response") -> bytes:
        content = bytearray()
        async for part in response.aiter_bytes():
            content += part
            if len(content) > MOST_BYTES:
                raise RetryableError(f"the reply has over {MOST_BYTES >> 20} MiB")
        return bytes(content)

    def _failed(
        self, response: "httpx.Response", content: bytes
    ) -> RetryableError | RefusedError | EndpointUnusableError:
        """Return the error of a status that is not 200."""
        status = response.status_code
        detail = self._detail(_json(content))
        words = f"status {status} {response.reason_phrase}".rstrip() + (f": {detail}" if detail else "")
        if status in _REFUSED_STATUSES:
            return RefusedError(words)
        if status in _BUSY_STATUSES or status >= 500:
            return RetryableError(words, _seconds(response.headers.get("Retry-After")))
        if status in _UNUSABLE_STATUSES or 300 <= status < 500:
            return EndpointUnusableError(words + self._hint(status))
        return RetryableError(words)

    def _hint(self, status: int) -> str:
        """Return a hint at a likely mistake; empty if there is none."""
        if status == 401 and not self.endpoint.key:
            return "; --key-env NAME says where the key is"
        return "; the address usually ends in /v1" if status == 404 else ""

    def _detail(self, value: Any) -> str:
        """Return the message of an error that an endpoint has sent; empty if there is none."""
        found = value.get("error", value) if isinstance(value, dict) else None
        found = found.get("message", found.get("detail")) if isinstance(found, dict) else found
        words = found if isinstance(found, str) else ""
        return shorten(one_line(self.endpoint.redacted(words)), _LONGEST_DETAIL)

    def _cleaned(self, value: Any) -> Any:
        """Return a JSON value without the key and without lone surrogates, so that it can be written to files."""
        if isinstance(value, str):
            return self.endpoint.redacted(value.encode("utf-8", "replace").decode())
        if isinstance(value, list):
            return [self._cleaned(each) for each in value]
        if isinstance(value, dict):
            return {self._cleaned(name): self._cleaned(each) for name, each in value.items()}
        return value

    def _completion(self, content: bytes) -> Completion:
        value = _json(content)
        if value is None:
            raise RetryableError("the reply is not JSON")
        try:
            value = self._cleaned(value)
        except RecursionError:
            raise RetryableError("the reply is nested too deeply") from None
        if isinstance(value, dict) and value.get("error"):
            raise RetryableError(f"the endpoint reports an error: {self._detail(value) or 'without a message'}")
        choices = value.get("choices") if isinstance(value, dict) else None
        first = choices[0] if isinstance(choices, list) and choices else None
        message = first.get("message") if isinstance(first, dict) else None
        if not isinstance(first, dict) or not isinstance(message, dict):
            raise RetryableError("the reply has no choices with a message")
        said, calls = message.get("content"), message.get("tool_calls")
        if not isinstance(said, str | list | None) or not isinstance(calls, list | None):
            raise RetryableError("the reply's message is neither a text nor tool calls")
        cleaned: dict[str, Any] = {"role": "assistant", "content": said}
        if calls:
            cleaned["tool_calls"] = calls
        elif said is None:
            cleaned["content"] = ""  # many endpoints refuse a message without content in a later prompt
        reasoning = message.get("reasoning_content") or message.get("reasoning")
        finish = first.get("finish_reason")
        return Completion(
            cleaned,
            _tokens(value.get("usage")),
            reasoning if isinstance(reasoning, str) else "",
            finish if isinstance(finish, str) else "",
        )


def certificates() -> ssl.SSLContext:
    """Return the trusted certificates, which clients share because reading them is slow.

    Raises:
        ImportError: httpx is not installed.
    """
    import httpx

    return httpx.create_ssl_context()


def _json(content: bytes) -> Any:
    """Return the value of a response body; None if it is not JSON, or nested too deeply."""
    try:
        return read_json(content)
    except ValueError:
        return None


def _tokens(usage: Any) -> dict[str, int] | None:
    if not isinstance(usage, dict):
        return None
    prompt, completion = usage.get("prompt_tokens"), usage.get("completion_tokens")
    if type(prompt) is not int or type(completion) is not int or min(prompt, completion) < 0:
        return None
    return {"prompt": prompt, "completion": completion}


def _seconds(header: str | None) -> float | None:
    """Return the seconds until the time in a ``Retry-After`` header, a number or a date; None if it has neither."""
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            then = email.utils.parsedate_to_datetime(header)
        except ValueError:
            return None
        then = then if then.tzinfo else then.replace(tzinfo=datetime.UTC)
        seconds = (then - datetime.datetime.now(datetime.UTC)).total_seconds()
    return max(seconds, 0.0) if math.isfinite(seconds) else None
