"""The online-search agent of the Wumpus World: explores by percepts alone, and keeps a map of marks.

Until it sees the gold it chooses the first possible of these:

1. a safe unvisited neighbour;
2. the nearest safe unvisited square, by breadth-first search over visited squares;
3. the nearest unvisited square that is not certainly bad (a risk if it is suspicious);
4. if the wumpus's square is certain: go to a visited square in its row or column, turn, shoot;
5. a random one of the remaining squares (a risk, and a large one).

When it sees the glitter it grabs the gold, then goes home by the shortest path over visited squares. With
a climb action it climbs out there, with the gold or once nothing is left to try.

With ``marks="original"`` two suspicions are taken for certainty.

Its memory is one row per environment, ``memory int16[8 + 2*H*W]``:

    SQUARE  its square                     HELD    1 with the gold in hand
    FACING  its facing                     DEAD    1 once the wumpus has screamed
    START   the start square               LAST    its last action, -1 before the first
    ARROW   1 until it has shot            GOAL    the square it is going to, -1 for none
    MARKS…  twelve bits per square         then the facts per square: ROCK, NO_WUMPUS

Squares are numbered as in the rules, row by row from the top left. CURRENT, VISITED, GLITTER,
STENCH and BREEZE are perceived; :func:`conclude` derives the other marks from them, in one of two
ways. *Original*: a square next to two breezes is taken for a pit, next to two stenches for the wumpus,
even if another square could explain them. *Sound*: only what the percepts prove.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import functools
import sys
from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.compile.compilation import compiled, rule
from gridpuzzles_gym.engine.config import config_of
from gridpuzzles_gym.engine.messages import quote
from gridpuzzles_gym.engine.random import RandomBits, below
from gridpuzzles_gym.engine.scene import Row
from gridpuzzles_gym.puzzles.wumpus.rules import CLIMB_OUT, FORWARD, GRAB, RELEASE, SHOOT, TURN_LEFT, TURN_RIGHT

from ..agent_kernels import AgentKernels, blank, constants_of
from ..policy import State, seed_bits
from ..thoughts import Thoughts
from .cave_agent import (
    BREEZE_FELT,
    BUMPED,
    GLITTER_SEEN,
    HEIGHT,
    SCREAMED,
    STENCH_FELT,
    WIDTH,
    CaveAgent,
    neighbour,
    read_percepts,
    shared_arrays,
    start_of,
)

SQUARE, FACING, START, ARROW, HELD, DEAD, LAST, GOAL, MARKS = range(9)

CURRENT, SAFE, VISITED, GLITTER, STENCH, BREEZE = 1, 2, 4, 8, 16, 32
MAYBE_GOLD, MAYBE_PIT, MAYBE_WUMPUS, SURE_GOLD, SURE_PIT, SURE_WUMPUS = 64, 128, 256, 512, 1024, 2048
PERCEIVED = CURRENT | VISITED | GLITTER | STENCH | BREEZE | SURE_GOLD
# Facts: the agent bumped into solid rock there; an arrow flew through without a scream.
ROCK, NO_WUMPUS = 1, 2

# settings int64[5]: the cave's size; SOUND marks or the original ones; may it take RISKs; is there a CLIMB action.
SOUND, RISK, CLIMB = range(2, 5)


@rule
def open_neighbour(settings, memory, square, facing):
    """Return the neighbouring square on that side, or -1 at the edge of the cave or at known rock."""
    there = neighbour(settings, square, facing)
    rock = MARKS + settings[HEIGHT] * settings[WIDTH] + there
    return -1 if there < 0 or memory[rock] & ROCK else there


@rule
def begin(settings, memory, start, facing):
    """The memory before the first percept."""
    memory[:] = 0
    memory[SQUARE] = start
    memory[START] = start
    memory[FACING] = facing
    memory[ARROW] = 1
    memory[LAST] = -1
    memory[GOAL] = -1


@rule
def perceive(settings, memory, percepts):
    """Update the memory: the effect of the last action, according to its percepts."""
    squares = settings[HEIGHT] * settings[WIDTH]
    last, left = memory[LAST], memory[SQUARE]
    fresh = last < 0
    if last == TURN_LEFT:
        memory[FACING] = (memory[FACING] + 3) % 4
    elif last == TURN_RIGHT:
        memory[FACING] = (memory[FACING] + 1) % 4
    elif last == GRAB:
        memory[HELD] |= memory[MARKS + left] & GLITTER != 0
    elif last == RELEASE:
        memory[HELD] = 0
    elif last == FORWARD:
        ahead = open_neighbour(settings, memory, left, memory[FACING])
        if ahead >= 0 and percepts[BUMPED]:
            memory[MARKS + squares + ahead] |= ROCK
            memory[GOAL] = -1
            fresh = True
        elif ahead >= 0:
            memory[SQUARE] = ahead
    elif last == SHOOT and memory[ARROW]:
        memory[ARROW] = 0
        fresh = True
        if not percepts[SCREAMED]:
            note_silence(settings, memory)
    if percepts[SCREAMED] and not memory[DEAD]:
        memory[DEAD] = 1
        fresh = True
    square = memory[SQUARE]
    memory[MARKS + left] &= ~(CURRENT | SURE_GOLD | GLITTER)
    if not memory[MARKS + square] & VISITED:
        fresh = True
        memory[MARKS + square] |= VISITED
        if percepts[STENCH_FELT]:
            memory[MARKS + square] |= STENCH
        if percepts[BREEZE_FELT]:
            memory[MARKS + square] |= BREEZE
    memory[MARKS + square] |= CURRENT
    if percepts[GLITTER_SEEN]:
        memory[MARKS + square] |= GLITTER | SURE_GOLD
    if memory[GOAL] == square:
        memory[GOAL] = -1
    if fresh:
        conclude(settings, memory)


@rule
def note_silence(settings, memory):
    """An arrow without a scream: no wumpus ahead, up to the first square that may be rock."""
    squares = settings[HEIGHT] * settings[WIDTH]
    there = open_neighbour(settings, memory, memory[SQUARE], memory[FACING])
    while there >= 0:
        memory[MARKS + squares + there] |= NO_WUMPUS
        if not memory[MARKS + there] & VISITED:
            return
        there = open_neighbour(settings, memory, there, memory[FACING])


@rule
def conclude(settings, memory):
    """Derive the marks that are not perceived, for all squares."""
    squares = settings[HEIGHT] * settings[WIDTH]
    for square in range(squares):
        memory[MARKS + square] &= PERCEIVED
        if memory[MARKS + square] & VISITED:
            memory[MARKS + square] |= SAFE
    if settings[SOUND]:
        conclude_soundly(settings, memory)
    else:
        conclude_hastily(settings, memory)


@rule
def count_beside(settings, memory, square, mask, value):
    """Return the number of neighbours with exactly ``value`` among the marks in ``mask``."""
    count = 0
    for facing in range(4):
        there = open_neighbour(settings, memory, square, facing)
        if there >= 0 and memory[MARKS + there] & mask == value:
            count += 1
    return count


@rule
def conclude_hastily(settings, memory):
    """Return the original program's inference: suspicions are counted, and two are taken for certainty."""
    squares = settings[HEIGHT] * settings[WIDTH]
    feared = BREEZE if memory[DEAD] else BREEZE | STENCH
    for square in range(squares):
        if memory[MARKS + square] & VISITED or memory[MARKS + squares + square] & ROCK:
            continue
        calm = count_beside(settings, memory, square, VISITED | feared, VISITED)
        breezes = count_beside(settings, memory, square, BREEZE, BREEZE)
        stenches = 0 if memory[DEAD] else count_beside(settings, memory, square, STENCH, STENCH)
        if calm:
            memory[MARKS + square] |= SAFE
            continue
        if breezes:
            memory[MARKS + square] |= SURE_PIT if breezes > 1 else MAYBE_PIT
        if stenches and not memory[MARKS + squares + square] & NO_WUMPUS:
            memory[MARKS + square] |= SURE_WUMPUS if stenches > 1 else MAYBE_WUMPUS
    mark_gold(settings, memory)


