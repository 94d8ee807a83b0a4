"""``gridpuzzles web``: what is served, what is not, and what is written."""

import contextlib
import http.client
import os
import re
import signal
import subprocess
import sys
import threading

import pytest
from helpers import run

from gridpuzzles_gym.web.assembly import imported, site
from gridpuzzles_gym.web.serving import Server


@pytest.fixture(scope="module")
def server():
    with Server({"index.html": b"<p>", "js/a.js": b"let a = 1;\n" * 200, "m.wasm": b"\0asm", "x.rows": b"1"}) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def ask(server, path, method="GET", **headers):
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=5)) as connection:
        connection.request(method, path, headers=headers)
        response = connection.getresponse()
        return response.status, response.headers, response.read()


def test_files_have_their_types_and_nothing_else_can_be_reached(server):
    for path, kind, size in (
        ("/", "text/html; charset=utf-8", 3),
        ("/index.html?a=b", "text/html; charset=utf-8", 3),
        ("/js/a.js", "text/javascript; charset=utf-8", 2200),
        ("/m.wasm", "application/wasm", 4),
        ("/x.rows", "application/octet-stream", 1),
    ):
        status, headers, content = ask(server, path)
        assert (status, headers["Content-Type"], len(content)) == (200, kind, size)
    for path in ("/../../etc/passwd", "/..%2f..%2fetc/passwd", "//etc/passwd", "/js", "/js/", "/%00", "/INDEX.HTML"):
        assert ask(server, path)[0] == 404, path
    assert ask(server, "/", "POST")[0] == 501


def test_only_this_host_by_its_names_is_served(server):
    for host in ("127.0.0.1", "localhost", "LocalHost", "localhost:80", "127.0.0.1:8765", "localhost:"):
        assert ask(server, "/", Host=host)[0] == 200, host
    for host in (
        "", "evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "evil.example:localhost", ":80",
        "localhost:80:80", "localhost@evil.example", "[::1]:80", "127.0.0.1:x", " ",
    ):  # fmt: skip
        assert ask(server, "/", Host=host)[0] == 404, host


@pytest.mark.extended
def test_ctrl_c_ends_with_130_and_no_traceback():
    command = [sys.executable, "-m", "gridpuzzles_gym.cli", "web", "--no-browser"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    line = process.stdout.readline()
    assert re.search(r"serving http://127\.0\.0\.1:\d+/", line)
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "Traceback" not in out + error


def test_the_site_is_written_to_an_empty_folder_only_and_a_taken_port_is_an_error(server, tmp_path, capsys):
    folder = tmp_path / "public"
    assert run(capsys, "web", "--out", folder)[0] == 0
    written = {str(path.relative_to(folder)).replace(os.sep, "/") for path in folder.rglob("*") if path.is_file()}
    assert written == set(site())
    (folder / "index.html").write_text("mine")
    code, _, err = run(capsys, "web", "--out", folder)
    assert (code, "--force" in err, (folder / "index.html").read_text()) == (1, True, "mine")
    code, _, err = run(capsys, "web", "--no-browser", "--port", server.server_port)
    assert (code, f"port {server.server_port}: " in err, err.count("\n")) == (1, True, 1)


def test_every_script_that_is_imported_is_there():
    files = site()
    pages = [path for path in files if path.endswith(".html") and b'rel="modulepreload"' in files[path]]
    assert len(pages) == 6
    for page in pages:
        named = re.findall(rb'(?:href|src)="([^"]+)"', files[page])
        assert {name.decode() for name in named} <= set(files), page
    scripts = [path for path in files if path.endswith(".js")]
    assert set(imported(files, scripts)) <= set(files)
    for path, content in files.items():
        if path.endswith((".html", ".js", ".css")):
            assert set(re.findall(rb"https?://[^\s\"'/]+", content)) <= {b"http://www.w3.org"}, path
