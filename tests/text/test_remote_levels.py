"""Levels and seeds that remote callers choose: they open no file, and whatever is invalid is one line."""

import os
import sys

import pytest

from gridpuzzles_gym.engine.levels.bundled import bundled, bundled_levels
from gridpuzzles_gym.engine.levels.remote import LONGEST_TEXT, MOST_LINES, remote_level, remote_seed
from gridpuzzles_gym.engine.messages import quote
from gridpuzzles_gym.text.conversations import Conversation

ROW = "#######\n#@  $.#\n#######\n"
SECRET = "####\n#@$.#  ; root:x:0:0\n"


class Caller:
    """What a server does with the level of a caller."""

    def __init__(self, env_id="Sokoban-v0"):
        self.conversation = Conversation(env_id)
        self.puzzle, self.batch = self.conversation.of.config.puzzle, self.conversation.of.envs.batch

    def start(self, level):
        found = remote_level(self.puzzle, self.batch.source, level, self.batch.check_fits)
        return self.conversation.start(0, found).text

    def refused(self, level):
        with pytest.raises(ValueError, match=r".") as raised:
            self.start(level)
        message = str(raised.value)
        assert "\n" not in message
        assert len(message) <= 500
        return message


_asked, _hooked = [], []
"""The audit events of files, processes and the network during :func:`watched`."""


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


@pytest.mark.parametrize("env_id", ["Bait-v0", "EightPuzzle-v0"])
def test_no_file_is_looked_for_or_read(env_id, watched, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret-47.txt").write_text(SECRET)
    caller = Caller(env_id)
    choices = [
        "/etc/passwd", "/etc/missing", "secret-47.txt", "missing-47.txt", "./secret-47.txt", "~", "..", "/dev/zero",
        str(tmp_path / "secret-47.txt"), "secret-47.txt\0", "secret-47.txt\n", "|secret-47.txt",
        "http://127.0.0.1:9/levels", "file:///etc/passwd", "memory://levels", "s3://bucket/x", "//host/share",
    ]  # fmt: skip
    watched.clear()
    for choice in choices:
        message = caller.refused(choice)
        assert "root:" not in message
        assert "file" not in message.replace(quote(choice), "").replace(choice, "")
    assert [event for event in watched for choice in choices if repr(choice)[1:-1] in event] == []
    assert caller.refused("secret-47.txt") == caller.refused("secret-48.txt").replace("48", "47")


def test_a_file_of_the_name_of_a_pack_is_not_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    caller = Caller("Bait-v0")
    name = bundled(caller.puzzle)[0]
    before = caller.start(name)
    bundled_levels.cache_clear()
    (tmp_path / name).write_text(SECRET)
    assert caller.start(name) == before
    bundled_levels.cache_clear()


def test_texts_names_and_indices_are_levels_and_nothing_else():
    caller = Caller()
    assert ROW.replace(" ", "-").splitlines()[1] in caller.start(ROW)
    first = caller.start(0)
    assert caller.start(1) != first
    assert caller.start(caller.conversation.of.config.levels[0].name) == first
    for level in (["a"], {"class": "os:system"}, {}, 1.5, True, float("nan"), b"x", -1, 10**30, ""):
        caller.refused(level)
    assert "100,001 characters" in caller.refused("#" * (LONGEST_TEXT + 1))
    assert "2,001 lines" in caller.refused("\n" * (MOST_LINES + 1))
    tiles = Caller("EightPuzzle-v0")
    assert len({tiles.start(text) for text in ("8 6 7\n2 5 4\n3 0 1\n", "867254301", "8 6 7 2 5 4 3 0 1")}) == 1


def test_a_seed_is_an_integer():
    assert remote_seed(2**128 - 1) == 2**128 - 1
    for seed in ("1", -1, 1.0, True, 2**128, [1], {}, float("nan"), "x" * 10**6):
        with pytest.raises(ValueError, match="seed"):
            remote_seed(seed)
