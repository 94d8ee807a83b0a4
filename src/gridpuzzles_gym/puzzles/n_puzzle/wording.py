"""The sliding-tile puzzle in words."""

from ...engine.config import EnvConfig
from ...engine.puzzle import Extent
from ...engine.wording import Wording, scoring, unwrapped

BLANK = "_"


def symbols(extent: Extent) -> dict[str, tuple[str, ...]]:
    """Return the numbers of the tiles, in the order of the observation ``"symbols"``."""
    return {BLANK: ("blank",), **{str(tile): (f"tile {tile}",) for tile in range(1, extent[0] * extent[1])}}


def rules(config: EnvConfig) -> str:
    """Return the rules, with the goal."""
    height, width = config.extent
    tiles = [str(tile) if tile else BLANK for tile in config.options.solution()]
    goal = "\n".join(" ".join(tiles[row * width : (row + 1) * width]) for row in range(height))
    points = scoring("every action costs 1 point", "reaching the goal gives 1000 points")
    task = f"""
This is a sliding-tile puzzle with {height * width - 1} tiles on {height} rows of {width} squares; one square is
blank. Arrange the tiles as in the goal:
"""
    actions = """
Actions: up, down, left and right move the blank one square in that direction; the tile that was there slides to
where the blank was. At the edge of the board nothing happens, but the action counts.
"""
    return f"{unwrapped(task)}\n\n{goal}\n\n{unwrapped(actions)}\n\n{points}"


WORDING = Wording(
    rules=rules,
    observation="symbols",
    symbols=symbols,
    empty="",
    spaced=True,
    legend=lambda extent: f"{BLANK} the blank; the numbers are tiles",
)
