"""Tasks for language models: verifiers agree with slow twins, and data sets keep their promises."""

import dataclasses
import hashlib
import json
import pickle
import random
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
import task_checks
from helpers import REPOSITORY, python
from hypothesis import given
from hypothesis import strategies as st

import gridpuzzles_gym
from gridpuzzles_gym.agents.orientations import orientations
from gridpuzzles_gym.agents.puzzle_agents import agents_record
from gridpuzzles_gym.engine.levels.bundled import bundled
from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.engine.puzzle import load_puzzle
from gridpuzzles_gym.text.tasks import DIFFICULTIES, TASKS, Item, TaskDataset, score, tasks_for
from gridpuzzles_gym.text.tasks.answers import answer_text, read_choice, read_squares
from gridpuzzles_gym.text.tasks.instances import start_of
from gridpuzzles_gym.text.tasks.keys import digest, key_of_instance, keys_of_tests
from gridpuzzles_gym.text.views import VIEWS

GOLDEN = Path(__file__).with_name("text_tasks.json")
FAMILIES = [(env_id, task) for env_id in task_checks.IDS for task in tasks_for(env_id)]
A_TASK = 60


def golden(env_id, task, difficulty):
    """The digests of a data set's first items: of their prompts, and of everything else."""
    found = []
    for item in TaskDataset(task, env_id, 2, 7, difficulty):
        row = item.row()
        prompts = [row.pop(name) for name in ("system", "prompt", "messages")]
        texts = json.dumps(prompts), json.dumps(row, sort_keys=True)
        found.append([hashlib.sha256(text.encode()).hexdigest()[:16] for text in texts])
    return found


@pytest.fixture(scope="module")
def items():
    """One item of each task of each environment."""
    return [TaskDataset(task, env_id, 4, 3)[2] for env_id, task in FAMILIES]


