"""A chat endpoint in OpenAI's form on this machine, for tests: scripted models, and everything that can go wrong."""

import contextlib
import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Message = Mapping[str, Any]
Model = Callable[[list[dict[str, Any]]], "str | Message"]

FAULTS = (
    "slow",  # the reply is right, and comes after `delay` seconds
    "drip",  # one byte of the reply each `delay` seconds
    "silent",  # nothing comes until the client hangs up
    "refused",  # the connection is closed before a status line
    "reset",  # the connection is reset in the middle of the body
    "cut",  # the connection is closed in the middle of the body
    "400",
    "401",
    "404",
    "500",
    "503",
    "429",  # with Retry-After: `retry_after`
    "429-silent",  # without Retry-After
    "huge",  # a right reply with 10 MB of text
    "huge-unannounced",  # 10 MB of text in chunks, without a length
    "empty",  # a body of no bytes
    "text",  # no JSON
    "html",  # the page of a proxy
    "half-json",  # JSON that ends too early
    "no-utf-8",
    "list",  # JSON of another shape
    "no-choices",
    "empty-choices",
    "null-message",
    "null-content",
    "number-content",
    "error-object",  # status 200 with {"error": …}
    "wrong-usage",  # the reply is right, its counts of tokens are no numbers
    "no-usage",  # the reply is right and has no counts of tokens
    "cut-short",  # finish_reason "length" and half of the content
)

HUGE = 10_000_000


@dataclass(frozen=True)
class Received:
    """One request: its number from 0, path, headers (names in lower case), body and the fault it met."""

    number: int
    path: str
    headers: Mapping[str, str]
    body: Any
    fault: str | None


class LLMServer:
    """A local chat endpoint: `with LLMServer(model) as server: … server.url` (which ends in /v1).

    Args:
        model: Maps the messages to an assistant message, or to its text. Called by one thread at a time.
        faults: What goes wrong: one of `FAULTS` or None for each request in turn (later ones are well), or a function
            from the number of the request (from 0) to it.
        key: The key that requests must carry; None takes every request.
        delay: Seconds of "slow" and "drip".
        retry_after: The header of "429".
        content: "text", or "parts" for the content as a list of parts.
        latency: Seconds that every reply takes.
    """

    def __init__(
        self,
        model: Model,
        faults: Sequence[str | None] | Callable[[int], str | None] = (),
        *,
        key: str | None = None,
        delay: float = 0.5,
        retry_after: str = "1",
        content: str = "text",
        latency: float = 0.0,
    ) -> None:
        self.model, self.key, self.delay, self.retry_after, self.content = model, key, delay, retry_after, content
        self.latency = latency
        self.received: list[Received] = []
        self.most_at_once = 0
        self.replies = 0  # complete replies sent, usage counted
        self._fault = faults if callable(faults) else lambda number: faults[number] if number < len(faults) else None
        self._running = 0
        self._lock, self._turn = threading.Lock(), threading.Lock()
        self._closing = threading.Event()
        self._server: _Server | None = None

    @property
    def url(self) -> str:
        """The base URL: what OpenAI's clients call `base_url`."""
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> "LLMServer":
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.owner = self
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._closing.set()
        assert self._server is not None
        self._server.shutdown()
        self._server.server_close()

    def pause(self, seconds: float) -> None:
        """Wait, no longer than the server lives."""
        self._closing.wait(seconds)

    @property
    def closing(self) -> bool:
        """Is the server being closed?"""
        return self._closing.is_set()

    def take(self, path: str, headers: Mapping[str, str], body: Any) -> Received:
        """Note a request and return it with its fault."""
        with self._lock:
            number = len(self.received)
            received = Received(number, path, headers, body, self._fault(number))
            self.received.append(received)
        assert received.fault is None or received.fault in FAULTS, received.fault
        return received

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Count how many requests are answered at the same time."""
        with self._lock:
            self._running += 1
            self.most_at_once = max(self.most_at_once, self._running)
        try:
            yield
        finally:
            with self._lock:
                self._running -= 1

    def completion(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return the right reply to a request."""
        with self._turn:
            message = self.model(list(body["messages"]))
        message = {"content": message} if isinstance(message, str) else dict(message)
        message["role"] = "assistant"
        text = message.setdefault("content", None)
        if self.content == "parts" and isinstance(text, str):
            message["content"] = [{"type": "text", "text": part} for part in text.splitlines()]
        asked, replied = words(body["messages"]), words(message)
        with self._lock:
            self.replies += 1
            number = self.replies
        return {
            "id": f"chatcmpl-{number}",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": body.get("model", "scripted"),
            "choices": [
                {
                    "index": 0,
                    "message": message,
                    "logprobs": None,
                    "finish_reason": "tool_calls" if message.get("tool_calls") else "stop",
                }
            ],
            "usage": {"prompt_tokens": asked, "completion_tokens": replied, "total_tokens": asked + replied},
        }


