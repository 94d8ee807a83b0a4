"""Trained models that a person chooses: which one is suggested, and whether it may play."""

from pathlib import Path

from gridpuzzles_gym.agents.registry import observation_for
from gridpuzzles_gym.agents.training.model_files import MODEL, is_own, model_file

from ..engine.puzzle import Puzzle
from .sessions import short_name

RUNS = Path("runs")
"""Where ``gridpuzzles train`` saves models unless told otherwise."""


def check_model(path: Path, puzzle: Puzzle) -> None:
    """Check that a model may play a puzzle, without loading it.

    Args:
        path: A ``model.zip``, or the folder of a training run.
        puzzle: The puzzle.

    Raises:
        ValueError: There is no model, it was trained on another puzzle, or not by this user.
        OSError: The file cannot be read.
    """
    if not model_file(path).is_file():
        raise ValueError(f"there is no model {path}")
    observation_for(str(model_file(path)), puzzle)
    if not is_own(model_file(path)):
        name = short_name(str(path))
        raise ValueError(f"{name} was not trained by you on this machine, and loading a model can run any code in it")


def suggested(puzzle: Puzzle) -> Path:
    """Return the newest model in :data:`RUNS` that may play a puzzle; if there is none, that folder."""
    for path in sorted(RUNS.glob(f"*/{MODEL}"), key=lambda path: -path.stat().st_mtime):
        try:
            check_model(path, puzzle)
        except (ValueError, OSError):
            continue
        return path.parent
    return RUNS
