"""The areas into which boxes divide the floor, before and after one of them moves.

One depth-first search of the floor finds where a box would cut an area into pieces, and which square belongs to which
piece (J. Hopcroft and R. Tarjan, 1973). What the player can reach after each of a position's moves is then looked up;
flooding the floor after each of them would take most of the search's time.

An area is named by its lowest square, so that equal areas have equal names.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from gridpuzzles_gym.engine.compile.compilation import routine, rule

from .board import NOWHERE, SIDES

# areas int16[8, n], for each square: the name of its area, NOWHERE at a box; when the search entered it; its parent in
# the search tree; the last entered of the squares below it, itself included; how many pieces of these a box on it cuts
# off from the rest; the name of the area that they are in once a box is on the parent. While searching: the earliest
# entered of the squares next to those below it, and the lowest of those.
AREA, ENTERED, PARENT, LAST, CUTS, PIECE, EARLIEST, LOWEST, FIELDS = range(9)
UNSEEN, BLOCKED = -1, 32_000
# move int16[7]: a box's squares before and after it moved, the name of the area that the first of them belongs to then,
# and the areas that it connects, which would be apart if it were a wall; the box's new square where there is none.
FREED, TAKEN, JOINED, PIECES, MOVE_SIZE = 0, 1, 2, 3, 7


@routine
def divide(neighbours, box_at, areas):
    """Fill ``areas`` for the boxes at ``box_at`` (uint8[n]); return the number of areas."""
    for square in range(box_at.shape[0]):
        areas[AREA, square] = areas[PARENT, square] = NOWHERE
        areas[ENTERED, square] = BLOCKED if box_at[square] else UNSEEN
        areas[CUTS, square] = 0
    found = entered = 0
    for start in range(box_at.shape[0]):
        here = start if areas[ENTERED, start] == UNSEEN else NOWHERE
        found += here != NOWHERE
        while here != NOWHERE:
            if areas[ENTERED, here] == UNSEEN:
                areas[AREA, here], areas[LOWEST, here] = start, here
                areas[ENTERED, here] = areas[EARLIEST, here] = entered
                entered += 1
            below, earliest = NOWHERE, areas[EARLIEST, here]
            for side in range(SIDES):
                there = neighbours[here, side]
                if there < 0:
                    continue
                if areas[ENTERED, there] == UNSEEN:
                    below = there
                    break
                earliest = min(earliest, areas[ENTERED, there])
            if below != NOWHERE:
                areas[PARENT, below] = here
                here = below
                continue
            # All is known below this square: back to its parent.
            areas[LAST, here] = entered - 1
            above = areas[PARENT, here]
            if above != NOWHERE:
                cut = earliest >= areas[ENTERED, above]
                areas[PIECE, here] = areas[LOWEST, here] if cut else start
                areas[CUTS, above] += cut
                areas[EARLIEST, above] = min(areas[EARLIEST, above], earliest)
                areas[LOWEST, above] = min(areas[LOWEST, above], areas[LOWEST, here])
            here = above
    return found


@rule
def piece_of(neighbours, areas, taken, square):
    """Return the area of another square once a box is on ``taken``."""
    entered = areas[ENTERED, square]
    if areas[CUTS, taken] and areas[ENTERED, taken] < entered <= areas[LAST, taken]:
        for side in range(SIDES):
            child = neighbours[taken, side]
            if child < 0 or areas[PARENT, child] != taken:
                continue
            if areas[ENTERED, child] <= entered <= areas[LAST, child]:
                return areas[PIECE, child]
    return areas[AREA, square]


@rule
def move_between(neighbours, areas, freed, taken, move):
    """Fill ``move`` for a box that goes from one square to another, or stays."""
    move[FREED], move[TAKEN], move[JOINED] = freed, taken, freed
    for side in range(SIDES):
        move[PIECES + side] = taken
        there = neighbours[freed, side]
        if there >= 0 and there != taken and freed != taken and areas[AREA, there] != NOWHERE:
            move[PIECES + side] = piece_of(neighbours, areas, taken, there)
            move[JOINED] = min(move[JOINED], move[PIECES + side])


@rule
def area_after(neighbours, areas, move, square):
    """Return the area that a square without a box is in after a move."""
    if square == move[FREED]:
        return move[JOINED]
    piece = piece_of(neighbours, areas, move[TAKEN], square)
    for side in range(SIDES):
        if piece == move[PIECES + side]:
            return move[JOINED]
    return piece


@rule
def count_after(areas, move, found):
    """Return the number of areas after a move, from the number before it."""
    taken = move[TAKEN]
    if taken == move[FREED]:
        return found
    found += areas[CUTS, taken] - (areas[AREA, taken] == taken)
    for side in range(SIDES):  # those that are joined now
        piece = move[PIECES + side]
        new = piece != taken
        for other in range(side):
            new &= piece != move[PIECES + other]
        found -= new
    return found + 1
