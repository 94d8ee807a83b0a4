"""Generated levels in the saved progress, with their measurements."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from gridpuzzles_gym.agents.candidates import Candidate, Measurements
from gridpuzzles_gym.agents.level_sources.makers import maker_of

from ...engine.puzzle import LevelError, Puzzle
from .progress import Progress


def save_levels(progress: Progress, puzzle: Puzzle, levels: Sequence[Candidate]) -> None:
    """Save the levels that were generated for a puzzle, replacing those saved before."""
    progress.save_generated(puzzle.name, [_written(level) for level in levels])


def saved_levels(progress: Progress, puzzle: Puzzle) -> list[Candidate]:
    """Return the saved levels of a puzzle, without those that are invalid in this version."""
    found = []
    for content in progress.generated(puzzle.name):
        try:
            level = _read(puzzle, content)
            valid = len(puzzle.parse(level.board + "\n", "saved level")) == 1
        except (LevelError, ValueError, TypeError, KeyError, AttributeError):
            continue
        if valid:
            found.append(level)
    return found


def _written(level: Candidate) -> dict[str, Any]:
    own = {field.name: getattr(level, field.name) for field in dataclasses.fields(level)}
    measured: Any = level.difficulty
    numbers = None if measured is None else dataclasses.asdict(measured)
    return {**own, "key": level.key.hex(), "difficulty": numbers}


def _read(puzzle: Puzzle, content: Mapping[str, Any]) -> Candidate:
    return Candidate(
        **{**content, "key": bytes.fromhex(content["key"]), "difficulty": _difficulty(puzzle, content["difficulty"])}
    )


def _difficulty(puzzle: Puzzle, numbers: Mapping[str, Any] | None) -> Measurements | None:
    maker = maker_of(puzzle)
    if numbers is None or maker is None or maker.difficulty is None:
        return None
    return maker.difficulty(**numbers)
