"""``gridpuzzles ask``: models behind a local endpoint, and everything that can go wrong on the way."""

import asyncio
import contextlib
import csv
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from helpers import CORRIDOR, TINY, run
from llm_server import HUGE, LLMServer

from gridpuzzles_gym.agents.playing import AGENT_SEED
from gridpuzzles_gym.commands.asking import retrying
from gridpuzzles_gym.commands.asking.journal import Journal, Record
from gridpuzzles_gym.commands.grading.contest import Contest, play_baseline
from gridpuzzles_gym.engine.puzzle import SOLVED, load_puzzle
from gridpuzzles_gym.registration import spec_of
from gridpuzzles_gym.text.conversations import Conversations
from gridpuzzles_gym.text.scripted import AgentModel, RandomModel
from gridpuzzles_gym.text.tasks import TaskDataset

pytest.importorskip("httpx", reason="gridpuzzles ask needs httpx: pip install httpx")

SECRET = "sk-this/is-secret+0123="
SMALL = {
    "Sokoban-v0": ("astar", {"levels": [CORRIDOR, TINY]}),
    "EightPuzzle-v0": ("astar", {"scramble": 8}),
    "Bait-v0": ("greedy", {"levels": "small-easy-test"}),
}
CHANCE = {"Wumpus-v0": ("bayesian", {}), "CatMouse-v0": ("value-iteration", {})}
SEED = 5


@pytest.fixture(autouse=True)
def hardly_wait(monkeypatch):
    monkeypatch.setattr(retrying, "FIRST_WAIT", 0.005)


@pytest.fixture
def corridors(tmp_path):
    """A file with 6 levels, which take 1 to 6 moves."""
    path = tmp_path / "levels.txt"
    path.write_text(
        "\n".join(f"; level {k}\n{'#' * (k + 4)}\n#@${' ' * (k - 1)}.#\n{'#' * (k + 4)}\n" for k in range(1, 7))
    )
    return path


def right(messages):
    return "right"


def asked(capsys, server, *arguments, env="sokoban"):
    """Run the command with a server; return the exit code, output and errors."""
    return run(capsys, "ask", env, "--model", "scripted", "--base-url", server.url, "--baseline", "none", *arguments)


def lines_of(path):
    header, *records = map(json.loads, path.read_text().splitlines())
    assert header["kind"] == "gridpuzzles ask"
    return records


def settings_of(settings):
    words = {name: value if isinstance(value, str) else json.dumps(value) for name, value in settings.items()}
    levels = ["--levels", words.pop("levels")] if "levels" in words else []
    return levels + [word for name, value in words.items() for word in ("--set", f"{name}={value}")]


def endings(env_id, agent, settings, episodes, every_level=False):
    contest = Contest(env_id, load_puzzle(spec_of(env_id).kwargs["puzzle"]), settings, episodes, SEED, every_level)
    return play_baseline(contest, agent, lambda: None).results


@pytest.mark.parametrize("replies", ["lenient", "tools"])
@pytest.mark.parametrize("env_id", SMALL)
def test_an_agent_behind_the_endpoint_solves_every_deterministic_puzzle(capsys, tmp_path, env_id, replies):
    agent, settings = SMALL[env_id]
    out = tmp_path / "out.jsonl"
    model = AgentModel(Conversations(env_id, replies=replies, **settings), agent)
    with LLMServer(model) as server:
        options = "--episodes", 4, "--seed", SEED, "--out", out, "--replies", replies, *settings_of(settings)
        code, printed, _ = asked(capsys, server, *options, env=env_id)
    records = lines_of(out)
    assert code == 0
    assert "100.0%" in printed
    assert sorted(record["index"] for record in records) == [0, 1, 2, 3]
    assert all(record["success"] for record in records)
    assert len(server.received) == sum(record["turns"] for record in records)


@pytest.mark.parametrize("env_id", CHANCE)
def test_an_agent_behind_the_endpoint_gets_its_own_results(capsys, tmp_path, env_id):
    agent, settings = CHANCE[env_id]
    out = tmp_path / "out.jsonl"
    with LLMServer(AgentModel(Conversations(env_id), agent, AGENT_SEED)) as server:
        code, _, _ = asked(capsys, server, "--episodes", 6, "--seed", SEED, "--out", out, env=env_id)
    assert code == 0
    found = {record["index"]: (record["score"], record["steps"]) for record in lines_of(out)}
    assert found == {
        number: (ending.score, ending.steps) for number, ending in enumerate(endings(env_id, agent, settings, 6))
    }


