"""The OpenEnv server and client, by the library's own protocol on this machine."""

import contextlib
import json
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

import pytest

pytest.importorskip("openenv.core.env_server.http_server", reason="needs the extra openenv: make test-llm")

import uvicorn
from scripted_play import AGENTS, CERTAIN, SETTINGS, own_results

from gridpuzzles_gym.text.adapters import openenv_server
from gridpuzzles_gym.text.adapters.openenv_client import TextAction, TextClient
from gridpuzzles_gym.text.adapters.openenv_server import conversations_app, main
from gridpuzzles_gym.text.conversations import Conversation, Conversations
from gridpuzzles_gym.text.scripted import AgentModel, message_with

pytestmark = pytest.mark.compiled

ROW = "#######\n#@  $.#\n#######\n"
"""Three moves to the right solve it."""


@contextlib.contextmanager
def serving(env_id, sessions=4, **options):
    """The URL of a server in another thread."""
    config = uvicorn.Config(conversations_app(env_id, sessions, **options), port=0, log_level="critical")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


def played(client, model, seed=None, level=None):
    """The last observation, the rewards and the conversation of an episode, as the client receives them."""
    result = client.reset(seed=seed, level=level)
    messages, rewards = [{"role": "system", "content": result.observation.system}], []
    while not result.done:
        messages.append({"role": "user", "content": result.observation.text})
        messages.append(model(messages))
        result = client.step(TextAction(reply=messages[-1]["content"]))
        assert result.reward == result.observation.reward
        rewards.append(result.reward)
    return result.observation, rewards, messages


def step(client, reply):
    return client.step(TextAction(reply=reply)).observation


# -- playing ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("env_id", ["Wumpus-v0", "Sokoban-v0"])
def test_an_agent_plays_as_it_plays_by_itself(env_id):
    settings = SETTINGS.get(env_id, {})
    model, results = AgentModel(Conversations(env_id, **settings), AGENTS[env_id]), []
    with serving(env_id, **settings) as url, TextClient(url).sync() as client:
        for seed in range(3):
            last, rewards, messages = played(client, model, seed)
            assert sum(rewards) == last.score
            assert client.state().messages[:-1] == messages
            assert client.state().step_count == len(rewards) == last.steps
            results.append((last.score, last.steps, last.is_success))
    assert results == own_results(env_id, range(3), **settings)
    if env_id in CERTAIN:
        assert all(success for *_, success in results)


def test_a_level_and_an_end_and_a_new_beginning():
    with serving("Sokoban-v0") as url, TextClient(url).sync() as client:
        assert client.state().messages == []
        with pytest.raises(Exception, match="has not begun"):
            step(client, "ACTIONS: up")
        assert "This is Sokoban" in client.reset(level=ROW, episode_id="mine").observation.system
        assert "allowed are up, down, left, right" in step(client, "fly").fault
        assert client.state().episode_id == "mine"
        assert [step(client, "ACTIONS: right").done for _ in range(3)] == [False, False, True]
        with pytest.raises(Exception, match="is over"):
            step(client, "ACTIONS: right")
        for level in ("#####\n", 10**6):
            with pytest.raises(Exception, match="level"):
                client.reset(level=level)
        with pytest.raises(Exception, match="unknown arguments levle; allowed are seed, episode_id, level"):
            client.reset(levle=ROW)
        assert not client.reset(seed=1).done, "an error ends no session"
        assert client.state().seed == 1
        assert step(client, "ACTIONS: up").actions == ["up"]


def test_tool_calls_and_pictures():
    with serving("Sokoban-v0", tools=True, images=True, levels=ROW) as url, TextClient(url).sync() as client:
        first = client.reset().observation
        assert first.tools[0]["function"]["name"] == "act"
        assert first.image.startswith("data:image/png;base64,")
        images = {first.image}
        for _ in range(3):
            seen = step(client, message_with(["right"], tools=True))
            images.add(seen.image)
        assert seen.is_success
        assert len(images) == 4


def test_what_the_server_says_about_itself():
    def get(path, body=None):
        request = urllib.request.Request(url + path, body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as response:
            return json.load(response)

    with serving("EightPuzzle-v0") as url:
        schema = get("/schema")
        assert schema["action"]["required"] == ["reply"]
        assert {"text", "fault", "score", "is_success"} <= set(schema["observation"]["properties"])
        assert get("/metadata")["name"] == "EightPuzzle-v0"
        assert get("/health")["status"] == "healthy"
        for seed in range(6):  # more than there are sessions
            observation = get("/reset", json.dumps({"seed": seed}).encode())["observation"]
            assert observation["text"] == Conversation("EightPuzzle-v0").start(seed=seed).text


def test_a_level_is_no_path():
    """Neither by a session nor by a request of its own."""

    def post(path, body):
        request = urllib.request.Request(url + path, body, {"Content-Type": "application/json"})
        with pytest.raises(urllib.error.HTTPError) as raised, urllib.request.urlopen(request):
            pass
        return raised.value.code, raised.value.read()

    with serving("Sokoban-v0") as url:
        for level in ("/etc/passwd", "/etc/missing", "file:///etc/passwd", ["/etc/passwd"]):
            code, said = post("/reset", json.dumps({"level": level}).encode())
            assert code == 400
            assert b"root:" not in said
            assert b"level" in json.loads(said)["detail"].encode()
            with TextClient(url).sync() as client, pytest.raises(Exception, match="level") as raised:
                client.reset(level=level)
            assert "root:" not in str(raised.value)
        assert post("/reset", b'{"level": ' + b"[" * 1000 + b"]" * 1000 + b"}")[0] in (400, 422)
        for wrong in ({"seed": "x"}, {"seed": 2**200}, {"episode_id": "x" * 300}, {"x" * 10_000: 1}):
            said = pytest.raises(Exception, match=r"must be|unknown argument")
            with TextClient(url).sync() as client, said as raised:
                client.reset(**wrong)
            assert len(str(raised.value)) < 1000
        with TextClient(url).sync() as client:
            assert client.reset(level=ROW, seed=1).observation.text


def test_a_request_that_is_never_completed_is_refused(monkeypatch):
    monkeypatch.setattr(openenv_server, "PATIENCE", 0.2)
    with serving("Sokoban-v0") as url, socket.create_connection(url.removeprefix("http://").split(":")) as client:
        client.sendall(b"POST /reset HTTP/1.1\r\nHost: here\r\nContent-Length: 1000\r\n\r\n{")
        client.settimeout(30)
        assert client.recv(100).startswith(b"HTTP/1.1 4")


# -- the command --------------------------------------------------------------------------------------------------


def test_the_command_serves():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    options = json.dumps({"levels": ROW})
    command = [sys.executable, "-m", "gridpuzzles_gym.text.adapters.openenv_server", "Sokoban-v0", "--port", port]
    process = subprocess.Popen([*command, "--sessions", "3", "--options", options])
    try:
        deadline = time.monotonic() + 60
        while True:
            with contextlib.suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/health"):
                break
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
        with TextClient(f"http://127.0.0.1:{port}").sync() as client:
            assert "$" in client.reset().observation.text
    finally:
        process.terminate()
        process.wait()


def test_the_command_says_what_is_wrong_in_a_line(capsys):
    for arguments, message in (
        (["Chess-v0"], "Chess"),
        (["Sokoban-v0", "--options", '{"colour": 1}'], "colour"),
        (["Sokoban-v0", "--options", "{"], "argument --options: invalid"),
    ):
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        lines = capsys.readouterr().err.splitlines()
        assert (ended.value.code, message in lines[-1]) == (2, True)
        assert not any("Traceback" in line for line in lines)
