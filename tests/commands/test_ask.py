"""``gridpuzzles ask``: a model behind an endpoint plays episodes and replies to tasks; what is finished stays."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from helpers import run
from llm_server import LLMServer

from gridpuzzles_gym.text import asking
from gridpuzzles_gym.text.replies import REWARD_VERSION
from gridpuzzles_gym.text.tasks import TaskDataset

SECRET = "sk-this/is-secret-0123"


@pytest.fixture
def corridors(tmp_path):
    """A file of levels that are solved by 1 to 4 moves to the right."""
    path = tmp_path / "corridors.xsb"
    path.write_text("\n".join(f"{'#' * (n + 4)}\n#@{' ' * (n - 1)}$.#\n{'#' * (n + 4)}\n" for n in range(1, 5)))
    return path


def right(messages):
    return "I push.\nACTIONS: right"


def asked(capsys, server, *options):
    options = ("--model", "m", "--base-url", server.url, "--baseline", "none", *options)
    return run(capsys, "ask", "sokoban", *options)


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


# -- without a network ---------------------------------------------------------------------------------


def test_a_scripted_agent_next_to_agents_of_the_suite(capsys, corridors, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    out = tmp_path / "out.jsonl"
    options = "ask", "sokoban", "--scripted", "astar", "--levels", corridors, "--out", out
    code, printed, err = run(capsys, *options, "--baseline", "random", "--baseline", "astar")
    assert (code, err) == (0, "")
    assert max(map(len, printed.splitlines()[:5])) <= 80
    rows = [line.split() for line in printed.splitlines()[2:5]]
    assert [row[-5:] for row in (rows[0], rows[2])] == [
        ["±", "0.6", "2.5", "2.5", "0"],
        ["±", "0.6", "2.5", "–", "–"],
    ]
    records = lines_of(out)
    assert [record["index"] for record in sorted(records, key=lambda record: record["index"])] == [0, 1, 2, 3]
    first = next(record for record in records if record["index"] == 0)
    assert (first["success"], first["steps"], first["score"], first["outcome"]) == (True, 1, 999.0, "solved")
    assert first["run"]["reward_version"] == REWARD_VERSION
    assert [message["role"] for message in first["messages"]] == ["system", "user", "assistant", "user"]
    assert (first["messages"][2]["actions"], first["messages"][2]["fault"]) == (["right"], "")
    code, printed, _ = run(capsys, *options, "--baseline", "none", "--json")
    assert code == 0
    assert (json.loads(printed)["done"], json.loads(printed)["rows"][0]["success"]) == (4, 1.0)
    assert len(lines_of(out)) == 4  # nothing is played again


def test_a_second_run_goes_on(capsys, corridors, tmp_path):
    out = tmp_path / "out.jsonl"
    options = "ask", "sokoban", "--scripted", "random", "--levels", corridors, "--baseline", "none", "--out", out
    assert run(capsys, *options, "--episodes", 3)[0] == 0
    three = out.read_bytes()
    with out.open("ab") as file:
        file.write(three[:100])  # half a line, as a killed process leaves it
    assert run(capsys, *options, "--episodes", 6)[0] == 0
    assert out.read_bytes().startswith(three)
    assert sorted(record["index"] for record in lines_of(out)) == [0, 1, 2, 3, 4, 5]
    whole = out.read_bytes()
    for more, message in ((("--seed", "5"), "seed is 1000000 there and 5 now; name another file"),):
        code, _, err = run(capsys, *options, "--episodes", 6, *more)
        assert (code, err.count("\n")) == (2, 1)
        assert message in err
    out.write_bytes(whole + b"[1]\n")
    assert "line 7: is not a line of gridpuzzles ask" in run(capsys, *options, "--episodes", 6)[2]


def test_tasks_from_a_file(capsys, tmp_path):
    tasks = tmp_path / "tasks.jsonl"
    TaskDataset("plan", "EightPuzzle-v0", 4, 1).write(tasks)
    out = tmp_path / "out.jsonl"
    code, printed, _ = run(capsys, "ask", "--tasks", tasks, "--scripted", "answer", "--out", out)
    assert code == 0
    assert "100.0%" in printed
    assert "4 of 4 tasks done" in printed
    assert [record["answer"].startswith("ACTIONS: ") for record in lines_of(out)] == [True] * 4
    TaskDataset("plan", "EightPuzzle-v0", 4, 2).write(tasks)
    assert "digest is" in run(capsys, "ask", "--tasks", tasks, "--scripted", "answer", "--out", out)[2]


def test_a_full_disk_is_one_line(capsys, corridors, tmp_path, monkeypatch):
    def full(*arguments):
        raise OSError(28, "No space left on device", "out.jsonl")

    monkeypatch.setattr("gridpuzzles_gym.text.asking.Run._add", full)
    options = "ask", "sokoban", "--scripted", "random", "--levels", corridors, "--out", tmp_path / "out.jsonl"
    assert run(capsys, *options) == (1, "", "gridpuzzles: out.jsonl: No space left on device\n")


def test_invalid_options_are_one_line(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.jsonl").write_text("{}\n")
    endpoint, scripted = ("--model", "m", "--base-url", "http://localhost/v1"), ("--scripted", "random")
    cases = [
        (("sokoban",), "ask needs a model: --model NAME --base-url URL, or --scripted NAME"),
        (("sokoban", "--model", "m"), "ask needs a model"),
        (scripted, "ask needs the ID of an environment, or --tasks FILE"),
        (("sokoban", "--model", "m", "--base-url", "localhost:8000"), "must be an address"),
        (("sokoban", "--model", "m", "--base-url", "http://user:pass@localhost/v1"), "must be an address"),
        (("sokoban", *endpoint, "--key-env", "NOT_SET_1"), "NOT_SET_1: this environment variable is not set"),
        (("sokoban", *endpoint, "--timeout", "0"), "--timeout 0: must be a positive number"),
        (("sokoban", *endpoint, "--param", "stream=true"), "--param stream=… is not allowed"),
        (("sokoban", *scripted, "--model", "m"), "cannot be combined with --model"),
        (("sokoban", "--scripted", "nobody"), "no agent 'nobody'"),
        (("sokoban", *scripted, "--actions-per-reply", "0"), "actions_per_reply=0"),
        (("sokoban", *scripted, "--set", "observation=planes"), "the board is shown as text"),
        (("sokoban", *scripted, "--set", "colour=red"), "no setting 'colour'"),
        (("--tasks", "bad.jsonl", "--scripted", "answer"), "bad.jsonl, line 1: not an item of a task"),
        (("--tasks", "bad.jsonl", "--scripted", "answer", "--episodes", "3"), "--episodes applies to episodes"),
    ]
    wrong = []
    for options, words in cases:
        code, out, err = run(capsys, "ask", *options)
        wrong += [(options, err)] * ((code, out, err.count("\n")) != (2, "", 1) or words not in err)
    assert wrong == []


# -- an endpoint -----------------------------------------------------------------------------------------


@pytest.fixture
def openai():
    """Skips where the client is not installed."""
    pytest.importorskip("openai", reason="needs the extra llm")


@pytest.mark.extended
def test_an_endpoint_plays_in_spite_of_faults(openai, capsys, corridors, tmp_path):
    out = tmp_path / "out.jsonl"
    faults = ["500", None, "429", "cut", None, "503"]
    with LLMServer(right, faults) as server:
        options = "--levels", corridors, "--out", out, "--param", "temperature=0.5", "--concurrency", 2, "--json"
        code, printed, err = asked(capsys, server, *options)
    assert (code, err) == (0, "")
    (row,) = json.loads(printed)["rows"]
    assert (row["success"], row["turns"], row["completion_tokens"]) == (1.0, 2.5, 50)
    body = server.received[-1].body
    assert (body["model"], body["temperature"]) == ("m", 0.5)
    assert all(record["prompt_tokens"] > 100 for record in lines_of(out))


@pytest.mark.extended
def test_broken_replies_are_failures_and_a_second_run_asks_again(openai, capsys, corridors, tmp_path):
    out = tmp_path / "out.jsonl"
    options = "--levels", corridors, "--out", out, "--concurrency", 1, "--retries", 0
    for fault in ("text", "half-json", "no-choices", "null-message", "list", "500"):
        with LLMServer(right, [None, fault]) as server:
            code, printed, _ = asked(capsys, server, *options)
        assert code == 1, fault
        assert "3 of 4 episodes done" in printed
        assert "failed: 1, the last: " in printed
        with LLMServer(right) as server:
            assert asked(capsys, server, *options)[0] == 0
            assert len(server.received) in (2, 3, 4)
        out.unlink()
    with LLMServer(right, [None, None, "400"]) as server:  # the second turn of the second episode
        code, printed, _ = asked(capsys, server, *options)
    assert code == 0
    refused = next(record for record in lines_of(out) if record["index"] == 1)
    assert (refused["turns"], refused["success"]) == (1, False)
    assert "Scripted fault 400" in refused["error"]


@pytest.mark.extended
def test_an_endpoint_that_never_replies_ends_the_run(openai, capsys, corridors):
    for faults, options, words in (
        (["500"] * 9, ("--retries", 1), "Scripted fault 500"),
        (["silent"] * 9, ("--retries", 0, "--timeout", 0.3), "timed out"),
        (["404"] * 9, (), "Scripted fault 404"),
    ):
        with LLMServer(right, faults) as server:
            code, _, err = asked(capsys, server, "--levels", corridors, *options)
            server.closing.set()
        assert (code, err.count("\n")) == (1, 1)
        assert words in err
        assert "0 of 4 episodes done" in err


@pytest.mark.extended
def test_failures_in_a_row_end_the_run(openai, capsys, corridors, monkeypatch):
    monkeypatch.setattr(asking, "MOST_FAILURES", 2)
    for faults, said in (
        ([None, "500"], "3 of 4 episodes done"),
        ([None, "500", "500"], "2 episodes failed one after the other, the last: "),
    ):
        with LLMServer(right, faults) as server:
            code, printed, err = asked(capsys, server, "--levels", corridors, "--concurrency", 1, "--retries", 0)
        assert code == 1
        assert said in printed + err


@pytest.mark.extended
def test_the_key_is_sent_where_it_should_and_nowhere_else(openai, capsys, tmp_path, corridors, monkeypatch):
    monkeypatch.setenv("THE_KEY", SECRET)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-another-service")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-another-service")
    out = tmp_path / "out.jsonl"
    model = lambda messages: f"I know {SECRET} and {json.dumps(SECRET)}.\nACTIONS: right"  # noqa: E731
    with LLMServer(model, key=SECRET) as server:
        code, printed, err = asked(capsys, server, "--levels", corridors, "--key-env", "THE_KEY", "--out", out)
        assert code == 0
        monkeypatch.setenv("THE_KEY", SECRET.replace("0123", "4567"))
        failed = asked(capsys, server, "--levels", corridors, "--key-env", "THE_KEY")
        headers = [text for received in server.received for text in received.headers.values()]
    assert "Incorrect API key provided: Bearer [key]" in failed[2]
    assert not any("another-service" in text for text in headers)
    assert not any("this/is-secret" in text for text in (printed, err, *failed[1:], out.read_text()))
    with LLMServer(right) as server:
        assert asked(capsys, server, "--levels", corridors)[0] == 0
        assert {received.headers["authorization"] for received in server.received} == {"Bearer EMPTY"}


@pytest.mark.extended
def test_tools_and_pictures(openai, capsys, tmp_path, corridors):
    call = {"id": "1", "type": "function", "function": {"name": "act", "arguments": '{"actions": ["right"]}'}}
    out = tmp_path / "out.jsonl"
    with LLMServer(lambda messages: {"tool_calls": [call]}) as server:
        options = "--levels", f"{corridors}:2", "--tools", "--images", "--out", out
        assert asked(capsys, server, *options)[0] == 0
    first = server.received[0].body
    assert first["tools"][0]["function"]["name"] == "act"
    assert first["messages"][1]["content"][1]["image_url"]["url"].startswith("data:image/png;base64,")
    assert "base64" not in out.read_text()
    assert lines_of(out)[0]["messages"][1]["content"].endswith("[picture]")


@pytest.mark.extended
def test_ctrl_c_keeps_what_is_finished(openai, corridors, tmp_path):
    out = tmp_path / "out.jsonl"
    with LLMServer(right, [None, "silent"]) as server:
        words = (
            f"ask sokoban --model m --base-url {server.url} --levels {corridors} --out {out} --concurrency 1".split()
        )
        command = [sys.executable, "-m", "gridpuzzles_gym.cli", *words]
        asking = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        until = time.monotonic() + 60
        while len(server.received) < 2 and time.monotonic() < until:
            time.sleep(0.05)
        os.kill(asking.pid, signal.SIGINT)
        _, err = asking.communicate(timeout=30)
    assert asking.returncode == 130
    assert err.endswith("stopped by Ctrl-C: 1 of 4 episodes done; the same command asks for the rest\n")
    assert [record["index"] for record in lines_of(out)] == [0]


def test_without_the_client_one_line_says_what_to_install(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    code, _, err = run(capsys, "ask", "sokoban", "--model", "m", "--base-url", "http://127.0.0.1:9/v1")
    assert code == 1
    assert err == 'gridpuzzles: openai is not installed; to install it: pip install "gridpuzzles_gym[llm]"\n'
