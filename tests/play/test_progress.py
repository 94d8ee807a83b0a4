"""What the app keeps between starts: by any damage, by several windows, by a process that is killed."""

import json
import random
import signal
import subprocess
import sys
import time

import pytest

from gridpuzzles_gym.play import progress as store
from gridpuzzles_gym.play.preferences import TEXT_SIZES, Preferences
from gridpuzzles_gym.play.progress import Best, Progress, level_id

LEVEL, OTHER = b"a board", b"another board"


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "home" / "progress"


def filled(folder):
    """Progress with one result, one game and one changed setting."""
    progress = Progress(folder)
    progress.record("sokoban", LEVEL, Best(30, {"pushes": 9}))
    progress.save_game("sokoban", {"actions": [0, 1, 3]})
    progress.save_preferences(Preferences(text_size=125))
    return progress


def test_everything_is_there_at_the_next_start(folder):
    filled(folder)
    progress = Progress(folder)
    assert progress.best("sokoban", LEVEL) == Best(30, {"pushes": 9})
    assert progress.best("sokoban", OTHER) is None
    assert progress.best("bait", LEVEL) is None
    assert progress.solved("sokoban") == {level_id(LEVEL)}
    assert progress.game("sokoban") == {"actions": [0, 1, 3]}
    assert progress.latest_games() == [("sokoban", {"actions": [0, 1, 3]})]
    assert progress.preferences.text_size == 125
    assert progress.notices == []


def test_each_number_is_the_best_ever(folder):
    progress = Progress(folder)
    assert progress.record("bait", LEVEL, Best(30, {"pushes": 9}))
    assert not progress.record("bait", LEVEL, Best(30, {"pushes": 9}))
    assert not progress.record("bait", LEVEL, Best(31, {"pushes": 10}))
    assert progress.record("bait", LEVEL, Best(40, {"pushes": 8}))
    assert progress.record("bait", LEVEL, Best(29))
    assert Progress(folder).best("bait", LEVEL) == Best(29, {"pushes": 8})
    assert progress.record("bait", LEVEL, Best(28, {"pushes": 20}, [1, 2], 7))
    assert Progress(folder).best("bait", LEVEL) == Best(28, {"pushes": 8}, [1, 2], 7), "the moves of the shortest"


def test_every_level_has_its_own_game(folder):
    one, other = Progress(folder), Progress(folder)
    one.save_game("sokoban", {"actions": [1]}, LEVEL)
    other.save_game("sokoban", {"actions": [2]}, OTHER)
    again = Progress(folder)
    assert [again.game("sokoban", key) for key in (LEVEL, OTHER, b"third")] == [
        {"actions": [1]},
        {"actions": [2]},
        None,
    ]
    assert again.latest_games() == [("sokoban", {"actions": [2]})]
    other.save_game("sokoban", None, OTHER)
    one.save_game("sokoban", {"actions": [1, 1]}, LEVEL)
    again = Progress(folder)
    assert [again.game("sokoban", key) for key in (LEVEL, OTHER)] == [{"actions": [1, 1]}, None]
    again.forget_latest_game("sokoban")
    assert again.latest_games() == []


def test_settings_are_valid():
    for wrong in (
        {"text_size": 99}, {"text_size": 100.0},
        {"choices": 3}, {"choices": {"bait": 3}},
    ):  # fmt: skip
        with pytest.raises(ValueError, match=next(iter(wrong)) if "choices" not in wrong else "bait|choices"):
            Preferences(**wrong)


def test_settings_are_kept(folder):
    chosen = Preferences(TEXT_SIZES[-1]).choosing("sokoban", "style", "paper")
    chosen = chosen.choosing("sokoban", "deadlocks", True).choosing("n_puzzle", "arrows", "tile")
    Progress(folder).save_preferences(chosen)
    found = Progress(folder).preferences
    assert found == chosen
    assert found.chosen("sokoban", "style", "warehouse") == "paper"
    assert found.chosen("sokoban", "deadlocks", False) is True
    assert found.chosen("sokoban", "deadlocks", "a text") == "a text"
    assert found.chosen("bait", "style", "meadow") == "meadow"


