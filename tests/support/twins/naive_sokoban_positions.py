"""Sokoban's positions found slowly and obviously: the squares of the boxes, and those that the player can reach."""

from naive_sokoban_search import STEPS


def area_of(floor, boxes, square):
    """The squares between which the player can walk."""
    seen, waiting = {square}, [square]
    while waiting:
        here = waiting.pop()
        new = {here + step for step in STEPS if here + step in floor and here + step not in boxes} - seen
        seen |= new
        waiting += new
    return frozenset(seen)


def with_boxes(floor, boxes):
    """The positions with these boxes: one for each area that the player may be in."""
    return {(boxes, area_of(floor, boxes, square)) for square in floor - boxes}


def steps_from(floor, boxes, area, pushed):
    """The positions after one push, or pull."""
    for box in boxes:
        for step in STEPS:
            stands, there, ends = (box - step, box + step, box) if pushed else (box + step, box + step, box + 2 * step)
            others = boxes - {box}
            if stands in area and there in floor - others and ends in floor - others:
                after = others | {there}
                yield after, area_of(floor, after, ends)


def found_from(floor, starts, pushed):
    """All positions that pushes, or pulls, lead to."""
    known, waiting = set(starts), list(starts)
    while waiting:
        for position in steps_from(floor, *waiting.pop(), pushed):
            if position not in known:
                known.add(position)
                waiting.append(position)
    return known