def words(value: Any) -> int:
    """The number of words in all texts of a JSON value, which this server counts as tokens."""
    if isinstance(value, str):
        return len(value.split())
    if isinstance(value, Mapping):
        return sum(map(words, value.values()))
    return sum(map(words, value)) if isinstance(value, list | tuple) else 0


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512
    owner: LLMServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def log_message(self, *words: object) -> None:
        """Tests print nothing."""

    def do_GET(self) -> None:
        if self.path == "/v1/models":
            self._json(200, {"object": "list", "data": [{"id": "scripted", "object": "model", "owned_by": "tests"}]})
        else:
            self._json(404, {"error": {"message": f"Unknown path {self.path}", "type": "invalid_request_error"}})

    def do_POST(self) -> None:
        owner = self.server.owner
        try:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        except ValueError:
            return self._error(400, "The body must be JSON")
        received = owner.take(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
        with owner.running():
            if owner.key is not None and received.headers.get("authorization") != f"Bearer {owner.key}":
                # as the real one does, it repeats what it was sent
                return self._error(401, f"Incorrect API key provided: {received.headers.get('authorization')}")
            if self.path != "/v1/chat/completions":
                return self._error(404, f"Unknown path {self.path}")
            fault = self._invalid(body)
            if fault:
                return self._error(400, fault)
            if owner.latency:
                owner.pause(owner.latency)
            return self._serve(received.fault, body)

    def _invalid(self, body: Any) -> str:
        if not isinstance(body, dict) or not isinstance(body.get("messages"), list) or not body["messages"]:
            return "'messages' must be a list with at least one message"
        if not isinstance(body.get("model"), str):
            return "'model' must be a text"
        if body.get("stream"):
            return "This server streams nothing"
        return ""

    def _serve(self, fault: str | None, body: Any) -> None:
        if fault is None:
            return self._json(200, self.server.owner.completion(body))
        if fault in _BODIES:
            return self._bytes(200, _BODIES[fault], "text/html" if fault == "html" else "application/json")
        if fault[:3].isdigit():
            return self._error(int(fault[:3]), f"Scripted fault {fault}", waiting=fault == "429")
        serve: Callable[[Any], None] = getattr(self, "_" + fault.replace("-", "_"))
        return serve(body)

    def _json(self, status: int, value: Any, **headers: str) -> None:
        self._bytes(status, json.dumps(value).encode(), "application/json", **headers)

    def _bytes(self, status: int, data: bytes, kind: str = "application/json", **headers: str) -> None:
        self._head(status, len(data), kind, **headers)
        self.wfile.write(data)

    def _head(self, status: int, length: int | None, kind: str = "application/json", **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        if length is not None:
            self.send_header("Content-Length", str(length))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def _error(self, status: int, message: str, waiting: bool = False) -> None:
        headers = {"Retry_After": self.server.owner.retry_after} if waiting else {}
        self._json(status, {"error": {"message": message, "type": "scripted", "code": None}}, **headers)

    def _right(self, body: Any) -> bytes:
        return json.dumps(self.server.owner.completion(body)).encode()

    def _slow(self, body: Any) -> None:
        self.server.owner.pause(self.server.owner.delay)
        self._bytes(200, self._right(body))

    def _drip(self, body: Any) -> None:
        data = self._right(body)
        self._head(200, len(data))
        for place in range(len(data)):
            self.wfile.write(data[place : place + 1])
            self.server.owner.pause(self.server.owner.delay)
            if self.server.owner.closing:
                break

    def _silent(self, body: Any) -> None:
        self.connection.settimeout(0.1)
        while not self.server.owner.closing:
            with contextlib.suppress(TimeoutError):
                if not self.connection.recv(1):
                    break
        self.close_connection = True

    def _refused(self, body: Any) -> None:
        self._hang_up()

    def _cut(self, body: Any) -> None:
        data = self._right(body)
        self._head(200, len(data))
        self.wfile.write(data[: len(data) // 2])
        self._hang_up()

    def _reset(self, body: Any) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        data = self._right(body)
        self._head(200, len(data))
        self.wfile.write(data[: len(data) // 2])
        self.close_connection = True
        self.wfile.close()
        self.rfile.close()
        self.connection.close()

    def _hang_up(self) -> None:
        self.close_connection = True
        self.wfile.flush()
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    def _huge(self, body: Any) -> None:
        reply = self.server.owner.completion(body)
        reply["choices"][0]["message"]["content"] = "up " * (HUGE // 3)
        self._bytes(200, json.dumps(reply).encode())

    def _huge_unannounced(self, body: Any) -> None:
        self._head(200, None, Transfer_Encoding="chunked")
        piece = b"up " * 20_000
        for _ in range(HUGE // len(piece) + 1):
            self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        self.wfile.write(b"0\r\n\r\n")

    def _wrong_usage(self, body: Any) -> None:
        usage = {"prompt_tokens": "many", "completion_tokens": -3, "total_tokens": None}
        self._json(200, self.server.owner.completion(body) | {"usage": usage})

    def _no_usage(self, body: Any) -> None:
        reply = self.server.owner.completion(body)
        del reply["usage"]
        self._json(200, reply)

    def _cut_short(self, body: Any) -> None:
        reply = self.server.owner.completion(body)
        choice = reply["choices"][0]
        text = choice["message"].get("content") or ""
        choice["finish_reason"] = "length"
        choice["message"]["content"] = text[: len(text) // 2]
        self._json(200, reply)


def _message(message: Any) -> bytes:
    return json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}).encode()


_BODIES = {
    "empty": b"",
    "text": b"Service is starting, please wait",
    "html": b"<html><body><h1>502 Bad Gateway</h1></body></html>",
    "half-json": b'{"choices": [{"index": 0, "message": {"role": "assistant", "content": "up',
    "no-utf-8": b'{"choices": "\xff\xfe\x00"}',
    "list": b'["up"]',
    "no-choices": b'{"id": "x", "object": "chat.completion"}',
    "empty-choices": b'{"choices": []}',
    "null-message": _message(None),
    "null-content": _message({"role": "assistant", "content": None}),
    "number-content": _message({"role": "assistant", "content": 17}),
    "error-object": b'{"error": {"message": "The model is overloaded", "code": 500}}',
}