DAMAGE = {
    "empty": b"",
    "cut": b'{"format": 1, "levels": {"0123',
    "binary": bytes(range(256)),
    "another program's": b'{"levels": {}}',
    "a list": b"[1]",
    "a number": b"1e999",
    "deep": b"[" * 100_000,
    "long number": b'{"format": ' + b"1" * 5000 + b"}",
    "wrong levels": b'{"format": 1, "text_size": 3, "levels": [1]}',
    "wrong result": b'{"format": 1, "text_size": 3, "levels": {"a": {"moves": -1}}}',
    "wrong metric": b'{"format": 1, "text_size": 3, "levels": {"a": {"moves": 1, "least": {"b": null}}}}',
    "wrong metrics": b'{"format": 1, "text_size": 3, "levels": {"a": {"moves": 1, "least": 3}}}',
    "wrong actions": b'{"format": 1, "text_size": 3, "levels": {"a": {"moves": 1, "actions": ["up"]}}}',
    "wrong game": b'{"format": 1, "text_size": 3, "games": {"a": 3}}',
    "moves of 400 digits": b'{"format": 1, "text_size": 3, "levels": {"a": {"moves": %s}}}' % (b"1" * 400),
    "moves that are true": b'{"format": 1, "text_size": 3, "levels": {"a": {"moves": true}}}',
    "negative seed": b'{"format": 1, "text_size": 3, "levels": {"a": {"moves": 1, "seed": -1}}}',
    "endless metric": b'{"format": 1, "text_size": 3, "levels": {"a": {"moves": 1, "least": {"b": 1e999}}}}',
    "far time": b'{"format": 1, "text_size": 3, "games": {"a": {"saved": 1e18, "game": {}}}}',
    "wrong time": b'{"format": 1, "text_size": 3, "games": {"a": {"saved": NaN, "game": {}}}}',
}


def test_a_damaged_file_is_set_aside(tmp_path):
    wrong = []
    for number, (case, content) in enumerate(DAMAGE.items()):
        for name in ("sokoban", "settings"):
            folder = tmp_path / f"{number} {name}"
            folder.mkdir()
            (folder / f"{name}.json").write_bytes(content)
            progress = Progress(folder)
            aside = folder / f"{name}.damaged-1.json"
            if (
                progress.solved("sokoban")
                or progress.preferences != Preferences()
                or len(progress.notices) != 1
                or str(aside) not in progress.notices[0]
                or aside.read_bytes() != content
            ):
                wrong.append((case, name, progress.notices))
    assert not wrong
    filled(folder)
    again = Progress(folder)
    assert again.best("sokoban", LEVEL) == Best(30, {"pushes": 9})
    assert again.latest_games()
    assert again.notices == []


def test_an_invalid_entry_is_left_out_and_the_others_are_kept(folder):
    filled(folder)
    for name, wrong in (("sokoban", {"levels": {"a": {"moves": -1}}}), ("settings", {"theme": "no such colours"})):
        file = folder / f"{name}.json"
        content = json.loads(file.read_text())
        content |= {key: {**content[key], **value} if key == "levels" else value for key, value in wrong.items()}
        file.write_text(json.dumps(content))
    progress = Progress(folder)
    assert progress.best("sokoban", LEVEL) == Best(30, {"pushes": 9})
    assert progress.latest_games() == [("sokoban", {"actions": [0, 1, 3]})]
    assert progress.preferences == Preferences(text_size=125)
    assert [("1 entry left out" in notice, "damaged-1" in notice) for notice in progress.notices] == [(True, True)] * 2
    assert "-1" in (folder / "sokoban.damaged-1.json").read_text()
    again = Progress(folder)
    assert again.best("sokoban", LEVEL) == Best(30, {"pushes": 9})
    assert again.notices == []


def test_a_file_of_a_newer_format_is_left_alone(folder):
    filled(folder)
    content = b'{"format": 2, "levels": {"1": "in another form"}}'
    (folder / "sokoban.json").write_bytes(content)
    progress = Progress(folder)
    assert progress.best("sokoban", LEVEL) is None
    progress.record("sokoban", LEVEL, Best(3))
    assert progress.best("sokoban", LEVEL) == Best(3), "until the window is closed"
    assert "newer version" in progress.notices[0]
    assert (folder / "sokoban.json").read_bytes() == content
    assert not [*folder.glob("*damaged*")]


