"""Write the rows of the large bundled packs: ``python -m gridpuzzles_gym.cli.pack_rows``, or ``make rows``."""

from collections.abc import Iterator
from pathlib import Path

from ..engine.levels.bundled import MANY, bundled, bundled_levels, pack_folder, write_pack_rows
from ..engine.puzzle import Puzzle, load_puzzle
from ..registration import ENVIRONMENTS


def large_packs() -> Iterator[tuple[Puzzle, str]]:
    """Yield each bundled pack that comes with its rows."""
    for puzzle in dict.fromkeys(load_puzzle(environment.puzzle) for environment in ENVIRONMENTS):
        for name in bundled(puzzle):
            if puzzle.row_check is not None and len(bundled_levels(puzzle, name)) >= MANY:
                yield puzzle, name


def main() -> None:
    """Write them next to their texts."""
    for puzzle, name in large_packs():
        path = Path(str(pack_folder(puzzle))) / f"{name}.npz"
        with path.open("wb") as stream:
            write_pack_rows(puzzle, name, stream)
        print(f"wrote {path}")


if __name__ == "__main__":
    main()
