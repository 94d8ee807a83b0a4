"""Mazes as text: both ways, and what is said of one that cannot be."""

import gymnasium as gym

from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.puzzles.cat_mouse import PUZZLE, rules

OPTIONS = PUZZLE.read_options()
SEED_MAZE = [
    "0000000000", "0111101110", "0001001010", "0111011000", "0101111010",
    "0101101110", "0100000110", "0111101010", "0101101110", "0000000000",
]  # fmt: skip


def test_the_default_is_the_original_programs_maze():
    (level,) = find_levels(PUZZLE, "classic")
    row, state = PUZZLE.encode(level, level.extent, OPTIONS)
    walls = (row[rules.CELLS :] & rules.WALL != 0).reshape(10, 10)
    assert ["".join("10"[wall] for wall in line) for line in walls.tolist()] == SEED_MAZE
    assert [divmod(int(square), 10) for square in (state[rules.MOUSE], state[rules.CAT], row[rules.EXIT])] == [
        (1, 1),
        (4, 6),
        (8, 8),
    ]
    assert gym.spec("CatMouse-v0").max_episode_steps == 200


def test_the_ansi_picture():
    env = gym.make("CatMouse-v0", levels="M..E\n###.\n", render_mode="ansi")
    env.reset(seed=0)
    assert env.render() == "M..E\n###.\nstep 0  return 0  ready\n"
    lines = []
    for action in (0, 3, 3, 3):
        env.step(action)
        lines.append(env.render().splitlines()[-1])
    assert lines == [
        "step 1  return -1  stopped",
        "step 2  return -2  running",
        "step 3  return -3  running",
        "step 4  return 996  escaped",
    ]
    assert env.render().startswith("...m\n")
