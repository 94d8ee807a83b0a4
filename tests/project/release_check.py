"""Build the distributions and try them in empty environments: ``make release-check``.

    python tests/project/release_check.py [--pythons all] [--python PROGRAM ...] [--out FOLDER]

It needs Python's standard library and git. The wheel and the source distribution are built from the files that git
tracks, as they are now, and installed in an empty environment of every Python that ``pyproject.toml`` names and this
machine has. There, outside the checkout, ``smoke.py`` tries them; with the oldest Python also on the lowest versions of
the dependencies. Each check is a line of the table; the exit status is 0 if none has failed.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
SMOKE = "smoke.py"
TOP_LEVEL = {"gridpuzzles_gym", "gridpuzzles_command.py", "gridpuzzles_tasks.py", "gridpuzzles_text.py"}
"""All that the wheel may put into site-packages, besides its metadata."""
LISTED = 5
"""Number of the largest files whose sizes are listed."""


class FailedError(Exception):
    """What a check has found wrong."""


class Distributions(NamedTuple):
    """The files to publish."""

    sdist: Path
    wheel: Path


class Report:
    """The table: a line for each check, printed when it is done."""

    def __init__(self) -> None:
        self.failures = 0
        self._terminal = sys.stdout.isatty()

    def check(self, name: str, work: Callable[[], str]) -> bool:
        """Run a check, which returns what it found or raises FailedError; return whether it passed."""
        began = time.monotonic()
        if self._terminal:
            print(f"…        {name}", end="\r", flush=True)
        try:
            outcome, found = "passed", work()
        except FailedError as error:
            outcome, found = "failed", str(error)
            self.failures += 1
        self.line(outcome, name, found, time.monotonic() - began)
        return outcome == "passed"

    def line(self, outcome: str, name: str, found: str, seconds: float = 0.0) -> None:
        """Print a line; further lines of what was found are indented."""
        print(f"{outcome:<7}  {name:<20} {seconds:5.1f} s  " + found.strip().replace("\n", "\n" + " " * 40), flush=True)


def main() -> int:
    """Run all checks and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--pythons", choices=("installed", "all"), default="installed", help="all: a missing Python is a failure"
    )
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="where to put the wheel and the sdist")
    parser.add_argument("--python", action="append", default=[], metavar="PROGRAM", help="one more Python to use")
    arguments = parser.parse_args()
    report = Report()
    try:
        with tempfile.TemporaryDirectory(prefix="release-check-") as folder:
            check_all(report, Path(folder), arguments)
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130
    print("all checks passed" if not report.failures else f"{report.failures} failed")
    return 1 if report.failures else 0


