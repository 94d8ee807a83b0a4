"""Writing trained models for other programs: the work of ``gridpuzzles export``."""

from pathlib import Path

from gridpuzzles_gym.agents.models.model_file import read_model

from ..session.arguments import new_file


def export(model: Path, out: Path, force: bool = False) -> Path:
    """Write a trained model for other programs; see :mod:`gridpuzzles_gym.agents.training.exporting`.

    Args:
        model: The model file, or the folder of its run.
        out: The file to write: ``.zip`` for Stable-Baselines3, ``.onnx``.
        force: Overwrite an existing file.

    Returns:
        The file.

    Raises:
        ValueError: There is no model, or the format is unknown or cannot hold it.
        OSError: The file already exists and ``force`` is False, or it cannot be written.
        ImportError: A package for the format is not installed.
    """
    new_file(out, force, ".zip", ".onnx")
    found = read_model(model)
    from gridpuzzles_gym.agents.training.exporting import export_model

    export_model(found, out)
    return out
