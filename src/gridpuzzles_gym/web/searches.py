"""Best-first search as a module: A*, weighted A*, greedy and uniform-cost search of one puzzle.

The loop is the one of :mod:`~gridpuzzles_gym.agents.search.best_first`, compiled together with the puzzle's rules and a
heuristic. It returns when its budget of expansions is used up and has all its data in arrays, so ``site/js/search.js``
can drive it as :mod:`~gridpuzzles_gym.agents.search.running` does in Python: the same nodes are expanded in the same
order.

    best_first_H(expand's and the loop's arrays)   the loop, with the heuristic H
    estimate_H(level, state, tables)               the heuristic
    table_size_H(level), fill_tables_H(level, tables)   the heuristic's tables, if they depend on the level
    fill(nodes, entries)                           enters all nodes into an empty hash table
    solve_S(level, state, settings, most, plan, counts)   one of the puzzle's own searches, from beginning to end
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import base64
import re
from collections.abc import Callable, Iterable
from typing import Any

import gymnasium as gym
import numpy as np
from numba.core import types

from gridpuzzles_gym.agents.agent_kernels import Solver
from gridpuzzles_gym.agents.puzzle_agents import agents_record
from gridpuzzles_gym.agents.search import best_first, loops
from gridpuzzles_gym.agents.search.best_first import FRONTIER
from gridpuzzles_gym.agents.search.heuristic import Heuristic
from gridpuzzles_gym.agents.search.nodes import NODES, make_fill
from gridpuzzles_gym.agents.search_tables import heuristics_of
from gridpuzzles_gym.engine import kernels
from gridpuzzles_gym.engine.compile.compilation import plain, routine, rule
from gridpuzzles_gym.engine.compile.rule_marks import MARKS
from gridpuzzles_gym.engine.puzzle import Puzzle

from .games import variants_of
from .target import Export

_ORDER = ("WEIGHT_COST", "WEIGHT_ESTIMATE", "REOPEN")
ORDERS = {name: dict(zip(_ORDER, order, strict=True)) for name, order in best_first.ORDERS.items()}
"""The searches that differ only in the order of expansion, by name."""
_ROW, _BYTES = types.Array(types.int16, 1, "C"), types.Array(types.uint8, 1, "C")
_NUMBERS = types.int64[::1]
_SOLVER = {"level": _ROW, "state": _ROW, "settings": _NUMBERS, "most": types.int64, "plan": _BYTES, "counts": _NUMBERS}
_CONTROL = ("BUDGET", "EXPANDED", "GENERATED", "REOPENED", "DEEPEST", "CUT", "AT", "BEST", "LEAST")
_WHY = ("PAUSED", "REACHED", "EMPTIED", "FULL", "STALLED")


def heuristics(puzzle: Puzzle) -> dict[str, Heuristic]:
    """Return the heuristics for pages: the default, and those that need no tables computed by Python."""
    found = heuristics_of(puzzle)
    default = next(iter(found))
    return {
        name: heuristic
        for name, heuristic in found.items()
        if name == default or heuristic.tables is None or heuristic.table_kernels is not None
    }


def exports(puzzle: Puzzle) -> list[Export]:
    """Return the exports of the module of a puzzle's searches."""
    found = [Export("fill", plain(make_fill()), {"nodes": NODES, "entries": types.uint64[::1]})]
    expand = rule(plain(kernels.make_expand(puzzle)))
    for name, heuristic in heuristics(puzzle).items():
        found += _exports_of(heuristic, _identifier(name), expand)
    own = {name: solver.kernel for name, solver in _solvers(puzzle).values()}
    return found + [Export(f"solve_{name}", plain(kernel), _SOLVER) for name, kernel in own.items()]


def _solvers(puzzle: Puzzle) -> dict[str, tuple[str, Solver]]:
    """Return the puzzle's own searches, each with the name of its kernel: that of the first search that has it."""
    solvers, names = agents_record(puzzle).solvers(), dict[Any, str]()
    return {name: (names.setdefault(solver.kernel, _identifier(name)), solver) for name, solver in solvers.items()}


