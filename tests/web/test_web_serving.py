"""``gridpuzzles web``: what is served, what is not, and what is written."""

import contextlib
import dataclasses
import gzip
import http.client
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import zipfile

import pytest
from helpers import SOURCE

from gridpuzzles_gym.engine.board.gestures import Gestures
from gridpuzzles_gym.engine.puzzle import load_puzzle
from gridpuzzles_gym.web.assembly import site
from gridpuzzles_gym.web.preloading import imported
from gridpuzzles_gym.web.serving import Server

LARGEST = 2_000_000
"""The bytes by which the site may enlarge the wheel."""


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


@pytest.mark.parametrize(
    ("path", "kind", "size"),
    [
        ("/", "text/html; charset=utf-8", 3),
        ("/index.html?a=b", "text/html; charset=utf-8", 3),
        ("/js/a.js", "text/javascript; charset=utf-8", 2200),
        ("/m.wasm", "application/wasm", 4),
        ("/x.rows", "application/octet-stream", 1),
    ],
)
def test_files_have_their_types(server, path, kind, size):
    status, headers, content = ask(server, path)
    assert (status, headers["Content-Type"], len(content)) == (200, kind, size)
    assert ask(server, path, "HEAD")[1]["Content-Length"] == str(size)


def test_large_files_are_compressed_if_the_browser_can(server):
    _, headers, content = ask(server, "/js/a.js", **{"Accept-Encoding": "gzip"})
    assert headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(content) == ask(server, "/js/a.js")[2]


@pytest.mark.parametrize(
    "path", ["/../../etc/passwd", "/..%2f..%2fetc/passwd", "//etc/passwd", "/js", "/js/", "/%00", "/INDEX.HTML"]
)
def test_nothing_else_can_be_reached(server, path):
    assert ask(server, path)[0] == 404


def test_a_page_of_another_name_cannot_ask(server):
    assert ask(server, "/", Host="evil.example:80")[0] == 404
    assert ask(server, "/", "POST")[0] == 501


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "LocalHost", "localhost:80", "127.0.0.1:8765", "localhost:"]
)
def test_browsers_name_this_host_with_or_without_a_port(server, host):
    """Without, if it is 80."""
    assert ask(server, "/", Host=host)[0] == 200


@pytest.mark.parametrize(
    "host",
    ["", "evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "evil.example:localhost", ":80",
     "localhost:80:80", "localhost@evil.example", "[::1]:80", "127.0.0.1:x", " "],
)  # fmt: skip
def test_any_other_name_is_refused(server, host):
    assert ask(server, "/", Host=host)[0] == 404


@pytest.mark.parametrize(
    "beginning",
    [b"", b"G", b"GET / HTTP/1.1\r\n", b"GET / HTTP/1.1\r\nHost: localhost\r\n", b"GET /" + b"x" * 9000],
    ids=["nothing", "a letter", "a line", "a header", "a long path"],
)
@pytest.mark.parametrize("drip", [b"", b"x"], ids=["silence", "drops"])
def test_an_unfinished_request_is_given_up(beginning, drip):
    """Also if something comes now and then."""
    with Server({"index.html": b"<p>"}, request_timeout=0.3) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with socket.create_connection(("127.0.0.1", server.server_port)) as connection:
            connection.sendall(beginning)
            for _ in range(600):
                if select.select([connection], [], [], 0.1)[0]:
                    break
                with contextlib.suppress(OSError):
                    connection.sendall(drip)
            else:
                pytest.fail("the connection is still open")
            with contextlib.suppress(ConnectionResetError):  # drops were on their way
                assert connection.recv(1) == b""
        assert ask(server, "/", Host="localhost")[0] == 200
        server.shutdown()


def test_a_connection_serves_several_requests(server):
    """Its time limit begins again."""
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=5)) as connection:
        for _ in range(3):
            connection.request("GET", "/js/a.js")
            assert len(connection.getresponse().read()) == 2200


def command(*arguments):
    return [sys.executable, "-m", "gridpuzzles_gym.cli", "web", *map(str, arguments)]


def test_ctrl_c_ends_with_130_and_no_traceback():
    process = subprocess.Popen(
        command("--no-browser"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    line = process.stdout.readline()
    assert re.search(r"serving http://127\.0\.0\.1:\d+/", line)
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "Traceback" not in out + error


def test_a_taken_port_is_an_error(server):
    done = subprocess.run(command("--no-browser", "--port", server.server_port), capture_output=True, text=True)
    assert done.returncode == 1
    assert f"port {server.server_port}: " in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_site_is_written_to_an_empty_folder_only(tmp_path):
    folder = tmp_path / "public"
    assert subprocess.run(command("--out", folder), capture_output=True).returncode == 0
    written = {str(path.relative_to(folder)).replace(os.sep, "/") for path in folder.rglob("*") if path.is_file()}
    assert written == set(site())
    (folder / "index.html").write_text("mine")
    refused = subprocess.run(command("--out", folder), capture_output=True, text=True)
    assert refused.returncode == 1
    assert "--force" in refused.stderr
    assert (folder / "index.html").read_text() == "mine"
    assert subprocess.run(command("--out", folder, "--force"), capture_output=True).returncode == 0
    assert (folder / "index.html").read_bytes() == site()["index.html"]


def test_the_site_is_small(tmp_path):
    """As the wheel holds it: only what is the site's alone; art and levels are there anyway."""
    own = [path for path in (SOURCE / "web" / "site").rglob("*") if path.is_file()]
    own += [path for path in SOURCE.glob("puzzles/*/web/*") if path.is_file()]
    with zipfile.ZipFile(tmp_path / "site.zip", "w", zipfile.ZIP_DEFLATED) as file:
        for path in own:
            file.write(path)
    assert (tmp_path / "site.zip").stat().st_size < LARGEST


def test_every_script_that_is_imported_is_there():
    files = site()
    pages = [path for path in files if path.endswith(".html") and b'rel="modulepreload"' in files[path]]
    assert len(pages) == 6
    for page in pages:
        named = re.findall(rb'(?:href|src)="([^"]+)"', files[page])
        assert {name.decode() for name in named} <= set(files), page
    scripts = [path for path in files if path.endswith(".js")]
    assert set(imported(files, scripts)) <= set(files)


def test_only_gestures_that_are_rules_are_offered(monkeypatch):
    puzzle = load_puzzle("gridpuzzles_gym.puzzles.wumpus")
    click, reachable, actor, *_ = (getattr(puzzle.gestures, field.name) for field in dataclasses.fields(Gestures))
    plain = dataclasses.replace(puzzle, gestures=Gestures(click, reachable, actor, "walk"))
    monkeypatch.setattr("gridpuzzles_gym.puzzles.wumpus.PUZZLE", plain)
    entries = {entry["name"]: entry["gestures"] for entry in json.loads(site()["catalogue.json"])}
    assert entries["wumpus"] == {}
    assert entries["cat_mouse"].keys() == {"click"}
    assert entries["sokoban"].keys() == {"click", "drag"}
