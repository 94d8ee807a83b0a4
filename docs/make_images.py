"""Draw the pictures of docs/images/ again: ``python docs/make_images.py``.

Each is one moment of a played episode, exactly as ``render_mode="rgb_array"`` shows it, or boards of several side by
side; no display is needed. The first picture of the README is a film of three agents. The learning curves, the film of
one agent and the generator's scores are made elsewhere.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
import pygame
from PIL import Image

import gridpuzzles_gym  # noqa: F401  (registers the environments)
from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.engine.pictures import painting
from gridpuzzles_gym.engine.pictures.canvas import Canvas, drawing_of
from gridpuzzles_gym.play.session import Watched, WatchOptions

IMAGES = Path(__file__).parent / "images"


class Situation(NamedTuple):
    """One moment to draw."""

    id: str
    actions: tuple[int, ...] = ()
    kwargs: dict[str, Any] = {}  # noqa: RUF012 - never changed
    notes: dict[tuple[int, int], str] = {}  # noqa: RUF012 - never changed
    level: str | int | None = None
    """The level of the episode, if ``levels`` holds several."""


TURN_LEFT, TURN_RIGHT, FORWARD, GRAB, _, SHOOT = range(6)
TO_THE_GOLD = (TURN_LEFT, FORWARD, TURN_RIGHT, FORWARD, TURN_LEFT, FORWARD)
HOME_WITH_IT = (GRAB, TURN_LEFT, TURN_LEFT, FORWARD, TURN_RIGHT, FORWARD, TURN_LEFT, FORWARD)
UP, DOWN, LEFT, RIGHT = range(4)
TO_THE_BOX = (DOWN, LEFT, DOWN)
TEXTBOOK = {"levels": "textbook", "tile_size": 128}
LOADING_BAY = """; The loading bay
   ######
####    #
#  . ## ####
# $.$@     #
#  *    $  #
#### ##  .##
   ########
