"""Monte-Carlo tree search: a player that runs simulations before each move, and a search built on it."""

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.arguments import integer, real
from gridpuzzles_gym.engine.kernels import kernel
from gridpuzzles_gym.engine.messages import quote
from gridpuzzles_gym.engine.scene import Row

from .. import loops
from ..heuristic import Heuristic
from ..nodes import GOAL, bytes_of, grown, new_nodes
from ..problem import FOUND, Limits, Problem, Progress, Result
from ..running import Run
from .tree import (
    DEAD,
    EPSILON,
    EXPLORATION,
    FIRST,
    GREEDY,
    LEFT,
    LENGTH,
    NO_CHILD,
    OWN_NUMBERS,
    PLAYED,
    ROLLING,
    ROLLOUT_DEPTH,
    ROOT,
    SOLVED,
    STAMP,
    TIP,
    larger_tree,
    make_simulate,
    new_tree,
    tree_bytes,
)

ROLLOUTS = ("greedy", "random")


class Player:
    """Chooses every move by simulations, and reuses the tree for the next move.

    Args:
        problem: The problem, with its start state.
        heuristic: Evaluates simulations that are cut off, and guides greedy rollouts.
        limits: When to give up; when choosing single moves, only ``depth`` and ``memory`` apply.
        seed: Random seed of the rollouts.
        progress: How to show progress.
        simulations: Simulations before each move.
        exploration: Weight of the exploration bonus, in units of the range of returns.
        rollout: ``"greedy"``: follow the estimate, but take a random action with probability ``epsilon``;
            ``"random"``: always take a random action.
        rollout_depth: Maximum number of actions in a rollout.
        epsilon: See ``rollout``.
        first: Stop at the first path to the goal that a simulation finds.

    Raises:
        ValueError: A parameter is out of range.
    """

    def __init__(
        self,
        problem: Problem,
        heuristic: Heuristic,
        limits: Limits | None = None,
        seed: int = 0,
        progress: Progress = False,
        *,
        simulations: int = 10_000,
        exploration: float = 0.7,
        rollout: str = "greedy",
        rollout_depth: int = 30,
        epsilon: float = 0.3,
        first: bool = False,
    ) -> None:
        if rollout not in ROLLOUTS:
            raise ValueError(f"rollout={quote(rollout)}: must be one of {', '.join(ROLLOUTS)}")
        self.simulations = integer("simulations", simulations, 1)
        self._simulate = kernel(make_simulate)
        self.run = Run(problem, heuristic, limits or Limits(), seed, progress, own=OWN_NUMBERS)
        self._control = self.run.control
        self._control[[ROLLOUT_DEPTH, GREEDY, EPSILON, FIRST]] = (
            integer("rollout_depth", rollout_depth, 0, 100_000),
            rollout == "greedy",
            round(real("epsilon", epsilon, 0, 1) * 2**32),
            first,
        )
        self._exploration = real("exploration", exploration, 0, 1e6)
        self._start(problem.state)

    def choose(self, state: Row | None = None) -> int:
        """Choose the move to play in a state.

        Args:
            state: int16[S]; None is the state after the moves chosen so far. For any state other than that one,
                the tree is discarded.

        Returns:
            The most visited of the actions that lead neither into a dead end nor to a state already played;
            if there is none, the most visited legal action; -1 if no action is legal.
        """
        if state is not None:
            self._follow(np.asarray(state, np.int16))
        self._control[LEFT] = self.simulations
        self._restart_simulation()

        def advance() -> int:
            why: int = self._advance()
            return loops.REACHED if why == loops.PAUSED and self._control[LEFT] == 0 else why

        self.run.drive(advance, self._grow)
        root = self._root
        move = self._best(self._open(root))
        if move < 0:
            move = self._best(self._tree.children[root] != NO_CHILD)
        if move >= 0:
            self._play(move)
        return move

    def solve(self) -> Result:
        """Play until the goal is reached or a simulation finds it, and return the result.

        If every move leads into a dead end or to a state already played, the last move is taken back.
        So every state is eventually played, and taking back the first move proves that there is no solution.
        """
        control = self._control
        control[LEFT] = self.simulations

        def advance() -> int:
            why: int = self._advance()
            return self._decide() if why == loops.PAUSED and control[LEFT] == 0 else why

        status = self.run.drive(advance, self._grow)
        if control[SOLVED]:
            status, self.run.reason = FOUND, ""
        plan = self._tree.plan[: control[LENGTH]].tolist()
        return self.run.result(status, without_loops(self.run.problem, plan))

    @property
    def _root(self) -> int:
        return int(self._tree.way[self._control[ROOT]])

    def _start(self, state: Row) -> None:
        """Start with an empty tree."""
        self._nodes = new_nodes(state)
        self._tree = new_tree(len(self._nodes.parents), 256, len(self.run.problem.costs), len(state))
        self._tree.numbers[EXPLORATION] = self._exploration
        self._tree.stamps[0] = PLAYED
        self._nodes.estimates[0] = self._control[loops.LEAST] = self.run.estimate(state)
        self._control[[ROOT, TIP, LENGTH, SOLVED, loops.CUT]] = 0
        self._control[STAMP] = 1
        self._restart_simulation()
        self.run.peak_bytes = max(self.run.peak_bytes, bytes_of(self._nodes) + tree_bytes(self._tree))

    def _restart_simulation(self) -> None:
        """Discard the current simulation; the next one starts at the root."""
        self._control[ROLLING] = 0
        self._control[TIP] = self._control[ROOT]
        self._control[STAMP] += 1

    def _advance(self) -> int:
        why: int = self._simulate(self.run.expand, self.run.evaluate, self.run.instance, self._nodes, self._tree)
        return why

    def _open(self, node: int) -> npt.NDArray[np.bool_]:
        """bool[A]: which actions lead neither into a dead end nor to a state already played."""
        children = self._tree.children[node]
        dead = self._nodes.marks[children] & DEAD != 0
        allowed: npt.NDArray[np.bool_] = (children != NO_CHILD) & ~dead & (self._tree.stamps[children] < PLAYED)
        return allowed

    def _best(self, allowed: npt.NDArray[np.bool_]) -> int:
        """Return the most visited allowed action at the root, ties to the higher mean return; -1 if none is allowed."""
        visits, totals = self._tree.visits[self._root], self._tree.totals[self._root]
        ranking = [(int(visits[a]), totals[a] / max(visits[a], 1), -a) for a in np.flatnonzero(allowed).tolist()]
        return -max(ranking)[2] if ranking else -1

    def _play(self, move: int) -> None:
        control, tree = self._control, self._tree
        child = tree.children[self._root, move]
        tree.moves[control[ROOT]] = move
        control[ROOT] += 1
        tree.way[control[ROOT]] = child
        tree.stamps[child] = PLAYED
        self._restart_simulation()

    def _decide(self) -> int:
        """Play a move, or take one back, and then every forced move after it."""
        control = self._control
        while True:
            allowed = self._open(self._root)
            if control[ROOT] >= control[loops.DEEPEST]:
                control[loops.CUT] = 1
                allowed[:] = False
            move = self._best(allowed)
            if move >= 0:
                self._play(move)
            elif control[ROOT] == 0:
                return loops.EMPTIED
            else:
                control[ROOT] -= 1
                self._restart_simulation()
            if self._nodes.marks[self._root] & GOAL:
                return loops.REACHED
            if control[ROOT] + control[ROLLOUT_DEPTH] + 2 > len(self._tree.way) or self._open(self._root).sum() != 1:
                control[LEFT] = self.simulations
                return loops.PAUSED

    def _follow(self, state: Row) -> None:
        """Make a state the root: it is the root already, or a child of it, or else the tree is discarded."""
        if np.array_equal(self._nodes.states[self._root], state):
            return
        for action, child in enumerate(self._tree.children[self._root].tolist()):
            if child != NO_CHILD and np.array_equal(self._nodes.states[child], state):
                self._play(action)
                return
        self._start(state)

    def _grow(self, memory: float) -> int:
        before = bytes_of(self._nodes) + tree_bytes(self._tree)
        rows, length = len(self._nodes.parents), len(self._tree.way)
        if self._control[TIP] + self._control[ROLLOUT_DEPTH] + 2 > length:
            length = max(2 * length, int(self._control[TIP] + self._control[ROLLOUT_DEPTH]) + 2)
            if before + 2 * tree_bytes(self._tree) > memory:
                return 0
            nodes = self._nodes
        else:
            # The tree grows with the store; while they grow, both are in memory twice.
            larger = grown(self._nodes, memory * bytes_of(self._nodes) / before)
            if larger is None:
                return 0
            nodes, rows = larger, len(larger.parents)
        tree = larger_tree(self._tree, rows, length)
        held = bytes_of(nodes) + tree_bytes(tree)
        self.run.peak_bytes = max(self.run.peak_bytes, before + held)
        self._nodes, self._tree = nodes, tree
        return held


