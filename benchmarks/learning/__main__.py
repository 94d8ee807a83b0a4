"""The command line: ``python -m benchmarks.learning``."""

import argparse
from pathlib import Path

from .runs import RESULTS, read_rows, run


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.learning", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    training = commands.add_parser("run", help="train and test rows; what is complete is skipped, the rest goes on")
    training.add_argument("rows", nargs="*", metavar="ROW", help="names in rows.toml; default: all")
    training.add_argument("--seeds", type=int, default=3, help="runs of each row; default: 3")
    training.add_argument("--runs", type=Path, default=Path("runs/learning"), help="folder of the runs")
    commands.add_parser("draw", help="write the table of docs/learning.md and draw its picture")
    shipping = commands.add_parser("ship", help="measure a model, and make it the bundled one of its environment")
    shipping.add_argument("model", type=Path, help="a model file, or the folder of a run")
    shipping.add_argument("--episodes", type=int, default=100_000, help="of each measurement; default: 100,000")
    shipping.add_argument("--averaged", action="store_true", help="play by the mean over the orientations of the board")
    given = parser.parse_args()
    rows = read_rows()
    if given.command == "run":
        if unknown := set(given.rows) - rows.keys():
            parser.error(f"no row {', '.join(sorted(unknown))}; there are {', '.join(rows)}")
        for seed in range(given.seeds):
            for name in given.rows or rows:
                run(rows[name], seed, given.runs)
    elif given.command == "draw":
        from .page import draw, write_page

        print(write_page(rows, RESULTS), draw(rows, RESULTS))
    else:
        from .shipping import ship

        print(ship(given.model, episodes=given.episodes, averaged=given.averaged))


if __name__ == "__main__":
    main()