"""

SITUATIONS: dict[str, Situation] = {
    "wumpus-start": Situation("Wumpus-v0", (), TEXTBOOK),
    "wumpus-explore": Situation(
        "Wumpus-v0",
        TO_THE_GOLD,
        {**TEXTBOOK, "show": "knowledge"},
        {(1, 0): "wumpus!", (1, 2): "pit?", (0, 1): "pit?", (2, 2): "safe", (3, 1): "safe"},
    ),
    "wumpus-end": Situation("Wumpus-v0", (TURN_LEFT, SHOOT, *TO_THE_GOLD[1:], *HOME_WITH_IT), TEXTBOOK),
    "cat-mouse-start": Situation("CatMouse-v0", (), {"tile_size": 64}),
    "cat-mouse-meeting": Situation("CatMouse-v0", (RIGHT, RIGHT, DOWN, DOWN), {"tile_size": 64}),
    "cat-mouse-won": Situation(
        "CatMouse-v0",
        (*[RIGHT] * 2, *[DOWN] * 3, *[RIGHT] * 3, DOWN, *[RIGHT] * 2, *[DOWN] * 3, *[RIGHT] * 2, *[DOWN] * 3),
        {"tile_size": 64, "cat_blocked": True},
    ),
    "eight-start": Situation("EightPuzzle-v0", (), {"levels": "classic", "tile_size": 128}, level="easy, 5 moves"),
    "eight-end": Situation(
        "EightPuzzle-v0",
        (UP, RIGHT, UP, LEFT, DOWN),
        {"levels": "classic", "tile_size": 128},
        level="easy, 5 moves",
    ),
    "fifteen": Situation("FifteenPuzzle-v0", (LEFT, UP), {"levels": "fifteen", "tile_size": 128}, level="20 moves"),
    "bait-hard": Situation("Bait-v0", (), {"tile_size": 64}, level="5 Every box counts"),
    "bait-door": Situation("Bait-v0", (*TO_THE_BOX, *[RIGHT] * 5), {"tile_size": 64}, level="3 Through the shut door"),
    "bait-won": Situation(
        "Bait-v0",
        (*TO_THE_BOX, *[RIGHT] * 4, DOWN, DOWN, RIGHT, *[UP] * 4),
        {"tile_size": 64},
        level="1 Fill the hole",
    ),
    **{
        f"sokoban-{style}": Situation("Sokoban-v0", (LEFT,), {"levels": LOADING_BAY, "tile_size": 80, "style": style})
        for style in ("warehouse", "paper")
    },
}
"""Name of the picture → what it shows."""

SUITE = {
    "wumpus-explore": "Wumpus World",
    "cat-mouse-start": "Cat and Mouse",
    "fifteen": "Sliding tiles",
    "bait-hard": "Bait",
    "sokoban-warehouse": "Sokoban",
}
"""The boards of the first picture, and the line below each."""
PACKS = {
    f"{pack} {number}": Situation("Sokoban-v0", (), {"levels": pack, "tile_size": 32}, level=number - 1)
    for pack in ("medium", "hard")
    for number in range(1, 7)
}
"""Caption → the level."""
AGENTS = {
    "Wumpus World: exact probabilities": ("Wumpus-v0", "bayesian", 3, 64),
    "Cat and Mouse: value iteration": ("CatMouse-v0", "value-iteration", 3, 24),
    "Sokoban: proven fewest moves": ("Sokoban-v0", "sokoban-moves", None, 32),
}
"""Caption → id, agent, seed (None: level 8 of the first pack) and size of a square, in the film of the README."""
TICK, LAST = 250, 8
"""Milliseconds a step of the film, and how many its last pictures stay."""
GROUND, INK = "#120f17", "#f6e9cf"
GAP, LINE = 12, 24


def play(situation: Situation) -> tuple[pygame.Surface, pygame.Surface]:
    """The picture of a situation, and the board in it."""
    env = gym.make(situation.id, render_mode="rgb_array", **situation.kwargs)
    env.reset(seed=0, options={} if situation.level is None else {"level": situation.level})
    for action in situation.actions:
        env.step(action)
    inner: Any = env.unwrapped
    inner.notes = situation.notes
    frame: Any = env.render()
    picture = pygame.surfarray.make_surface(frame.swapaxes(0, 1))
    board = drawing_of(inner.puzzle).board(inner.scene(), situation.kwargs["tile_size"])
    env.close()
    return picture, picture.subsurface(board)


def side_by_side(boards: Sequence[tuple[str, pygame.Surface]], columns: int, height: int) -> pygame.Surface:
    """Boards of equal height in rows, a line of text below each."""
    scaled = [
        (words, pygame.transform.smoothscale(board, (round(board.get_width() * height / board.get_height()), height)))
        for words, board in boards
    ]
    rows = [scaled[start : start + columns] for start in range(0, len(scaled), columns)]
    width = max(sum(board.get_width() + GAP for _, board in row) for row in rows) + GAP
    sheet = pygame.Surface((width, len(rows) * (height + LINE + GAP) + GAP), 0, 32)
    sheet.fill(GROUND)
    for number, row in enumerate(rows):
        corner = pygame.Rect(GAP, GAP + number * (height + LINE + GAP), 0, height)
        for words, board in row:
            corner.width = board.get_width()
            sheet.blit(board, corner)
            below = pygame.Rect(corner.left, corner.bottom, corner.width, LINE)
            painting.write(sheet, words, below, INK, 0.8 * LINE)
            corner.left += corner.width + GAP
    return sheet


def boards_of(env_id: str, agent: str, seed: int | None, tile_size: int) -> list[pygame.Surface]:
    """The board before each action of an episode, and at its end."""
    game = Game.of(env_id, **({"levels": "first:8"} if seed is None else {}))
    session = Watched(game, agent, WatchOptions(seed=seed))
    session.begin()
    scenes = [session.picture()]
    while not session.over:
        session.advance()
        scenes.append(session.picture())
    session.close()
    drawing = drawing_of(session.puzzle)
    canvas = Canvas(session.puzzle, tile_size, drawing)
    pictures = [pygame.surfarray.make_surface(canvas.picture(scene).swapaxes(0, 1)) for scene in scenes]
    return [each.subsurface(drawing.board(scene, tile_size)) for each, scene in zip(pictures, scenes, strict=True)]


def write_film(path: Path) -> None:
    """Write a GIF of :data:`AGENTS` next to each other, each of which waits at its end for the others."""
    played = {words: boards_of(*how) for words, how in AGENTS.items()}
    frames = []
    for time in range(max(map(len, played.values()))):
        now = [(words, boards[min(time, len(boards) - 1)]) for words, boards in played.items()]
        sheet = side_by_side(now, len(now), 250)
        frames.append(Image.fromarray(np.ascontiguousarray(pygame.surfarray.array3d(sheet).swapaxes(0, 1))))
    palette = frames[len(frames) // 2].quantize(255, dither=Image.Dither.NONE)
    first, *others = [each.quantize(palette=palette, dither=Image.Dither.NONE) for each in frames]
    durations = [TICK] * len(others) + [LAST * TICK]
    first.save(path, "GIF", save_all=True, append_images=others, duration=durations, loop=0, disposal=1)


def main() -> None:
    """Write every picture."""
    IMAGES.mkdir(exist_ok=True)
    played = {name: play(situation) for name, situation in SITUATIONS.items()}
    pictures = {name: picture for name, (picture, _) in played.items()}
    pictures["suite"] = side_by_side([(words, played[name][1]) for name, words in SUITE.items()], len(SUITE), 250)
    packs = [(words, play(situation)[1]) for words, situation in PACKS.items()]
    pictures["sokoban-packs"] = side_by_side(packs, len(packs) // 2, 210)
    for name, picture in pictures.items():
        pygame.image.save(picture, IMAGES / f"{name}.png")
    write_film(IMAGES / "agents.gif")


if __name__ == "__main__":
    main()
