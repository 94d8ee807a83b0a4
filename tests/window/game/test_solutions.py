"""What is saved of solutions and snapshots: in one file, by several windows, whatever becomes of the file."""

import dataclasses
import json

import pytest

from gridpuzzles_gym.window.model.results.solutions import MOST, SavedGame, Solutions

SOLUTION = SavedGame("", 1000.0, 12.5, {"moves": 2, "pushes": 1}, 0, True, 7, [3, 1], [])
SNAPSHOT = dataclasses.replace(SOLUTION, name="before the push", when=2000.0, taken=[3])


def test_two_windows_add_to_the_same_file(tmp_path):
    one, other = (Solutions(tmp_path, pytest.fail) for _ in range(2))
    assert other.of("sokoban", "a") == []
    one.add("sokoban", "a", SOLUTION, "2026-03-01")
    other.add("sokoban", "a", SNAPSHOT)
    other.add("sokoban", "b", SOLUTION, "2026-03-02")
    again = Solutions(tmp_path, pytest.fail)
    assert again.of("sokoban", "a") == [SOLUTION, SNAPSHOT]
    assert again.days("sokoban") == {"2026-03-01", "2026-03-02"}
    again.remove("sokoban", "a", SOLUTION)
    assert Solutions(tmp_path, pytest.fail).of("sokoban", "a") == [SNAPSHOT]


def test_the_same_moves_are_one_solution_and_a_name_is_one_snapshot(tmp_path):
    saved = Solutions(tmp_path, pytest.fail)
    for when in (1.0, 2.0):
        saved.add("sokoban", "a", dataclasses.replace(SOLUTION, when=when), "2026-03-01")
    longer = dataclasses.replace(SNAPSHOT, taken=[3, 3])
    saved.add("sokoban", "a", SNAPSHOT)
    saved.add("sokoban", "a", longer)
    assert saved.of("sokoban", "a") == [dataclasses.replace(SOLUTION, when=2.0), longer]
    assert saved.days("sokoban") == {"2026-03-01"}
    for k in range(MOST + 5):
        saved.add("sokoban", "b", dataclasses.replace(SOLUTION, when=float(k), taken=[0] * k))
    assert len(saved.of("sokoban", "b")) == MOST


@pytest.mark.parametrize(
    "change",
    [{"taken": "rD"}, {"taken": [1.5]}, {"when": "today"}, {"seconds": float("inf")}, {"numbers": 3}, {"more": 1}],
)
def test_a_damaged_file_is_renamed_and_nothing_stops(tmp_path, change):
    Solutions(tmp_path, pytest.fail).add("sokoban", "a", SOLUTION, "2026-03-01")
    file = tmp_path / "sokoban.json"
    content = json.loads(file.read_text())
    content["levels"]["a"][0] |= change
    file.write_text(json.dumps(content))
    notices = []
    saved = Solutions(tmp_path, notices.append)
    assert saved.of("sokoban", "a") == []
    assert len(notices) == 1
    assert "sokoban.damaged-1.json" in notices[0]
    saved.add("sokoban", "a", SOLUTION)
    assert saved.of("sokoban", "a") == [SOLUTION]
