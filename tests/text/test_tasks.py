"""Tasks for language models: verifiers agree with slow twins, and data sets keep their promises."""

import hashlib
import json
import pickle
import random

import gymnasium as gym
import naive_tasks
import numpy as np
import pytest
from helpers import python

import gridpuzzles_gym
from gridpuzzles_gym.agents.orientations import orientations
from gridpuzzles_gym.engine.puzzle import load_puzzle
from gridpuzzles_gym.text.tasks import TASKS, Item, TaskDataset, read_items, score, tasks_for
from gridpuzzles_gym.text.tasks.kinds import start_of

IDS = [row.id for row in gridpuzzles_gym.ENVIRONMENTS]
FAMILIES = [(env_id, task) for env_id in IDS for task in tasks_for(env_id)]
SLOW = "Sokoban-v0", "FifteenPuzzle-v0"
SMALL = {"width": 3, "height": 2, "scramble": None}
"""Boards of 2x3 squares."""


def puzzle_of(env_id):
    return load_puzzle(gridpuzzles_gym.registration.spec_of(env_id).kwargs["puzzle"])


def say(*names):
    return f"ACTIONS: {', '.join(names)}"


@pytest.fixture(scope="module")
def items():
    """One item of each task of the environments whose levels are made quickly."""
    return [TaskDataset(task, env_id, 2, 3)[1] for env_id, task in FAMILIES if env_id not in SLOW]


# -- verifiers --------------------------------------------------------------------------------------


def check_plan(item, rng):
    plan = item.answer.removeprefix("ACTIONS: ").split(", ")
    assert naive_tasks.distances(item) == item.difficulty["optimal_length"] == len(plan)
    names = sorted({*plan, "left" if "left" in plan else plan[0]})
    for _ in range(6):
        other = [rng.choice(names) for _ in range(rng.randint(1, 20))]
        for reply in (other, [*other[:2], *plan], plan[:-1] or other):
            assert score(item, say(*reply)) == (naive_tasks.replayed(item, reply) is not None), reply


def check_solvable(item, rng):
    by_text = {"EightPuzzle-v0": naive_tasks.tiles_solvable, "Sokoban-v0": naive_tasks.boxes_solvable}.get(item.env_id)
    solvable = naive_tasks.distances(item) is not None if by_text is None else by_text(item.user)
    right, wrong = ("yes", "no") if solvable else ("no", "yes")
    assert (item.answer, score(item, f"ANSWER: {right}"), score(item, f"ANSWER: {wrong}")) == (f"ANSWER: {right}", 1, 0)


def check_best_action(item, rng):
    if item.env_id == "CatMouse-v0":
        best = naive_tasks.best_actions(item.level)
    else:
        fewest, actions = naive_tasks.distances(item), item.info["actions"]
        best = {action for action in actions if naive_tasks.after(item, action) == fewest - 1}
    assert {*item.info["optimal"]} == best
    for action in item.info["actions"]:
        assert score(item, say(action)) == (action in best)


CHECKS = {"plan": check_plan, "solvable": check_solvable, "best-action": check_best_action}
CASES = [
    ("plan", "EightPuzzle-v0", SMALL, {}),
    ("plan", "Sokoban-v0", {"size": 6}, {}),
    ("plan", "Bait-v0", {}, {"most_length": 6, "least_length": 2}),
    ("plan", "Wumpus-v0", {"climb": True}, {}),
    ("solvable", "EightPuzzle-v0", SMALL, {"shuffled": None}),
    ("solvable", "Sokoban-v0", {"size": 6}, {}),
    ("best-action", "CatMouse-v0", {"size": 5}, {}),
    ("best-action", "EightPuzzle-v0", SMALL, {}),
]


@pytest.mark.parametrize(("task", "env_id", "levels", "settings"), CASES)
def test_verifiers_agree_with_slow_twins(task, env_id, levels, settings):
    rng = random.Random(1)
    for item in TaskDataset(task, env_id, 3, 1, levels=levels, **settings):
        CHECKS[task](item, rng)


def test_the_answer_of_an_item_is_right_and_its_level_can_be_played(items):
    assert {item.task for item in items} == {*TASKS}
    for item in items:
        assert score(item, item.answer) == 1, item
        assert score(item.row(), {"role": "assistant", "content": f"<think>no</think>So:\n{item.answer}"}) == 1
        assert score(item, "I cannot tell.") == 0
        if item.task == "plan":
            env = gym.make(item.env_id, levels=item.level, **item.info["settings"])
            env.reset(seed=0)
            names = env.unwrapped.config.action_names
            plan = item.answer.removeprefix("ACTIONS: ").split(", ")
            *_, terminated, truncated, info = [env.step(names.index(name)) for name in plan][-1]
            assert (terminated, truncated, info["is_success"]) == (True, False, True)