def test_files_of_other_versions_are_read_and_what_is_unknown_is_kept(folder):
    """They have results, games and settings as now, and more."""
    progress = filled(folder)
    file = folder / "sokoban.json"
    content = json.loads(file.read_text())
    content |= {"made": 3.0, "generated": [{"board": "#"}], "days": ["2026-03-01"]}
    (best,) = content["levels"].values()
    best |= {"invented_later": 1}
    del best["actions"], best["seed"]
    (game,) = content["games"].values()
    game["more"] = 1
    content["games"]["ended"] = {"saved": 1.0, "game": None}
    file.write_text(json.dumps(content))
    (folder / "settings.json").write_text('{"format": 1, "text_size": 125, "sound": false}')
    (folder / "solutions").mkdir()
    (folder / "solutions" / "sokoban.json").write_text("{}")
    again = Progress(folder)
    assert again.best("sokoban", LEVEL) == Best(30, {"pushes": 9})
    assert again.latest_games() == progress.latest_games()
    assert again.preferences == Preferences(text_size=125)
    again.record("sokoban", LEVEL, Best(29))
    again.save_preferences(Preferences(text_size=150))
    assert again.notices == []
    kept = json.loads(file.read_text())
    assert (kept["made"], kept["days"]) == (3.0, ["2026-03-01"])
    assert [(best["moves"], best["invented_later"]) for best in kept["levels"].values()] == [(29, 1)]
    assert json.loads((folder / "settings.json").read_text())["sound"] is False


def in_memory(progress):
    """Does everything work although nothing can be written, with one notice?"""
    assert progress.record("sokoban", LEVEL, Best(30))
    assert not progress.record("sokoban", LEVEL, Best(31))
    progress.save_game("bait", {"actions": []})
    progress.save_preferences(Preferences(text_size=125))
    assert progress.best("sokoban", LEVEL) == Best(30)
    assert progress.latest_games() == [("bait", {"actions": []})]
    assert progress.preferences.text_size == 125
    assert len(progress.notices) == 1
    return progress.notices[0]


def test_where_nothing_can_be_written(folder, monkeypatch):
    def fail(path, text):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(store, "write_text", fail)
        progress = Progress(folder)
        assert "No space left" in in_memory(progress)
        assert Progress(folder).best("sokoban", LEVEL) is None
    progress.record("sokoban", OTHER, Best(7))  # there is space again
    assert Progress(folder).solved("sokoban") == {level_id(LEVEL), level_id(OTHER)}


def test_two_windows_keep_the_results_of_both(folder):
    one, other = Progress(folder), Progress(folder)
    one.record("sokoban", LEVEL, Best(30, {"pushes": 9}))
    other.record("sokoban", LEVEL, Best(28, {"pushes": 10}))
    one.record("sokoban", OTHER, Best(7))
    one.save_game("sokoban", {"of": "one"})
    other.record("sokoban", b"third", Best(3))
    after = Progress(folder)
    assert after.best("sokoban", LEVEL) == one.best("sokoban", LEVEL) == Best(28, {"pushes": 9})
    assert len(after.solved("sokoban")) == len(other.solved("sokoban")) == 3
    assert after.game("sokoban") == other.game("sokoban") == {"of": "one"}


WRITER = """
import pathlib, sys
from gridpuzzles_gym.play.progress import Best, Progress
progress = Progress(pathlib.Path(sys.argv[1]))
who, many = sys.argv[2], int(sys.argv[3])
print("ready", flush=True)
for number in range(many):
    progress.record("sokoban", f"{who} {number}".encode(), Best(number, {"pushes": number}))
    progress.save_game("sokoban", {"count": number, "padding": "x" * (number * 37 % 5000)})
    print(number, flush=True)
assert not progress.notices, progress.notices
"""


def start(folder, who, many):
    command = [sys.executable, "-c", WRITER, str(folder), who, str(many)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.extended
def test_a_killed_process_leaves_one_of_the_states_it_wrote(folder):
    moments = random.Random(7)
    games = []
    for attempt in range(12):
        process = start(folder, str(attempt), 100_000)
        time.sleep(moments.uniform(0, 0.06))
        process.send_signal(signal.SIGKILL)
        said = [int(line) for line in process.stdout.read().split("\n")[:-1]]
        process.wait()
        process.stdout.close()
        last = said[-1] if said else -1
        progress = Progress(folder)
        for number in range(last + 1):
            assert progress.best("sokoban", f"{attempt} {number}".encode()) == Best(number, {"pushes": number})
        assert progress.best("sokoban", f"{attempt} {last + 2}".encode()) is None
        game = progress.game("sokoban")
        if game is not None and game not in games[-1:]:
            assert game["count"] in (last, last + 1)
            assert len(game["padding"]) == game["count"] * 37 % 5000
        games.append(game)
        assert progress.notices == []
    assert games[-1] is not None
    Progress(folder).record("sokoban", LEVEL, Best(1))
    assert sorted(path.name for path in folder.iterdir()) == [".lock", "sokoban.json"]