@rule
def pit_possible(settings, memory, square):
    """Whether the percepts allow a pit there: every visited neighbour must have had a breeze."""
    squares = settings[HEIGHT] * settings[WIDTH]
    if memory[MARKS + square] & VISITED or memory[MARKS + squares + square] & ROCK:
        return False
    return count_beside(settings, memory, square, VISITED | BREEZE, VISITED) == 0


@rule
def wumpus_possible(settings, memory, square, stenches):
    """Whether the percepts allow the live wumpus there: it must explain all ``stenches``, and contradict no silence."""
    squares = settings[HEIGHT] * settings[WIDTH]
    if memory[DEAD] or memory[MARKS + square] & VISITED or memory[MARKS + squares + square]:
        return False
    if count_beside(settings, memory, square, VISITED | STENCH, VISITED):
        return False
    return count_beside(settings, memory, square, STENCH, STENCH) == stenches


@rule
def conclude_soundly(settings, memory):
    """Infer only what the percepts prove, without assumptions about the number of pits or shared squares.

    A square without a pit follows from one neighbour without a breeze, and a pit from a breeze
    that nothing else can explain. As breezes constrain pits independently, these two rules find every
    pit and every pit-free square that can be proved; the wumpus is found as the only
    square left that explains all stenches.
    """
    squares = settings[HEIGHT] * settings[WIDTH]
    stenches = 0
    for square in range(squares):
        if memory[MARKS + square] & STENCH:
            stenches += 1
    lairs, lair = 0, -1
    for square in range(squares):
        if memory[MARKS + square] & VISITED or memory[MARKS + squares + square] & ROCK:
            continue
        pit = pit_possible(settings, memory, square)
        wumpus = wumpus_possible(settings, memory, square, stenches)
        if not pit and not wumpus:
            memory[MARKS + square] |= SAFE
        if pit and count_beside(settings, memory, square, BREEZE, BREEZE):
            memory[MARKS + square] |= MAYBE_PIT
        if wumpus and stenches:
            memory[MARKS + square] |= MAYBE_WUMPUS
            lairs, lair = lairs + 1, square
    if lairs == 1:
        memory[MARKS + lair] = memory[MARKS + lair] & ~MAYBE_WUMPUS | SURE_WUMPUS
    for square in range(squares):
        if memory[MARKS + square] & BREEZE:
            blame_last_suspect(settings, memory, square)
    mark_gold(settings, memory)


