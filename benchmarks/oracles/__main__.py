"""The command line: ``python -m benchmarks.oracles``."""

import argparse
import importlib
import re
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, TimeElapsedColumn

from . import HEADING, Row

PAGE = Path(__file__).parents[2] / "docs" / "oracles.md"
PARTS = ("cat_mouse", "wumpus", "eight_puzzle", "sokoban")


def line(row: Row) -> str:
    return f"| {' | '.join(map(str, row))} |"


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.oracles", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="some parts; default: all")
    parser.add_argument("--page", action="store_true", help="write the table into docs/oracles.md; needs all parts")
    given = parser.parse_args()
    if given.page and given.only != PARTS:
        parser.error("--page needs all parts")
    try:
        modules = [importlib.import_module(f".{part}", __package__) for part in given.only]
    except ModuleNotFoundError as error:
        install = "pip install stormpy==2.0.0 clingo==5.8.3 unified-planning==1.3.0 up-fast-downward==1.0.0"
        raise SystemExit(f"benchmarks.oracles: {error.name} is missing: {install}") from None
    table = [line(HEADING), "|---|---|---:|---|---|---|"]
    print(*table, sep="\n", flush=True)
    with Progress(*Progress.get_default_columns(), TimeElapsedColumn(), console=Console(stderr=True)) as progress:
        for module in modules:
            for row in module.rows(progress):
                table.append(line(row))
                print(table[-1], flush=True)
    if given.page:
        text = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(re.sub(r"(?m)^\| question (.*\n)+?(?!\|)", "\n".join(table) + "\n", text), encoding="utf-8")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