# -- verifiers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("task", "env_id", "options"),
    [(task, *case) for task, cases in task_checks.CASES.items() for case in cases],
)
def test_verifiers_agree_with_slow_twins(task, env_id, options):
    task_checks.check(task, env_id, options, A_TASK // len(task_checks.CASES[task]), seed=1)


def test_every_task_is_checked():
    assert {*task_checks.CASES} == {*TASKS} == {task for _, task in FAMILIES}


def test_the_answer_of_an_item_is_right(items):
    for item in items:
        assert score(item, item.answer) == 1, item
        assert score(item, {"role": "assistant", "content": f"Let me think.\n\n{item.answer}"}) == 1
        assert score(item.row(), f"<think>no: up</think> I say <answer>{item.answer}</answer>") == 1


def test_levels_can_be_played_and_answers_solve_them():
    for env_id, task in FAMILIES:
        item = TaskDataset(task, env_id, 1, 2)[0]
        if task == "solvable" and item.answer == "no":
            continue
        env = gym.make(env_id, levels=item.level, **item.info["settings"])
        env.reset(seed=0)
        names = env.unwrapped.config.action_names
        if task in ("plan", "shortest-plan"):
            *_, terminated, truncated, info = [env.step(names.index(name)) for name in item.answer.split(", ")][-1]
            assert terminated
            assert not truncated
            assert info["is_success"]


def test_a_plan_may_not_have_more_actions_than_the_prompt_allows():
    item = TaskDataset("plan", "EightPuzzle-v0", 1, most_actions=40)[0]
    plan = item.answer.split(", ")
    wasted = ["up", "down"] * 20 if plan[0] in ("left", "right") else ["left", "right"] * 20
    assert "at most 40 actions" in item.prompt
    assert score(item, ", ".join(wasted + plan)) == 0


def test_actions_after_the_goal_count_in_a_shortest_plan_only():
    plan = TaskDataset("plan", "Sokoban-v0", 1)[0]
    assert score(plan, f"{plan.answer}, up, up") == 1
    shortest = TaskDataset("shortest-plan", "Sokoban-v0", 1)[0]
    fewest = shortest.difficulty["optimal_length"]
    assert score(shortest, f"{shortest.answer}, up, up") == fewest / (fewest + 2)


def test_safe_squares_if_there_are_none():
    item = next(item for item in TaskDataset("safe-squares", "Wumpus-v0", 40) if not item.info["safe"])
    assert item.answer == "none"
    assert score(item, "There are none.") == 1
    assert score(item, "(1, 1)") == 0
    some = next(item for item in TaskDataset("safe-squares", "Wumpus-v0", 40) if item.info["safe"])
    assert score(some, "none") == 0


@pytest.mark.parametrize(
    ("reply", "squares"),
    [
        ("<answer>(1, 2), (3, 4)</answer>", {(1, 2), (3, 4)}),
        ("So:\n(1,2) (1,2)", {(1, 2)}),
        ("[[1, 2], [3, 4]]", {(1, 2), (3, 4)}),
        ("There are 2: (1, 2) and (3, 4).", {(1, 2), (3, 4)}),
        ("row 1, column 2; row 3, column 4", {(1, 2), (3, 4)}),
        ("<answer>None</answer>", set()),
        ("(9, 9)\n<answer>none.</answer>\nDone", set()),
        ("1 2 3", None),
        ("(2, 3), (-4, 1)", None),
        ("(-4, 1), (2, 3)", None),
        ("(2, 3) and row 4 column 1", None),
        ("(2.0, 3.0)", None),
        ("nowhere", None),
        ("", None),
        ("9" * 5000 + " 1", None),
        ("<think>(1, 2)", None),
        ("(1, 2), (3, 4) (2 squares)", {(1, 2), (3, 4)}),
        ("There are 2 safe squares: (1, 2) and (3, 4)", {(1, 2), (3, 4)}),
        ("<answer>1. (2, 3)\n2. (4, 1)</answer>", {(2, 3), (4, 1)}),
        ("The safe squares are:\n\n1. (2, 3)\n2. (4, 1)", {(2, 3), (4, 1)}),
        ("So:\n- (2, 3)\n- (4, 1)", {(2, 3), (4, 1)}),
        ("So:\n(2, 3)\n(4, 1)", {(2, 3), (4, 1)}),
        ("（1，2）、（3，4）", {(1, 2), (3, 4)}),
        ("**(1, 2)**<|im_end|>", {(1, 2)}),
        ("\\boxed{(1, 2), (3, 4)}", {(1, 2), (3, 4)}),
        ("1. (2, 3), if there is no pit\n2. (4, 1)", None),  # a list is not read in part
        ("2. (4, 1)", None),
        ("- (2, 3)\n- maybe (4, 1)", None),
        ("(1, 2), (3, 4), (5, 6) (2 squares)", None),
        ("(1, 2), (3, 4), …", None),
        ("(1, 2) is unsafe, (3, 4)", None),
        ("None of these: (1, 2)", None),
    ],
)
def test_squares_are_read(reply, squares):
    assert read_squares(reply) == squares


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("yes", "yes"),
        ("Yes.", "yes"),
        ("I thought yes, but\n**No**", "no"),
        ("<answer>YES</answer> because no wall is there", "yes"),
        ("<answer>no</answer>, or rather <answer>yes</answer>", "yes"),
        ("<answer>no</answer><answer>yes</answer>", None),
        ("The answer is: yes", "yes"),
        ("ＹＥＳ。", "yes"),
        ("- no</s>", "no"),
        ("\\boxed{\\text{no}}", "no"),
        ("I know no reason against it", None),
        ("No doubt, yes", None),
        ("No, that fails, but there is another way", None),
        ("not no", None),
        ("yes or no", None),
        ("yesterday", None),
        ("", None),
        ({"content": [{"type": "text", "text": "no"}]}, "no"),
        ({"content": None}, None),
        (17, None),
    ],
)
def test_choices_are_read(reply, answer):
    assert read_choice(reply, ("yes", "no")) == answer


PIECES = st.lists(st.sampled_from(task_checks.PIECES)).map("".join)
REPLIES = st.one_of(
    PIECES,
    st.text(max_size=80),
    st.none(),
    st.integers(),
    st.lists(st.text(max_size=5), max_size=3),
    st.fixed_dictionaries({"content": st.one_of(PIECES, st.none(), st.lists(st.text(max_size=9), max_size=3))}),
    st.dictionaries(st.sampled_from(["content", "tool_calls", "role"]), st.one_of(st.none(), st.text(max_size=9))),
)


