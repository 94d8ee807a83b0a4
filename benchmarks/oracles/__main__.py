"""The command line: ``python -m benchmarks.oracles``."""

import argparse
import importlib
import re
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, TimeElapsedColumn

PAGE = Path(__file__).parents[2] / "docs" / "planners.md"
PARTS = ("cat_mouse", "wumpus", "eight_puzzle", "sokoban")
HEADING = "| question | program | numbers | ours | theirs | largest difference |\n|---|---|---:|---:|---:|---:|\n"
INSTALL = "pip install stormpy==2.0.0 clingo==5.8.3 unified-planning==1.3.0 up-fast-downward==1.0.0"


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.oracles", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="some parts; default: all")
    parser.add_argument("--page", action="store_true", help="write the table into docs/planners.md; needs all parts")
    given = parser.parse_args()
    if given.page and given.only != PARTS:
        parser.error("--page needs all parts")
    try:
        modules = [importlib.import_module(f".{part}", __package__) for part in given.only]
    except ModuleNotFoundError as error:
        raise SystemExit(f"benchmarks.oracles: {error.name} is missing: {INSTALL}") from None
    table = HEADING
    print(HEADING, end="", flush=True)
    with Progress(*Progress.get_default_columns(), TimeElapsedColumn(), console=Console(stderr=True)) as progress:
        for module in modules:
            for row in module.rows(progress):
                line = f"| {' | '.join(map(str, row))} |\n"
                print(line, end="", flush=True)
                table += line
    if given.page:
        text = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(re.sub(r"(?m)^\| question \|.*\n(\|.*\n)+", lambda _: table, text), encoding="utf-8")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
