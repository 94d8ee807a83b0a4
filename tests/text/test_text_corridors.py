"""The task set ``corridor``: SokoBench's corridors, each once in four rotations, and solved by pushes alone."""

from collections import Counter

import pytest

from gridpuzzles_gym.text.tasks import TaskDataset


def test_the_default_set_has_the_lengths_of_sokobench_in_four_rotations():
    dataset = TaskDataset("plan", "Sokoban-v0", 81, corridor=True)
    items = dataset[:80]
    lengths = Counter(item.difficulty["optimal_length"] for item in items)
    assert lengths == {squares - 2: 4 for squares in range(5, 101, 5)}
    plans = Counter((*{*item.answer.split(", ")}, len(item.answer.split(", "))) for item in items)
    assert plans == {(way, length): 1 for way in ("up", "down", "left", "right") for length in lengths}
    assert all(dataset.score(item.index, item.answer) == 1 for item in items)
    assert all(dataset.score(item.index, item.answer.rpartition(", ")[0]) == 0 for item in items)
    with pytest.raises(
        ValueError, match=r"only 80 distinct items of plan in Sokoban-v0 with these settings \(corridor\)"
    ):
        dataset[80]


@pytest.mark.parametrize(("corridor", "lengths"), [(3, {3}), (40, {40}), ([3, 5], {3, 4, 5})])
def test_other_lengths(corridor, lengths):
    items = TaskDataset("shortest-plan", "Sokoban-v0", 4 * len(lengths), corridor=corridor)
    assert {max(len(item.level.splitlines()), item.level.index("\n")) - 2 for item in items} == lengths
    assert {item.difficulty["name"] for item in items} == {"corridor"}


def test_the_right_corridor():
    item = next(i for i in TaskDataset("plan", "Sokoban-v0", 4, corridor=6) if i.answer.startswith("right"))
    assert item.level == "########\n#@$   .#\n########\n"
    assert item.answer == "right, right, right, right"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"corridor": 2}, "corridor=2: must be true"),
        ({"corridor": 101}, "an integer from 3 to 100"),
        ({"corridor": False}, "corridor=False"),
        ({"corridor": [3, 4, 5]}, "corridor="),
        (
            {"corridor": True, "boxes": 2},
            "corridor of plan of Sokoban-v0 has no setting 'boxes'; .* allowed are least_",
        ),
        ({"corridor": True, "difficulty": "hard"}, "difficulty='hard': corridor is a set of its own"),
    ],
)
def test_invalid_settings(options, message):
    with pytest.raises(ValueError, match=message):
        TaskDataset("plan", "Sokoban-v0", **options)