def test_a_plan_may_not_have_more_actions_than_the_prompt_allows():
    item = TaskDataset("plan", "EightPuzzle-v0", 1, most_actions=40)[0]
    plan = item.answer.removeprefix("ACTIONS: ").split(", ")
    assert "at most 40 actions" in item.prompt
    assert score(item, say(*plan, "up", "up")) == 1  # nothing is performed after the goal
    assert score(item, say(*plan, *["up"] * 40)) == 0


# -- data sets --------------------------------------------------------------------------------------


def test_items_stay_the_same():
    """After an intended change of the items, these are the new digests."""
    found = {}
    for env_id, task in (("EightPuzzle-v0", "plan"), ("EightPuzzle-v0", "solvable"), ("CatMouse-v0", "best-action")):
        rows = [item.row() for item in TaskDataset(task, env_id, 2, 7, "medium")]
        found[env_id, task] = hashlib.sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()[:16]
    assert found == {
        ("EightPuzzle-v0", "plan"): "b0a218616d969dd6",
        ("EightPuzzle-v0", "solvable"): "6ccefe4863075319",
        ("CatMouse-v0", "best-action"): "21587d365725bf13",
    }


@pytest.mark.extended
def test_items_are_the_same_in_every_process_and_order():
    code = """
import json, sys
from gridpuzzles_gym.text.tasks import TaskDataset
dataset = TaskDataset("solvable", "Sokoban-v0", 6, 5)
print(json.dumps([dataset[index].row() for index in (5, 0, 3)]))
"""
    here = TaskDataset("solvable", "Sokoban-v0", 6, 5)
    assert json.loads(python(code, PYTHONHASHSEED="1")) == [here[index].row() for index in (5, 0, 3)]


def test_a_data_set_is_a_sequence_and_a_file(tmp_path):
    dataset = TaskDataset("plan", "EightPuzzle-v0", 5, 1)
    assert (len(dataset), dataset[-1], dataset[np.int64(2)]) == (5, dataset[4], dataset[2])
    assert dataset[1:3] == [dataset[1], dataset[2]]
    assert [item.index for item in dataset] == [0, 1, 2, 3, 4]
    with pytest.raises(IndexError, match="item 5: this data set has 5 items"):
        dataset[5]
    assert list(pickle.loads(pickle.dumps(TaskDataset("plan", "EightPuzzle-v0", 5, 1)))) == list(dataset)
    assert list(TaskDataset("plan", "EightPuzzle-v0", 9, 1))[:5] == list(dataset)
    assert list(TaskDataset("plan", "EightPuzzle-v0", 5, 2)) != list(dataset)
    dataset.write(tmp_path / "plans.jsonl")
    assert read_items(tmp_path / "plans.jsonl") == list(dataset)
    row = json.loads((tmp_path / "plans.jsonl").read_text().splitlines()[0])
    assert "\n\n".join(message["content"] for message in row["messages"]) == row["prompt"]
    for changes, message in (
        ({"key": None}, "it has no 'key'"),
        ({"task": "x"}, "task='x' is not known; allowed are 'plan'"),
        ({"reward_version": 1}, "reward_version=1: must be 2"),
    ):
        other = {name: value for name, value in {**row, **changes}.items() if value is not None}
        with pytest.raises(ValueError, match=message):
            score(other, "none")
        (tmp_path / "bad.jsonl").write_text(f"{json.dumps(row)}\n{json.dumps(other)}\n")
        with pytest.raises(ValueError, match=f"bad.jsonl, line 2: .*{message}"):
            read_items(tmp_path / "bad.jsonl")
    with pytest.raises(ValueError, match="not an item of a task"):
        Item.of_row([1])


@pytest.mark.parametrize("env_id", ["Sokoban-v0", "Bait-v0", "CatMouse-v0", "Wumpus-v0"])
def test_turned_and_mirrored_boards_have_equal_keys(env_id):
    """Of those puzzles whose rules are symmetric, and of caves, whose plans are not, but whose contents are."""
    puzzle = puzzle_of(env_id)
    item = TaskDataset(tasks_for(env_id)[0], env_id, 1, 11)[0]
    keys, border = set(), puzzle.palette.border
    for image in orientations(np.array([list(row) for row in item.level.splitlines()])):
        for board in (image, np.pad(image, 2, constant_values=border)) if border else (image,):
            (level,) = puzzle.parse("".join("".join(row) + "\n" for row in board), "turned")
            keys.add(start_of(puzzle, level).key)
    assert keys == {item.key}


