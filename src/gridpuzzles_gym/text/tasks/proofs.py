"""Proofs about positions: shortest plans, that there is none, and which actions begin one."""

from gridpuzzles_gym.agents.puzzle_agents import agents_record
from gridpuzzles_gym.agents.search.problem import Problem

from ...engine.puzzle import SOLVED
from ..proofs import Proof, cheapest
from .instances import Instance


def prove(instance: Instance, nodes: int) -> Proof | None:
    """Find a shortest plan, or prove that there is none.

    Args:
        instance: A position that is not a final one.
        nodes: Maximum number of states to expand. It does not matter where no search applies.

    Returns:
        What is proven; None if nothing was within the limit. States that are expanded by no search are not counted.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    puzzle, informed_plan = instance.puzzle, agents_record(instance.puzzle).informed_plan
    if not puzzle.deterministic and informed_plan is not None:
        plan = informed_plan()(instance.level, instance.state)
        return Proof(None if plan is None else tuple(plan), 0)
    return cheapest(Problem(puzzle, instance.level, instance.state, instance.options), nodes)


def optimal_actions(instance: Instance, nodes: int) -> tuple[list[int], Proof] | None:
    """Return the first actions of all shortest plans, and one of these plans.

    Returns:
        None if there is no plan, or not everything is proven within the limit, which is that of :func:`prove`.
    """
    proof = prove(instance, nodes)
    if proof is None or not proof.plan:
        return None
    best = []
    for action in range(len(instance.actions)):
        there = instance.after(action)
        if there.outcome == SOLVED:
            length = 0
        elif (there.state == instance.state).all() or not instance.puzzle.rules.legal(
            instance.level, instance.state, action
        ):
            continue
        else:
            rest = prove(there, nodes)
            if rest is None:
                return None
            if rest.plan is None:
                continue
            length = len(rest.plan)
        if length + 1 == len(proof.plan):
            best.append(action)
    return best, proof
