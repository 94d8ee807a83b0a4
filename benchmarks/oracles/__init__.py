"""Numbers that our own code proves, computed again by programs of other communities.

``python -m benchmarks.oracles``, from the root of the repository; about a quarter of an hour on one core. It needs
``pip install stormpy==2.0.0 clingo==5.8.3 unified-planning==1.3.0 up-fast-downward==1.0.0``. What these programs read is
written from the texts of the levels and the rules as the documentation has them; no table of ours is handed to them.
"""

from typing import NamedTuple


class Row(NamedTuple):
    """One row of the table."""

    question: str
    program: str
    """The other program and its version."""
    cases: int
    """The number of numbers that are compared."""
    ours: str
    theirs: str
    difference: str
    """The largest difference between two of these numbers."""


HEADING = Row("question", "program", "cases", "ours", "theirs", "largest difference")  # type: ignore[arg-type]
