"""Levels as text: any of a puzzle, drawn by hypothesis, and two known ones."""

from hypothesis import strategies as st

from gridpuzzles_gym.puzzles.n_puzzle import boards

TEXTBOOK_CAVE = "...P\nWGP.\n....\nA.P.\n"
SPIRAL_TILES = "134\n862\n705\ngoal: spiral\n"


@st.composite
def caves(draw):
    """Any cave that can be, as text."""
    height, width = draw(st.integers(1, 6)), draw(st.integers(1, 6).filter(lambda width: width > 1))
    if draw(st.booleans()):
        height, width = width, height
    squares = st.integers(0, height * width - 1)
    grid = [["P" if draw(st.integers(0, 4)) == 0 else "" for _ in range(width)] for _ in range(height)]
    agent = draw(squares)
    gold = draw(squares)
    grid[agent // width][agent % width] = ""
    wumpus = draw(st.none() | squares.filter(lambda square: square != agent))
    if wumpus is not None:
        grid[wumpus // width][wumpus % width] += "W"
    grid[gold // width][gold % width] += "G"
    grid[agent // width][agent % width] += draw(st.sampled_from("A^>v<"))
    for square in draw(st.lists(squares, max_size=5)):
        if not grid[square // width][square % width]:
            grid[square // width][square % width] = "#"
    spaced = any(len(cell) > 1 for row in grid for cell in row)
    if spaced and width == 1:  # one long word a row would be read as many squares
        grid = [[*row, "."] for row in grid]
    return "\n".join((" " if spaced else "").join(cell or "." for cell in row) for row in grid) + "\n"


@st.composite
def mazes(draw, most=5):
    """Cat and Mouse: level text of any small maze from which the exit can be reached."""
    height, width = draw(st.integers(1, most)), draw(st.integers(3, most))
    letters = draw(st.lists(st.sampled_from("....##C"), min_size=height * width, max_size=height * width))
    letters = [letter if letter != "C" or letters[:n].count("C") < 3 else "." for n, letter in enumerate(letters)]
    row = draw(st.integers(0, height - 1)) * width
    for place in range(row, row + width):  # a way from the mouse to the exit
        letters[place] = letters[place].replace("#", ".")
    start, end = draw(st.permutations(range(width)))[:2]
    letters[row + start] = "M"
    letters[row + end] = draw(st.sampled_from("EEc"))
    return "".join("".join(letters[r * width : (r + 1) * width]) + "\n" for r in range(height))


@st.composite
def bait_boards(draw, most=6):
    """Bait: level text of any small board, walls around it or not."""
    height, width = draw(st.integers(1, most)), draw(st.integers(3, most))
    letters = draw(st.lists(st.sampled_from("....w0011kgm%*"), min_size=height * width, max_size=height * width))
    places = draw(st.permutations(range(height * width)))
    for letter, place in zip(draw(st.sampled_from([("A", "g", "k"), ("K", "g")])), places, strict=False):
        letters[place] = letter
    return "".join("".join(letters[row * width : (row + 1) * width]) + "\n" for row in range(height))


@st.composite
def tile_boards(draw):
    """(height, width, goal, tiles) of any board that can be solved."""
    height, width = draw(st.integers(2, 6)), draw(st.integers(2, 6))
    last = height * width
    named = draw(st.sampled_from(list(boards.GOALS)))
    goal = draw(st.just(boards.arrange(named, height, width)) | st.permutations(range(last)).map(tuple))
    tiles = list(draw(st.permutations(range(last))))
    if boards.why_unsolvable(tuple(tiles), goal, width):
        one, two = tiles.index(1), tiles.index(2)
        tiles[one], tiles[two] = 2, 1
    return height, width, goal, tuple(tiles)
