"""An evaluation of levels by the effort of solving them: used to generate hard levels."""

import dataclasses
import math

from gridpuzzles_gym.engine.arguments import integer, real
from gridpuzzles_gym.engine.scene import Row

from .difficulty import Difficulty, measure


@dataclasses.dataclass(frozen=True)
class Measured:
    """The weights of an evaluation by measured difficulty; see :class:`~.difficulty.Difficulty`.

    Nodes count by their logarithms: from 10 to 20 adds as much as from 1,000 to 2,000.

    Raises:
        ValueError: A number is out of range.
    """

    nodes: float = 1.0
    """Per doubling of the positions that the solver expands."""
    proof_nodes: float = 1.0
    """Per doubling of the positions that the proof of fewest pushes expands."""
    pushes: float = 0.15
    """Per push of the shortest solution."""
    box_changes: float = 0.15
    """Per change of this solution to another box."""
    deadlock_density: float = 10.0
    """For the share of pushes that lead to a deadlock, from 0 to 1."""
    limit: int = 5000
    """Maximum number of positions that each search may expand; a level that takes more counts as unsolved."""

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            if field.name != "limit":
                real(field.name, getattr(self, field.name), 0, 1e6)
        integer("limit", self.limit, 1)

    def __call__(self, level: Row, state: Row) -> float:
        """Return the score of a level, from its rows; 0 if it is not solved within the limit."""
        return self.worth(measure(level, state, self.limit))

    def worth(self, difficulty: Difficulty) -> float:
        """Return the score of a level of this difficulty."""
        if not difficulty.solved:
            return 0.0
        return (
            self.nodes * math.log2(1 + difficulty.nodes)
            + self.proof_nodes * math.log2(1 + difficulty.proof_nodes)
            + self.pushes * difficulty.pushes
            + self.box_changes * difficulty.box_changes
            + self.deadlock_density * difficulty.deadlock_density
        )