def check_all(report: Report, folder: Path, arguments: argparse.Namespace) -> None:
    """Run the checks in order; without distributions, those of them are left out."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = package_version(ROOT)
    report.check("version", lambda: check_version(ROOT, tags()))
    source, tools = folder / "source", Environment(folder / "tools", sys.executable)
    if not report.check("build", lambda: build(tools, source, arguments.out)):
        return
    built = Distributions(*(next(arguments.out.glob(f"gridpuzzles_gym-{version}*{end}")) for end in (".gz", ".whl")))
    report.check("source distribution", lambda: check_sdist(built.sdist, tracked()))
    report.check("wheel", lambda: check_wheel(built.wheel, project["license-files"]))
    report.check("README", lambda: check_readme(tools, built))
    for oldest, number in enumerate(supported(project)):
        python = find_python(number, arguments.python)
        if python is None:
            needed = arguments.pythons == "all" or oldest == 0
            report.failures += needed
            report.line("failed" if needed else "missing", f"Python {number}", "this machine does not have it")
            continue
        trials: dict[str, tuple[str, ...]] = {"wheel": (str(built.wheel),), "sdist": (str(built.sdist),)}
        if oldest == 0:
            trials["floors"] = (str(built.wheel), *floors(project))
        for name, wanted in trials.items():
            place = folder / f"{number}-{name}"
            report.check(f"Python {number}, {name}", lambda: try_out(place, python, wanted, version))  # noqa: B023
            shutil.rmtree(place, ignore_errors=True)


class Environment:
    """A virtual environment of its own.

    Args:
        home: Where it is made, when it is first used.
        python: The program that makes it.
    """

    def __init__(self, home: Path, python: str) -> None:
        self.home, self._python = home, python

    def install(self, *wanted: str) -> None:
        """Install what is named, and what that depends on."""
        if not self.home.exists():
            run(self._python, "-m", "venv", self.home)
        run(self.home / "bin/python", "-m", "pip", "install", "--quiet", *wanted)

    def run(self, *arguments: Any, cwd: Path) -> str:
        """Run its Python in a folder and return the output. Compiled kernels are cached in that folder."""
        return run(self.home / "bin/python", *arguments, cwd=cwd, XDG_CACHE_HOME=str(cwd / "cache"))


def run(*command: Any, cwd: Path | None = None, **variables: str) -> str:
    """Run a command without Python's own environment variables and return its output.

    Raises:
        FailedError: Its exit status is not 0; the message has the last lines of its output.
    """
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "NUMBA"))}
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, cwd=cwd, env=clean | variables, capture_output=True, text=True, check=False)
    except OSError as error:
        raise FailedError(f"{words[0]} cannot be run: {error.strerror}") from None
    if done.returncode:
        lines = (done.stdout + done.stderr).strip().splitlines()
        raise FailedError("\n".join([f"{' '.join(words)}: exit status {done.returncode}", *lines[-15:]]))
    return done.stdout


def tracked() -> list[str]:
    """The files of the checkout, as git lists them, without those that are deleted."""
    return [name for name in run("git", "ls-files", "-z", cwd=ROOT).split("\0") if name and (ROOT / name).exists()]


def tags() -> list[str]:
    """The tags of the checkout's commit."""
    return run("git", "tag", "--points-at", "HEAD", cwd=ROOT).split()


def package_version(root: Path) -> str:
    """The version that the package has."""
    text = (root / "src/gridpuzzles_gym/_version.py").read_text(encoding="utf-8")
    return re.findall(r'__version__ = "(.+)"', text)[0]


def check_version(root: Path, tags: list[str]) -> str:
    """The package, CITATION.cff, the changelog and the tag say the same; an untagged version may be unreleased."""
    version = package_version(root)
    cited = re.findall(r"^version: (\S+)$", (root / "CITATION.cff").read_text(encoding="utf-8"), re.M)
    if cited != [version]:
        raise FailedError(f"the package has version {version}, CITATION.cff {', '.join(cited) or 'none'}")
    releases = [tag for tag in tags if re.match(r"v\d", tag)]
    if releases and releases != [f"v{version}"]:
        raise FailedError(f"the package has version {version}, this commit the tag {', '.join(releases)}")
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    if re.search(rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d$", changelog, re.M):
        return f"{version}, in the changelog; {'tagged' if releases else 'no tag'}"
    if releases or "## [Unreleased]" not in changelog:
        raise FailedError(f"CHANGELOG.md has no heading '## [{version}] - YYYY-MM-DD'")
    return f"{version}, unreleased"


def build(tools: Environment, source: Path, out: Path) -> str:
    """Build the sdist from the tracked files, and the wheel from the sdist."""
    for name in tracked():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, source / name)
    for older in (*out.glob("gridpuzzles_gym-*.whl"), *out.glob("gridpuzzles_gym-*.tar.gz")):
        older.unlink()
    tools.install("build", "twine", "--constraint", str(ROOT / "constraints.txt"))
    tools.run("-m", "build", "--outdir", out, source, cwd=source)
    made = sorted(out.glob("gridpuzzles_gym-*"))
    return "\n".join(f"{file.name}: {file.stat().st_size / 1e6:.2f} MB" for file in made)


def check_sdist(sdist: Path, wanted: list[str]) -> str:
    """The sdist has the tracked files, and nothing else but what the build adds."""
    with tarfile.open(sdist) as archive:
        found = {member.name.partition("/")[2] for member in archive if member.isfile()}
    added = {name for name in found if name in ("PKG-INFO", "setup.cfg") or ".egg-info/" in name}
    for problem, names in (("misses", set(wanted) - found), ("should not have", found - added - set(wanted))):
        if names:
            raise FailedError(f"{sdist.name} {problem} {', '.join(sorted(names)[:LISTED])} ({len(names)} in all)")
    return f"all {len(wanted):,} files of the repository\n{largest(tar_sizes(sdist))}"


