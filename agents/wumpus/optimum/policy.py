"""The optimal policy of a small cave as a table, computed once and saved on disk.

    one file per world: those of the default cave are in the package (:mod:`.tables`), others are written to
    ``wumpus-optima/`` under :func:`~gridpuzzles_gym.engine.system.files.cache_root`

It holds the keys the policy can reach, the move for each, and the value of the start. A file
that cannot be read is computed again; files are replaced atomically, so that nobody reads half of one.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import contextlib
import functools
import importlib.resources
import time
import warnings
import zipfile
from collections.abc import Callable, Iterator
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from gridpuzzles_gym.engine.compile.compilation import borrowed, compiled
from gridpuzzles_gym.engine.system.files import cache_root, replacing
from gridpuzzles_gym.puzzles.wumpus.rules import EAST

from . import tables
from .exact import SHOOT_MOVE, STOP, Stack, begin, expand_exact, new_stack, search_exact, search_relaxed
from .knowledge import ARROW, PERCEPTS, caves, evidence_row, pack, unpack
from .world import (
    CLIMB,
    LARGEST,
    LIMIT,
    SQUARES,
    START,
    Memo,
    World,
    enlarged,
    entrance,
    make_world,
    new_memo,
    place,
    store,
)

VERSION = 2
"""Version of the file format and of the method."""
SLICE = 20_000
"""Keys expanded between two checks of the clock."""
RELAXED_ROOM = 1 << 22
"""More than twice the number of relaxed keys of a cave of 16 squares."""


Bounds = tuple[Any, ...]
"""For :mod:`.exact`: memo and stack of the relaxed search, scratch arrays for its percepts, the exact one's percepts
and shots (three arrays), and for the relaxed value after each percept."""


class Optimum(NamedTuple):
    """A solved world."""

    value: float
    """The expected return of the optimal policy, before the first percept."""
    bound: float
    """The value of the relaxed problem: an upper bound."""
    longest: int
    """The maximum number of steps in an episode of that policy."""
    keys: npt.NDArray[np.uint64]
    """uint64[M]: a hash table of the knowledge states in which the policy chooses; see :mod:`.knowledge`."""
    moves: npt.NDArray[np.uint8]
    """uint8[M]: its choices, see :mod:`.exact`; STOP is one."""


class Roots(NamedTuple):
    """The possible first percepts."""

    relaxed: npt.NDArray[np.uint64]
    exact: npt.NDArray[np.uint64]
    chances: npt.NDArray[np.float64]


@functools.lru_cache(4)
def load_or_solve(height: int, width: int, pits: int, climb: bool, limit: int) -> Optimum:
    """Return the optimum of caves generated with these settings, loaded if the package or the cache has it.

    Shows a progress bar if solving takes long: up to two minutes. Ctrl-C leaves no files behind.

    Args:
        height: Rows.
        width: Squares in a row.
        pits: Number of pits.
        climb: Is there an action that leaves the cave?
        limit: Number of steps after which an episode is truncated.

    Raises:
        ValueError: The cave has more than 16 squares.
    """
    name = file_name(height, width, pits, climb, limit)
    bundled = _load(importlib.resources.files(tables) / name)
    if bundled is not None:
        return bundled
    root = cache_root()
    path = None if root is None else root / "wumpus-optima" / name
    found = None if path is None else _load(path)
    if found is None:
        found = solve(make_world(height, width, pits, climb, limit))
        if path is not None:
            save(path, found)
    return found


def file_name(height: int, width: int, pits: int, climb: bool, limit: int) -> str:
    """Return the name of a world's file; see :func:`load_or_solve`."""
    return "-".join(str(int(number)) for number in (height, width, pits, climb, limit)) + f".v{VERSION}.npz"


