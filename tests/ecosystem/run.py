"""Try the libraries of the field: make their environments, run tests and checks in each, and measure the examples.

``make ecosystem`` runs it. The results go into ``docs/libraries.json``, from which the tables in ``docs/libraries.md``
are made. With names of files in ``requirements/``, only those environments are tried.
"""

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any

from check_libraries import CHECKS, FORMS, MODES, SINGLE
from library_examples import EXAMPLES, LIBRARY_EXAMPLES, REPOSITORY, Example

ENVIRONMENTS = REPOSITORY / ".venv-ecosystem"
REQUIREMENTS = Path(__file__).parent / "requirements"
RECORD = REPOSITORY / "docs" / "libraries.json"
PAGE = REPOSITORY / "docs" / "libraries.md"
MARKS = {"checks": "<!-- checks: make ecosystem -->", "rows": "<!-- table: make ecosystem -->"}
END = "<!-- end of the table -->"
TORCH = "torch==2.13.0"
WITHOUT_LIBRARY = {"CleanRL's style": "torch"}
"""What the version in the table is of, where the library is none that is installed."""


def environment(name: str) -> Path:
    """Return the Python of an environment; make it if it is missing, or older than its requirements."""
    folder, requirements = ENVIRONMENTS / name, REQUIREMENTS / f"{name}.txt"
    python, stamp = folder / "bin" / "python", folder / "installed"
    extra = REQUIREMENTS / f"{name}-no-deps.txt"
    sources = [requirements, REPOSITORY / "pyproject.toml", *([extra] if extra.exists() else [])]
    if stamp.exists() and all(source.stat().st_mtime < stamp.stat().st_mtime for source in sources):
        return python
    venv.create(folder, with_pip=True)
    install = [python, "-m", "pip", "install", "--quiet"]
    subprocess.run([*install, TORCH], check=True)  # first, to select its CPU build; all constraints have this version
    subprocess.run([*install, "-r", requirements, "-e", ".", "pytest"], check=True, cwd=REPOSITORY)
    if extra.exists():
        subprocess.run([*install, "--no-deps", "-r", extra], check=True)
    stamp.touch()
    return python


def run_tests(python: Path) -> None:
    """Run the tests in an environment; raise CalledProcessError if one fails."""
    subprocess.run([python, "-m", "pytest", "tests/ecosystem"], cwd=REPOSITORY, check=True)


def steps_a_second(python: Path, example: Example) -> int:
    """Run an example as a user does, in an empty folder; return the speed that it prints."""
    with tempfile.TemporaryDirectory() as folder:
        surroundings = os.environ | {"MINARI_DATASETS_PATH": folder, "SDL_VIDEODRIVER": "dummy"}
        command = [python, EXAMPLES / example.file, *example.measured]
        output = subprocess.run(
            command, cwd=folder, env=surroundings, check=True, stdout=subprocess.PIPE, text=True
        ).stdout
    print(output, flush=True)
    found = re.search(r"^([\d,]+) steps a second", output, re.MULTILINE)
    if found is None:
        raise ValueError(f"examples/{example.file} prints no line with its steps a second")
    return int(found[1].replace(",", ""))


def check(name: str, python: Path) -> list[dict[str, Any]]:
    """Compare what the libraries of an environment make of episodes with a plain loop; return rows of their table."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.json"
        command = [python, REPOSITORY / "tests" / "ecosystem" / "check_libraries.py", name, file]
        subprocess.run(command, cwd=folder, check=True)
        found: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
    modules = {(each.library, each.use): each.module for each in CHECKS}
    known = versions(python, sorted({modules[row["library"], row["use"]] for row in found}))
    return [row | {"version": known[modules[row["library"], row["use"]]]} for row in found]


def versions(python: Path, modules: list[str]) -> dict[str, str]:
    """Return the version of the distribution that each module comes from."""
    code = (
        "import importlib.metadata as m, json, sys; found = m.packages_distributions(); "
        "print(json.dumps({name: m.version(found[name.split('.')[0]][0]) for name in sys.argv[1:]}))"
    )
    output = subprocess.run([python, "-c", code, *modules], check=True, stdout=subprocess.PIPE, text=True).stdout
    return dict(json.loads(output))


def examine(name: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Make an environment, run its tests and checks, measure its examples; return rows of both tables."""
    print(f"{name}: installing", flush=True)
    python = environment(name)
    print(f"{name}: tests", flush=True)
    run_tests(python)
    print(f"{name}: checks", flush=True)
    checks = check(name, python)
    examples = [example for example in LIBRARY_EXAMPLES if example.environment == name]
    found = versions(python, sorted({example.needs[0] for example in examples} | {"gymnasium"}))
    rows = []
    for example in examples:
        print(f"{name}: {example.name}", flush=True)
        rate = steps_a_second(python, example)
        rows.append(
            {
                "environment": name,
                "library": example.library,
                "version": found[example.needs[0]],
                "gymnasium": found["gymnasium"],
                "example": example.file,
                "run": example.shows,
                "steps a second": rate,
            }
        )
    return checks, rows


