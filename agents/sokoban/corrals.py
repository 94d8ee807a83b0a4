"""Corrals: places the player cannot walk to for the boxes around them.

Where boxes can be pushed into a corral only, never away from it, and the player can make each of these pushes now,
nothing else need be tried before: whatever a solution does elsewhere can be done later. (B. Damgaard, the YASS
solver: "PI-corral pruning".)
"""

from gridpuzzles_gym.engine.compilation import routine

NO_CORRAL, LOST = 0, -1


@routine
def find_corral(beside, live, goal_at, boxes, box_at, steps, region, rim, queue):
    """The corral into which to push next, as its number in ``region``; NO_CORRAL, or LOST where none can be solved.

    Args:
        beside: Of the board.
        live: Of the board.
        goal_at: Of the board.
        boxes: int16[k]: where boxes are.
        box_at: uint8[n]: 1 where a box is.
        steps: int16[n]: from -1 up where the player can walk.
        region: int16[n]: filled with the number of the corral each square lies in, from 1; else 0.
        rim: int16[n]: filled, where a box is, with the number of the last corral it borders on.
        queue: int16[n]: room.
    """
    for square in range(region.shape[0]):
        region[square] = rim[square] = 0
    number = 0
    chosen, fewest = NO_CORRAL, 1 << 30
    for k in range(boxes.shape[0]):
        for action in range(4):
            start = beside[boxes[k], action]
            if start < 0 or steps[start] >= 0 or box_at[start] or region[start]:
                continue
            number += 1
            region[start] = number
            queue[0] = start
            head, tail = 0, 1
            wanted = False  # must something be pushed into it?
            while head < tail:
                here = queue[head]
                head += 1
                wanted |= goal_at[here] >= 0
                for step in range(4):
                    there = beside[here, step]
                    if there < 0:
                        continue
                    if box_at[there]:
                        rim[there] = number
                        wanted |= goal_at[there] < 0
                    elif region[there] != number:
                        region[there] = number
                        queue[tail] = there
                        tail += 1
            if not wanted:
                continue
            pushes = ways_in(beside, live, boxes, box_at, steps, region, rim, number)
            if pushes == 0:
                return LOST
            if 0 < pushes < fewest:
                chosen, fewest = number, pushes
    return chosen


@routine
def ways_in(beside, live, boxes, box_at, steps, region, rim, number):
    """The pushes into a corral; -1 where a push leads elsewhere, or is there but not for the player now."""
    pushes = 0
    for k in range(boxes.shape[0]):
        box = boxes[k]
        if rim[box] != number:
            continue
        for action in range(4):
            stands, there = beside[box, action ^ 1], beside[box, action]
            if stands < 0 or there < 0 or there >= live or region[stands] == number:
                continue
            if (box_at[stands] and rim[stands] == number) or (box_at[there] and rim[there] == number):
                continue
            if region[there] != number or steps[stands] < 0:
                return -1
            pushes += 1
    return pushes
