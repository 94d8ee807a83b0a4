"""The package as a whole: what it registers, what it has at its top level, and how it starts."""

import subprocess
import sys

import pytest
import user_script
from helpers import python

import gridpuzzles_gym


@pytest.mark.extended
def test_the_vec_env_says_what_to_install():
    code = """
import sys
sys.modules["stable_baselines3"] = None
from gridpuzzles_gym import *
try:
    from gridpuzzles_gym import PuzzleVecEnv
except ImportError as error:
    print(error)
"""
    assert python(code).endswith(' is not installed; to install it: pip install "gridpuzzles_gym[train]"\n')


def test_the_package_runs_as_the_command_line():
    ran = subprocess.run([sys.executable, "-m", "gridpuzzles_gym", "--version"], capture_output=True, text=True)
    assert ran.stdout == f"gridpuzzles_gym {gridpuzzles_gym.__version__}\n", ran.stderr


@pytest.mark.extended
def test_a_users_script_runs():
    assert user_script.single() >= -1100
    assert user_script.many().shape == (8,)
    assert user_script.searched()
    assert user_script.compared() > 900


ANOTHER = """
import warnings
import gymnasium as gym
gym.register("Sokoban-v0", entry_point="theirs:Sokoban")
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import gridpuzzles_gym
print(*(warning.message for warning in caught))
print(gym.spec("Sokoban-v0").entry_point, gym.make("gridpuzzles/Sokoban-v0").unwrapped.puzzle.name)
"""


@pytest.mark.extended
def test_another_packages_id_stays_its_own():
    said = python(ANOTHER)
    assert "the id Sokoban-v0 is another package's, theirs:Sokoban; that of gridpuzzles_gym is gridpuzzles/Sok" in said
    assert said.endswith("theirs:Sokoban sokoban\n")