def test_each_level_once_is_played_as_agents_play_it(capsys, tmp_path):
    out = tmp_path / "out.jsonl"
    path = tmp_path / "mazes.txt"
    path.write_text("; one\nM....\n.##C.\n....E\n\n; two\nM...\n.#.C\n...E\n")
    options = "--levels", path, "--seed", SEED, "--out", out
    assert run(capsys, "ask", "catmouse", "--scripted", "wall-follower", *options, "--baseline", "none")[0] == 0
    found = sorted((record["index"], record["level"], record["score"], record["steps"]) for record in lines_of(out))
    agents = endings("CatMouse-v0", "wall-follower", {"levels": str(path)}, 2, every_level=True)
    assert found == [(k, ("one", "two")[k], ending.score, ending.steps) for k, ending in enumerate(agents)]


def test_random_replies_get_what_random_gets(capsys, tmp_path):
    episodes = 120
    out = tmp_path / "out.jsonl"
    settings = {"scramble": 2, "max_episode_steps": 4}
    with LLMServer(RandomModel(Conversations("EightPuzzle-v0"), 1), latency=0.01) as server:
        options = "--episodes", episodes, "--seed", SEED, "--out", out, "--concurrency", 16, *settings_of(settings)
        assert asked(capsys, server, *options, env="8-puzzle")[0] == 0
    assert 2 <= server.most_at_once <= 16
    found = np.array([record["success"] for record in lines_of(out)])
    random = np.array([ending.outcome == SOLVED for ending in endings("EightPuzzle-v0", "random", settings, episodes)])
    assert 0.05 < random.mean() < 0.95
    assert abs(found.mean() - random.mean()) < 4 * np.sqrt(2 * 0.25 / episodes)


def test_scripted_models_need_no_network(capsys, tmp_path):
    out = tmp_path / "out.jsonl"
    code, printed, _ = run(
        capsys, "ask", "wumpus", "--scripted", "bayesian", "--episodes", 4, "--seed", SEED, "--out", out
    )  # fmt: skip
    rows = {line.split("  ")[0].strip(): line.split() for line in printed.splitlines()}
    assert code == 0
    assert rows["bayesian, by text"][3:6] == rows["bayesian"][1:4]  # return, ±, standard error … of the same episodes
    assert [record["score"] for record in sorted(lines_of(out), key=lambda record: record["index"])] == [
        ending.score for ending in endings("Wumpus-v0", "bayesian", {}, 4)
    ]


FAULTS_SURVIVED = [
    "slow", "refused", "reset", "cut", "500", "503", "429", "429-silent", "huge", "huge-unannounced", "empty", "text",
    "html", "half-json", "no-utf-8", "list", "no-choices", "empty-choices", "null-message", "number-content",
    "error-object", "wrong-usage", "no-usage",
]  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS_SURVIVED)
def test_a_fault_now_and_then_changes_nothing(capsys, tmp_path, corridors, fault):
    out = tmp_path / "out.jsonl"
    faults = [None, fault, None, None, fault, fault]
    with LLMServer(right, faults, delay=0.02, retry_after="0") as server:
        code, _, err = asked(capsys, server, "--levels", corridors, "--out", out, "--concurrency", 3)
    assert (code, err) == (0, "")
    records = lines_of(out)
    assert sorted(record["index"] for record in records) == list(range(6))
    assert all(record["success"] and record["turns"] == record["steps"] for record in records)
    again = 0 if fault in ("slow", "wrong-usage", "no-usage") else 3
    assert len(server.received) == sum(record["turns"] for record in records) + again
    assert out.stat().st_size < HUGE / 20


@pytest.mark.parametrize("fault", ["silent", "drip"])
def test_a_reply_that_does_not_come_is_asked_for_again(capsys, tmp_path, corridors, fault):
    with LLMServer(right, [None, fault], delay=0.2) as server:
        code, _, _ = asked(capsys, server, "--levels", f"{corridors}:2", "--timeout", 0.5)
    assert code == 0
    assert len(server.received) == 3


@pytest.mark.parametrize("fault", ["null-content", "cut-short"])
def test_a_reply_that_says_nothing_is_an_invalid_reply(capsys, tmp_path, corridors, fault):
    out = tmp_path / "out.jsonl"
    with LLMServer(right, [fault]) as server:
        assert asked(capsys, server, "--levels", f"{corridors}:1", "--out", out)[0] == 0
    (record,) = lines_of(out)
    assert (record["success"], record["turns"], record["steps"], record["invalid_replies"]) == (True, 2, 1, 1)
    assert record["messages"][2]["fault"]