@rule
def blame_last_suspect(settings, memory, square):
    """If only one neighbour can explain the breeze on ``square``, it is a pit."""
    suspects, suspect = 0, -1
    for facing in range(4):
        there = open_neighbour(settings, memory, square, facing)
        if there >= 0 and memory[MARKS + there] & (MAYBE_PIT | SURE_PIT):
            suspects, suspect = suspects + 1, there
    if suspects == 1:
        memory[MARKS + suspect] = memory[MARKS + suspect] & ~MAYBE_PIT | SURE_PIT


@rule
def mark_gold(settings, memory):
    """Until the gold is in hand, it may lie on each unvisited square the agent could enter next."""
    squares = settings[HEIGHT] * settings[WIDTH]
    for square in range(squares):
        if memory[HELD] == 0 and is_frontier(settings, memory, square):
            memory[MARKS + square] |= MAYBE_GOLD


@rule
def is_frontier(settings, memory, square):
    """Whether it is not visited, but next to a visited square, and not known to be rock."""
    squares = settings[HEIGHT] * settings[WIDTH]
    if memory[MARKS + square] & VISITED or memory[MARKS + squares + square] & ROCK:
        return False
    return count_beside(settings, memory, square, VISITED, VISITED) > 0


@rule
def decide(settings, memory, rng, percepts, distances, queue):
    """Return the next action; ``distances`` and ``queue`` (int16[H*W] each) are scratch arrays."""
    perceive(settings, memory, percepts)
    action = choose(settings, memory, rng, distances, queue)
    memory[LAST] = action
    return action


@rule
def choose(settings, memory, rng, distances, queue):
    """Return the next action, given the memory."""
    square = memory[SQUARE]
    if memory[MARKS + square] & SURE_GOLD and not memory[HELD]:
        return GRAB
    if memory[HELD]:
        return leave(settings, memory, distances, queue)
    goal = memory[GOAL]
    if goal < 0:
        goal = find_goal(settings, memory, rng, distances, queue)
    if goal == square:
        return aim(settings, memory)
    if goal < 0:
        if settings[CLIMB]:
            return leave(settings, memory, distances, queue)
        return TURN_LEFT
    memory[GOAL] = goal
    return approach(settings, memory, goal, distances, queue)


@rule
def leave(settings, memory, distances, queue):
    """Go back to the start, and climb out."""
    if memory[SQUARE] != memory[START]:
        return approach(settings, memory, memory[START], distances, queue)
    return CLIMB_OUT if settings[CLIMB] else TURN_LEFT


