"""Proofs about positions: shortest plans, that there is none, and which actions begin one."""

from gridpuzzles_gym.agents.puzzle_agents import agents_record
from gridpuzzles_gym.agents.search.problem import Problem

from ...engine.puzzle import SOLVED
from ..proofs import Proof, cheapest
from .instances import Instance


def prove(instance: Instance, nodes: int) -> Proof | None:
    """Find a shortest plan, or prove that there is none.

    Args:
        instance: A position that does not end the episode.
        nodes: Maximum number of states to expand; ignored where no search applies.

    Returns:
        The proof; None if the limit was reached. Its number of states is 0 where no search applies.

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
        None if there is no plan, or a proof needs more than ``nodes`` states.
    """
    proof = prove(instance, nodes)
    if proof is None or not proof.plan:
        return None
    best = []
    for action in range(len(instance.actions)):
        after = instance.after(action)
        if after.outcome == SOLVED:
            length = 0
        elif (after.state == instance.state).all() or not instance.puzzle.rules.legal(
            instance.level, instance.state, action
        ):
            continue
        else:
            rest = prove(after, nodes)
            if rest is None:
                return None
            if rest.plan is None:
                continue
            length = len(rest.plan)
        if length + 1 == len(proof.plan):
            best.append(action)
    return best, proof