def test_a_list_of_parts_is_a_text(capsys, corridors):
    with LLMServer(lambda messages: "Going on.\nright", content="parts") as server:
        code, printed, _ = asked(capsys, server, "--levels", corridors)
    assert code == 0
    assert "100.0%" in printed


def test_retry_after_is_honoured(capsys, corridors):
    with LLMServer(right, ["429"], retry_after="1") as server:
        begun = time.monotonic()
        assert asked(capsys, server, "--levels", f"{corridors}:1")[0] == 0
    assert time.monotonic() - begun >= 1


def test_waits_grow_and_are_random():
    waits = [[retrying.wait(number, None) for _ in range(50)] for number in range(30)]
    for number, found in enumerate(waits):
        longest = min(retrying.FIRST_WAIT * 2**number, retrying.LONGEST_WAIT)
        assert longest / 2 <= min(found) < max(found) <= longest
    assert 7 <= retrying.wait(0, 7) <= 8
    assert retrying.wait(0, 1e9) <= 2 * retrying.LONGEST_REQUESTED_WAIT


def test_an_episode_that_fails_too_often_is_tried_again_by_resume(capsys, tmp_path, corridors):
    out = tmp_path / "out.jsonl"
    options = "--levels", corridors, "--out", out, "--concurrency", 1
    with LLMServer(right, [None, None, "500", "cut", None]) as server:  # in the second level's second turn
        code, printed, err = asked(capsys, server, *options, "--retries", 1)
    assert code == 1
    assert err == ""
    assert "1 episode failed, the last: no connection" in printed
    assert "--resume" in printed
    assert [record["index"] for record in lines_of(out)] == [0, 2, 3, 4, 5]
    with LLMServer(right) as server:
        code, printed, _ = asked(capsys, server, *options, "--resume")
    assert code == 0
    assert [record["index"] for record in lines_of(out)] == [0, 2, 3, 4, 5, 1]
    assert len(server.received) == 2
    assert "100.0%" in printed


def test_a_request_refused_later_ends_its_episode(capsys, tmp_path, corridors):
    out = tmp_path / "out.jsonl"
    with LLMServer(right, [None, "400"]) as server:
        assert asked(capsys, server, "--levels", f"{corridors}:3", "--out", out)[0] == 0
    (record,) = lines_of(out)
    assert (record["success"], record["outcome"], record["steps"]) == (False, "unfinished", 1)
    assert "status 400" in record["error"]


@pytest.mark.parametrize("fault", ["400", "401", "404", "500", "html", "refused"])
def test_an_endpoint_that_never_replies_ends_the_run_with_one_line(capsys, tmp_path, corridors, fault):
    out = tmp_path / "out.jsonl"
    with LLMServer(right, lambda number: fault) as server:
        code, _, err = asked(capsys, server, "--levels", corridors, "--out", out, "--retries", 1, "--concurrency", 2)
    assert code == 1
    assert err.count("\n") == 1
    assert "0 of 6 done" in err
    assert len(server.received) <= 4
    assert not out.exists()


def test_no_server_is_one_line(capsys):
    options = "--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--baseline", "none", "--retries", 1
    code, _, err = run(capsys, "ask", "sokoban", *options, "--levels", json.dumps([CORRIDOR]))
    assert code == 1
    assert err.count("\n") == 1
    assert "no connection" in err


def test_a_budget_of_requests_ends_the_run_and_the_rest_follows(capsys, tmp_path, corridors):
    out = tmp_path / "out.jsonl"
    options = "--levels", corridors, "--out", out
    requests, records = 0, []
    for number in itertools.count():
        with LLMServer(right) as server:
            more = ("--resume",) if number else ()
            code, printed, _ = asked(capsys, server, *options, "--budget-requests", 12, "--concurrency", 2, *more)
        assert code == 0
        assert len(server.received) <= 12
        records = lines_of(out)
        requests += len(server.received)
        if len(records) == 6:
            break
        assert "stopped: the budget of 12 requests is used up" in printed
        assert "--resume" in printed
        assert number < 4
    assert sorted(record["index"] for record in records) == list(range(6))
    assert requests >= 21


