"""Releasing: what `make release-check` finds wrong, and what the project supports."""

import re
import tomllib
import zipfile

import pytest
import release_check as checks
from helpers import REPOSITORY
from release_check import FailedError

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LICENCES = ["LICENSE", "fonts/LICENSE.txt"]


# -- the version ---------------------------------------------------------------------------------


@pytest.fixture
def checkout(tmp_path):
    """A checkout of version 1.2.0, which is in the changelog and cited."""
    (tmp_path / "src" / "gridpuzzles_gym").mkdir(parents=True)
    (tmp_path / "src" / "gridpuzzles_gym" / "_version.py").write_text('__version__ = "1.2.0"\n')
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2026-11-23\n")
    (tmp_path / "CITATION.cff").write_text("cff-version: 1.2.0\nversion: 1.2.0\n")
    return tmp_path


def test_versions_agree(checkout):
    assert checks.check_version(checkout, ["v1.2.0"]) == "1.2.0, in the changelog; tagged"
    assert checks.check_version(checkout, ["nightly"]) == "1.2.0, in the changelog; no tag"
    with pytest.raises(FailedError, match=r"the tag v1\.3\.0"):
        checks.check_version(checkout, ["v1.3.0"])
    (checkout / "CITATION.cff").write_text("cff-version: 1.2.0\nversion: 1.1.0\n")
    with pytest.raises(FailedError, match=r"CITATION.cff 1\.1\.0"):
        checks.check_version(checkout, [])


# -- the distributions ---------------------------------------------------------------------------


def wheel(folder, *names):
    path = folder / "gridpuzzles_gym-1.2.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, "x" * 1000)
    return path


INSIDE = ["gridpuzzles_gym/__init__.py", "gridpuzzles_command.py"]
LICENSED = [f"gridpuzzles_gym-1.2.0.dist-info/licenses/{name}" for name in LICENCES]


def test_a_wheel_has_the_package_and_its_licences(tmp_path):
    found = checks.check_wheel(wheel(tmp_path, *INSIDE, *LICENSED), LICENCES)
    assert found.startswith("4 files; licences: LICENSE, fonts/LICENSE.txt\n0.00 MB  gridpuzzles_gym/__init__.py")


# -- environments --------------------------------------------------------------------------------


def test_pythons_and_floors_are_those_of_the_project():
    found = checks.supported(PROJECT)
    assert f">={found[0]}" == PROJECT["requires-python"]
    assert found == sorted(found, key=lambda number: int(number.split(".")[1]))
    lowest = checks.floors(PROJECT)
    assert len(lowest) == len(PROJECT["dependencies"])
    assert all(re.fullmatch(r"[\w-]+==[\d.]+", each) for each in lowest)
