"""Checks of items of tasks against the slow twins, used by the tests and, with many more items, by hand.

``python tests/support/run.py tests/support/task_checks.py 2000`` checks so many items a task; with
``--fuzz 1000000`` it scores so many random replies.
"""

import random
import sys
import time
from collections import Counter

import naive_tasks

import gridpuzzles_gym
from gridpuzzles_gym.text.tasks import TaskDataset, score, tasks_for

IDS = [row.id for row in gridpuzzles_gym.ENVIRONMENTS]

CASES = {
    "plan": [
        ("EightPuzzle-v0", {}),
        ("Sokoban-v0", {}),
        ("Bait-v0", {}),
        ("Wumpus-v0", {}),
    ],
    "shortest-plan": [
        ("EightPuzzle-v0", {}),
        ("Sokoban-v0", {"board": 6, "boxes": 2}),
        ("Bait-v0", {}),
        ("Wumpus-v0", {"climb": True}),
    ],
    "solvable": [
        ("EightPuzzle-v0", {"width": 3, "height": 2, "shuffled": None}),
        ("Sokoban-v0", {}),
        ("Bait-v0", {"nodes": 3000}),
    ],
    "safe-squares": [("Wumpus-v0", {}), ("Wumpus-v0", {"pits": 2, "visited": [2, 8]}), ("Wumpus-v0", {"pits": 5})],
    "best-action": [("CatMouse-v0", {}), ("EightPuzzle-v0", {}), ("Sokoban-v0", {})],
}
"""Small instances of each task: environments and settings."""


def check_plan(item, rng):
    shortest = item.task == "shortest-plan"
    fewest = naive_tasks.distances(item)
    plan = item.answer.split(", ")
    assert fewest == item.difficulty["optimal_length"] == len(plan) == naive_tasks.replayed(item, plan)
    assert score(item, item.answer) == 1
    detour = naive_detour(item, plan, rng)
    assert naive_tasks.replayed(item, detour) == len(detour) > fewest
    assert score(item, ", ".join(detour)) == (fewest / len(detour) if shortest else 1)
    short = plan[:-1] or [plan[0], plan[0]]
    if naive_tasks.replayed(item, short) is None:
        assert score(item, "\n".join(short)) == 0
    names = sorted({*plan, *detour})
    noise = [rng.choice(names) for _ in range(rng.randint(1, 30))]
    performed = naive_tasks.replayed(item, noise)
    wanted = 0 if performed is None else fewest / len(noise) if shortest else 1
    assert score(item, ", ".join(noise)) == wanted


def naive_detour(item, plan, rng):
    """A longer plan that reaches the goal: with an action somewhere that changes nothing, or two that cancel out."""
    turns = {"forward", "grab"} & {*plan}
    pairs = {"turn left": "turn right"} if turns else {"up": "down", "down": "up", "left": "right", "right": "left"}
    while True:
        place, name = rng.randrange(len(plan)), rng.choice(sorted(pairs))
        for extra in ([name], [name, pairs[name]]):
            longer = plan[:place] + extra + plan[place:]
            if naive_tasks.replayed(item, longer) == len(longer):
                return longer


def check_solvable(item, rng):
    by_text = {"EightPuzzle-v0": naive_tasks.tiles_solvable, "Sokoban-v0": naive_tasks.boxes_solvable}.get(item.env_id)
    solvable = naive_tasks.distances(item) is not None if by_text is None else by_text(item.user)
    right, wrong = ("yes", "no") if solvable else ("no", "yes")
    assert item.answer == right
    assert (score(item, f"<answer>{right}</answer>"), score(item, wrong)) == (1, 0)


def check_safe_squares(item, rng):
    pits = item.info["settings"]["pits"]
    safe = naive_tasks.safe_squares(item.user, pits)
    assert {tuple(square) for square in item.info["safe"]} == safe
    assert score(item, item.answer) == 1
    some = sorted(rng.sample(sorted(safe), rng.randint(0, len(safe))))
    listed = ", ".join(f"({row}, {column})" for row, column in some) or "none"
    assert score(item, listed) == (len(some) / len(safe) if safe else 1)
    size = item.info["settings"]["size"]
    wrong = [(r, c) for r in range(size + 2) for c in range(size + 2) if (r, c) not in safe]
    assert score(item, f"{listed}, {rng.choice(wrong)}") == 0


def check_best_action(item, rng):
    if item.env_id == "CatMouse-v0":
        best = naive_tasks.best_actions(item.level)
    else:
        best = set()
        fewest = naive_tasks.distances(item)
        for action in item.info["actions"]:
            after = naive_tasks.after(item, action)
            if after is not None and after + 1 == fewest:
                best.add(action)
    assert {*item.info["optimal"]} == best
    for action in item.info["actions"]:
        assert score(item, action) == (action in best)


CHECKS = {
    "plan": check_plan,
    "shortest-plan": check_plan,
    "solvable": check_solvable,
    "safe-squares": check_safe_squares,
    "best-action": check_best_action,
}


def check(task, env_id, settings, size, seed=0, difficulty="easy"):
    """Check so many items of a task."""
    rng = random.Random(seed)
    for item in TaskDataset(task, env_id, size, seed, difficulty, **settings):
        CHECKS[task](item, rng)


WORDS = "<answer> </answer> <think> </think> up left, yes no none (1,2) ( 4, [ { \x00 \ud800 ٣ forward grab uurd ```"
PIECES = [*WORDS.split(" "), "\n", " " * 20, "9" * 30, '{"actions": ["up"]}', "(1, 2) ", "turn left\n", "right", "]}"]
"""What random replies consist of."""


def random_reply(rng):
    """A random text or message."""
    kind = rng.random()
    if kind < 0.1:
        return "".join(map(chr, (rng.randrange(0xD800) for _ in range(rng.randrange(40)))))
    text = "".join(rng.choices(PIECES, k=rng.randrange(12)))
    if kind < 0.8:
        return text
    calls = [{"function": {"name": "act", "arguments": text}}]
    others = [{"content": text}, {"content": [{"text": text}, 3]}, {"tool_calls": calls, "content": None}]
    return rng.choice(
        [*others, {}, {"content": 7}, {"tool_calls": [text]}, None, 3.5, [text], text.encode("utf-8", "replace")]
    )


def fuzz(number):
    """Score so many random replies; return how often each score from 0 to 1 was reached."""
    items = [item for env_id in IDS for task in tasks_for(env_id) for item in TaskDataset(task, env_id, 3)]
    rng = random.Random(0)
    scores = Counter()
    for _ in range(number):
        value = score(rng.choice(items), random_reply(rng))
        assert 0 <= value <= 1
        scores[round(value, 1)] += 1
    return scores


def main(arguments):
    if arguments[0] == "--fuzz":
        begun = time.monotonic()
        print(sorted(fuzz(int(arguments[1])).items()), f"{time.monotonic() - begun:.0f} s")
        return
    for task, cases in CASES.items():
        number = -(-int(arguments[0]) // len(cases))
        for env_id, settings in cases:
            begun = time.monotonic()
            check(task, env_id, settings, number)
            print(f"{task} {env_id} {settings}: {number} items agree, {time.monotonic() - begun:.0f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
