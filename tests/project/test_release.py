"""Releasing: what `make release-check` finds wrong, and that workflows and templates name what is there."""

import importlib
import io
import re
import shutil
import sys
import tarfile
import tomllib
import zipfile
from types import SimpleNamespace

import pytest
import release_check as checks
import yaml
from helpers import REPOSITORY
from release_check import FailedError

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WORKFLOWS = sorted((REPOSITORY / ".github" / "workflows").glob("*.yml"))
FORMS = sorted((REPOSITORY / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
LICENCES = ["LICENSE", "fonts/LICENSE.txt"]


def load(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


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


def test_a_version_may_be_unreleased_until_it_is_tagged(checkout):
    (checkout / "CHANGELOG.md").write_text("## [Unreleased]\n\n## [1.1.0] - 2026-01-01\n")
    assert checks.check_version(checkout, []) == "1.2.0, unreleased"
    with pytest.raises(FailedError, match=r"no heading '## \[1.2.0\]"):
        checks.check_version(checkout, ["v1.2.0"])


@pytest.mark.parametrize(
    ("file", "text", "problem"),
    [
        ("CITATION.cff", "cff-version: 1.2.0\nversion: 1.1.0\n", r"CITATION.cff 1\.1\.0"),
        ("CITATION.cff", "cff-version: 1.2.0\n", "CITATION.cff none"),
        ("CHANGELOG.md", "# Changelog\n", "no heading"),
        ("CHANGELOG.md", "## [1.2.0]\n", "no heading"),
        ("src/gridpuzzles_gym/_version.py", '__version__ = "1.3.0"\n', r"version 1\.3\.0, CITATION"),
    ],
)
def test_versions_that_differ_are_found(checkout, file, text, problem):
    (checkout / file).write_text(text)
    with pytest.raises(FailedError, match=problem):
        checks.check_version(checkout, [])


def test_a_tag_of_another_version_is_found(checkout):
    with pytest.raises(FailedError, match=r"the tag v1\.3\.0"):
        checks.check_version(checkout, ["v1.3.0"])


def test_the_versions_of_this_checkout_agree():
    assert checks.check_version(REPOSITORY, [])


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


@pytest.mark.parametrize("stray", ["tests/test_a.py", "agents/__init__.py", "setup.py", "gridpuzzles_gym.txt"])
def test_files_outside_the_package_are_found(tmp_path, stray):
    with pytest.raises(FailedError, match=f"outside the package: {stray}"):
        checks.check_wheel(wheel(tmp_path, *INSIDE, *LICENSED, stray), LICENCES)


def test_a_missing_licence_is_found(tmp_path):
    with pytest.raises(FailedError, match=r"no fonts/LICENSE\.txt"):
        checks.check_wheel(wheel(tmp_path, *INSIDE, LICENSED[0]), LICENCES)


def test_an_sdist_has_what_git_tracks(tmp_path):
    path = tmp_path / "gridpuzzles_gym-1.2.0.tar.gz"
    names = ["README.md", "docs/a.md", "PKG-INFO", "src/gridpuzzles_gym.egg-info/SOURCES.txt"]
    with tarfile.open(path, "w:gz") as archive:
        for name in names:
            member = tarfile.TarInfo(f"gridpuzzles_gym-1.2.0/{name}")
            member.size = 3
            archive.addfile(member, io.BytesIO(b"abc"))
    assert checks.check_sdist(path, ["README.md", "docs/a.md"]).startswith("all 2 files")
    with pytest.raises(FailedError, match=r"misses docs/b\.md"):
        checks.check_sdist(path, ["README.md", "docs/a.md", "docs/b.md"])
    with pytest.raises(FailedError, match=r"should not have docs/a\.md"):
        checks.check_sdist(path, ["README.md"])


def test_every_licence_is_there():
    for name in PROJECT["license-files"]:
        assert (REPOSITORY / name).is_file()
    fonts = {path.parent for path in (REPOSITORY / "src").rglob("*.ttf")}
    assert fonts == {(REPOSITORY / name).parent for name in PROJECT["license-files"] if "fonts" in name}


def test_relative_links_are_found():
    page = "[a](docs/a.md) ![b](b.png) [c](https://example.org) [d](#d)\n```\n[e](e.md)\n```\n[f](mailto:a@b.org)"
    assert checks.relative_links(page) == ["docs/a.md", "b.png"]


def test_links_of_the_readme_become_addresses(monkeypatch):
    monkeypatch.syspath_prepend(REPOSITORY)
    setup = importlib.import_module("setup")
    assert PROJECT["urls"]["Homepage"] == setup.REPOSITORY
    page = (
        "[a](docs/a.md#b) [![p](docs/p.png)](c.md) [d](#d) [e](https://example.org)\n```\nrun[0](x)\n```\n[f](f.md)\n"
    )
    blob, raw = f"{setup.REPOSITORY}/blob/main", f"{setup.REPOSITORY}/raw/main"
    assert setup.addressed(page) == (
        f"[a]({blob}/docs/a.md#b) [![p]({raw}/docs/p.png)]({blob}/c.md) [d](#d) [e](https://example.org)\n"
        f"```\nrun[0](x)\n```\n[f]({blob}/f.md)\n"
    )
    assert checks.relative_links(setup.addressed((REPOSITORY / "README.md").read_text(encoding="utf-8"))) == []


# -- environments --------------------------------------------------------------------------------


def test_pythons_and_floors_are_those_of_the_project():
    found = checks.supported(PROJECT)
    assert f">={found[0]}" == PROJECT["requires-python"]
    assert found == sorted(found, key=lambda number: int(number.split(".")[1]))
    lowest = checks.floors(PROJECT)
    assert len(lowest) == len(PROJECT["dependencies"])
    assert all(re.fullmatch(r"[\w-]+==[\d.]+", each) for each in lowest)


def test_this_python_is_found():
    number = "{}.{}".format(*sys.version_info)
    assert checks.find_python(number, [sys.executable]) == sys.executable
    assert checks.find_python("3.0", [sys.executable, "/no/such/python"]) is None


def test_a_failing_command_is_reported_with_its_output():
    with pytest.raises(FailedError, match=r"exit status 3\nlast words"):
        checks.run(sys.executable, "-c", "import sys; print('last words'); sys.exit(3)")


def test_commands_do_not_see_the_checkout(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    assert checks.run(sys.executable, "-c", "import os; print(os.environ.get('PYTHONPATH'))") == "None\n"


def test_the_table_counts_what_failed(capsys):
    report = checks.Report()

    def fails():
        raise FailedError("one\ntwo")

    assert report.check("good", lambda: "fine")
    assert not report.check("bad", fails)
    assert report.failures == 1
    lines = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"passed   good +\d+\.\d s  fine", lines[0])
    assert re.fullmatch(r"failed   bad +\d+\.\d s  one", lines[1])
    assert lines[2] == " " * 40 + "two"


@pytest.mark.parametrize(("pythons", "failures"), [("installed", 0), ("all", 1)])
def test_a_missing_python_fails_only_if_all_are_needed(monkeypatch, tmp_path, capsys, pythons, failures):
    """With everything that takes long left out."""
    numbers = checks.supported(PROJECT)
    tried = []
    (tmp_path / "out").mkdir()
    for name in ("a.tar.gz", "a.whl"):
        (tmp_path / "out" / f"gridpuzzles_gym-{checks.package_version(REPOSITORY)}-{name}").touch()
    for name in ("build", "check_sdist", "check_wheel", "check_readme", "tags", "tracked"):
        monkeypatch.setattr(checks, name, lambda *_: "")
    monkeypatch.setattr(checks, "find_python", lambda number, given: None if number == numbers[-1] else f"py{number}")
    monkeypatch.setattr(checks, "try_out", lambda place, *_: tried.append(place.name) or "works")
    report = checks.Report()
    checks.check_all(report, tmp_path, SimpleNamespace(out=tmp_path / "out", python=[], pythons=pythons))
    assert report.failures == failures
    assert tried[:3] == [f"{numbers[0]}-{name}" for name in ("wheel", "sdist", "floors")]
    assert len(tried) == 2 * (len(numbers) - 1) + 1
    assert f"Python {numbers[-1]}" in capsys.readouterr().out


# -- workflows and templates ---------------------------------------------------------------------


def steps(workflow):
    return [step for job in load(workflow)["jobs"].values() for step in job["steps"]]


def commands(workflow):
    return [line for step in steps(workflow) for line in step.get("run", "").splitlines()]


def test_workflows_run_what_is_there():
    targets = set(re.findall(r"^([\w-]+):", (REPOSITORY / "Makefile").read_text(encoding="utf-8"), re.M))
    ran = set()
    for workflow in WORKFLOWS:
        for command in commands(workflow):
            program, *arguments = command.split()
            if program == "make":
                target = arguments[0]
                assert target in targets, f"{workflow.name}: make {target}"
                ran.add(target)
            else:
                assert (REPOSITORY / program).is_file(), f"{workflow.name}: {command}"
                assert shutil.which(REPOSITORY / program), f"{program} cannot be run"
                ran.add(program)
    assert ran == {".ci/run", "docs", "release-check"}


def test_workflows_use_every_python():
    """The tests in a job each, the distributions in one with all of them."""
    jobs = load(REPOSITORY / ".github" / "workflows" / "ci.yml")["jobs"]
    assert jobs["test"]["strategy"]["matrix"]["python"] == checks.supported(PROJECT)
    for workflow in WORKFLOWS:
        for job in load(workflow)["jobs"].values():
            if any("release-check" in step.get("run", "") for step in job["steps"]):
                (found,) = [step["with"]["python-version"] for step in job["steps"] if "setup-python" in str(step)]
                assert sorted(found.split()) == checks.supported(PROJECT)


def test_only_a_tag_publishes_and_only_what_was_checked():
    for workflow in WORKFLOWS:
        content = load(workflow)
        trigger, jobs = content[True], content["jobs"]  # YAML reads the key `on` as true
        assert content["permissions"] == {"contents": "read"}
        publishing = [name for name, job in jobs.items() if "id-token" in job.get("permissions", {})]
        if workflow.name == "release.yml":
            assert trigger == {"push": {"tags": ["v*"]}}
            assert publishing == ["pypi", "pages"]
            assert jobs["pypi"]["needs"] == ["check", "docs"]
            assert jobs["pages"]["needs"] == "pypi"
        else:
            assert not publishing


def test_actions_have_versions():
    for workflow in WORKFLOWS:
        for step in steps(workflow):
            assert "run" in step or re.fullmatch(r"[\w-]+/[\w-]+@(v\d+|release/v\d+)", step["uses"]), step


def test_issue_forms_are_complete():
    names = {path.stem for path in FORMS}
    assert names == {"bug", "feature", "question", "config"}
    for path in FORMS:
        form = load(path)
        if path.stem != "config":
            assert {"name", "description", "body"} <= form.keys()
            fields = [field for field in form["body"] if field["type"] != "markdown"]
            assert len({field["id"] for field in fields}) == len(fields) > 1
            assert all(field["attributes"]["label"] for field in fields)


def test_the_citation_says_what_the_package_says():
    citation = load(REPOSITORY / "CITATION.cff")
    assert citation["cff-version"] == "1.2.0"
    assert citation["repository-code"] == PROJECT["urls"]["Homepage"]
    assert [author["name"] for author in citation["authors"]] == [author["name"] for author in PROJECT["authors"]]
