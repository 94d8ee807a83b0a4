"""Shortest ways on boards, of the player and of a box that he pushes, as routines for the rules of mouse and panel.

While one box is pushed everything else stays where it is. What each square allows is described by bits, uint8[N], as if
the pushed box were not on the board:

    ENTER   the player can walk here, and follows the box when he pushes it off this square; without this bit, he stays
            where he is when he pushes the box off
    ROOM    the box can be pushed here
    STAYS   the box cannot be pushed away from here
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from ..compile.compilation import routine, rule

UNREACHABLE = -1


@rule
def neighbour(square, side, columns, squares):
    """Return the adjacent square in the direction of an action (0 up, 1 down, 2 left, 3 right); -1 off the board."""
    if side == 0:
        return square - columns if square >= columns else -1
    if side == 1:
        return square + columns if square + columns < squares else -1
    column = square % columns
    if side == 2:
        return square - 1 if column > 0 else -1
    return square + 1 if column + 1 < columns else -1


@routine
def walk(free, columns, start, steps):
    """Fill ``steps`` with the number of steps to each square over free ones.

    Args:
        free: bool or uint8[N]; the start need not be free.
        columns: The number of squares in a row.
        start: The square to start from.
        steps: int64[N], written; UNREACHABLE where no way leads.
    """
    squares = free.shape[0]
    waiting = np.empty(squares, np.int64)
    for square in range(squares):
        steps[square] = UNREACHABLE
    waiting[0], steps[start] = start, 0
    first, count = 0, 1
    while first < count:
        square = waiting[first]
        first += 1
        for side in range(4):
            there = neighbour(square, side, columns, squares)
            if there >= 0 and free[there] and steps[there] == UNREACHABLE:
                steps[there] = steps[square] + 1
                waiting[count] = there
                count += 1


@routine
def follow(steps, columns, start, out):
    """Write the actions of a shortest way to the square from which ``steps`` are counted, and return their number.

    Of several ways, the first in the order of the actions is written.

    Args:
        steps: int64[N], from :func:`walk`.
        columns: The number of squares in a row.
        start: Where the way begins.
        out: int64[…], with an entry for each step.
    """
    count, here = 0, start
    while steps[here] > 0:
        for side in range(4):
            there = neighbour(here, side, columns, steps.shape[0])
            if there >= 0 and steps[there] == steps[here] - 1:
                out[count] = side
                count += 1
                here = there
                break
    return count


ENTER, ROOM, STAYS = 1, 2, 4
NEVER = -1
EVERYWHERE = -1
# A place is where the box and the player are after a push: 4 * the box's square + the action that pushed it there. The
# place before the first push is 4 * N.


@rule
def box_of(place, box, squares):
    """Return the box's square; ``box`` is where it was at first, and ``squares`` the number of squares."""
    return box if place == 4 * squares else place // 4


