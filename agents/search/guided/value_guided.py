"""Batch-weighted A*: A* with a network's value as its heuristic, which expands many states at once.

F. Agostinelli, S. McAleer, A. Shmakov and P. Baldi, "Solving the Rubik's cube with deep reinforcement learning and
search", Nature Machine Intelligence 2019 (DeepCubeA). Their order is ``λ · cost + estimate``; here it is ``cost +
weight · estimate``, as in weighted A*, which is the same for ``weight = 1 / λ``; for the 15-puzzle they choose λ = 0.8.
It ends when the goal is the first state of the frontier. A network's estimate is not admissible, so that nothing is
proven about its solutions. A network that has learned from its own play estimates how many actions it would itself
take, which is more than necessary: a weight below 1 then leads to shorter solutions, by way of more states.

When half of a limit of states are used, ``late_weight`` counts instead. With a low weight first and a higher one then,
the search finds short solutions where these need few states, and longer ones elsewhere.
"""

from gridpuzzles_gym.engine.arguments import real

from ..heuristic import Heuristic
from ..problem import Limits, Problem, Result
from ..progress import Progress
from .evaluator import Evaluator
from .loop import VALUE_ASTAR
from .running import GuidedRun


def value_astar(
    problem: Problem,
    heuristic: Heuristic,
    limits: Limits,
    seed: int = 0,
    progress: Progress = False,
    *,
    model: Evaluator,
    batch: int = 100,
    weight: float = 1.0,
    late_weight: float | None = None,
) -> Result:
    """Expand paths in increasing order of cost + weight × the network's estimate.

    Args:
        problem: The problem.
        heuristic: The estimate that selects the best state so far.
        limits: When to give up.
        seed: Ignored.
        progress: How to show progress.
        model: The network.
        batch: The maximum number of states that are expanded at once.
        weight: Weight of the estimate.
        late_weight: Its weight when half of ``limits.nodes`` are used; by default ``weight``.

    Raises:
        ValueError: ``batch`` is not a positive integer, or a weight is below 0 or above 1000.
    """
    weights = [real("weight", weight, 0, 1000)]
    weights.append(weights[0] if late_weight is None else real("late_weight", late_weight, 0, 1000))
    return GuidedRun(problem, heuristic, limits, progress, model, batch).search(VALUE_ASTAR, *weights)
