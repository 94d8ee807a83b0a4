"""Hostile input from remote callers of a conversation server, and that it does no harm."""

import asyncio
import os
import sys

import pytest

import gridpuzzles_gym
from gridpuzzles_gym.engine.levels.bundled import bundled, bundled_levels
from gridpuzzles_gym.engine.levels.remote import LONGEST_TEXT, MOST_LINES
from gridpuzzles_gym.engine.messages import quote
from gridpuzzles_gym.text.adapters.body_limit import BodyLimit
from gridpuzzles_gym.text.adapters.shared_conversations import DEEPEST, MOST_CHARACTERS, SharedConversations
from gridpuzzles_gym.text.conversations import Conversations

IDS = [row.id for row in gridpuzzles_gym.ENVIRONMENTS]
ROW = "#######\n#@  $.#\n#######\n"
"""Three moves to the right solve it."""
SECRET = "####\n#@$.#  ; root:x:0:0\n"


def shared(env_id="Sokoban-v0", **settings):
    return SharedConversations(Conversations(env_id, 2, **settings))


def refused(server, level, seed=None):
    with pytest.raises(ValueError, match=r".") as raised:
        server.start(0, seed, level)
    message = str(raised.value)
    assert "\n" not in message
    assert len(message) <= 500
    return message


# -- no files -----------------------------------------------------------------------------------------------------


_asked = []
"""The audit events of files, processes and the network during :func:`watched`."""
_hooked = []


@pytest.fixture
def watched(monkeypatch):
    """Everything that is asked of the system, in the form of texts."""

    def hook(event, arguments):
        if _hooked[-1:] == [True]:
            _asked.append(f"{event} {arguments!r}")

    if not _hooked:
        sys.addaudithook(hook)
    for name in ("stat", "lstat", "access", "open", "listdir", "scandir", "readlink"):
        function = getattr(os, name)

        def noted(*arguments, function=function, name=name, **named):
            _asked.append(f"os.{name} {arguments!r}")
            return function(*arguments, **named)

        monkeypatch.setattr(os, name, noted)
    _asked.clear()
    _hooked.append(True)
    yield _asked
    _hooked[-1] = False


def test_the_watch_notices_files(watched, tmp_path):
    """Otherwise the next test could not fail."""
    (tmp_path / "seen").write_text("")
    os.path.exists(tmp_path / "looked for")
    assert "seen" in "".join(watched)
    assert "looked for" in "".join(watched)


