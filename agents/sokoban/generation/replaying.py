"""Replays a recorded building game; the results are the finished level, and the moves that solve it."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from collections.abc import Callable

from numba import int16, int64

from gridpuzzles_gym.engine.compile.compilation import compiled, routine

from .building import BOXES, FIRST_BOX, NEXT, PHASE, PLAY, at, cell, moved, play


@routine
def solves(spec, state, end):
    """Whether all boxes that are moved in the game are on goals."""
    for box in range(spec[BOXES]):
        if end[moved(spec, box)]:
            there = end[cell(spec, state[at(spec, box)])]
            if there < FIRST_BOX or not end[moved(spec, there - FIRST_BOX)]:
                return False
    return True


def make_replay() -> Callable[..., int]:
    """``replay(spec, state, trail, moves) -> int``: plays a game from its start, in place.

    ``moves`` (int16[T], as long as ``trail``) receives the moves of the last phase up to the first that solves the
    level; their number is returned.
    """

    def replay(spec, state, trail, moves):
        now = state.copy()
        for k in range(trail.shape[0]):
            play(spec, state, trail[k])
        count = 0
        for k in range(trail.shape[0]):
            playing = now[PHASE] == PLAY and trail[k] != NEXT
            play(spec, now, trail[k])
            if playing:
                moves[count] = trail[k]
                count += 1
                if solves(spec, now, state):
                    break
        return count

    return compiled(replay, "sokoban-replay", int64(int16[::1], int16[::1], int16[::1], int16[::1]))
