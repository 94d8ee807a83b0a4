"""What is installed: every folder is listed, and a wheel carries all that the package reads."""

import importlib.metadata
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile

import pytest
from helpers import REPOSITORY
from release_check import check_wheel, metadata_of, relative_links

PYPROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
SHIPPED = frozenset(
    {".py", ".txt", ".csv", ".svg", ".png", ".json", ".ttf", ".js", ".html", ".css", ".wasm", ".rows", ".npz"}
) | {".safetensors"}
"""The kinds of files that a wheel has to hold."""
HOMES = {
    "gridpuzzles_gym": "src/gridpuzzles_gym",
    "gridpuzzles_gym.agents": "agents",
    "gridpuzzles_gym.levels": "levels",
}


def test_every_folder_with_code_is_listed():
    found = set()
    for package, home in HOMES.items():
        for file in (REPOSITORY / home).rglob("__init__.py"):
            found.add(".".join([package, *file.parent.relative_to(REPOSITORY / home).parts]))
        for file in (REPOSITORY / home).rglob("*.py"):
            assert (file.parent / "__init__.py").exists(), file
    assert set(PYPROJECT["tool"]["setuptools"]["packages"]) == found
    assert PYPROJECT["project"]["scripts"] == {"gridpuzzles": "gridpuzzles_command:main"}


def _version_of(distribution):
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return "0"


pytestmark = pytest.mark.xdist_group("wheel")  # which is built once


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """A wheel of the files that git would carry, built away from the working tree."""
    source, built = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE", "NOTICE.md", "src", "agents", "levels"):
        here, there = REPOSITORY / name, source / name
        if here.is_dir():
            shutil.copytree(here, there, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        else:
            shutil.copy(here, there)
    setuptools = [int(part) for part in _version_of("setuptools").split(".")[:1]]
    isolation = ["--no-build-isolation"] if setuptools >= [77] else []  # else pip fetches what the build needs
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", *isolation, "-w", built, source]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (file,) = built.glob("*.whl")
    return file


@pytest.mark.extended
def test_the_wheel_carries_code_and_data(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    assert "gridpuzzles_gym/py.typed" in names
    for package, home in HOMES.items():
        for file in (REPOSITORY / home).rglob("*"):
            if file.is_file() and file.suffix in SHIPPED:
                inside = "/".join([*package.split("."), *file.relative_to(REPOSITORY / home).parts])
                assert inside in names, inside
    assert not [name for name in names if name.startswith(("tests", "benchmarks", "agents/", "levels/"))]


@pytest.mark.extended
def test_the_wheel_has_its_licences_and_a_readme_without_relative_links(wheel):
    check_wheel(wheel, PYPROJECT["project"]["license-files"])
    described = metadata_of(wheel)
    assert described["Description-Content-Type"] == "text/markdown"
    assert described.get_payload().startswith("# gridpuzzles_gym\n")
    assert "/raw/main/docs/images/agents.gif)" in described.get_payload()
    assert relative_links(described.get_payload()) == []


RUN = """
import sys
sys.path[:0] = [sys.argv[1]]
import gymnasium as gym, numpy as np
import gridpuzzles_gym
assert gridpuzzles_gym.__file__.startswith(sys.argv[1]), gridpuzzles_gym.__file__
env = gym.make("Wumpus-v0", levels="textbook", render_mode="rgb_array", tile_size=32)
env.reset(seed=0)
rewards = [env.step(action)[1] for action in (0, 2, 1, 2, 0, 2, 3)]
picture = env.render()
import gridpuzzles_gym.agents, gridpuzzles_gym.levels
assert gridpuzzles_gym.agents.__file__.startswith(sys.argv[1]), gridpuzzles_gym.agents.__file__
print(sum(rewards), picture.dtype, picture.ndim, len(np.unique(picture)) > 20)
"""


@pytest.mark.extended
def test_an_installed_wheel_runs_elsewhere(wheel, tmp_path):
    """Into an empty folder; the dependencies are those of this environment, the project is not."""
    target, elsewhere = tmp_path / "installed", tmp_path / "elsewhere"
    elsewhere.mkdir()
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", target, wheel]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    # -S: no site-packages, so no .pth file and no editable install; then the dependencies alone, by path.
    dependencies = sysconfig.get_paths()["purelib"]
    code = f"import sys; sys.path.append({dependencies!r})\n" + RUN
    command = [sys.executable, "-S", "-c", code, str(target)]
    done = subprocess.run(command, cwd=elsewhere, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[-4:] == ["993.0", "uint8", "3", "True"]
