"""Numbers that our own code proves, computed again by programs of other communities.

``python -m benchmarks.oracles``, from the root of the repository; a quarter of an hour on one core. What these programs
read is written from the texts of the levels and the rules as the documentation has them: no table of ours is used.
"""

from typing import NamedTuple


class Row(NamedTuple):
    """One row of the table; ``difference`` is the largest between two of the numbers that are compared."""

    question: str
    program: str
    numbers: int
    ours: str
    theirs: str
    difference: str
