"""Runs the loop of guided searches: evaluates what it asks for between its batches, and gives it larger arrays."""

import numpy as np

from gridpuzzles_gym.engine.arguments import integer
from gridpuzzles_gym.engine.kernels import kernel

from .. import loops
from .. import nodes as store
from ..frontier import new_frontier, size_of, widened
from ..heuristic import Heuristic
from ..nodes import has_capacity, new_nodes
from ..problem import FOUND, Limits, Problem, Result
from ..progress import Progress
from ..running import Run
from .evaluator import Evaluator, of_one_level
from .loop import (
    ASKED,
    ORDER,
    OWN_NUMBERS,
    PENDING,
    QUESTIONS,
    WEIGHT,
    WEIGHT_PARTS,
    actions_of,
    bytes_of,
    has_paths,
    make_guided,
    new_paths,
    with_capacity,
)

MOST_STATES = 4096
"""The maximum of ``batch``."""
SHARE = 100
"""A batch is at most this fraction of the states expanded before."""


class GuidedRun(Run):
    """A guided search in progress.

    Args:
        problem: The problem to solve.
        heuristic: The estimate that selects the best state so far.
        limits: When to give up.
        progress: How to show progress.
        model: The network.
        batch: The maximum number of states that are expanded at once.

    Raises:
        ValueError: ``batch`` is not a positive integer.
    """

    def __init__(
        self,
        problem: Problem,
        heuristic: Heuristic,
        limits: Limits,
        progress: Progress,
        model: Evaluator,
        batch: int,
    ) -> None:
        super().__init__(problem, heuristic, limits, 0, progress, own=OWN_NUMBERS)
        self.model, self.batch, self.loop = model, integer("batch", batch, 1, MOST_STATES), kernel(make_guided)
        self.nodes, self.frontier = new_nodes(problem.state), new_frontier()
        self.nodes.estimates[0], self.nodes.marks[0] = self.control[loops.LEAST], ASKED
        self.paths = new_paths(len(self.nodes.parents), len(problem.costs), self.batch)
        self.peak_bytes = self._held()

    def search(self, order: int, weight: float = 1.0, late_weight: float = 1.0) -> Result:
        """Search in one of the orders of :mod:`.loop`, with A*'s weight of the estimate.

        Args:
            order: The order.
            weight: The weight until half of the limit of states are expanded.
            late_weight: The weight from then on.
        """
        self.control[[ORDER, WEIGHT, PENDING]] = order, round(WEIGHT_PARTS * weight), 1
        self.late_weight = round(WEIGHT_PARTS * late_weight)
        self._evaluate(np.zeros(1, np.int32))
        status = self.drive(self._advance, self._grow)
        path = int(self.control[loops.AT if status == FOUND else loops.BEST])
        return self.result(status, actions_of(self.paths, path))

    def _advance(self) -> int:
        """Expand whole batches, at least as many states as the budget says; only the limit of states cuts one short."""
        control = self.control
        until = control[loops.EXPANDED] + control[loops.BUDGET]
        while True:
            if self._is_late() and control[WEIGHT] != self.late_weight:
                control[WEIGHT], control[PENDING] = self.late_weight, 1
                self.frontier.size[0] = 0  # all paths are inserted again, except those that have been expanded
            control[loops.BUDGET] = self._next_batch() if control[loops.EXPANDED] < until else 0
            why: int = self.loop(self.expand, self.evaluate, self.instance, self.nodes, self.frontier, self.paths)
            if why == loops.PAUSED:
                self._evaluate(self.paths.asked[: control[QUESTIONS]])
            if why != loops.PAUSED or control[loops.EXPANDED] >= until:
                control[loops.BUDGET] = 0
                return why

    def _is_late(self) -> bool:
        """Whether half of the states are used."""
        return self.limits.nodes is not None and 2 * self.control[loops.EXPANDED] >= self.limits.nodes

    def _next_batch(self) -> int:
        """Return how many states to expand at once: few at first, where each may be the last."""
        expanded = int(self.control[loops.EXPANDED])
        size = min(self.batch, max(expanded // SHARE, 1))
        return size if self.limits.nodes is None else min(size, self.limits.nodes - expanded)

    def _evaluate(self, asked: np.ndarray) -> None:
        """Ask the network about nodes."""
        if len(asked):
            policies, _, distances = of_one_level(self.model, self.problem.level, self.nodes.states[asked])
            self.paths.policies[asked], self.paths.distances[asked] = policies, distances

    def _held(self) -> int:
        return store.bytes_of(self.nodes) + size_of(self.frontier) + bytes_of(self.paths)

    def _grow(self, memory: float) -> int:
        """Enlarge whichever arrays are full; return the bytes in use, or 0 if there is no memory for that."""
        needed, nodes, paths = self.batch * len(self.problem.costs), self.nodes, self.paths
        free = memory - self._held() - bytes_of(paths)  # both copies of the paths exist for a moment
        count = len(paths.ends) * (1 if has_paths(paths, needed) else 2)
        if not has_capacity(nodes, needed):
            larger = store.grown(nodes, free + store.bytes_of(nodes) - bytes_of(paths))
        else:
            larger = nodes if free > 2 * size_of(self.frontier) else None
        if larger is None:
            return 0
        self.peak_bytes = max(self.peak_bytes, self._held() + store.bytes_of(larger))
        self.nodes, self.paths = larger, with_capacity(paths, len(larger.parents), count)
        if larger is nodes and count == len(paths.ends):
            self.frontier = widened(self.frontier)
        return self._held()
