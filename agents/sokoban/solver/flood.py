"""The squares that the player can reach."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from gridpuzzles_gym.engine.compile.compilation import routine


@routine
def same_side(neighbours, box, action, side, seen, queue):
    """Give ``side[box, …]`` the label ``action`` wherever the player reaches that side of the box."""
    count = neighbours.shape[0]
    left = 0
    for other in range(4):
        left += neighbours[box, other] != -1 and side[box, other] == -1
    if left == 0:
        return
    for square in range(count):
        seen[square] = 0
    seen[box] = 1
    queue[0] = neighbours[box, action]
    seen[neighbours[box, action]] = 1
    head, tail = 0, 1
    while head < tail:
        here = queue[head]
        head += 1
        for step in range(4):
            there = neighbours[here, step]
            if there == box and side[box, step ^ 1] == -1:
                side[box, step ^ 1] = action
                left -= 1
                if left == 0:
                    return
            if there >= 0 and seen[there] == 0:
                seen[there] = 1
                queue[tail] = there
                tail += 1


@routine
def walk(neighbours, box_at, start, steps, queue):
    """Flood the squares without boxes from a start; return the lowest number of a square reached.

    Args:
        neighbours: From the board.
        box_at: uint8[n]: 1 at boxes.
        start: The player's square.
        steps: int16[n], output: the steps to each square, -1 if he cannot reach it.
        queue: int16[n]: scratch array.
    """
    for square in range(steps.shape[0]):
        steps[square] = -1
    steps[start] = 0
    queue[0] = start
    lowest = start
    head, tail = 0, 1
    while head < tail:
        here = queue[head]
        head += 1
        after = steps[here] + 1
        for action in range(4):
            there = neighbours[here, action]
            if there >= 0 and steps[there] < 0 and box_at[there] == 0:
                steps[there] = after
                queue[tail] = there
                tail += 1
                lowest = min(lowest, there)
    return lowest
