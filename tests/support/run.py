"""Run a test file as a program, where it finds what tests share: ``python tests/support/run.py FILE [ARGUMENT …]``."""

import runpy
import sys

from folders import SHARED

if __name__ == "__main__":
    sys.path[:0] = [str(folder) for folder in SHARED]
    del sys.argv[0]
    runpy.run_path(sys.argv[0], run_name="__main__")