def without_loops(problem: Problem, plan: list[int]) -> list[int]:
    """Return the same path without its loops."""
    states = problem.replay(plan)
    path: list[int] = []
    places: dict[bytes, int] = {states[0].tobytes(): 0}
    for action, state in zip(plan, states[1:], strict=True):
        key = state.tobytes()
        path.append(action)
        if key in places:
            del path[places[key] :]
            places = {known: place for known, place in places.items() if place <= places[key]}
        places[key] = len(path)
    return path


def mcts(
    problem: Problem,
    heuristic: Heuristic,
    limits: Limits,
    seed: int = 0,
    progress: Progress = False,
    *,
    simulations: int = 10_000,
    exploration: float = 0.7,
    rollout: str = "greedy",
    rollout_depth: int = 30,
    epsilon: float = 0.3,
    first: bool = True,
) -> Result:
    """UCT: simulate, play the most visited action, repeat; see :class:`Player` for the parameters.

    Ends with the first path to the goal that a simulation finds. With ``first=False`` it plays on to
    the goal and returns the shortest path found. It maximises the puzzle's reward.
    """
    return Player(
        problem,
        heuristic,
        limits,
        seed,
        progress,
        simulations=simulations,
        exploration=exploration,
        rollout=rollout,
        rollout_depth=rollout_depth,
        epsilon=epsilon,
        first=first,
    ).solve()
