"""A server of the site for this computer only, of the standard library."""

import gzip
import io
import re
import socket
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

HOST = "127.0.0.1"
TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
    "wasm": "application/wasm",
}
"""The type of a file by the end of its name; of any other file: bytes."""
SMALL = 1024
"""The size in bytes below which files are not compressed."""
PATIENCE = 30.0
"""How long a connection waits for a request to begin and to end, in seconds, and for what it sends to be taken."""
_LOCAL = re.compile(rf"(?:{re.escape(HOST)}|localhost)(?::\d*)?", re.IGNORECASE)
"""How browsers call this host; they leave out the port if it is 80."""


class Server(ThreadingHTTPServer):
    """Serves files from memory.

    Args:
        files: The content of each file by its path, with ``/`` between folders; ``index.html`` is also served as ``/``.
        port: The port; 0 for any that is free.
        patience: How long a connection may be idle or a request unfinished, in seconds.

    Raises:
        OSError: The port is taken, or must not be used.
    """

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, files: Mapping[str, bytes], port: int = 0, patience: float = PATIENCE) -> None:
        super().__init__((HOST, port), _Handler)
        self.patience = patience
        self.files = {path: (content, gzip.compress(content, mtime=0)) for path, content in files.items()}

    @property
    def address(self) -> str:
        """The address of the first page."""
        return f"http://{HOST}:{self.server_port}/"


class _Impatient(io.RawIOBase):
    """What comes through a connection; reading raises TimeoutError a while after :meth:`begin`, however much comes."""

    def __init__(self, connection: socket.socket, patience: float) -> None:
        self.connection, self.patience = connection, patience
        self.begin()

    def begin(self) -> None:
        """Wait for another request."""
        self.deadline = time.monotonic() + self.patience

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self.connection.settimeout(left)
        return self.connection.recv_into(buffer)


class _Handler(BaseHTTPRequestHandler):
    """Answers one connection: a path is looked up among the files, and nothing else can be reached."""

    server: Server
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # what is known of a file and its content go in one packet: two would wait for each other
    disable_nagle_algorithm = True

    def setup(self) -> None:
        """Prepare for requests."""
        super().setup()
        self.coming = _Impatient(self.connection, self.server.patience)
        self.rfile = io.BufferedReader(self.coming)

    def handle_one_request(self) -> None:
        """Wait for a request and serve it."""
        self.coming.begin()
        super().handle_one_request()

    def do_GET(self) -> None:
        """Send a file."""
        self._send(with_content=True)

    def do_HEAD(self) -> None:
        """Send what is known of a file."""
        self._send(with_content=False)

    def _send(self, with_content: bool) -> None:
        self.connection.settimeout(self.server.patience)
        path = unquote(urlsplit(self.path).path).removeprefix("/") or "index.html"
        if not self._is_local() or path not in self.server.files:
            self.send_error(404)
            return
        plain, packed = self.server.files[path]
        compressed = len(plain) >= SMALL and "gzip" in self.headers.get("Accept-Encoding", "")
        content = packed if compressed else plain
        self.send_response(200)
        self.send_header("Content-Type", TYPES.get(path.rpartition(".")[2], "application/octet-stream"))
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-cache")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Vary", "Accept-Encoding")
        if compressed:
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        if with_content:
            self.wfile.write(content)

    def _is_local(self) -> bool:
        """Whether a page of this server asks: another name for this host would be somebody else's page."""
        return _LOCAL.fullmatch(self.headers.get("Host", "")) is not None

    def log_message(self, format: str, *values: object) -> None:
        """Keep quiet."""
