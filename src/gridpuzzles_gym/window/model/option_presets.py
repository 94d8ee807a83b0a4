"""What a person chooses about generated instances: sizes and the like, instead of options by name."""

import dataclasses
from collections.abc import Mapping

from gridpuzzles_gym.agents.puzzle_agents import agents_record

from ...engine.puzzle import Puzzle

SIDES = ("width", "height")
"""The options of puzzles that have no ``size``."""


def option_presets(puzzle: Puzzle) -> dict[str, Mapping[str, str]]:
    """Return the presets of each option: its ``name=value …`` by its label, the default first."""
    fields = {field.name for field in dataclasses.fields(puzzle.options)}
    found: dict[str, Mapping[str, str]] = {}
    for name, values in agents_record(puzzle).generator_values.items():
        given = [value for value in values if value is not None]
        if name in fields:
            found[name] = {f"{name} {value}": f"{name}={value}" for value in given}
        elif name == "size" and fields.issuperset(SIDES):
            found[name] = {f"{value}×{value}": " ".join(f"{side}={value}" for side in SIDES) for value in given}
    return found


def with_preset(words: str, preset: str) -> str:
    """Return options as text, in which those of a preset are replaced."""
    names = {word.split("=")[0] for word in preset.split()}
    return " ".join([*(word for word in words.split() if word.split("=")[0] not in names), preset])
