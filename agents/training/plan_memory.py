"""A memory of the states that plans lead through, with the next action of each, shared by all environments.

Only actions that change more than the player's position are stored, such as pushes. The next of them is the same from
any place that the player can walk to, so no new plan is needed if a learner takes another walk. If several are known in
a situation, the memory stores the one with the fewest actions left; following it always ends at the goal, since each
leads to a situation with fewer actions left. ::

    array    dtype    shape    for each known situation
    keys     uint64   [M]      a hash of the level and the state, with the player on the first square he can walk to;
                               0 in free slots
    places   int16    [M]      the player's square before the action
    actions  int16    [M]      the action, or LOST
    rest     int32    [M]      the number of actions left after it
    used     int64    [1]      the number of situations
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.compile.compilation import compiled, routine, rule
from gridpuzzles_gym.engine.compile.memory import copy_row
from gridpuzzles_gym.engine.kernels import kernel
from gridpuzzles_gym.engine.puzzle import UNFINISHED, Puzzle

from ..search.nodes import equal, hash_of

LOST = -1
"""The action in a situation from which no plan leads to the goal."""
NO_PLAYER = -1
"""The entry of the player, if no action changes only that."""
UNREACHED = -1
_ONE = np.uint64(1)
_TURN = np.uint64(0xD6E8FEB86659FD93)


class Situations(NamedTuple):
    """The arrays in the table at the top of this file."""

    keys: npt.NDArray[np.uint64]
    places: npt.NDArray[np.int16]
    actions: npt.NDArray[np.int16]
    rest: npt.NDArray[np.int32]
    used: npt.NDArray[np.int64]


class Walk(NamedTuple):
    """Scratch arrays for the places that a player can walk to; N places, S entries in a state."""

    steps: npt.NDArray[np.int16]
    """int16[N]: the number of steps to each place, UNREACHED elsewhere."""
    first: npt.NDArray[np.int64]
    """int64[N]: the first actions of all shortest walks there, as bits."""
    queue: npt.NDArray[np.int16]
    """int16[N]: the places reached."""
    rows: npt.NDArray[np.int16]
    """int16[3, S]: the state with the player elsewhere; the same after an action; scratch."""
    rng: npt.NDArray[np.uint64]


class PlanMemory:
    """The memory; see the module's docstring.

    Args:
        puzzle: The puzzle.
        actions: The number of actions.
        squares: The number of squares of a board.
        width: The length of a state row.
        walker: The entry of a state row that holds the player's square, or None.
        capacity: The maximum number of situations; then the memory is cleared.
    """

    def __init__(
        self, puzzle: Puzzle, actions: int, squares: int, width: int, walker: int | None, capacity: int = 1 << 21
    ) -> None:
        self.walker, self.capacity = NO_PLAYER if walker is None else walker, capacity
        self._look_up, self._store = kernel(_make_look_up, puzzle, actions), kernel(_make_store, puzzle, actions)
        slots = 1 << (2 * capacity - 1).bit_length()
        self.situations = Situations(
            np.zeros(slots, np.uint64),
            np.zeros(slots, np.int16),
            np.zeros(slots, np.int16),
            np.zeros(slots, np.int32),
            np.zeros(1, np.int64),
        )
        self._walk = Walk(
            np.full(squares, UNREACHED, np.int16),
            np.zeros(squares, np.int64),
            np.zeros(squares, np.int16),
            np.zeros((3, width), np.int16),
            np.ones(1, np.uint64),
        )

    def look_up(self, batch: Any, which: npt.NDArray[np.int64], bits: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """Fill ``bits[which]`` with the best actions, as bits: 0 where none is known, LOST where there is none.

        Args:
            batch: The environments.
            which: int64[n]: some of them.
            bits: int64[B].

        Returns:
            uint64[n]: their keys.
        """
        keys = np.empty(len(which), np.uint64)
        self._look_up(batch.levels, batch.states, which, self.walker, self.situations, self._walk, bits, keys)
        return keys

    def store(
        self,
        batch: Any,
        which: npt.NDArray[np.int64],
        plans: npt.NDArray[np.uint8],
        lengths: npt.NDArray[np.int64],
    ) -> None:
        """Store plans, uint8[n, P], of some environments, int64[n]; a length LOST means no plan."""
        if self.situations.used[0] + int(np.maximum(lengths, 1).sum()) > self.capacity:
            self.situations.keys[:] = 0
            self.situations.used[0] = 0
        self._store(
            batch.levels,
            batch.states,
            which,
            self.walker,
            self.situations,
            self._walk,
            plans,
            lengths,
        )


@rule
def slot_of(situations, key):
    """Return the slot of a key, or the free slot where it belongs."""
    last = np.uint64(situations.keys.shape[0]) - _ONE
    slot = (key * _TURN >> np.uint64(20)) & last
    while situations.keys[slot] != 0 and situations.keys[slot] != key:
        slot = (slot + _ONE) & last
    return slot


def _make_walk_about(puzzle: Puzzle, actions: int) -> Callable[..., int]:
    """Return ``walk_about(level, state, walker, walk) -> count``: fills ``walk``."""
    step, outcome = puzzle.rules.step, puzzle.rules.outcome

    @routine
    def walk_about(level, state, walker, walk):
        here, there = walk.rows[0], walk.rows[1]
        copy_row(state, here)
        walk.queue[0] = start = state[walker]
        walk.steps[start], walk.first[start] = 0, 0
        head, tail = 0, 1
        while head < tail:
            place = walk.queue[head]
            head += 1
            here[walker] = place
            for action in range(actions):
                copy_row(here, there)
                step(level, there, action, walk.rng)
                goal, steps = there[walker], walk.steps[place] + 1
                if walk.steps[goal] not in (UNREACHED, steps) or outcome(level, there) != UNFINISHED:
                    continue
                there[walker] = place
                if not equal(here, there):
                    continue
                if walk.steps[goal] == UNREACHED:
                    walk.steps[goal], walk.first[goal] = steps, 0
                    walk.queue[tail] = goal
                    tail += 1
                walk.first[goal] |= np.int64(1) << action if place == start else walk.first[place]
        return tail

    return walk_about


def _make_key(puzzle: Puzzle, actions: int) -> Callable[..., tuple[Any, int]]:
    """Return ``key_of(level, state, walker, walk) -> (key, count)``: fills ``walk``, which :func:`forget` resets."""
    walk_about = _make_walk_about(puzzle, actions)

    @routine
    def key_of(level, state, walker, walk):
        row, count = walk.rows[2], 0
        copy_row(state, row)
        if walker != NO_PLAYER:
            count = walk_about(level, state, walker, walk)
            for k in range(count):
                row[walker] = min(row[walker], walk.queue[k])
        key = hash_of(level) * _TURN ^ hash_of(row)
        return max(key, _ONE), count

    return key_of


@rule
def forget(walk, count):
    """Reset ``walk``."""
    for k in range(count):
        walk.steps[walk.queue[k]] = UNREACHED


def _make_look_up(puzzle: Puzzle, actions: int) -> Callable[..., None]:
    key_of = _make_key(puzzle, actions)

    def look_up(levels, states, which, walker, situations, walk, bits, keys):
        for k in range(which.shape[0]):
            i = which[k]
            level, state = levels[i], states[i]
            keys[k], count = key_of(level, state, walker, walk)
            slot = slot_of(situations, keys[k])
            bits[i] = 0
            if situations.keys[slot] == keys[k]:
                action, place = situations.actions[slot], situations.places[slot]
                if action == LOST:
                    bits[i] = LOST
                elif walker == NO_PLAYER or place == state[walker]:
                    bits[i] = np.int64(1) << action
                elif walk.steps[place] != UNREACHED:
                    bits[i] = walk.first[place]
            forget(walk, count)

    return compiled(look_up, f"{puzzle.name}-plans-look-up")


def _make_store(puzzle: Puzzle, actions: int) -> Callable[..., None]:
    key_of, step = _make_key(puzzle, actions), puzzle.rules.step

    @routine
    def remember(situations, key, place, action, rest):
        slot = slot_of(situations, key)
        if situations.keys[slot] == 0:
            situations.keys[slot] = key
            situations.used[0] += 1
        elif situations.actions[slot] != LOST and situations.rest[slot] <= rest:
            return
        situations.places[slot], situations.actions[slot], situations.rest[slot] = place, action, rest

    def store(levels, states, which, walker, situations, walk, plans, lengths):
        now, after = np.empty(states.shape[1], np.int16), np.empty(states.shape[1], np.int16)
        for k in range(which.shape[0]):
            i = which[k]
            level = levels[i]
            if lengths[k] == LOST:
                key, count = key_of(level, states[i], walker, walk)
                forget(walk, count)
                remember(situations, key, 0, LOST, 0)
                continue
            copy_row(states[i], now)
            for turn in range(lengths[k]):
                copy_row(now, after)
                step(level, after, plans[k, turn], walk.rng)
                place = now[walker] if walker != NO_PLAYER else 0
                if walker != NO_PLAYER:
                    now[walker] = after[walker]
                if walker == NO_PLAYER or turn + 1 == lengths[k] or not equal(now, after):
                    if walker != NO_PLAYER:
                        now[walker] = place
                    key, count = key_of(level, now, walker, walk)
                    forget(walk, count)
                    remember(situations, key, place, plans[k, turn], lengths[k] - turn - 1)
                copy_row(after, now)

    return compiled(store, f"{puzzle.name}-plans-store")