@rule
def player_of(place, player, columns, squares):
    """Return the player's square; ``player`` is where he was at first."""
    if place == 4 * squares.shape[0]:
        return player
    side = place % 4 ^ 1
    left = neighbour(place // 4, side, columns, squares.shape[0])
    return left if squares[left] & ENTER else neighbour(left, side, columns, squares.shape[0])


@routine
def approach(squares, columns, player, box, mark, scratch, found):
    """Write the steps that the player needs to each side of the box.

    Args:
        squares: uint8[N], the bits of each square.
        columns: The number of squares in a row.
        player: The player's square.
        box: The box's square.
        mark: A number that no earlier call with this ``scratch`` has had.
        scratch: int64[3, N]
        found: int64[4], written: the steps to where each action pushes the box; UNREACHABLE if no way leads there.
    """
    left = 0
    for action in range(4):
        found[action] = UNREACHABLE
        side = neighbour(box, action ^ 1, columns, squares.shape[0])
        left += side >= 0 and squares[side] & ENTER != 0
    marks, steps, waiting = scratch[0], scratch[1], scratch[2]
    waiting[0], marks[player], steps[player] = player, mark, 0
    first, count = 0, 1
    while first < count and left > 0:
        square = waiting[first]
        first += 1
        for action in range(4):
            there = neighbour(square, action, columns, squares.shape[0])
            if there == box:
                found[action] = steps[square]
                left -= 1
            elif there >= 0 and squares[there] & ENTER and marks[there] != mark:
                marks[there], steps[there] = mark, steps[square] + 1
                waiting[count] = there
                count += 1


@routine
def plan(squares, columns, player, box, target, moves, came):
    """Find the fewest moves, walking included, to the places of a box, by Dijkstra's algorithm with buckets.

    Args:
        squares: uint8[N], the bits of each square.
        columns: The number of squares in a row.
        player: The player's square.
        box: The box's square.
        target: The square on which to end; EVERYWHERE to find all places.
        moves: int64[4 * N + 1], written: the moves to each place; UNREACHABLE if it was not found.
        came: int64[4 * N + 1], written: the place before each place that was found.

    Returns:
        The place with the box on the target that needs the fewest moves; NEVER if there is none.
    """
    count = squares.shape[0]
    scratch, found = np.full((3, count), -1, np.int64), np.empty(4, np.int64)
    moves[:] = UNREACHABLE
    # One list of places for each number of moves, modulo `span`: a walk has fewer steps than there are squares.
    span = count + 1
    heads = np.full(span, -1, np.int64)
    places, links = np.empty(16 * count + 5, np.int64), np.empty(16 * count + 5, np.int64)
    moves[4 * count], heads[0], places[0], links[0] = 0, 0, 4 * count, -1
    written, waiting, now = 1, 1, 0
    while waiting > 0:
        while heads[now % span] < 0:
            now += 1
        entry = heads[now % span]
        heads[now % span] = links[entry]
        waiting -= 1
        place = places[entry]
        if moves[place] != now:  # fewer moves were found since
            continue
        here = box_of(place, box, count)
        if here == target:
            return place
        if squares[here] & STAYS:
            continue
        approach(squares, columns, player_of(place, player, columns, squares), here, place, scratch, found)
        for action in range(4):
            there = int(neighbour(here, action, columns, count))  # so that 4 * there does not exceed the type of a row
            if found[action] == UNREACHABLE or there < 0 or not squares[there] & ROOM:
                continue
            after, total = 4 * there + action, now + found[action] + 1
            if moves[after] == UNREACHABLE or total < moves[after]:
                moves[after], came[after] = total, place
                places[written], links[written] = after, heads[total % span]
                heads[total % span] = written
                written += 1
                waiting += 1
    return NEVER


@routine
def push(squares, columns, player, box, target, out):
    """Write the fewest moves that push the box from one square to another.

    Args:
        squares: uint8[N], the bits of each square.
        columns: The number of squares in a row.
        player: The player's square.
        box: The box's square.
        target: The square on which it is to end.
        out: int64[...], written.

    Returns:
        The number of moves; NEVER if it cannot be done, or not in as many moves as ``out`` has entries.
    """
    count = squares.shape[0]
    moves, came = np.empty(4 * count + 1, np.int64), np.empty(4 * count + 1, np.int64)
    place = plan(squares, columns, player, box, target, moves, came)
    if place == NEVER or moves[place] > out.shape[0]:
        return NEVER
    total = moves[place]
    free, steps = np.empty(count, np.uint8), np.empty(count, np.int64)
    while place != 4 * count:  # from the last push to the first
        action, place = place % 4, came[place]
        here, stands, done = box_of(place, box, count), player_of(place, player, columns, squares), moves[place]
        for square in range(count):
            free[square] = squares[square] & ENTER
        free[here] = 0
        walk(free, columns, neighbour(here, action ^ 1, columns, count), steps)
        out[done + follow(steps, columns, stands, out[done:])] = action
    return total


@routine
def pushable(squares, columns, player, box, out):
    """Write 1 for each square to which the box can be pushed, other than its own, and 0 for the others.

    Args:
        squares: uint8[N], the bits of each square.
        columns: The number of squares in a row.
        player: The player's square.
        box: The box's square.
        out: int64[N], written.
    """
    count = squares.shape[0]
    moves, came = np.empty(4 * count + 1, np.int64), np.empty(4 * count + 1, np.int64)
    plan(squares, columns, player, box, EVERYWHERE, moves, came)
    out[:] = 0
    for place in range(4 * count):
        if moves[place] != UNREACHABLE and place // 4 != box:
            out[place // 4] = 1