@pytest.mark.extended
@pytest.mark.compiled
def test_no_item_twice():
    """A small space: every board of 2x3 squares with a solution of at most 12 moves, once."""
    dataset = TaskDataset("plan", "EightPuzzle-v0", 500, levels=SMALL, most_length=12, least_length=1)
    with pytest.raises(ValueError, match=r"there seem to be only \d+ distinct items of plan in EightPuzzle-v0"):
        list(dataset)
    found = dataset._items
    assert len({item.key for item in found}) == len({item.level for item in found}) == len(found)
    goal = (1, 2, 3, 4, 5, 0)
    distances, waiting = {goal: 0}, [goal]
    for board in waiting:
        blank = board.index(0)
        for there in ({blank + 1, blank - 1} if blank % 3 == 1 else {blank - blank % 3 + 1}) | {(blank + 3) % 6}:
            tiles = list(board)
            tiles[blank], tiles[there] = tiles[there], tiles[blank]
            if tuple(tiles) not in distances:
                distances[tuple(tiles)] = distances[board] + 1
                waiting.append(tuple(tiles))
    assert len(found) == sum(1 <= distance <= 12 for distance in distances.values())


def test_levels_of_test_packs_are_not_made(monkeypatch):
    """The first items are planted in a test pack, turned: they are not made again."""
    puzzle, planted = puzzle_of("Bait-v0"), list(TaskDataset("plan", "Bait-v0", 2))
    texts = ["".join("".join(row) + "\n" for row in np.array([[*r] for r in i.level.splitlines()]).T) for i in planted]
    keys = {start_of(puzzle, *puzzle.parse(text, "pack")).key for text in texts}
    monkeypatch.setattr("gridpuzzles_gym.text.tasks.dataset.keys_of_tests", lambda puzzle: keys)
    assert keys.isdisjoint(item.key for item in TaskDataset("plan", "Bait-v0", 4))


def test_answers_of_solvable_are_balanced_and_not_in_a_pattern():
    items = TaskDataset("solvable", "EightPuzzle-v0", 200)
    answers = [item.answer for item in items]
    assert all(len({*answers[first : first + 2]}) == 2 for first in range(0, 200, 2))
    assert 30 <= answers[::2].count("ANSWER: yes") <= 70
    misplaced = {answer: [] for answer in answers}
    for item in items:
        wrong = sum(a != b for a, b in zip(item.level.split(), "123456780", strict=True))
        misplaced[item.answer].append(wrong)
    means = [np.mean(counts) for counts in misplaced.values()]
    assert abs(means[0] - means[1]) < 0.5  # how many are out of place does not tell the answer


def test_a_wumpus_plan_shows_the_whole_cave():
    item = TaskDataset("plan", "Wumpus-v0", 1, levels={"climb": True, "reward": "textbook"})[0]
    assert item.level in item.prompt
    assert "P" in item.user
    assert item.answer.endswith("climb")


def test_invalid_arguments():
    cases = [
        (("plans", "Sokoban-v0"), {}, "task='plans' is not known; did you mean 'plan'. allowed are 'plan'"),
        (("plan", "CatMouse-v0"), {}, "CatMouse-v0 has no task 'plan'; allowed are best-action"),
        (("plan", "CartPole-v1"), {}, "CartPole-v1 is not an environment of this suite"),
        (("plan", "Toy-v0"), {}, "has no tasks"),
        (("plan", "Bait-v0"), {"difficulty": "silly"}, "difficulty='silly' is not known; allowed are 'easy'"),
        (("plan", "Bait-v0"), {"size": -1}, "size=-1: must be an integer from 0"),
        (("plan", "Bait-v0"), {"seed": "x"}, "seed='x': must be an integer"),
        (("plan", "Bait-v0"), {"lngth": 2}, "plan has no setting 'lngth'; .*least_length"),
        (("plan", "Sokoban-v0"), {"levels": {"bxes": 2}}, "levels of Sokoban-v0 have no setting 'bxes'; did you mean"),
        (("plan", "Sokoban-v0"), {"levels": {"boxes": 0}}, "boxes=0"),
        (("plan", "Bait-v0"), {"nodes": 0}, "nodes=0: must be an integer from 1"),
        (("plan", "Bait-v0"), {"least_length": 9, "most_length": 3}, "least_length=9 is more than most_length=3"),
        (("plan", "Bait-v0"), {"most_actions": 5}, "most_length=14 is more than most_actions=5"),
        (("solvable", "Bait-v0"), {"changes": [3, 1]}, "changes=.*the first number must not be larger"),
        (("solvable", "Bait-v0"), {"changes": "x"}, "changes='x': must be an integer from 0 to 10,000"),
        (("solvable", "EightPuzzle-v0"), {"shuffled": 2}, "shuffled=2: must be an integer from 3 to 100"),
    ]
    for arguments, options, message in cases:
        with pytest.raises(ValueError, match=message):
            TaskDataset(*arguments, **options)


def test_each_id_of_a_puzzle_has_difficulties_of_its_own():
    eight, fifteen = (TaskDataset("plan", env_id, 1, 0, "hard") for env_id in ("EightPuzzle-v0", "FifteenPuzzle-v0"))
    assert (eight.levels, eight.settings) != (fifteen.levels, fifteen.settings)
