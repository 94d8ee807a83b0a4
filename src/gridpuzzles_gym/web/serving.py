"""A server of the site for this computer only, made with the standard library."""

import re
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

HOST = "127.0.0.1"
TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "jpg": "image/jpeg",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
    "wasm": "application/wasm",
}
"""The media type of a file by its suffix; other files are bytes."""
_LOCAL = re.compile(rf"(?:{re.escape(HOST)}|localhost)(?::\d*)?", re.IGNORECASE)
"""The names of this host in requests; browsers leave out port 80."""


class Server(ThreadingHTTPServer):
    """Serves files from memory.

    Args:
        files: The content of each file by its path, with ``/`` between folders; ``index.html`` is also served as ``/``.
        port: The port; 0 for any free one.

    Raises:
        OSError: The port is in use, or not allowed.
    """

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, files: Mapping[str, bytes], port: int = 0) -> None:
        super().__init__((HOST, port), _Handler)
        self.files = files

    @property
    def address(self) -> str:
        """The address of the first page."""
        return f"http://{HOST}:{self.server_port}/"


class _Handler(BaseHTTPRequestHandler):
    """Handles one connection; only the server's files can be requested."""

    server: Server
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # headers and content are sent in one packet: a second one would wait for the first
    disable_nagle_algorithm = True
    timeout = 30.0  # seconds that an idle connection is kept

    def do_GET(self) -> None:
        """Send a file."""
        path = unquote(urlsplit(self.path).path).removeprefix("/") or "index.html"
        if not self._is_local() or path not in self.server.files:
            self.send_error(404)
            return
        content = self.server.files[path]
        self.send_response(200)
        self.send_header("Content-Type", TYPES.get(path.rpartition(".")[2], "application/octet-stream"))
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-cache")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(content)

    def _is_local(self) -> bool:
        """Return whether the request names this host; under another name, it comes from another site's page."""
        return _LOCAL.fullmatch(self.headers.get("Host", "")) is not None

    def log_message(self, format: str, *values: object) -> None:
        """Log nothing."""