def solve(world: World) -> Optimum:
    """Solve a world; see :mod:`.exact`."""
    kernels = _kernels()
    roots = _roots(world)
    bounds = new_bounds()
    memo, stack = new_memo(4 * SLICE), new_stack()
    with _counting() as tell:
        for key in roots.relaxed:
            kernels.begin(bounds[1], key)
            while bounds[1].depth[0] >= 0:
                kernels.relax(world, bounds[2], bounds[0], bounds[1], SLICE)
                tell(int(bounds[0].used[0]))
        for key in roots.exact:
            kernels.begin(stack, key)
            while stack.depth[0] >= 0:
                if 2 * (memo.used[0] + SLICE) > len(memo.keys):
                    memo = enlarged(memo)
                kernels.search(world, bounds, memo, stack, SLICE)
                tell(int(bounds[0].used[0] + memo.used[0]))
    value = roots.chances @ kernels.look_up(memo, roots.exact)[0]
    bound = roots.chances @ kernels.look_up(bounds[0], roots.relaxed)[0]
    keys, moves, longest = _follow(world, memo, bounds, stack, roots)
    table = new_memo(2 * len(keys))
    kernels.enter(table, keys, moves)
    return Optimum(float(value), float(bound), longest, table.keys, table.moves)


def new_bounds() -> Bounds:
    """Return the arrays of the relaxed search, empty."""
    percepts = np.zeros((2, PERCEPTS, 4), np.int64)
    scratch = np.zeros(4 * LARGEST, np.int64), np.zeros(4 * LARGEST), np.zeros(4 * LARGEST)
    return (new_memo(RELAXED_ROOM), new_stack(), percepts[0], percepts[1], *scratch, np.zeros(PERCEPTS))


def _roots(world: World) -> Roots:
    squares, start = int(world.facts[SQUARES]), int(world.facts[START])
    here, around = 1 << start, int(world.around[start])
    relaxed, exact, counts = [], [], []
    for breezes in (0, here):
        row = evidence_row_of(world, here, breezes)
        for lairs in (around, (1 << squares) - 1 & ~here & ~around):
            count = 0 if row < 0 else int(caves(world, here, row, lairs, 0))
            if count:
                counts.append(count)
                relaxed.append(pack(here, breezes, lairs, ARROW, 0, 0, 0))
                exact.append(pack(here, breezes, lairs, ARROW, 0, 4 * start + EAST, 0))
    chances = np.array(counts) / sum(counts)
    return Roots(np.array(relaxed, np.uint64), np.array(exact, np.uint64), chances)


def evidence_row_of(world: World, visited: int, breezes: int) -> int:
    """:func:`.knowledge.evidence_row`, without numpy's warning that the hash of a key overflows."""
    with np.errstate(over="ignore"):
        return int(evidence_row(world, visited, breezes))


def _follow(
    world: World, memo: Memo, bounds: Bounds, stack: Stack, roots: Roots
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint8], int]:
    """Return the keys that the optimal policy can reach and their moves, except stopping, and its longest episode."""
    kernels, climb = _kernels(), bool(world.facts[CLIMB])
    keys, moves, longest = [], [], 0
    steps = dict.fromkeys(roots.exact.tolist(), 0)
    waiting: dict[int, set[int]] = {1: set(steps)}
    for rank in range(1, 2 * LARGEST):  # squares visited, plus one once the arrow is gone: every move adds one
        here = np.array(sorted(waiting.pop(rank, ())), np.uint64)
        for key, move in zip(here, kernels.look_up(memo, here)[1].tolist(), strict=True):
            visited, _, _, _, held, stance, _ = map(int, unpack(key))
            taken, number = steps[int(key)], world.region[visited]
            if move == STOP:
                longest = max(longest, taken + int(world.home[number, stance]) + (climb and not held))
                continue
            keys.append(key)
            moves.append(move)
            if move < SHOOT_MOVE:
                square, facing = move >> 2, move & 3
                number = world.region[visited | 1 << square]
                taken += int(
                    world.walk[world.region[visited], stance, 4 * entrance(world.neighbours, square, facing) + facing]
                )
                longest = max(longest, taken + 2 + int(world.home[number, move]))
            else:
                taken += int(world.walk[number, stance, move - SHOOT_MOVE])
            choice = kernels.expand(world, bounds, stack, key, move)
            for child in stack.next[0, choice, : stack.outcomes[0, choice]].tolist():
                after, _, _, arrow, grabbed, _, _ = map(int, unpack(np.uint64(child)))
                waiting.setdefault(after.bit_count() + (arrow != ARROW), set()).add(child)
                steps[child] = max(steps.get(child, 0), taken + 1 + grabbed - held)
    return np.array(keys, np.uint64), np.array(moves, np.uint8), longest if climb else int(world.facts[LIMIT])