def test_a_budget_of_tokens_counts_or_estimates(capsys, tmp_path, corridors):
    for fault, words in ((None, "tokens in prompts"), ("no-usage", "did not count")):
        with LLMServer(right, lambda number, fault=fault: fault) as server:
            options = "--levels", corridors, "--budget-tokens", 500, "--concurrency", 1
            code, printed, _ = asked(capsys, server, *options)
        assert code == 0
        assert "stopped: the budget of 500 tokens is used up" in printed
        assert words in printed
        assert 1 <= len(server.received) <= 10


def test_a_budget_of_seconds_ends_a_slow_run(capsys, tmp_path, corridors):
    with LLMServer(right, latency=0.2) as server:
        code, printed, _ = asked(capsys, server, "--levels", corridors, "--budget-seconds", 0.5, "--concurrency", 1)
    assert code == 0
    assert "stopped: the budget of 0.5 s is used up" in printed
    assert re.search(r"[0-3] of 6 episodes done", printed)


def test_more_episodes_can_follow(capsys, tmp_path, corridors):
    out = tmp_path / "out.jsonl"
    for number, more in ((2, ()), (5, ("--resume",))):
        with LLMServer(right) as server:
            assert asked(capsys, server, "--levels", corridors, "--episodes", number, "--out", out, *more)[0] == 0
        assert sorted(record["index"] for record in lines_of(out)) == list(range(number))
    assert len(server.received) == sum(record["turns"] for record in lines_of(out) if record["index"] >= 2)


