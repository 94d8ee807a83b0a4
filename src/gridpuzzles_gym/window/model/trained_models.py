"""Trained models: which one is suggested, and whether a chosen one may play."""

from pathlib import Path

from gridpuzzles_gym.agents.models.model_file import MODEL, model_file, read_model
from gridpuzzles_gym.agents.models.sb3_model import is_zip
from gridpuzzles_gym.agents.registry import observation_for

from ...engine.puzzle import Puzzle
from ...session.session import short_name

RUNS = Path("runs")
"""Where ``gridpuzzles train`` saves models by default."""


def check_model(path: Path, puzzle: Puzzle) -> None:
    """Check that a model may play a puzzle.

    Args:
        path: A model file, or the folder of a training run.
        puzzle: The puzzle.

    Raises:
        ValueError: There is no model, it is damaged, was trained on another puzzle, or could run code.
    """
    file = model_file(path)
    if not file.is_file():
        raise ValueError(f"there is no model {path}")
    if is_zip(file):
        name = short_name(str(path))
        raise ValueError(f"{name} is a zip file, and loading a model of Stable-Baselines3 can run any code in it")
    read_model(file)
    observation_for(str(file), puzzle)


def is_model_file(path: str) -> bool:
    """Return whether a path is a model file by its name, or a folder with one."""
    return model_file(path).suffix in (".safetensors", ".zip") and model_file(path).is_file()


def suggested(puzzle: Puzzle) -> Path:
    """Return the newest model in :data:`RUNS` that may play a puzzle; if there is none, :data:`RUNS`."""
    for path in sorted(RUNS.glob(f"*/{MODEL}"), key=lambda path: -path.stat().st_mtime):
        try:
            check_model(path, puzzle)
        except (ValueError, OSError):
            continue
        return path.parent
    return RUNS
