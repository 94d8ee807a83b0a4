"""JSON from outside: nested too deeply, it is an error of one line wherever it is read."""

import ast
import contextlib
import json

import gymnasium as gym
import pytest
from helpers import REPOSITORY, SOURCE, run

from gridpuzzles_gym.agents.level_sources.sampler_choice import read_choice
from gridpuzzles_gym.agents.training.sweep.record import read_sweep
from gridpuzzles_gym.commands.asking.endpoint import _json
from gridpuzzles_gym.commands.asking.journal import Journal, Record
from gridpuzzles_gym.commands.grading.agent_process import ProcessEndedError, _read
from gridpuzzles_gym.commands.tasks import avoided
from gridpuzzles_gym.engine.system.json_text import DEEPEST, NestingError, read_json
from gridpuzzles_gym.session.resume_record import Unfinished
from gridpuzzles_gym.window.model.progress import Progress

VERY_DEEP = "[" * 100_000 + "]" * 100_000
DEEP = "[" * (DEEPEST + 2) + "]" * (DEEPEST + 2)
"""Python's parser reads this, but what handles the value may not."""
OBJECTS = '{"a":' * 5_000 + "1" + "}" * 5_000

ELSEWHERE = {
    "src/gridpuzzles_gym/text/reply_json.py": "replies have faults of their own",
    "src/gridpuzzles_gym/text/tasks/instances.py": "what this process has written",
    "src/gridpuzzles_gym/commands/grading/hosting.py": "what the grader has written",
    "src/gridpuzzles_gym/engine/system/json_text.py": "the reader",
}
"""Other places that read JSON."""


@pytest.mark.parametrize("text", [VERY_DEEP, DEEP, OBJECTS, DEEP.encode(), VERY_DEEP.encode()], ids=range(5))
def test_deep_nesting_is_an_error(text):
    with pytest.raises(NestingError, match=r"^levels.json is nested too deeply: over 100 objects"):
        read_json(text, "levels.json")


@pytest.mark.parametrize(
    "text", ["", "{", "nul", "[1,]", b"\xff\xfe\xfd", b"\x80", '"\n"', "1" * 5_000, "{'a': 1}", "\x00", "]" * 9_999]
)
def test_what_is_not_json_is_an_error_of_one_line(text):
    with pytest.raises(ValueError, match=r"^it is not valid JSON ") as raised:
        read_json(text)
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 300


@pytest.mark.parametrize("value", [1, None, "a", [[]] * 5_000, {"a": ["[" * 500]}, json.loads("[" * 100 + "]" * 100)])
def test_what_is_json_is_read(value):
    assert read_json(json.dumps(value)) == read_json(json.dumps(value).encode()) == value


def test_everything_reads_json_by_it():
    """A call elsewhere is either a copy of a value or listed."""
    found = set()
    for path in [*SOURCE.rglob("*.py"), *(REPOSITORY / "agents").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)):
                continue
            if node.value.id == "json" and node.attr in ("load", "loads", "JSONDecoder"):
                found.add(path.relative_to(REPOSITORY).as_posix())
    copies = {path for path in found if "json.loads(json.dumps(" in (REPOSITORY / path).read_text(encoding="utf-8")}
    assert found - copies <= set(ELSEWHERE)


# -- where it comes from ------------------------------------------------------------------------------------------


def refused(capsys, *arguments):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "bug" not in err
    return err


def raised(work):
    with pytest.raises(ValueError, match=r".") as error:
        work()
    message = str(error.value)
    assert "\n" not in message
    assert len(message) < 500
    return message


@pytest.mark.parametrize("text", [VERY_DEEP, DEEP, OBJECTS], ids=["very deep", "deep", "objects"])
class TestSources:
    """Files, flags, other processes and the network."""

    def test_level_folders(self, tmp_path, text):
        (tmp_path / "levels.json").write_text(text)
        assert f"{tmp_path}/levels.json" in raised(lambda: gym.make("Sokoban-v0", levels=str(tmp_path)))

    def test_flags(self, capsys, text):
        assert "nested too deeply" in refused(capsys, "solve", "Sokoban-v0", "--set", f"reward={text}")
        assert "nested too deeply" in raised(lambda: read_choice(f"curriculum:by={text}"))

    def test_other_processes_and_the_network(self, text):
        assert _json(text.encode()) is None
        with pytest.raises(ProcessEndedError, match="no reply"):
            _read(text.encode())

    def test_unfinished_files(self, tmp_path, text):
        for content in (text, "{}\n" + text):
            with contextlib.closing(Unfinished(tmp_path / "out", {})) as record:
                record.path.write_text(content + "\n")
                assert f"{record.path}: is damaged" in raised(record.read)

    def test_journals(self, tmp_path, text):
        path = tmp_path / "out.jsonl"
        path.write_text(text + "\n")
        assert f"{path}: cannot be resumed" in raised(lambda: Journal(path, {}, resume=True))
        with contextlib.closing(Journal(path, {}, force=True)) as journal:
            journal.add(Record(0, True, 1.0))
        path.write_text(path.read_text() + text + "\n")
        assert f"{path}, line 3: is damaged" in raised(lambda: Journal(path, {}, resume=True))

    def test_items(self, tmp_path, text):
        file = tmp_path / "items.jsonl"
        file.write_text(text + "\n")
        assert f"{file}, line 1: it is nested too deeply" in raised(lambda: avoided([str(file)]))

    def test_data_sets(self, tmp_path, text):
        pytest.importorskip("minari")
        from gridpuzzles_gym.agents.demonstrations.dataset import DatasetFolder

        folder = DatasetFolder(tmp_path / "set-v0")
        folder.unfinished.mkdir(parents=True)
        (folder.unfinished / "request.json").write_text(text)
        assert "request.json is nested too deeply" in raised(folder.begun)

    def test_sweeps(self, tmp_path, text):
        (tmp_path / "sweep.json").write_text(text)
        assert "sweep.json is damaged (it is nested too deeply" in raised(lambda: read_sweep(tmp_path))

    def test_kept_files(self, tmp_path, text):
        (tmp_path / "sokoban.json").write_text(text)
        progress = Progress(tmp_path)
        assert not progress.solved("sokoban")
        assert "nested too deeply" in progress.notices[0]
