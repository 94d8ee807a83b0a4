"""The keys and gestures of a puzzle in words: for the help in the window and the README."""

from typing import Any

from ..engine.puzzle import Puzzle

LABELS = {"up": "↑", "down": "↓", "left": "←", "right": "→", "space": "Space"}
"""The labels of keys whose pygame name is not printed on them; a letter is its own label, in upper case."""


def controls(puzzle: Puzzle, options: Any) -> list[tuple[str, str]]:
    """Return what a person can do: (keys or gesture, what that does), actions in their order first.

    Args:
        puzzle: The puzzle.
        options: The puzzle's options, on which its actions depend.
    """
    names = puzzle.actions(options)
    entries = []
    for action, name in enumerate(names):
        keys = [LABELS.get(key, key.upper()) for key, number in puzzle.keys.items() if number == action]
        if keys:
            entries.append((" or ".join(keys), puzzle.key_words.get(action, name)))
    gestures = puzzle.gestures
    if gestures is not None:
        entries.append(("click", gestures.click_words))
        if gestures.drag_words:
            entries.append(("drag", gestures.drag_words))
        if gestures.marks:
            entries.append(("right click", f"mark a square: {', '.join(gestures.marks)}"))
    return entries


def as_markdown(puzzles: list[Puzzle]) -> str:
    """Return the controls of puzzles as a table in Markdown."""
    lines = ["| puzzle | keys and mouse | what they do |", "|---|---|---|"]
    for puzzle in puzzles:
        for k, (inputs, words) in enumerate(controls(puzzle, puzzle.read_options())):
            lines.append(f"| {'' if k else puzzle.title} | {inputs} | {words} |")
    return "\n".join(lines) + "\n"