@given(reply=REPLIES)
def test_no_reply_raises(items, reply):
    for item in items:
        assert 0 <= score(item, reply) <= 1


@pytest.mark.parametrize("piece", ["(1, 2) ", "up, ", "( ", "<answer>", "yes no ", "\n", "9", "[[", "{"])
def test_long_replies_take_time_in_proportion(items, piece):
    reply = piece * (3_000_000 // len(piece))
    for item in items[:: len(items) // 6]:
        assert 0 <= score(item, reply) <= 1
    assert isinstance(answer_text(reply), str)


# -- data sets --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("env_id", "task"), FAMILIES)
def test_items_are_those_of_the_golden_file(env_id, task):
    """After an intended change: ``python tests/support/run.py tests/text/test_text_tasks.py`` writes the file again."""
    expected = json.loads(GOLDEN.read_text())
    for difficulty in DIFFICULTIES:
        assert golden(env_id, task, difficulty) == expected[f"{env_id} {task} {difficulty}"], difficulty


def test_items_are_the_same_in_every_process_and_order():
    code = """
import json, sys
from gridpuzzles_gym.text.tasks import TaskDataset
dataset = TaskDataset("solvable", "Sokoban-v0", 6, 5)
print(json.dumps([dataset[index].row() for index in (5, 0, 3)]))
"""
    here = TaskDataset("solvable", "Sokoban-v0", 6, 5)
    rows = [here[index].row() for index in (5, 0, 3)]
    assert json.loads(python(code, PYTHONHASHSEED="1")) == rows


def test_a_data_set_is_a_sequence():
    dataset = TaskDataset("plan", "EightPuzzle-v0", 5, 1)
    assert len(dataset) == 5
    assert dataset[-1] == dataset[4]
    assert dataset[1:3] == [dataset[1], dataset[2]]
    assert [item.index for item in dataset] == [0, 1, 2, 3, 4]
    assert dataset[np.int64(2)] == dataset[2]
    with pytest.raises(IndexError, match="item 5: this data set has 5 items"):
        dataset[5]
    again = pickle.loads(pickle.dumps(TaskDataset("plan", "EightPuzzle-v0", 5, 1)))
    assert list(again) == list(dataset)
    assert dataset.score(0, dataset[0].answer) == 1


def test_larger_and_equal_data_sets_begin_with_the_same_items_and_other_seeds_do_not():
    few, many, other = (TaskDataset("plan", "EightPuzzle-v0", size, seed) for size, seed in ((3, 0), (9, 0), (3, 1)))
    assert list(few) == many[:3]
    assert list(few) != list(other)


def test_rows_are_json_and_can_be_scored():
    dataset = TaskDataset("safe-squares", "Wumpus-v0", 3)
    rows = json.loads(json.dumps(dataset.rows()))
    assert [Item.of_row(row) for row in rows] == list(dataset)
    assert [score(row, row["answer"]) for row in rows] == [1, 1, 1]
    assert rows[0]["messages"][0]["content"] + "\n\n" + rows[0]["messages"][1]["content"] == rows[0]["prompt"]
    with pytest.raises(ValueError, match="it has no 'key'"):
        score({name: value for name, value in rows[0].items() if name != "key"}, "none")
    with pytest.raises(ValueError, match="task='x' is not known; allowed are plan"):
        score({**rows[0], "task": "x"}, "none")


@pytest.mark.parametrize("env_id", ["EightPuzzle-v0", "Sokoban-v0", "Bait-v0", "CatMouse-v0", "Wumpus-v0"])
def test_turned_and_mirrored_boards_have_equal_keys(env_id):
    """Of those puzzles whose rules are symmetric, and of caves, whose plans are not, but whose contents are."""
    puzzle = load_puzzle(gridpuzzles_gym.registration.spec_of(env_id).kwargs["puzzle"])
    task = tasks_for(env_id)[0]
    for item in TaskDataset(task, env_id, 3, 11):
        rows = np.array([list(row) for row in item.level.splitlines()])
        keys = set()
        for image in orientations(rows):
            text = "".join("".join(row) + "\n" for row in image)
            if env_id == "EightPuzzle-v0":  # the goal is turned as well, so it is another problem
                keys.add(item.key)
                continue
            (level,) = puzzle.parse(text, "turned")
            keys.add(digest(key_of_instance(start_of(puzzle, level))))
            if border := puzzle.palette.border:
                wider = np.pad(image, 2, constant_values=border)
                (level,) = puzzle.parse("".join("".join(row) + "\n" for row in wider), "wider")
                keys.add(digest(key_of_instance(start_of(puzzle, level))))
        assert keys == {item.key}


def test_reflected_tiles_have_equal_keys_and_turned_ones_do_not():
    puzzle = load_puzzle("gridpuzzles_gym.puzzles.n_puzzle")

    def key(text):
        (level,) = puzzle.parse(text, "board")
        return key_of_instance(start_of(puzzle, level))

    # Reflected at the diagonal through the blank's goal square: 2 becomes 4, 3 becomes 7, 6 becomes 8.
    assert key("123\n456\n708") == key("123\n450\n786")
    assert key("123\n456\n708") != key("123\n406\n758")
    spiral = "goal: spiral\n"
    same = {key(f"{board}\n{spiral}") for board in ("103\n824\n765", "123\n084\n765")}
    assert len(same) == 1


def test_no_item_twice_and_none_of_the_bundled_tests():
    """A small space: every board of 2x3 squares with a solution of at most 12 moves, once."""
    dataset = TaskDataset(
        "plan", "EightPuzzle-v0", 500, width=3, height=2, scramble=None, most_length=12, least_length=1
    )
    found = []
    with pytest.raises(ValueError, match=r"there seem to be only \d+ distinct items of plan in EightPuzzle-v0"):
        found += (item for item in dataset)
    found = dataset._items
    assert len({item.key for item in found}) == len({item.level for item in found}) == len(found) > 60
    assert len(found) == sum(1 for distance in _distances_of_small_boards() if 1 <= distance <= 12)


def _distances_of_small_boards():
    """The distance of every board of 2x3 squares from the goal."""
    goal = (1, 2, 3, 4, 5, 0)
    known, waiting = {goal: 0}, [goal]
    for board in waiting:
        blank = board.index(0)
        row, column = divmod(blank, 3)
        for down, right in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            if 0 <= row + down < 2 and 0 <= column + right < 3:
                there, tiles = (row + down) * 3 + column + right, list(board)
                tiles[blank], tiles[there] = tiles[there], tiles[blank]
                if tuple(tiles) not in known:
                    known[tuple(tiles)] = known[board] + 1
                    waiting.append(tuple(tiles))
    return known.values()


def test_levels_of_test_packs_are_refused(monkeypatch):
    """The first items are planted in a test pack, turned: they are not made again."""
    planted = list(TaskDataset("plan", "Sokoban-v0", 3))
    texts = ["".join("".join(row) + "\n" for row in np.array([[*r] for r in i.level.splitlines()]).T) for i in planted]
    puzzle = load_puzzle("gridpuzzles_gym.puzzles.sokoban")
    keys = keys_of_tests(puzzle) | {
        digest(key_of_instance(start_of(puzzle, *puzzle.parse(text, "pack")))) for text in texts
    }
    monkeypatch.setattr("gridpuzzles_gym.text.tasks.dataset.keys_of_tests", lambda puzzle: keys)
    found = list(TaskDataset("plan", "Sokoban-v0", 20))
    assert not {item.key for item in planted} & {item.key for item in found}
    solvable = list(TaskDataset("solvable", "Sokoban-v0", 5))
    assert {item.index for item in solvable} == {0, 1, 2, 3, 4}


def test_test_packs_are_all_that_are_not_for_training():
    puzzle = load_puzzle("gridpuzzles_gym.puzzles.sokoban")
    tests = [name for name in bundled(puzzle) if name.endswith("-test")] + ["first"]
    keys = keys_of_tests(puzzle)
    for name in tests:
        for level in find_levels(puzzle, name)[::25]:
            assert digest(key_of_instance(start_of(puzzle, level))) in keys
    training = find_levels(puzzle, "medium")[::100]
    assert not any(digest(key_of_instance(start_of(puzzle, level))) in keys for level in training)


def test_avoiding_other_items():
    space = {"width": 3, "height": 2, "scramble": None, "least_length": 1, "most_length": 6}
    train = TaskDataset("plan", "EightPuzzle-v0", 12, **space)
    for avoid in ([train], train, [*train], train.rows()):
        other = TaskDataset("plan", "EightPuzzle-v0", 3, 1, avoid=avoid, **space)
        assert not {item.key for item in train} & {item.key for item in other}
    text = train[0].level
    other = TaskDataset("plan", "EightPuzzle-v0", 6, avoid=[text], **space)
    assert train[0].key not in {item.key for item in other}


def test_answers_of_solvable_are_balanced_and_not_in_a_pattern():
    for env_id in ("EightPuzzle-v0", "Bait-v0"):
        answers = [item.answer for item in TaskDataset("solvable", env_id, 40)]
        assert all({*answers[first : first + 2]} == {"yes", "no"} for first in range(0, 40, 2))
        assert 5 <= answers[::2].count("yes") <= 15


def test_shuffled_tiles_cannot_be_told_by_how_many_are_out_of_place():
    items = TaskDataset("solvable", "EightPuzzle-v0", 400, difficulty="easy")
    misplaced = {"yes": [], "no": []}
    for item in items:
        tiles = item.level.split()
        misplaced[item.answer].append(sum(a != b for a, b in zip(tiles, "123456780", strict=True)))
    means = [np.mean(misplaced[answer]) for answer in misplaced]
    assert abs(means[0] - means[1]) < 0.4


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_difficulties_bound_the_lengths(difficulty):
    for env_id in ("EightPuzzle-v0", "Sokoban-v0", "Wumpus-v0"):
        dataset = TaskDataset("shortest-plan", env_id, 6, difficulty=difficulty)
        least, most = dataset.settings["least_length"], dataset.settings["most_length"]
        assert all(least <= item.difficulty["optimal_length"] <= most for item in dataset)


@pytest.mark.parametrize("view", VIEWS)
def test_views(view):
    item = TaskDataset("best-action", "CatMouse-v0", 1, view=view)[0]
    assert ("Board: 7 rows" in item.user) == (view == "facts")
    assert score(item, item.answer) == 1


def test_a_wumpus_plan_shows_the_whole_cave_and_safe_squares_only_what_is_known():
    plan, safe = TaskDataset("plan", "Wumpus-v0", 1)[0], TaskDataset("safe-squares", "Wumpus-v0", 1)[0]
    assert plan.level in plan.prompt
    assert "P" in plan.user
    assert "P" not in "".join(safe.user.splitlines()[:4])
    climbing = TaskDataset("plan", "Wumpus-v0", 1, climb=True, reward="textbook")[0]
    assert climbing.answer.endswith("climb")
    assert score(climbing, climbing.answer) == 1


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("plans", "Sokoban-v0"), {}, "task='plans' is not known; did you mean 'plan'. allowed are 'plan'"),
        (("plan", "CatMouse-v0"), {}, "CatMouse-v0 has no task 'plan'; allowed are best-action"),
        (("plan", "CartPole-v1"), {}, "CartPole-v1 is not an environment of this suite"),
        (("plan", "Toy-v0"), {}, "has no tasks"),
        (("plan", "Sokoban-v0"), {"difficulty": "silly"}, "difficulty='silly' is not known; allowed are easy, medium"),
        (("plan", "Sokoban-v0"), {"view": "silly"}, "view='silly' is not known"),
        (("plan", "Sokoban-v0"), {"size": -1}, "size=-1: must be an integer from 0"),
        (("plan", "Sokoban-v0"), {"seed": "x"}, "seed='x': must be an integer"),
        (
            ("plan", "Sokoban-v0"),
            {"bxes": 2},
            "plan of Sokoban-v0 has no setting 'bxes'; did you mean 'boxes'. allowed are least_length",
        ),
        (("plan", "Sokoban-v0"), {"boxes": 0}, "boxes=0"),
        (("plan", "Sokoban-v0"), {"nodes": 0}, "nodes=0: must be an integer from 1"),
        (("plan", "Sokoban-v0"), {"least_length": 9, "most_length": 3}, "least_length=9 is more than most_length=3"),
        (("plan", "Sokoban-v0"), {"most_actions": 5}, "most_actions=5: must be an integer from 14"),
        (("solvable", "Sokoban-v0"), {"changes": [3, 1]}, "changes=.*the first number must not be larger"),
        (("solvable", "Sokoban-v0"), {"changes": "x"}, "changes='x': must be an integer from 0 to 10,000, or a pair"),
        (("safe-squares", "Wumpus-v0"), {"pit_probability": 0.2}, "needs a fixed number of pits"),
        (("solvable", "EightPuzzle-v0"), {"shuffled": 2}, "shuffled=2: must be an integer from 3 to 100"),
        (("solvable", "EightPuzzle-v0"), {"shuffled": "x"}, "shuffled='x': must be an integer from 3 to 100"),
        (("safe-squares", "Wumpus-v0"), {"visited": 0}, "visited=0: must be an integer from 1"),
        (("plan", "Bait-v0"), {"holes": 9}, "holes=9"),
    ],
)
def test_invalid_arguments(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        TaskDataset(*arguments, **options)


@pytest.mark.parametrize(
    ("row", "task", "env_id", "names"),
    [
        ("Sokoban plans", "plan", "Sokoban-v0", ("least_length", "most_length")),
        ("8-puzzle plans", "plan", "EightPuzzle-v0", ("least_length", "most_length")),
        ("15-puzzle plans", "plan", "FifteenPuzzle-v0", ("least_length", "most_length")),
        ("Bait plans", "plan", "Bait-v0", ("least_length", "most_length")),
        ("Wumpus plans, with the cave shown", "plan", "Wumpus-v0", ("least_length", "most_length")),
        ("Wumpus, safe squares", "safe-squares", "Wumpus-v0", ("visited",)),
    ],
)
def test_the_documentation_has_the_lengths_of_the_difficulties(row, task, env_id, names):
    page = (REPOSITORY / "docs" / "language-models.md").read_text(encoding="utf-8")
    (cells,) = [line.split("|")[2:-1] for line in page.splitlines() if line.startswith(f"| {row} |")]
    for difficulty, cell in zip(DIFFICULTIES, cells, strict=True):
        found = TaskDataset(task, env_id, size=0, difficulty=difficulty).settings
        least, most = (found[name] for name in names) if len(names) == 2 else found[names[0]]
        assert f"{least}–{most}" in cell


def test_every_difficulty_has_the_same_settings_and_every_task_is_a_known_one():
    for env_id, task in FAMILIES:
        puzzle = load_puzzle(gridpuzzles_gym.registration.spec_of(env_id).kwargs["puzzle"])
        steps = agents_record(puzzle).tasks().difficulties[env_id][task]
        assert [*steps] == [*DIFFICULTIES]
        assert task in TASKS


def test_items_are_frozen():
    item = TaskDataset("plan", "EightPuzzle-v0", 1)[0]
    with pytest.raises(dataclasses.FrozenInstanceError):
        item.answer = ""


if __name__ == "__main__":
    random.seed(0)
    GOLDEN.write_text(
        json.dumps({f"{e} {t} {d}": golden(e, t, d) for e, t in FAMILIES for d in DIFFICULTIES}, indent=1) + "\n"
    )


def test_a_range_may_be_one_number():
    dataset = TaskDataset("safe-squares", "Wumpus-v0", size=5, visited=4)
    assert [
        sum(set("?#").isdisjoint(word) for line in item.user.splitlines()[:4] for word in line.split())
        for item in dataset
    ] == [4] * 5
