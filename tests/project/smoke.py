"""Try an installed gridpuzzles_gym, from outside the checkout: ``release_check.py`` runs this in empty environments.

    python smoke.py VERSION

It needs nothing but the package and its core dependencies. The first thing that is wrong raises an error.
"""

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import gymnasium as gym
import numpy as np

import gridpuzzles_gym
from gridpuzzles_gym.agents.registry import make_agent
from gridpuzzles_gym.engine.levels.bundled import bundled
from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.engine.puzzle import Outcome, load_puzzle

IDS = [row.id for row in gridpuzzles_gym.ENVIRONMENTS]


def main() -> None:
    """Try everything; print one line."""
    (expected,) = sys.argv[1:]
    check_version(expected)
    for env_id in IDS:
        check_episode(env_id)
    packs = sum(check_packs(puzzle) for puzzle in dict.fromkeys(row.puzzle for row in gridpuzzles_gym.ENVIRONMENTS))
    check_vector(IDS[0])
    check_commands()
    print(f"{len(IDS)} ids, {packs} packs of levels, pictures, vector environments, search, commands")


def check_version(expected: str) -> None:
    """The package is the one that is installed here, in the expected version."""
    home = Path(gridpuzzles_gym.__file__)
    assert home.is_relative_to(sys.prefix), f"{home} is not installed in {sys.prefix}"
    found = {gridpuzzles_gym.__version__, version("gridpuzzles_gym")}
    assert found == {expected}, f"version {expected} is expected, not {found}"


def check_episode(env_id: str) -> None:
    """An episode of random play ends, and its last state is a picture."""
    env = gym.make(env_id, render_mode="rgb_array", tile_size=32)
    agent = make_agent("random", env)
    observation, info = env.reset(seed=0)
    over = False
    while not over:
        action, _ = agent.predict(observation)
        observation, _, terminated, truncated, info = env.step(int(action))
        over = terminated or truncated
        assert env.observation_space.contains(observation)
    assert info["outcome"] in list(Outcome)
    picture = env.render()
    assert isinstance(picture, np.ndarray)
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 20, f"the picture of {env_id} is empty"
    env.close()


def check_packs(module: str) -> int:
    """Every bundled pack of a puzzle can be read and encoded; return the number of packs."""
    puzzle = load_puzzle(module)
    names = bundled(puzzle)
    assert names, f"no levels of {puzzle.title} are installed"
    for name in names:
        assert find_levels(puzzle, name)
    return len(names)


def check_vector(env_id: str) -> None:
    """The compiled kernel steps a batch."""
    envs = gym.make_vec(env_id, num_envs=8)
    envs.reset(seed=0)
    envs.action_space.seed(0)
    for _ in range(10):
        rewards = envs.step(envs.action_space.sample())[1]
    assert rewards.shape == (8,)
    envs.close()


def check_commands() -> None:
    """The script is installed; it lists the ids, solves a board, and writes no traceback about a mistake."""
    assert "Usage" in gridpuzzles("--help")
    assert all(env_id in gridpuzzles("list") for env_id in IDS)
    assert "proven shortest" in gridpuzzles("solve", "8-puzzle", "--seed", "7")
    assert "unknown command" in gridpuzzles("nonsense", status=2)


def gridpuzzles(*arguments: str, status: int = 0) -> str:
    """Run the command and return all that it writes."""
    command = [str(Path(sys.executable).parent / "gridpuzzles"), *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == status, f"{' '.join(arguments)}: status {done.returncode}\n{done.stdout}"
    return done.stdout


if __name__ == "__main__":
    main()
