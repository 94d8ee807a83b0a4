"""The trained models that come with the suite: at most one for each environment id."""

from pathlib import Path
from typing import Any

from gridpuzzles_gym.engine.config import EnvConfig, config_of, id_of
from gridpuzzles_gym.engine.puzzle import Puzzle
from gridpuzzles_gym.registration import bare_id, find_spec

from .model_file import read_description
from .trained_agent import TrainedAgent, load_trained

PRETRAINED = "pretrained"
"""The name of the agent that plays them."""
_FOLDER = Path(__file__).parent / PRETRAINED
_SUFFIX = ".safetensors"


def pretrained_path(env_id: str) -> Path | None:
    """Return the model of an environment id, with or without ``module:`` before it; None if there is none."""
    path = _FOLDER / f"{bare_id(env_id)}{_SUFFIX}"
    return path if path.is_file() else None


def model_to_start(name: str, env_id: str) -> Path:
    """Return the model of that name to begin training with: a path, or PRETRAINED.

    Args:
        name: The path of a model file or of the folder of a run, or PRETRAINED.
        env_id: The id of the environment to train on.

    Raises:
        ValueError: There is no pretrained model of this id.
    """
    if name != PRETRAINED:
        return Path(name)
    path = pretrained_path(env_id)
    if path is None:
        raise ValueError(f"there is no pretrained model of {env_id}")
    return path


def pretrained_models(puzzle: Puzzle) -> dict[str, Path]:
    """Return the models of a puzzle, by the id of the environment that each was trained on."""
    found = {}
    for path in sorted(_FOLDER.glob(f"*{_SUFFIX}")):
        env_id = path.name.removesuffix(_SUFFIX)
        spec = find_spec(env_id)
        if spec is not None and spec.kwargs.get("puzzle") in (puzzle.module, puzzle):
            found[env_id] = path
    return found


def pretrained_observation(puzzle: Puzzle, env_id: str | None = None) -> str:
    """Return the ``observation=`` of an id's model; that of the puzzle's first model if the id has none.

    Raises:
        ValueError: There is no model of this puzzle, or its file is damaged.
    """
    return read_description(_ordered(puzzle, env_id)[0]).observation


def fits_pretrained(config: EnvConfig, env_id: str | None = None) -> bool:
    """Whether a model plays an environment of this configuration."""
    return any(not read_description(path).mismatch(config) for path in _ordered(config.puzzle, env_id))


def pretrained_for(config: EnvConfig, env_id: str | None = None, observed: bool = True) -> Path:
    """Return the model for an environment: that of its id, otherwise another one of the puzzle that plays it.

    The arguments are those of :meth:`~.description.Description.mismatch`.

    Raises:
        ValueError: No model plays this environment, or a file is damaged.
    """
    reasons = []
    for path in _ordered(config.puzzle, env_id):
        mismatch = read_description(path).mismatch(config, env_id, observed)
        if not mismatch:
            return path
        reasons.append(f"that of {path.name.removesuffix(_SUFFIX)} {mismatch}")
    raise ValueError(f"no pretrained model plays this environment: {'; '.join(reasons)}")


def load_pretrained(env: Any, seed: int = 0) -> TrainedAgent:
    """Return the agent for an environment, by the model of :func:`pretrained_for`.

    Raises:
        ValueError: No model plays this environment, or a file is damaged.
    """
    return load_trained(pretrained_for(config_of(env), id_of(env)), env, seed)


def _ordered(puzzle: Puzzle, env_id: str | None) -> list[Path]:
    """Return the models of a puzzle, that of the id first."""
    models = pretrained_models(puzzle)
    own = models.pop((env_id or "").rpartition(":")[2], None)
    if own is None and not models:
        raise ValueError(f"there is no pretrained model of {puzzle.title}")
    return [*([] if own is None else [own]), *models.values()]