@contextlib.contextmanager
def _counting() -> Iterator[Callable[[int], None]]:
    """A progress line with the number of known keys, after two seconds."""
    columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    begun = time.monotonic()
    with Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False) as bar:
        task = bar.add_task("solving the Wumpus World", visible=False)

        def tell(known: int) -> None:
            late = time.monotonic() - begun > 2
            bar.update(task, description=f"solving the Wumpus World, once: {known:,} situations", visible=late)
            if late:
                bar.refresh()

        yield tell


class _Kernels(NamedTuple):
    """The compiled functions of the solver."""

    begin: Callable[..., None]
    """``(stack, key)``"""
    relax: Callable[..., int]
    """``(world, percepts, memo, stack, most)``"""
    search: Callable[..., int]
    """``(world, bounds, memo, stack, most)``"""
    expand: Callable[..., int]
    """``(world, bounds, stack, key, move) -> choice``: write a key's choices on an empty stack; its move's index."""
    look_up: Callable[..., tuple[npt.NDArray[np.float64], npt.NDArray[np.uint8]]]
    """``(memo, keys) -> values, moves``"""
    enter: Callable[..., None]
    """``(memo, keys, moves)``"""


@functools.cache
def _kernels() -> _Kernels:
    def put(stack, key):
        begin(stack, key, -np.inf)

    def relax(world, percepts, memo, stack, most):
        return search_relaxed(borrowed(world), borrowed(percepts), borrowed(memo), borrowed(stack), most)

    def search(world, bounds, memo, stack, most):
        return search_exact(borrowed(world), borrowed(bounds), borrowed(memo), borrowed(stack), most)

    def expand(world, bounds, stack, key, move):
        begin(stack, key, -np.inf)
        stack.choices[0] = 0
        expand_exact(world, bounds, stack)
        stack.depth[0] = -1
        choice = 0
        while stack.moves[0, choice] != move:
            choice += 1
        return choice

    def look_up(memo, keys):
        values, moves = np.empty(len(keys)), np.empty(len(keys), np.uint8)
        for k in range(len(keys)):
            slot = place(memo.keys, keys[k])
            values[k], moves[k] = memo.values[slot], memo.moves[slot]
        return values, moves

    def enter(memo, keys, moves):
        for k in range(len(keys)):
            store(memo, keys[k], 0.0, moves[k])

    return _Kernels(
        compiled(put, "wumpus-optimum-begin"),
        compiled(relax, "wumpus-optimum-relax"),
        compiled(search, "wumpus-optimum-search"),
        compiled(expand, "wumpus-optimum-expand"),
        compiled(look_up, "wumpus-optimum-look-up", returns_arrays=True),
        compiled(enter, "wumpus-optimum-enter"),
    )


def _load(path: Path | Traversable) -> Optimum | None:
    """Return the optimum in a file; None if there is none, with a warning if the file is invalid."""
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            value, bound, longest = file["metrics"].tolist()
            return Optimum(value, bound, int(longest), file["keys"], file["moves"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        warnings.warn(f"optimum {path} cannot be used ({error}); it is solved again", stacklevel=3)
        return None


def save(path: Path, found: Optimum) -> None:
    """Write a file atomically; warn if that is not possible."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with replacing(path) as unfinished:
            metrics = np.array([found.value, found.bound, found.longest])
            np.savez_compressed(unfinished, metrics=metrics, keys=found.keys, moves=found.moves)
    except OSError as error:
        warnings.warn(f"optimum {path} cannot be saved ({error}); it is kept in memory", stacklevel=3)