def keep(name: str, checks: list[dict[str, Any]], rows: list[dict[str, Any]]) -> None:
    """Replace an environment's rows in the record."""
    before = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    order = [(example.file, example.shows) for example in LIBRARY_EXAMPLES]
    others = [row for row in before.get("rows", ()) if row["environment"] != name]
    rows += [row for row in others if (row["example"], row["run"]) in order]
    uses = {(each.library, each.use, each.write): each.environment for each in CHECKS}
    found = {(row["library"], row["use"], row["write"]): row for row in before.get("checks", ())}
    found = {use: row for use, row in found.items() if uses.get(use) not in (None, name)}
    found |= {(row["library"], row["use"], row["write"]): row for row in checks}
    record = {
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "checks": [found[use] for use in uses if use in found],
        "rows": sorted(rows, key=lambda row: order.index((row["example"], row["run"]))),
    }
    RECORD.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def check_table(record: dict[str, Any]) -> str:
    """Return what the libraries make of episodes as a table in Markdown."""
    columns = [SINGLE, *MODES, *FORMS, "masks"]
    lines = [
        "| " + " | ".join(["library", "version", "use", *columns, "write"]) + " |",
        "|---" * (len(columns) + 4) + "|",
    ]
    for row in record["checks"]:
        cells = [row["cells"].get(column, "–") for column in columns]
        cells = [f"**{cell}**" if cell.endswith("wrong") else cell for cell in cells]
        lines.append("| " + " | ".join([row["library"], row["version"], row["use"], *cells, row["write"]]) + " |")
    return "\n".join(lines)


def table(record: dict[str, Any]) -> str:
    """Return the record as a table in Markdown."""
    lines = [
        "| library | version | Gymnasium | what is run | steps a second |",
        "|---|---|---|---|---:|",
    ]
    for row in record["rows"]:
        library = row["library"]
        version = f"{WITHOUT_LIBRARY[library]} {row['version']}" if library in WITHOUT_LIBRARY else row["version"]
        link = f"[{row['run']}](../examples/{row['example']})"
        rate = "–" if row["steps a second"] is None else f"{row['steps a second']:,}"
        lines.append(f"| {library} | {version} | {row['gymnasium']} | {link} | {rate} |")
    return "\n".join(lines) + f"\n\nPython {record['python']}, {record['cores']} cores."


def write_tables() -> None:
    """Put the tables into the page."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    text = PAGE.read_text(encoding="utf-8")
    for mark, content in ((MARKS["checks"], check_table(record)), (MARKS["rows"], table(record))):
        before, _, rest = text.partition(mark)
        text = f"{before}{mark}\n\n{content}\n\n{END}{rest.partition(END)[2]}"
    PAGE.write_text(text, encoding="utf-8")


def main() -> None:
    """Try the environments named at the command line, or all; end with 1 if one failed."""
    known = sorted(path.stem for path in REQUIREMENTS.glob("*.txt") if not path.stem.endswith("-no-deps"))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="ENVIRONMENT", help=f"one of {', '.join(known)}; default: all")
    names = parser.parse_args().names or known
    for name in names:
        if name not in known:
            parser.error(f"unknown environment {name!r}; allowed are {', '.join(known)}")
    failed = []
    for name in names:
        try:
            checks, rows = examine(name)
        except (subprocess.CalledProcessError, ValueError) as error:
            print(f"{name}: {error}", file=sys.stderr)
            failed.append(name)
            continue
        keep(name, checks, rows)
        write_tables()
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
