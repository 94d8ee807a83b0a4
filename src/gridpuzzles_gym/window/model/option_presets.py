"""Menus of what new levels are like, their size and their difficulty, instead of settings by name."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from gridpuzzles_gym.agents.puzzle_agents import agents_record

from ...engine.puzzle import Puzzle

SIDES = ("width", "height")
"""The options of puzzles that have no ``size``."""
OWN = "own"
"""The label of settings that are none of those of a menu."""

Menus = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""For each menu by its heading, the settings of each entry by its label; None stands for the default."""


def maker_presets(puzzle: Puzzle) -> Menus:
    """Return the menus for the puzzle's level maker."""
    record = agents_record(puzzle)
    sizes = {f"{side}×{side}": {"size": side} for side in sorted(record.generator_values.get("size", ()))}
    menus = {"size": sizes, "difficulty": record.difficulties}
    return {heading: labels for heading, labels in menus.items() if labels}


def option_presets(puzzle: Puzzle) -> Menus:
    """Return the menus for instances that the puzzle's own rules generate, whose settings are options of the puzzle."""
    fields = {field.name for field in dataclasses.fields(puzzle.options)}

    def options(settings: Mapping[str, Any]) -> dict[str, Any]:
        if "size" in settings and "size" not in fields:
            return dict.fromkeys(SIDES, settings["size"])
        return dict(settings)

    found = {}
    for heading, labels in maker_presets(puzzle).items():
        menu = {label: options(settings) for label, settings in labels.items()}
        if all(fields >= own.keys() for own in menu.values()):
            found[heading] = menu
    return found


def label_of(labels: Mapping[str, Mapping[str, Any]], chosen: Mapping[str, Any]) -> str:
    """Return the label of the settings that are chosen, :data:`OWN` if there is none."""
    return next((label for label, own in labels.items() if own.items() <= chosen.items()), OWN)


def with_preset(words: str, settings: Mapping[str, Any]) -> str:
    """Return settings as text, ``"name=value …"``, in which some are replaced."""
    others = [word for word in words.split() if word.split("=")[0] not in settings]
    return " ".join([*others, *(f"{name}={value}" for name, value in settings.items() if value is not None)])
