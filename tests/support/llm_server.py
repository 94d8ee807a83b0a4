"""A chat endpoint in OpenAI's form on this machine, for tests: a scripted model, and what can go wrong."""

import contextlib
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

Message = Mapping[str, Any]
Model = Callable[[list[dict[str, Any]]], "str | Message"]
FAULTS: dict[str | None, bytes] = {
    "text": b"Service is starting, please wait",
    "half-json": b'{"choices": [{"index": 0, "message": {"role": "assistant", "content": "up',
    "no-choices": b'{"id": "x", "object": "chat.completion"}',
    "null-message": b'{"choices": [{"index": 0, "message": null}]}',
    "list": b'["up"]',
}
"""Bodies of broken replies; other faults are a status, ``"cut"`` (the connection is closed in the middle of the reply)
and ``"silent"`` (nothing comes until the client hangs up)."""


class Received(NamedTuple):
    """One request: its headers (names in lower case) and its body."""

    headers: Mapping[str, str]
    body: Any


class LLMServer:
    """A local chat endpoint: ``with LLMServer(model) as server: … server.url`` (which ends in /v1).

    Args:
        model: Maps the messages to an assistant message, or to its text. Called by one thread at a time.
        faults: What goes wrong with each request in turn; None: nothing. Later ones are well.
        key: The key that requests must carry; None takes every request.
    """

    def __init__(self, model: Model, faults: Sequence[str | None] = (), key: str | None = None) -> None:
        self.model, self.faults, self.key = model, list(faults), key
        self.received: list[Received] = []
        self.closing, self.lock = threading.Event(), threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"owner": self}))
        self._server.daemon_threads = True
        self._server.handle_error = lambda *request: None  # a client that hangs up is no news

    @property
    def url(self) -> str:
        """The base URL: what OpenAI's clients call ``base_url``."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> "LLMServer":
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()

    def completion(self, body: Mapping[str, Any]) -> bytes:
        """The right reply to a request."""
        with self.lock:
            message = self.model(list(body["messages"]))
        message = {
            "role": "assistant",
            "content": None,
            **({"content": message} if isinstance(message, str) else message),
        }
        finish = "tool_calls" if message.get("tool_calls") else "stop"
        usage = {"prompt_tokens": len(json.dumps(body["messages"])), "completion_tokens": 5, "total_tokens": 0}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish}
        found = {"id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": body["model"]}
        return json.dumps({**found, "choices": [choice], "usage": usage}).encode()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    owner: LLMServer

    def log_message(self, *words: object) -> None:
        """Tests print nothing."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        owner = self.owner
        with owner.lock:
            number = len(owner.received)
            owner.received.append(Received({name.lower(): value for name, value in self.headers.items()}, body))
        fault = owner.faults[number] if number < len(owner.faults) else None
        if owner.key is not None and self.headers["Authorization"] != f"Bearer {owner.key}":
            return self._send(401, _error(f"Incorrect API key provided: {self.headers['Authorization']}"))
        if self.path != "/v1/chat/completions":
            return self._send(404, _error(f"Unknown path {self.path}"))
        if fault is not None and fault.isdigit():
            return self._send(int(fault), _error(f"Scripted fault {fault}"))
        if fault == "silent":
            owner.closing.wait()
            return self._send(500, b"")
        data = FAULTS.get(fault) or owner.completion(body)
        return self._send(200, data, len(data) // 2 if fault == "cut" else len(data))

    def _send(self, status: int, data: bytes, sent: int | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Retry-After", "0.01")
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(data[:sent])
        self.close_connection = sent is not None and sent < len(data)


def _error(message: str) -> bytes:
    return json.dumps({"error": {"message": message, "type": "scripted", "code": None}}).encode()
