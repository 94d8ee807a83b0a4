"""Where the tests find what they share; nothing is imported here."""

import os
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
TESTS = REPOSITORY / "tests"
SHARED = (
    *(TESTS / "support" / name for name in ("", "inputs", "twins")),
    REPOSITORY / "examples",
)
"""The folders from which tests import modules by name."""
PYTHONPATH = os.pathsep.join(map(str, SHARED))
"""The same, for the environment of another process."""
