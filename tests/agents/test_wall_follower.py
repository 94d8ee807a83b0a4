"""The wall follower plays as the original program's mouse did: against recordings, and against a slow twin.

A recording has on every line a run in the classic maze: how it ended, and its ``turns``, [cat row, cat column, mouse
row, mouse column] after each, in which the cat moves first. Those in ``recordings/wall_follower.jsonl`` are of our own
agent in our own environment; after a change that is meant, record them again and read what git says has changed:

    python tests/support/run.py tests/agents/test_wall_follower.py --update
"""

import functools
import itertools
import json
import sys
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from helpers import REPOSITORY

import gridpuzzles_gym  # noqa: F401  (registers the environments)
from gridpuzzles_gym.agents.cat_mouse.wall_follower import DEPTH, WallFollower
from gridpuzzles_gym.puzzles.cat_mouse import observing, rules

OURS = Path(__file__).with_name("wall_follower.jsonl")
ORIGINALS = REPOSITORY.parent / "shared" / "data" / "cat_mouse" / "original_runs.jsonl"
BOTH = pytest.mark.parametrize("whose", ["original", "ours"])
SEEDS, LIMIT = range(200), 200
START = (1, 1)
STEPS = ((-1, 0), (1, 0), (0, -1), (0, 1))


# -- recording -----------------------------------------------------------------------------------


@functools.cache
def environment():
    """The original program's: its maze, mouse and cat walls to each other."""
    return gym.make("CatMouse-v0", cat_blocked=True, disable_env_checker=True).unwrapped


def square(views, plane):
    """The (first) square on a plane."""
    return tuple(np.argwhere(views[plane])[0].tolist())


def record(seed):
    """One run; how many squares were on the stack at most, and in how many turns the mouse stayed where it was."""
    env = environment()
    agent, memory, deepest, turns, ended = WallFollower(env), None, 0, [], False
    seen, _ = env.reset(seed=seed)
    while not ended and len(turns) < LIMIT:
        cat = square(seen, observing.CAT_PLANE)
        action, memory = agent.predict(seen, memory)
        deepest = max(deepest, int(memory[1][0, DEPTH]))
        seen, _, ended, _, _ = env.step(action)
        turns.append([*cat, *square(seen, observing.MOUSE_PLANE)])
    mice = [START, *(tuple(turn[2:]) for turn in turns)]
    waits = sum(here == there for here, there in itertools.pairwise(mice))
    return {"seed": seed, "deepest": deepest, "waits": waits, "end": "exit" if ended else "limit", "turns": turns}


def record_some():
    """Of 200 runs the first of each depth of the stack, with a wait and without."""
    kinds = {}
    for run in map(record, SEEDS):
        kinds.setdefault((run["deepest"], run["waits"] > 0), run)
    return [run for _, run in sorted(kinds.items())]


def recordings(whose):
    """The recorded runs, of the original program or of our own."""
    file = ORIGINALS if whose == "original" else OURS
    if whose == "original" and not file.exists():
        pytest.skip(f"the original program's runs are not there: {file}")
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


# -- recorded runs -------------------------------------------------------------------------------


@functools.cache
def maze():
    """The planes of the classic maze with nobody in it."""
    planes, _ = environment().reset(seed=0)
    planes[[observing.CAT_PLANE, observing.MOUSE_PLANE]] = 0
    return planes


def seen(cat, mouse):
    """The same with cat and mouse on these squares."""
    planes = maze().copy()
    planes[observing.CAT_PLANE, *cat] = planes[observing.MOUSE_PLANE, *mouse] = 1
    return planes


def assert_plays(run, hand="right", rows=slice(None)):
    """An agent that sees the recorded squares, with the rows of the maze in that order, moves as was recorded."""
    agent, mouse, memory = WallFollower(environment(), hand), START, None
    for number, (*cat, row, column) in enumerate(run["turns"]):
        views = seen(cat, mouse)[:, rows]
        action, memory = agent.predict(views, memory)
        here = np.array(square(views, observing.MOUSE_PLANE))
        there = here + STEPS[action]
        to_wall = views[observing.WALL_PLANE, *there] == 1
        if run["end"] == "in-wall" and number == len(run["turns"]) - 1:
            assert to_wall  # there ours waits
            return
        views[observing.MOUSE_PLANE] = 0
        views[observing.MOUSE_PLANE, *(here if to_wall else there)] = 1
        mouse = square(views[:, rows], observing.MOUSE_PLANE)
        assert mouse == (row, column), (run, number)


@pytest.mark.extended
@BOTH
def test_it_makes_every_recorded_move(whose):
    for run in recordings(whose):
        assert_plays(run)


@BOTH
def test_the_rules_allow_every_recorded_turn(whose):
    batch = environment().batch
    level, start = batch.pool.rows(0)
    rows, chances = np.zeros((4, len(start)), np.int16), np.zeros(4)

    def reached(rule, state, *action):
        return {rows[k].tobytes() for k in range(rule(level, state, *action, rows, chances))}

    @functools.cache
    def after(here):
        return set.union(*(reached(rules.outcomes, np.frombuffer(here, np.int16), action) for action in range(4)))

    for run in recordings(whose):
        turns = run["turns"][:-1] if run["end"] == "in-wall" else run["turns"]
        cats, mice = [turn[:2] for turn in turns], [START, *(turn[2:] for turn in turns)]
        states = []
        for cat, mouse in zip([*cats, *cats[-1:]] if run["end"] == "exit" else cats, mice, strict=False):
            states.append(start.copy())
            states[-1][[rules.MOUSE, rules.CAT]] = np.ravel_multi_index(np.transpose([mouse, cat]), batch.extent)
        states = [state.tobytes() for state in states]
        assert states[0] in reached(rules.beginnings, start)
        assert all(there in after(here) for here, there in itertools.pairwise(states))
        assert (np.frombuffer(states[-1], np.int16)[rules.MOUSE] == level[rules.EXIT]) == (run["end"] == "exit")


def test_our_recordings_are_what_is_played():
    runs = recordings("ours")
    assert len(runs) >= 12
    assert {run["deepest"] for run in runs} >= {0, 1, 2, 3, 11}, "the original's stack held ten"
    assert any(run["waits"] for run in runs)
    assert runs == [record(run["seed"]) for run in runs], __doc__


# -- the slow twin -------------------------------------------------------------------------------


def main():
    if sys.argv[1:] != ["--update"]:
        sys.exit(__doc__)
    OURS.parent.mkdir(exist_ok=True)
    OURS.write_text("".join(json.dumps(run) + "\n" for run in record_some()), encoding="utf-8")


if __name__ == "__main__":
    main()
