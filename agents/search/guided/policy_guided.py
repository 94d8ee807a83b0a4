"""Best-first searches guided by a network's policy: Levin tree search and PHS*.

The probability of a path, π, is the product of the policy's probabilities of its actions; d is its number of actions,
plus 1 for the start. States are expanded in increasing order of

- ``d / π`` in Levin tree search (L. Orseau, L. Lelis, T. Lattimore and T. Weber, "Single-agent policy tree search with
  guarantees", NeurIPS 2018). Theorem 3: it expands at most ``d / π`` states before it reaches a solution, whichever
  solution one takes. This holds if states are expanded one by one, with ``batch=1``;
- ``(d + h) / π^(1 + h/d)`` in PHS* (L. Orseau and L. Lelis, "Policy-guided heuristic search with guarantees", AAAI
  2021), with the network's estimate h of the number of actions to the goal: d / π for the whole path from the start to
  the goal, as if the rest of it was as probable, per action, as the path so far.

Levin tree search leaves out a path to a state that was expanded by one at least as probable, as in Algorithm 1 of the
first paper, so a state may be expanded again, but is evaluated once. PHS* expands a state once: so it solves as many
levels of Sokoban, with fewer states. Both look for a solution with little effort, not for a short one, and ignore the
costs of actions. They end when they generate the goal.
"""

from ..heuristic import Heuristic
from ..problem import Limits, Problem, Result
from ..progress import Progress
from .evaluator import Evaluator
from .loop import LEVIN, PHS_STAR
from .running import GuidedRun

BATCH = 32
"""Default maximum of states that are expanded at once."""


def levin_tree_search(
    problem: Problem,
    heuristic: Heuristic,
    limits: Limits,
    seed: int = 0,
    progress: Progress = False,
    *,
    model: Evaluator,
    batch: int = BATCH,
) -> Result:
    """Expand paths in increasing order of their length divided by their probability.

    Raises:
        ValueError: ``batch`` is not a positive integer.
    """
    return GuidedRun(problem, heuristic, limits, progress, model, batch).search(LEVIN)


def phs_star(
    problem: Problem,
    heuristic: Heuristic,
    limits: Limits,
    seed: int = 0,
    progress: Progress = False,
    *,
    model: Evaluator,
    batch: int = BATCH,
) -> Result:
    """Expand paths in increasing order of what Levin tree search would pay for a solution through them.

    Raises:
        ValueError: ``batch`` is not a positive integer.
    """
    return GuidedRun(problem, heuristic, limits, progress, model, batch).search(PHS_STAR)
