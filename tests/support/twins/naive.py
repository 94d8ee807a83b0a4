"""Slow, obvious twins of fast code: the oracles of the tests."""

import collections

import numpy as np

from gridpuzzles_gym.puzzles.wumpus import observing, rules


def percept_maps(level):
    """(stench, breeze) of a cave as bool[H, W], from where its wumpus and pits are."""
    height, width = level[rules.HEIGHT], level[rules.WIDTH]
    cells = level[rules.CELLS :].reshape(height, width)
    rock = cells & rules.WALL != 0
    return tuple(_with_neighbours(cells & bit != 0) & ~rock for bit in (rules.WUMPUS, rules.PIT))


def _with_neighbours(there):
    padded = np.pad(there, 1)
    middle = padded[1:-1, 1:-1]
    return middle | padded[:-2, 1:-1] | padded[2:, 1:-1] | padded[1:-1, :-2] | padded[1:-1, 2:]


def planes(level, state):
    """The Wumpus ``planes``, a dictionary of channels at a time."""
    height, width = int(level[rules.HEIGHT]), int(level[rules.WIDTH])
    seen = state[rules.SEEN :].reshape(height, width) == 1
    here = np.arange(height * width).reshape(height, width)
    stench, breeze = percept_maps(level)
    everywhere = np.ones((height, width), bool)
    picture = {
        "visited": seen,
        "stench": stench & seen,
        "breeze": breeze & seen,
        "glitter": (here == state[rules.GOLD]) & seen,
        "home": here == level[rules.START],
        "wall": level[rules.CELLS :].reshape(height, width) & rules.WALL != 0,
        "arrow": everywhere & bool(state[rules.ARROW]),
        "gold": everywhere & (state[rules.GOLD] == rules.HELD),
        "bump": everywhere & bool(state[rules.BUMP]),
        "scream": everywhere & (not state[rules.ALIVE]),
    }
    for number, name in enumerate(("north", "east", "south", "west")):
        picture[f"facing {name}"] = (here == state[rules.SQUARE]) & (state[rules.FACING] == number)
    return np.stack([picture[channel] for channel in observing.PLANES]).astype(np.uint8)


def egocentric(level, state):
    """The Wumpus ``egocentric`` view: the planes padded, cut out around the agent and turned."""
    channels = dict(zip(observing.PLANES, planes(level, state), strict=True))
    reach = observing.RADIUS
    size = 2 * reach + 1
    width = int(level[rules.WIDTH])
    row, column = divmod(int(state[rules.SQUARE]), width)
    turns = int(state[rules.FACING])
    view = []
    for channel in observing.EGOCENTRIC:
        if channel == "home":
            away = np.array(divmod(int(level[rules.START]), width)) - (row, column)
            for _ in range(turns):
                away = np.array([-away[1], away[0]])
            window = np.zeros((size, size), np.uint8)
            window[tuple(np.clip(away, -reach, reach) + reach)] = 1
        elif channel in ("arrow", "gold", "bump", "scream"):
            window = np.full((size, size), channels[channel].max())
        else:
            name = "wall" if channel == "outside" else channel
            padded = np.pad(channels[name], reach, constant_values=channel == "outside")
            window = np.rot90(padded[row : row + size, column : column + size], turns)
        view.append(window)
    return np.stack(view)


def slide(board, width, direction):
    """A board of tiles in a flat list after the blank (0) moves, by rows and columns; the same where it cannot."""
    blank = board.index(0)
    row, column = divmod(blank, width)
    row += {"up": -1, "down": 1}.get(direction, 0)
    column += {"left": -1, "right": 1}.get(direction, 0)
    if not (0 <= row < len(board) // width and 0 <= column < width):
        return board
    tile = board[row * width + column]
    return [{0: tile, tile: 0}.get(other, other) for other in board]


def reachable_boards(goal, width):
    """Every board that sliding leads to from a goal, with its distance."""
    known = {tuple(goal): 0}
    queue = collections.deque(known)
    while queue:
        board = queue.popleft()
        for direction in ("up", "down", "left", "right"):
            child = tuple(slide(list(board), width, direction))
            if child not in known:
                known[child] = known[board] + 1
                queue.append(child)
    return known
