"""Build the modules of the site: ``python -m gridpuzzles_gym.web [--again] [--out FOLDER] [ID ...]``.

An id may be one of another package, such as ``my_package:Maze-v0``.
"""

import argparse
from pathlib import Path

from gridpuzzles_gym.registration import ENVIRONMENTS, environment_of

from .building import MODULES, all_modules, build


def main() -> None:
    """Build modules, and list the files written with their sizes."""
    parser = argparse.ArgumentParser(prog="python -m gridpuzzles_gym.web", description="Build the modules of the site.")
    parser.add_argument("ids", nargs="*", metavar="ID", help="Ids of environments; by default all of the suite.")
    parser.add_argument("--out", type=Path, default=MODULES, help="Folder to write to.")
    parser.add_argument("--again", action="store_true", help="Rebuild modules that are current, too.")
    arguments = parser.parse_args()
    environments = [environment_of(id) for id in arguments.ids] or ENVIRONMENTS
    for path in build(all_modules(environments), arguments.out, arguments.again):
        print(f"{path.stat().st_size:9,} bytes  {path}")


if __name__ == "__main__":
    main()