def _exports_of(heuristic: Heuristic, name: str, expand: Callable[..., int]) -> list[Export]:
    evaluate = heuristic.evaluate if heuristic.evaluate in MARKS else rule(heuristic.evaluate)
    loop = routine(plain(best_first.make_best_first()))

    def search(instance, nodes, frontier):
        return loop(expand, evaluate, instance, nodes, frontier)

    def estimate(level, state, tables):
        return evaluate(level, state, tables)

    found = [
        Export(f"best_first_{name}", search, {"instance": loops.INSTANCE, "nodes": NODES, "frontier": FRONTIER}),
        Export(f"estimate_{name}", estimate, {"level": _ROW, "state": _ROW, "tables": _BYTES}),
    ]
    if heuristic.table_kernels is not None:
        size, fill = heuristic.table_kernels

        def table_size(level):
            return size(level)

        def fill_tables(level, tables):
            fill(level, tables)

        found.append(Export(f"table_size_{name}", table_size, {"level": _ROW}))
        found.append(Export(f"fill_tables_{name}", fill_tables, {"level": _ROW, "tables": _BYTES}))
    return found


def describe(puzzle: Puzzle, ids: Iterable[str]) -> dict[str, Any]:
    """Return the description of the module, for JSON.

    Args:
        puzzle: The puzzle.
        ids: The ids of its environments, for tables that depend on their options.
    """
    ids = list(ids)
    every = _boards(puzzle, ids)

    def boards(heuristic: Heuristic) -> list[tuple[str, list[int]]]:
        """Return the boards that need tables of their own: those of all variants only if they depend on the goal."""
        return [(name, row) for name, row in every.items() if name in ids or _depends_on_goal(heuristic)]

    control = {name: getattr(loops, name) for name in _CONTROL} | {name: getattr(best_first, name) for name in _ORDER}
    return {
        "exports": {export.name: export.describe() for export in exports(puzzle)},
        "control": control,
        "why": {name: getattr(loops, name) for name in _WHY},
        "orders": ORDERS,
        "solvers": {
            name: {"kernel": kernel, "settings": list(solver.settings)}
            for name, (kernel, solver) in _solvers(puzzle).items()
        },
        "heuristics": {
            name: {
                "description": heuristic.description,
                "kernels": _identifier(name),
                "own_tables": heuristic.table_kernels is not None,
                "tables": {}
                if heuristic.table_kernels
                else {name: _tables(row, heuristic) for name, row in boards(heuristic)},
                "made_for": dict(boards(heuristic)) if _depends_on_goal(heuristic) else {},
            }
            for name, heuristic in heuristics(puzzle).items()
        },
    }


def _depends_on_goal(heuristic: Heuristic) -> bool:
    """Return whether a heuristic's tables depend on the size and the goal in an environment's level row."""
    return heuristic.tables is not None and heuristic.table_kernels is None


def _boards(puzzle: Puzzle, ids: Iterable[str]) -> dict[str, list[int]]:
    """Return a level row of each environment by its id, and of each variant that has another, by ``ID~VARIANT``."""
    ids = list(ids)
    found = {id: _level_of(id) for id in ids}
    for id, variants in variants_of(puzzle, ids).items():
        for name, options in variants.items():
            row = _level_of(id, **options)
            if row not in found.values():
                found[f"{id}~{name}"] = row
    return found


def _level_of(id: str, **options: Any) -> list[int]:
    """Return a level row of an environment with these options."""
    env: Any = gym.make(id, **options)
    env.reset(seed=0)
    level: list[int] = env.unwrapped.scene().level.tolist()
    env.close()
    return level


def _tables(level: list[int], heuristic: Heuristic) -> str:
    """Return the tables of a heuristic for a level row in base 64."""
    tables = heuristic.prepare(np.array(level, np.int16))
    return base64.b64encode(np.ascontiguousarray(tables).tobytes()).decode()


def _identifier(name: str) -> str:
    return re.sub(r"\W", "_", name)