@pytest.mark.parametrize("env_id", IDS)
def test_no_file_is_looked_for_or_read(env_id, watched, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret-47.txt").write_text(SECRET)
    (tmp_path / "hidden-47").mkdir()
    (tmp_path / "hidden-47" / "levels.json").write_text("root:x:0:0")
    server = shared(env_id)
    server.start(0, 0, None)
    choices = [
        "/etc/passwd", "/etc/missing", "secret-47.txt", "missing-47.txt", "./secret-47.txt", "~", "..", "/dev/zero",
        str(tmp_path / "secret-47.txt"), "secret-47.txt\0", "secret-47.txt\n", "|secret-47.txt", "hidden-47",
        "http://127.0.0.1:9/levels", "file:///etc/passwd", "memory://levels", "s3://bucket/x", "local::file://etc",
        "hidden-47/", "//host/share", "C:\\secret-47.txt", "CON-47",
    ]  # fmt: skip
    watched.clear()
    for choice in choices:
        message = refused(server, choice)
        assert "root:" not in message
        assert "file" not in message.replace(quote(choice), "").replace(choice, "")
    assert [event for event in watched for choice in choices if repr(choice)[1:-1] in event] == []
    assert refused(server, "secret-47.txt") == refused(server, "secret-48.txt").replace("48", "47")
    assert server.start(0, 0, None).text


def outcome(server, level):
    try:
        return server.start(0, 0, level).text
    except ValueError as error:  # the pack's boards have another size
        return str(error)


@pytest.mark.parametrize("env_id", IDS)
def test_a_file_of_the_name_of_a_pack_is_not_read(env_id, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    server = shared(env_id)
    names = bundled(server.conversations.config.puzzle)
    before = [outcome(server, name) for name in names]
    bundled_levels.cache_clear()
    for name in names:
        (tmp_path / name).write_text(SECRET)
    assert [outcome(server, name) for name in names] == before
    bundled_levels.cache_clear()


@pytest.mark.parametrize("level", [["a"], {"class": "os:system"}, {}, 1.5, True, float("nan"), b"x", -1, 10**30, None])
def test_other_things_are_no_levels(level):
    server = shared()
    if level is None:
        assert server.start(0, 0, level)
    else:
        refused(server, level)


def test_texts_names_and_indices_are_levels():
    server = shared()
    server.start(0, 0, ROW)
    assert server.reply(0, "right").info["actions"] == ("right",)
    first = server.start(0, 0, 0).text
    assert server.start(0, 1, 0).text == first
    assert server.start(0, 0, 1).text != first
    name = server.conversations.config.levels[0].name
    assert server.start(0, 0, name).text == first
    assert server.start(0, 0, bundled(server.conversations.config.puzzle)[0])


@pytest.mark.parametrize("text", ["8 6 7\n2 5 4\n3 0 1\n", "867254301", "8 6 7 2 5 4 3 0 1"])
def test_a_board_in_one_line_is_a_level(text):
    """The puzzle's parser decides, no file system."""
    assert shared("EightPuzzle-v0").start(0, 0, text).text == shared("EightPuzzle-v0").start(0, 0, "867254301").text


# -- sizes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [("#" * (LONGEST_TEXT + 1), "100,001 characters"), ("\n" * (MOST_LINES + 1), "2,001 lines"), ("", "no level")],
)
def test_a_level_text_has_a_size(text, message):
    assert message in refused(shared(), text)


@pytest.mark.parametrize("seed", ["1", -1, 1.0, True, 2**128, [1], {}, float("nan"), "x" * 10**6])
def test_a_seed_is_an_integer(seed):
    assert "seed" in refused(shared(), None, seed)
    assert shared().start(0, 2**128 - 1, None)


def nested(depth):
    value = "up"
    for _ in range(depth):
        value = [value]
    return {"role": "assistant", "content": value}


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (nested(DEEPEST + 1), f"over {DEEPEST} objects or lists"),
        (nested(100_000), f"over {DEEPEST} objects or lists"),
        ({"content": "up", "score": float("nan")}, "not finite"),
        ({"content": "up", "score": [-float("inf")]}, "not finite"),
        ("up" * MOST_CHARACTERS, "over 16,777,216 characters"),
        ({"content": "up", "x" * MOST_CHARACTERS: 1}, "over 16,777,216 characters"),
    ],
    ids=["deep", "very deep", "nan", "infinity", "long", "long key"],
)
def test_a_reply_has_a_size(reply, message):
    server = shared(levels=ROW)
    server.start(0, 0, None)
    with pytest.raises(ValueError, match=message):
        server.reply(0, reply)
    with pytest.raises(ValueError, match=message):
        asyncio.run(server.reply_soon(0, reply))
    assert server.reply(0, "right").info["actions"] == ("right",)


def test_an_episode_has_a_size():
    """Replies are stored for the messages."""
    server, long = shared(levels=ROW, max_invalid=10_000), "x" * (MOST_CHARACTERS // 4)
    for _ in range(2):
        server.start(0, 0, None)
        for _ in range(3):
            assert server.reply(0, long).info["fault"]
        with pytest.raises(ValueError, match="begin another one"):
            server.reply(0, long)


@pytest.mark.parametrize(("sizes", "status"), [([5], 200), ([2, 2, 1], 200), ([6], 413), ([3, 3], 413)])
def test_a_request_has_a_size(sizes, status):
    """A request that is too large is not read to its end and does not reach the application."""
    parts = [
        {"type": "http.request", "body": b"x" * size, "more_body": place < len(sizes) - 1}
        for place, size in enumerate(sizes)
    ]
    sent, read = [], []

    async def app(scope, receive, send):
        while True:
            part = await receive()
            read.append(part["body"])
            if not part["more_body"]:
                break
        await send({"type": "http.response.start", "status": 200})

    async def receive():
        return parts.pop(0)

    async def send(message):
        sent.append(message)

    asyncio.run(BodyLimit(app, 5)({"type": "http"}, receive, send))
    assert sent[0]["status"] == status
    assert list(map(len, read)) == (sizes if status == 200 else [])
