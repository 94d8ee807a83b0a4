"""The agents of Cat and Mouse as kernels: one that reads the planes, and one that decides."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import functools
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gridpuzzles_gym.engine.compile.compilation import compiled, plain, rule
from gridpuzzles_gym.engine.puzzle import UNFINISHED
from gridpuzzles_gym.puzzles.cat_mouse.boards import row_lengths
from gridpuzzles_gym.puzzles.cat_mouse.rules import CATS, CELLS, DEATH, PRIZE, WALL, outcome

from ..agent_kernels import AgentKernels, KernelMaker, blank, caller_arrays, constants_of
from . import maze_agent, optimum, shortest_path, uct, wall_follower
from .maze_agent import MazeAgent
from .optimum import ACTIONS, DEAD, MOST_ENTRIES, WON, make_link, make_settle, state_index
from .uct import Uct
from .wall_follower import WallFollower


def _agent(agent: MazeAgent, kernel: Callable[..., Any], **arrays: Any) -> AgentKernels:
    """Return an agent whose second kernel takes these arrays, in addition to those of all."""
    level_size, state_size = row_lengths(agent.extent)
    shared = {
        **caller_arrays(),
        "planes": blank(1, agent.shape[0], agent.shape[1] * agent.shape[2], dtype=np.uint8),
        "stride": np.int64(agent.extent[1]),
        "blocked": np.bool_(agent.blocked),
        "levels": blank(1, level_size),
        "states": blank(1, state_size),
        "scratch": blank(2, level_size - CELLS),
    }
    constants = constants_of(optimum, wall_follower, sys.modules[__name__])
    return AgentKernels("planes", "planes", (maze_agent.make_read_batch(), kernel), {**shared, **arrays}, constants)


def _wall_follower(agent: WallFollower) -> AgentKernels:
    befores, trails, _ = agent.fresh_memory(1)
    return _agent(agent, wall_follower.make_follow_batch(), table=agent.turns, befores=befores, trails=trails)


def _shortest_path(agent: MazeAgent) -> AgentKernels:
    return _agent(agent, shortest_path.make_run_batch())


def _uct(agent: Uct) -> AgentKernels:
    nodes = agent._nodes._replace(**{name: np.zeros_like(array) for name, array in agent._nodes._asdict().items()})
    return _agent(
        agent,
        uct.make_search_batch(),
        random_bits=blank(1, dtype=np.uint64),
        nodes=nodes._replace(shift=agent._nodes.shift),
        visits=agent._visits,
        totals=agent._totals,
        way=agent._way,
        here=blank(row_lengths(agent.extent)[1]),
        simulations=np.int64(agent.simulations),
        exploration=np.float64(agent.exploration),
    )


def _value_iteration(agent: MazeAgent) -> AgentKernels:
    squares = agent.extent[0] * agent.extent[1]
    most = min(squares**2, MOST_ENTRIES)
    return _agent(
        agent,
        _make_solve_batch(),
        solution=blank(2, dtype=np.int64),
        digits=blank(squares, dtype=np.int32),
        floor=blank(squares, dtype=np.int32),
        values=blank(most + 2, dtype=np.float64),
        policy=blank(most, dtype=np.int8),
    )


# solution int64[2]: the number of floor squares, the first F entries of `floor`; 1 if the policy is optimal.
FLOOR, SOLVED = range(2)


@functools.cache
def _make_solve_batch() -> Callable[..., None]:
    """``solve_batch(levels, states, starting, scratch, solution, digits, floor, values, policy, actions)``.

    At the start of an episode it solves the maze, as :func:`.optimum.chain_of` and :func:`.optimum.solve` do; then it
    looks the action up. If the maze has too many states for the arrays, or no optimum, the action is -1.
    """
    link, settle = rule(plain(make_link())), rule(plain(make_settle()))

    @rule
    def solve(level, state, steps, queue, base, digits, floor, values, policy):
        count, ways = base ** (1 + level[CATS]), 4 ** max(level[CATS], 1)
        if count > policy.shape[0] or count * ways > MOST_ENTRIES:
            return False
        exists, rows = np.zeros(count, np.bool_), np.empty((ways + 1, state.shape[0]), np.int16)
        landings, landed = np.full((count, ACTIONS), count, np.uint32), np.zeros(count + 2)
        successors, chances = np.full((count, ways), count, np.uint32), np.zeros((count, ways))
        known = values[: count + 2]  # its last entries are WON and DEAD
        known[:] = 0.0
        link(level, digits, floor[:base], steps, queue, rows, exists, landings, successors, chances, known)
        known[WON] = landed[WON] = PRIZE
        known[DEAD] = landed[DEAD] = DEATH
        return settle(base, exists, landings, successors, chances, known, landed, policy)

    def solve_batch(levels, states, starting, scratch, solution, digits, floor, values, policy, actions):
        level, state = levels[0], states[0]
        if starting[0]:
            base = 0
            for square in range(digits.shape[0]):
                digits[square] = -1
                if not level[CELLS + square] & WALL:
                    digits[square], floor[base] = base, square
                    base += 1
            solution[FLOOR] = base
            solution[SOLVED] = solve(level, state, scratch[0], scratch[1], base, digits, floor, values, policy)
        actions[0] = -1
        if solution[SOLVED]:
            ended = outcome(level, state) != UNFINISHED
            actions[0] = 0 if ended else max(policy[state_index(level, state, digits, solution[FLOOR])], 0)

    return compiled(solve_batch, "cat-mouse-solve")


KERNELS: Mapping[str, KernelMaker] = {
    "wall-follower": KernelMaker("planes", _wall_follower),
    "wall-follower-left": KernelMaker("planes", _wall_follower),
    "shortest-path": KernelMaker("planes", _shortest_path),
    "uct": KernelMaker("planes", _uct),
    "value-iteration": KernelMaker("planes", _value_iteration),
}
"""The agents by name."""