def process(server, out, corridors, *more):
    command = [
        sys.executable, "-m", "gridpuzzles_gym", "ask", "sokoban", "--model", "scripted", "--base-url", server.url,
        "--levels", corridors, "--episodes", 40, "--seed", 3, "--out", out, "--baseline", "none",
        "--concurrency", 4, *more,
    ]  # fmt: skip
    return subprocess.Popen([*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for(condition):
    for _ in range(1000):
        if condition():
            return
        time.sleep(0.02)
    raise AssertionError("it did not happen")


def lines_in(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0


def test_after_a_kill_the_rest_follows_without_a_double(capsys, tmp_path, corridors):
    out = tmp_path / "out.jsonl"
    with LLMServer(right, latency=0.01) as server:
        killed = process(server, out, corridors)
        wait_for(lambda: lines_in(out) >= 6)
        killed.kill()
        killed.communicate()
        finished = lines_of(out)
        assert 5 <= len(finished) < 40
        with out.open("ab") as file:  # as if it had been killed in the middle of a line
            file.write(b'{"index": 39, "success": tr')
        code, _, err = asked(
            capsys, server, "--levels", corridors, "--episodes", 39, "--seed", 4, "--out", out, "--resume"
        )  # fmt: skip
        assert code == 2
        assert "cannot be resumed with other options: seed was 3, now it is 4" in err
        second = process(server, out, corridors, "--resume")
        printed, errors = second.communicate(timeout=60)
    assert (second.returncode, errors) == (0, "")
    assert "40 of 40 episodes done" in printed
    records = lines_of(out)
    assert records[: len(finished)] == finished
    assert sorted(record["index"] for record in records) == list(range(40))
    assert not list(tmp_path.glob("*.lock"))


def test_ctrl_c_ends_promptly_and_says_how_to_go_on(capsys, tmp_path, corridors):
    out = tmp_path / "out.jsonl"
    page = tmp_path / "film.html"
    with LLMServer(right, lambda number: None if number < 60 else "silent") as server:
        running = process(server, out, corridors, "--record", page)
        wait_for(lambda: len(server.received) >= 64)
        running.send_signal(signal.SIGINT)
        printed, errors = running.communicate(timeout=30)  # a reply never comes
    assert running.returncode == 130
    done = len(lines_of(out))
    assert 0 < done < 40
    assert f"stopped by Ctrl-C: {done} of 40 done; the same command with --resume" in errors
    assert errors.count("\n") == 1
    assert "scripted" in printed  # the table of what is done
    assert page.exists()


def test_it_runs_where_an_event_loop_runs_already(capsys, tmp_path, corridors):
    """As in a notebook."""

    async def notebook(*arguments):
        return asked(capsys, server, "--levels", corridors, "--concurrency", 2, *arguments)

    faults = [None] * 30 + ["silent"] * 10
    with LLMServer(right, faults) as server, contextlib.closing(asyncio.new_event_loop()) as loop:
        code, printed, _ = loop.run_until_complete(notebook())
        assert (code, "100.0%" in printed) == (0, True)
        with interrupted_at(lambda: len(server.received) >= 32):
            code, printed, err = loop.run_until_complete(notebook("--out", tmp_path / "out.jsonl"))
    assert code == 130
    assert "stopped by Ctrl-C: 3 of 6 done" in err


@contextlib.contextmanager
def interrupted_at(condition):
    """Within the block, this process gets a Ctrl-C as soon as the condition holds."""

    def strike():
        wait_for(condition)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=strike)
    thread.start()
    yield
    thread.join()


def test_two_processes_never_write_the_same_file(capsys, tmp_path, corridors):
    out = tmp_path / "out.jsonl"
    journal = Journal(out, {"some": "options"})
    with LLMServer(right) as server:
        code, _, err = asked(capsys, server, "--levels", corridors, "--out", out)
    journal.close()
    assert code == 1
    assert "is being written by another process" in err
    assert server.received == []


def test_an_existing_file_is_kept_unless_forced(capsys, tmp_path, corridors):
    out = tmp_path / "out.jsonl"
    out.write_text("mine\n")
    with LLMServer(right) as server:
        options = "--levels", corridors, "--out", out
        code, _, err = asked(capsys, server, *options)
        assert (code, out.read_text()) == (1, "mine\n")
        assert "--resume to go on, --force to start again" in err
        code, _, err = asked(capsys, server, *options, "--resume")
        assert (code, out.read_text()) == (2, "mine\n")
        assert "it is not a file of gridpuzzles ask" in err
        assert server.received == []
        assert asked(capsys, server, *options, "--force")[0] == 0
        sent = len(server.received)
        code, printed, _ = asked(capsys, server, *options, "--resume")
        assert (code, len(server.received)) == (0, sent)  # nothing is left to ask
    assert "6 of 6 episodes done" in printed


def test_a_damaged_file_is_refused(tmp_path):
    path = tmp_path / "out.jsonl"
    journal = Journal(path, {})
    journal.add(Record(0, True, 1.0))
    journal.close()
    good = path.read_text()
    for bad, words in (
        (good.splitlines()[1] + "\n", "episode 0 is in the file twice"),
        ('{"index": 1}\n', "its fields are unknown"),
        ('{"index": "1", "success": true, "score": 1.0}\n', "index is invalid"),
        ('{"index": 1, "success": true, "score": 1.0, "messages": [1]}\n', "messages is invalid"),
        ("[" * 100_000 + "]" * 100_000 + "\n", "it is nested too deeply"),
        ("7\n", "its fields are unknown"),
    ):
        path.write_text(good + bad)
        with pytest.raises(ValueError, match=f"line 3: is damaged.*{words}"):
            Journal(path, {}, resume=True)
    path.write_text(good)
    again = Journal(path, {}, resume=True)
    again.close()
    assert again.records == {0: Record(0, True, 1.0)}


def test_the_key_is_sent_and_nowhere_else(capsys, tmp_path, corridors, monkeypatch):
    monkeypatch.setenv("THE_KEY", SECRET)
    files = [tmp_path / "out" / name for name in ("out.jsonl", "table.csv", "film.html")]
    names = itertools.chain.from_iterable(zip(("--out", "--csv", "--record"), files, strict=True))
    # The model repeats the key, as an endpoint's error messages do.
    with LLMServer(lambda messages: f"I know {SECRET} and {json.dumps(SECRET)}.\nright", key=SECRET) as server:
        code, out, err = asked(capsys, server, "--levels", corridors, "--key-env", "THE_KEY", *names)
        assert code == 0
        assert all(received.headers["authorization"] == f"Bearer {SECRET}" for received in server.received)
        monkeypatch.setenv("THE_KEY", SECRET.replace("0123", "4567"))
        failed = asked(capsys, server, "--levels", corridors, "--key-env", "THE_KEY")
    assert failed[0] == 1
    assert "Incorrect API key provided: Bearer [key]" in failed[2]
    for text in (out, err, *failed[1:], *(file.read_text() for file in files)):
        assert "this/is-secret" not in text
        assert "this\\/is-secret" not in text
    assert "[key]" in files[0].read_text()
    assert len(list((tmp_path / "out").iterdir())) == 3


def test_no_key_is_sent_unless_named(capsys, corridors, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    with LLMServer(right) as server:
        assert asked(capsys, server, "--levels", corridors)[0] == 0
    assert all("authorization" not in received.headers for received in server.received)


def test_nothing_is_sent_without_an_address_and_a_model(capsys, corridors, monkeypatch):
    with LLMServer(right) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", SECRET)
        for options in ((), ("--model", "m"), ("--base-url", server.url)):
            code, _, err = run(capsys, "ask", "sokoban", "--levels", corridors, *options)
            assert code == 2
            assert "ask needs a model: --model NAME --base-url URL, or --scripted NAME" in err
        assert run(capsys, "ask", "sokoban", "--levels", corridors, "--scripted", "random")[0] == 0
        assert server.received == []
        monkeypatch.setenv("GRIDPUZZLES_BASE_URL", server.url)
        assert run(capsys, "ask", "sokoban", "--levels", corridors, "--model", "m")[0] == 0
        assert server.received != []


def test_requests_have_what_the_options_say(capsys, corridors):
    with LLMServer(right) as server:
        options = "--temperature", 0.5, "--max-tokens", 100, "--param", "top_p=0.9", "--replies", "lenient"
        assert asked(capsys, server, "--levels", f"{corridors}:2", *options, "--history", 0)[0] == 0
    first, second = [received.body for received in server.received]
    assert {name: first[name] for name in first if name != "messages"} == {
        "model": "scripted", "temperature": 0.5, "max_tokens": 100, "top_p": 0.9,
    }  # fmt: skip
    assert [message["role"] for message in second["messages"]] == ["system", "user"]
    assert "Before: right." in second["messages"][1]["content"]


def test_pictures_are_sent_and_not_written(capsys, tmp_path, corridors):
    out = tmp_path / "out.jsonl"
    with LLMServer(right) as server:
        assert asked(capsys, server, "--levels", f"{corridors}:1", "--images", "--out", out)[0] == 0
    content = server.received[0].body["messages"][1]["content"]
    assert content[1]["image_url"]["url"].startswith("data:image/png;base64,")
    assert "base64" not in out.read_text()
    assert lines_of(out)[0]["messages"][1]["content"].endswith("[picture]")


ENDPOINT = "--model", "m", "--base-url", "http://localhost/v1"
BAD = [
    (("--model", "m", "--base-url", "localhost:8000"), "must be an address"),
    (("--model", "m", "--base-url", "ftp://localhost/v1"), "must be an address"),
    (("--model", "m", "--base-url", "http://user:pass@localhost/v1"), "without a user, a password"),
    (("--model", "m", "--base-url", "http://localhost/v1?key=17"), "without a user, a password"),
    (("--model", "m", "--base-url", "http://[::1/v1"), "must be an address"),
    (("--model", " ", "--base-url", "http://localhost/v1"), "--model must be the name"),
    ((*ENDPOINT, "--key-env", "NOT_SET_1"), "NOT_SET_1: this environment"),
    ((*ENDPOINT, "--timeout", "0"), "--timeout 0: must be a positive number"),
    ((*ENDPOINT, "--param", "stream=true"), "--param stream=… is not allowed"),
    ((*ENDPOINT, "--temperature", "1", "--param", "temperature=1"), "cannot be combined"),
    (("--scripted", "random", "--model", "m"), "cannot be combined with --model"),
    (("--scripted", "nobody"), "no agent 'nobody'"),
    (("--scripted", "random", "--levels", "nothing"), "no levels 'nothing'"),
    (("--scripted", "random", "--view", "smell"), "'smell' is not known"),
    (("--scripted", "random", "--replies", "morse"), "'morse' is not known"),
    (("--scripted", "random", "--actions-per-reply", "0"), "actions_per_reply=0"),
    (("--scripted", "random", "--baseline", "nobody"), "no agent 'nobody'"),
    (("--scripted", "random", "--budget-requests", "0"), "--budget-requests 0: must be"),
    (("--scripted", "random", "--budget-seconds", "-1"), "--budget-seconds -1: must be a positive number of seconds"),
    (("--scripted", "random", "--budget-seconds", "0"), "--budget-seconds 0: must be a positive number of seconds"),
    (("--model", "x", "--base-url", "http://x", "--temperature", "nan"), "--temperature nan: must be a number of"),
    (("--model", "x", "--base-url", "http://x", "--temperature", "-1"), "--temperature -1: must be a number of"),
    (("--scripted", "random", "--difficulty", "easy"), "it needs --task"),
    (("--scripted", "random", "--resume"), "it needs --out FILE"),
    (("--scripted", "random", "--out", "x.jsonl", "--resume", "--force"), "--resume and --force cannot be combined"),
    (("--scripted", "random", "--record", "film.gif"), "the name must end in .html"),
    (("--scripted", "random", "--set", "observation=planes"), "--view selects"),
    (("--scripted", "random", "--set", "colour=red"), "no setting 'colour'"),
    (("--scripted", "answer", "--task", "plan", "--levels", "starter"), "it cannot be combined with --task"),
    (("--scripted", "answer", "--task", "plan", "--record", "a.html"), "it cannot be combined with --task"),
    (("--scripted", "answer", "--task", "nothing"), "'nothing' is not known"),
    (("--scripted", "answer", "--task", "solvable", "--baseline", "random"), "--baseline random: agents are compared"),
    (("--scripted", "answer", "--task", "plan", "--baseline", "nobody"), "no agent 'nobody'"),
    (("--scripted", "answer", "--task", "plan", "--set", "corridor", "--difficulty", "hard"), "without difficulties"),
    (("--scripted", "astar", "--task", "plan"), "only answer is allowed"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "words"), BAD)
def test_invalid_options_are_one_line(capsys, tmp_path, monkeypatch, options, words):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, "ask", "sokoban", *options)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert words in err
    assert not list(tmp_path.iterdir())


def test_without_httpx_one_line_says_what_to_install(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "httpx", None)
    code, _, err = run(capsys, "ask", "sokoban", "--model", "m", "--base-url", "http://127.0.0.1:9/v1")
    assert code == 1
    assert err == 'gridpuzzles: httpx is not installed; to install it: pip install "gridpuzzles_gym[llm]"\n'


def test_the_table_compares_the_same_episodes_in_80_columns(capsys, tmp_path, corridors, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    table = tmp_path / "table.csv"
    with LLMServer(right) as server:
        code, printed, _ = run(
            capsys, "ask", "sokoban", "--model", "scripted", "--base-url", server.url, "--levels", corridors,
            "--csv", table, "--out", tmp_path / "out.jsonl",
        )  # fmt: skip
    assert code == 0
    assert max(map(len, printed.splitlines()[:8])) <= 80
    with table.open(newline="") as file:
        rows = {row["player"]: row for row in csv.DictReader(file)}
    assert list(rows) == ["scripted", "random", "sokoban", "sokoban-moves", "shortest solution"]
    assert {row["episodes"] for row in rows.values()} == {"6"}
    assert float(rows["scripted"]["steps"]) == float(rows["shortest solution"]["steps"]) == 3.5
    assert float(rows["scripted"]["mean_return"]) == 996.5
    assert rows["scripted"]["standard_error"] == rows["shortest solution"]["standard_error"]
    sent = [len(received.body["messages"]) for received in server.received]
    assert int(rows["scripted"]["prompt_tokens"]) > 20 * len(sent)
    assert rows["random"]["prompt_tokens"] == ""


def test_json_has_the_table(capsys, corridors):
    with LLMServer(right) as server:
        code, printed, err = asked(capsys, server, "--levels", corridors, "--json")
    found = json.loads(printed)
    assert (code, err) == (0, "")
    assert (found["done"], found["wanted"], found["requests"]) == (6, 6, 21)
    assert found["rows"][0]["success"] == 1.0


def test_single_turn_tasks(capsys, tmp_path):
    dataset = TaskDataset("plan", "EightPuzzle-v0", 6, 3, "easy")
    answers = {item.user: item.answer for item in dataset}
    lock = threading.Lock()
    wrong = dataset[2].user
    out = tmp_path / "out.jsonl"

    def model(messages):
        with lock:
            return "no idea" if messages[-1]["content"] == wrong else answers[messages[-1]["content"]]

    options = "--task", "plan", "--episodes", 6, "--seed", 3, "--out", out
    with LLMServer(model, ["500"]) as server:
        code, printed, _ = run(
            capsys, "ask", "8-puzzle", "--model", "m", "--base-url", server.url, *options, "--budget-requests", 4
        )  # fmt: skip
        assert code == 0
        assert "3 of 6 tasks done" in printed
        code, printed, _ = run(
            capsys, "ask", "8-puzzle", "--model", "m", "--base-url", server.url, *options, "--resume"
        )
    assert code == 0
    assert "83.3%" in printed
    records = {record["index"]: record for record in lines_of(out)}
    assert len(records) == len(lines_of(out)) == 6
    assert [records[k]["score"] for k in range(6)] == [1.0, 1.0, 0.0, 1.0, 1.0, 1.0]
    assert records[0]["answer"] == dataset[0].answer
    code, printed, _ = run(capsys, "ask", "8-puzzle", "--scripted", "answer", "--task", "plan", "--episodes", 5)
    assert (code, "100.0%" in printed) == (0, True)


def test_results_by_length_and_agents_next_to_them(capsys):
    options = "--task", "shortest-plan", "--set", "corridor=[11,14]", "--episodes", 16, "--json"
    answers = {item.user: item.answer for item in TaskDataset("shortest-plan", "Sokoban-v0", 16, corridor=[11, 14])}

    def model(messages):
        """Ten pushes: one too many for 11 squares, as many as needed for 12, too few for 13 and 14."""
        return ", ".join(answers[messages[-1]["content"]].split(", ")[:1] * 10)

    with LLMServer(model) as server:
        code, printed, err = run(capsys, "ask", "sokoban", "--model", "m", "--base-url", server.url, *options)
    assert (code, err) == (0, "")
    found = json.loads(printed)
    assert found["by_length"] == [
        {
            "least": 1,
            "most": 10,
            "tasks": 8,
            "success": {"m": 0.5, "random": 0.0, "sokoban": 1.0, "sokoban-moves": 1.0},
        },
        {
            "least": 11,
            "most": 20,
            "tasks": 8,
            "success": {"m": 0.0, "random": 0.0, "sokoban": 1.0, "sokoban-moves": 1.0},
        },
    ]
    assert [row["mean_return"] for row in found["rows"][2:]] == [1.0, 1.0]
    assert found["rows"][0]["mean_return"] == pytest.approx((4 * 0.9 + 4 * 1.0) / 16)
    assert found["title"] == "Sokoban-v0: shortest-plan, corridor, seed 0"
    no_agents = (
        "ask",
        "8-puzzle",
        "--scripted",
        "answer",
        "--task",
        "best-action",
        "--episodes",
        3,
        "--baseline",
        "none",
    )
    code, printed, _ = run(capsys, *no_agents)
    assert code == 0
    assert "correct, by the length" in printed
    assert "random" not in printed


def test_a_film_has_the_words_next_to_the_boards(capsys, tmp_path, corridors):
    from printed import film_in

    page = tmp_path / "film.html"
    script = "<script>alert(1)</script>"
    said = iter([f"{script}\nleft or right?", "I think so." + "o" * 20_000 + "\nright", "Good.\nright, right"])
    with LLMServer(lambda messages: next(said)) as server:
        options = "--levels", f"{corridors}:3", "--record", page, "--actions-per-reply", 2
        assert asked(capsys, server, *options)[0] == 0
    text = page.read_text()
    assert script not in text
    (episode,) = film_in(text)["rounds"][0]["episodes"]
    assert "return 997, 1 invalid reply" in episode["summary"]
    frames = episode["frames"]
    assert len(frames) == 4
    speakers = [[speaker for speaker, _ in frame.get("lines", [])] for frame in frames]
    assert speakers == [["model", "game", "model"], ["model"], [], ["game"]]
    assert frames[0]["lines"][0][1].startswith(script)
    assert "Invalid reply" in frames[0]["lines"][1][1]
    assert len(frames[0]["lines"][2][1]) == 4000
    assert frames[1]["lines"] == [["model", "Good.\nright, right"]]
    assert "won" in frames[3]["lines"][0][1]


def test_a_browser_shows_the_words(capsys, tmp_path, corridors, browser):
    page = tmp_path / "film.html"
    with LLMServer(lambda messages: "<b>Bold</b> plan.\nright") as server:
        assert asked(capsys, server, "--levels", f"{corridors}:2", "--record", page)[0] == 0
    tab = browser.new_page(viewport={"width": 1000, "height": 700})
    faults = []
    tab.on("pageerror", lambda error: faults.append(str(error)))
    tab.goto(page.as_uri())
    assert tab.locator(".words-said .model").inner_text() == "<b>Bold</b> plan.\nright"
    tab.keyboard.press("End")
    assert "won" in tab.locator(".words-said .game").inner_text()
    tab.close()
    assert faults == []


def test_a_process_that_plays_leaves_no_connection_open(capsys, corridors):
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else None
    if before is None:
        pytest.skip("this system has no /proc")
    with LLMServer(right) as server:
        assert asked(capsys, server, "--levels", corridors)[0] == 0
    wait_for(lambda: len(os.listdir("/proc/self/fd")) <= before + 1)