@rule
def find_goal(settings, memory, rng, distances, queue):
    """Return the next goal: a square to enter, a visited one to shoot from (maybe the current one), or -1 if none."""
    squares = settings[HEIGHT] * settings[WIDTH]
    reached = search_from_here(settings, memory, distances, queue)
    for n in range(reached):
        if memory[MARKS + queue[n]] & (SAFE | VISITED) == SAFE:
            return queue[n]
    if settings[RISK]:
        for n in range(reached):
            if not memory[MARKS + queue[n]] & (VISITED | SURE_PIT | SURE_WUMPUS):
                return queue[n]
    if memory[ARROW]:
        for n in range(reached):
            if memory[MARKS + queue[n]] & VISITED and firing_direction(settings, memory, queue[n]) >= 0:
                return queue[n]
    if settings[RISK]:
        frontier = 0
        for square in range(squares):
            if is_frontier(settings, memory, square):
                queue[frontier] = square
                frontier += 1
        if frontier:
            return queue[below(rng, frontier)]
    return -1


@rule
def search_from_here(settings, memory, distances, queue):
    """Breadth-first search over visited squares; returns the number of squares in ``queue``, nearest first.

    Unvisited squares are reached but not crossed. Directions are tried starting with the current facing, so that of
    equally near squares the one that requires the fewest turns is found first.
    """
    distances[:] = -1
    queue[0] = memory[SQUARE]
    distances[memory[SQUARE]] = 0
    head, tail = 0, 1
    while head < tail:
        square = queue[head]
        head += 1
        if not memory[MARKS + square] & VISITED:
            continue
        for turn in range(4):
            # Ahead, left, right, behind.
            facing = (memory[FACING] + (0, 3, 1, 2)[turn]) % 4
            there = open_neighbour(settings, memory, square, facing)
            if there >= 0 and distances[there] < 0:
                distances[there] = distances[square] + 1
                queue[tail] = there
                tail += 1
    return tail


@rule
def approach(settings, memory, goal, distances, queue):
    """One action along a shortest path to ``goal`` over visited squares, one that requires the fewest turns now."""
    distances[:] = -1
    queue[0] = goal
    distances[goal] = 0
    head, tail = 0, 1
    while head < tail and distances[memory[SQUARE]] < 0:
        square = queue[head]
        head += 1
        for facing in range(4):
            there = open_neighbour(settings, memory, square, facing)
            if there >= 0 and distances[there] < 0 and memory[MARKS + there] & VISITED:
                distances[there] = distances[square] + 1
                queue[tail] = there
                tail += 1
    for turn in range(4):
        facing = (memory[FACING] + (0, 3, 1, 2)[turn]) % 4
        there = open_neighbour(settings, memory, memory[SQUARE], facing)
        if there >= 0 and distances[there] >= 0 and distances[there] == distances[memory[SQUARE]] - 1:
            return FORWARD if turn == 0 else turn_to(memory, facing)
    return TURN_LEFT


@rule
def turn_to(memory, facing):
    """Return the turn towards a facing other than the current one."""
    return TURN_RIGHT if (facing - memory[FACING]) % 4 == 1 else TURN_LEFT


@rule
def firing_direction(settings, memory, square):
    """Return the facing in which an arrow from ``square`` hits a certain wumpus, or -1."""
    for turn in range(4):
        facing = (memory[FACING] + (0, 3, 1, 2)[turn]) % 4
        there = open_neighbour(settings, memory, square, facing)
        while there >= 0:
            if memory[MARKS + there] & SURE_WUMPUS:
                return facing
            there = open_neighbour(settings, memory, there, facing)
    return -1


@rule
def aim(settings, memory):
    """On the square to shoot from: turn towards the wumpus, then shoot."""
    facing = firing_direction(settings, memory, memory[SQUARE])
    return SHOOT if facing == memory[FACING] else turn_to(memory, facing)


@functools.cache
def make_decide_batch() -> Callable[..., None]:
    """``decide_batch(settings, percepts, starting, starts, memory, random_bits, actions)``, compiled at its first use.

    ``starting`` (bool[B]) rows of ``memory`` (int16[B, M]) are reset to ``starts`` (int16[B, 2]:
    square, facing); then every row decides, and ``actions`` (int64[B]) is filled.
    """

    def decide_batch(settings, percepts, starting, starts, memory, random_bits, actions):
        squares = settings[HEIGHT] * settings[WIDTH]
        distances, queue = np.empty(squares, np.int16), np.empty(squares, np.int16)
        for i in range(len(actions)):
            if starting[i]:
                begin(settings, memory[i], starts[i, 0], starts[i, 1])
            actions[i] = decide(settings, memory[i], random_bits[i : i + 1], percepts[i], distances, queue)

    return compiled(decide_batch, "wumpus-online-search")


