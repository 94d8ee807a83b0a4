"""The record of an unfinished output: who goes on must ask for the same."""

import contextlib
import re

import pytest

from gridpuzzles_gym.agents.candidates import NO_LEVEL, Candidate
from gridpuzzles_gym.agents.sokoban.generation.difficulty import Difficulty
from gridpuzzles_gym.commands.generation.generate import Request
from gridpuzzles_gym.commands.generation.journal import Journal
from gridpuzzles_gym.commands.generation.shards import ShardedLevels
from gridpuzzles_gym.play.line_file import LineFile
from gridpuzzles_gym.play.resume_record import Unfinished, check_request
from gridpuzzles_gym.puzzles import sokoban

REQUEST = {"--seed": 3, "--size": [7, 7], "--set widen": None}

OTHERS = {
    "another value": ({**REQUEST, "--seed": 4}, "--seed was 3, now it is 4"),
    "an option more": ({**REQUEST, "--boxes": 2}, "--boxes was null, now it is 2"),
    "an option that is 0 more": ({**REQUEST, "--boxes": 0}, "--boxes was null, now it is 0"),
    "an option less": ({"--size": [7, 7]}, "--seed was 3, now it is null"),
    "a value for none": ({**REQUEST, "--set widen": False}, "--set widen was null, now it is false"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_another_request_is_refused(name):
    now, message = OTHERS[name]
    with pytest.raises(ValueError, match=f"^it: cannot be resumed with other options: {re.escape(message)}$"):
        check_request("it", REQUEST, now)


def test_the_same_request_may_be_written_otherwise():
    check_request("it", REQUEST, {"--size": (7, 7), "--seed": 3})  # JSON has lists only, and None is no option


def begun(out, *items):
    with contextlib.closing(Unfinished(out, REQUEST)) as record:
        for item in items:
            record.add(item)
    return record.path


def test_what_was_added_is_read_again_and_more_follows(tmp_path):
    out = tmp_path / "out"
    path = begun(out, {"a": 1}, {"b": "ä"})
    with path.open("a") as file:
        file.write('{"c": ' + 100 * "1")  # what a kill leaves; it is longer than the next line
    with contextlib.closing(Unfinished(out, REQUEST)) as record:
        assert not record.begun
        assert record.read() == [{"a": 1}, {"b": "ä"}]
        assert record.begun
        record.add({"d": 2})
    with contextlib.closing(Unfinished(out, REQUEST)) as record:
        assert record.read() == [{"a": 1}, {"b": "ä"}, {"d": 2}]
        record.finish()
    assert list(tmp_path.iterdir()) == []


def test_a_record_without_a_complete_line_is_empty(tmp_path):
    path = begun(tmp_path / "out")
    assert not path.exists()
    path.write_text('{"--se')
    with contextlib.closing(Unfinished(tmp_path / "out", REQUEST)) as record:
        assert record.read() == []
        assert not record.begun
        record.add({"a": 1})
        record.begin()
    with contextlib.closing(Unfinished(tmp_path / "out", REQUEST)) as record:
        assert record.read() == [{"a": 1}]


@pytest.mark.parametrize("line", ["3", "[1]", "x", "null"])
@pytest.mark.parametrize("where", [0, 1])
def test_a_damaged_record_is_one_line(tmp_path, line, where):
    path = begun(tmp_path / "out", {"a": 1})
    lines = path.read_text().splitlines()
    lines[where] = line
    path.write_text("".join(f"{line}\n" for line in lines))
    with contextlib.closing(Unfinished(tmp_path / "out", REQUEST)) as record:
        if where == 0 or line == "x":
            with pytest.raises(ValueError, match=r"out\.unfinished: is damaged; use --force to start again"):
                record.read()
        else:  # whether it is an item is for the caller to say
            assert len(record.read()) == 1


CANDIDATES = [
    Candidate(0),
    Candidate(5, NO_LEVEL),
    Candidate(2**64 - 1, board="#@$.#", key=b"\0\xff", name="one", score=1.5, boxes=1),
    Candidate(7, "too easy", difficulty=Difficulty(True, nodes=3, proof_nodes=0, pushes=1, certificate="R")),
]


def test_candidates_are_read_again_as_they_were(tmp_path):
    out = tmp_path / "out"
    with contextlib.closing(Journal(out, sokoban.PUZZLE, REQUEST)) as journal:
        assert not journal.begun
        for candidate in CANDIDATES:
            journal.add(candidate)
        assert journal.begun
    lines = (tmp_path / "out.unfinished").read_text().splitlines()
    # What is empty is left out.
    assert lines[1:3] == [
        '{"random_bits": 0}',
        '{"random_bits": 5, "rejection": "not a level"}',
    ]
    with contextlib.closing(Journal(out, sokoban.PUZZLE, REQUEST, resume=True)) as journal:
        assert journal.candidates == CANDIDATES
        journal.finish()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_begun_with_its_first_candidate(tmp_path):
    with contextlib.closing(ShardedLevels(str(tmp_path / "made"), Request("sokoban", {}, {}, (), 0), 10)) as levels:
        assert not levels.begun
        levels.journal.add(CANDIDATES[1])
        assert levels.begun
        assert levels.complete == 0


def test_what_follows_the_last_complete_line_is_removed_with_the_first_that_is_added(tmp_path):
    path = tmp_path / "lines"
    path.write_text("one\n" + 100 * "x")
    with contextlib.closing(LineFile(path)) as lines:
        assert lines.read() == "one\n"
        lines.add("two\n")
        assert path.read_text() == "one\ntwo\n"
