"""Batch-weighted A*: A* with a network's value as its heuristic, which expands many states at once.

F. Agostinelli, S. McAleer, A. Shmakov and P. Baldi, "Solving the Rubik's cube with deep reinforcement learning and
search", Nature Machine Intelligence 2019 (DeepCubeA). Their order is ``λ · cost + estimate``; here it is ``cost +
weight · estimate``, as in weighted A*, which is the same for ``weight = 1 / λ``; for the 15-puzzle they choose λ = 0.8.
It ends when the goal is the first state of the frontier. A network's estimate is not admissible, so that nothing is
proven about its solutions. A network that has learned from its own play estimates how many actions it would itself
take, which is more than necessary: a weight below 1 then leads to shorter solutions, by way of more states.
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
) -> Result:
    """Expand paths in increasing order of cost + weight × the network's estimate.

    Raises:
        ValueError: ``batch`` is not a positive integer, or the weight is below 0 or above 1000.
    """
    return GuidedRun(problem, heuristic, limits, progress, model, batch).search(
        VALUE_ASTAR, real("weight", weight, 0, 1000)
    )