def tar_sizes(path: Path) -> dict[str, int]:
    """The sizes of the files in an sdist."""
    with tarfile.open(path) as archive:
        return {member.name.partition("/")[2]: member.size for member in archive if member.isfile()}


def check_wheel(wheel: Path, licences: list[str]) -> str:
    """The wheel has the package and its licences, and puts nothing anywhere else."""
    with zipfile.ZipFile(wheel) as archive:
        sizes = {entry.filename: entry.file_size for entry in archive.infolist()}
    metadata = "-".join(wheel.name.split("-")[:2]) + ".dist-info"
    elsewhere = {name for name in sizes if name.partition("/")[0] not in TOP_LEVEL | {metadata}}
    if elsewhere:
        raise FailedError(f"{wheel.name} has files outside the package: {', '.join(sorted(elsewhere)[:LISTED])}")
    if absent := [name for name in licences if f"{metadata}/licenses/{name}" not in sizes]:
        raise FailedError(f"{wheel.name} has no {' and no '.join(absent)}")
    return f"{len(sizes):,} files; licences: {', '.join(licences)}\n{largest(sizes)}"


def largest(sizes: dict[str, int]) -> str:
    """The largest files with their sizes."""
    names = sorted(sizes, key=lambda name: -sizes[name])[:LISTED]
    return "\n".join(f"{sizes[name] / 1e6:.2f} MB  {name}" for name in names)


def metadata_of(wheel: Path) -> Message:
    """The metadata of a wheel; its text is the README."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        return message_from_bytes(archive.read(name))


def check_readme(tools: Environment, built: Distributions) -> str:
    """The README renders on the package index, and its links lead somewhere from there."""
    tools.run("-m", "twine", "check", "--strict", *built, cwd=tools.home)
    if found := relative_links(metadata_of(built.wheel).get_payload()):
        raise FailedError(f"{len(found)} relative links break on the package index: {', '.join(found[:LISTED])}")
    return "renders; no relative links"


def relative_links(markdown: str) -> list[str]:
    """The targets of links and pictures that are neither addresses nor headings of the same page."""
    prose = re.sub(r"^```.*?^```", "", markdown, flags=re.M | re.S)
    return [link for link in re.findall(r"\]\(([^)\s]+)", prose) if not re.match(r"https://|mailto:|#", link)]


def supported(project: dict[str, Any]) -> list[str]:
    """The versions of Python that the classifiers name, the oldest first."""
    found = [re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", each) for each in project["classifiers"]]
    return sorted((match[1] for match in found if match), key=lambda number: int(number.split(".")[1]))


def floors(project: dict[str, Any]) -> list[str]:
    """The core dependencies, each in the lowest version allowed."""
    return [re.sub(r"^([\w-]+)>=([\d.]+)$", r"\1==\2", each) for each in project["dependencies"]]


def find_python(number: str, given: list[str]) -> str | None:
    """A program that is this version of Python: a given one, one of the search path, or one of pyenv's."""
    for program in (*given, *_pythons(number)):
        try:
            found = run(program, "-c", "import sys; print('%d.%d' % sys.version_info[:2])").strip()
        except FailedError:  # one of pyenv's shims for versions that are not switched on
            continue
        if found == number:
            return program
    return None


def _pythons(number: str) -> Iterator[str]:
    if (program := shutil.which(f"python{number}")) is not None:
        yield program
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    yield from map(str, sorted(pyenv.glob(f"versions/{number}.*/bin/python"), reverse=True))


def try_out(place: Path, python: str, wanted: tuple[str, ...], version: str) -> str:
    """Install a distribution in an empty environment and try it in an empty folder."""
    environment, elsewhere = Environment(place / "env", python), place / "elsewhere"
    elsewhere.mkdir(parents=True)
    environment.install(*wanted)
    shutil.copy(ROOT / "tests" / "project" / SMOKE, elsewhere)
    pinned = f"{', '.join(wanted[1:])}\n" if wanted[1:] else ""
    return pinned + environment.run(SMOKE, version, cwd=elsewhere)


if __name__ == "__main__":
    sys.exit(main())