MARKS_WAYS = ("original", "sound")
_NOTES = (
    (SURE_GOLD, "gold!"),
    (SURE_WUMPUS, "wumpus!"),
    (MAYBE_WUMPUS, "wumpus?"),
    (SURE_PIT, "pit!"),
    (MAYBE_PIT, "pit?"),
)

_LEGEND = {"pit?": "suspected", "pit!": "certain", "safe": "certain to be neither a pit nor the wumpus"}


class Memory(NamedTuple):
    """The memory of :class:`OnlineSearch`, the ``state`` of its ``predict()``."""

    rows: npt.NDArray[np.int16]
    """[B, M], see the top of the module."""
    random_bits: RandomBits
    """[B], random bits for random risks."""


class OnlineSearch(CaveAgent):
    """The agent; see the module's docstring.

    Args:
        height: Rows of the cave.
        width: Squares in a row.
        start: (square, facing) where episodes begin; None reads it from the first observation, which
            requires ``observation="planes"``.
        climb: Is there an action that leaves the cave?
        marks: ``"original"`` or ``"sound"``.
        risk: If False, never enter a square that is not safe; with nothing else left to do, turn on the spot.
        seed: Random seed; environment ``i`` of a batch uses ``seed + i``.

    Raises:
        ValueError: ``marks`` is not known.
    """

    last_column, remembers = LAST, Memory._make

    def __init__(
        self,
        height: int,
        width: int,
        start: tuple[int, int] | None,
        climb: bool = False,
        marks: str = "original",
        risk: bool = True,
        seed: int = 0,
    ) -> None:
        if marks not in MARKS_WAYS:
            raise ValueError(f"marks={quote(marks)} is not known; allowed are {', '.join(map(repr, MARKS_WAYS))}")
        super().__init__(height, width, start)
        self.seed = seed
        self.settings = np.array([height, width, marks == "sound", risk, climb], np.int64)

    @classmethod
    def for_env(cls, env: Any, seed: int = 0, marks: str = "original", risk: bool = True) -> Self:
        """Return the agent for an environment of the Wumpus World, single or vector, wrapped or not.

        Raises:
            ValueError: The environment's caves begin in different places, and its observation does not show where.
        """
        config = config_of(env)
        height, width = config.extent
        return cls(height, width, start_of(config), "climb" in config.action_names, marks, risk, seed)

    def fresh_memory(self, count: int) -> Memory:
        """Return the memory before the first percept."""
        return Memory(np.zeros((count, MARKS + 2 * self.height * self.width), np.int16), seed_bits(self.seed, count))

    def choose(self, views: npt.NDArray[Any], starting: npt.NDArray[np.bool_], memory: Memory) -> npt.NDArray[np.int64]:
        """Choose by any of the puzzle's observations; of planes only the start and the percepts here are used."""
        actions, starts = np.empty(len(views), np.int64), self.starts_in(views, starting)
        make_decide_batch()(self.settings, read_percepts(views), starting, starts, *memory, actions)
        return actions

    def thoughts(self, observation: npt.NDArray[Any], state: State | None, i: int = 0) -> Thoughts:
        """Return the agent's marks on squares (row, column) in environment ``i``, as short texts for the picture."""
        if state is None:
            return Thoughts()
        row: Row = state[0][i]
        notes = {}
        for square in range(self.height * self.width):
            bits = int(row[MARKS + square])
            words = [word for bit, word in _NOTES if bits & bit]
            if not words and bits & (SAFE | VISITED) == SAFE:
                words = ["safe"]
            if words:
                notes[divmod(square, self.width)] = " ".join(words)
        return Thoughts(notes, _LEGEND)


def as_kernels(agent: OnlineSearch) -> AgentKernels:
    """Return the agent as a kernel."""
    memory = blank(1, MARKS + 2 * agent.height * agent.width)
    arrays = {"settings": agent.settings, "memory": memory, "random_bits": blank(1, dtype=np.uint64)}
    constants = constants_of(sys.modules[__name__])
    return AgentKernels("percepts", "percepts", (make_decide_batch(),), {**shared_arrays(agent), **arrays}, constants)
