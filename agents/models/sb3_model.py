"""Models that Stable-Baselines3 saved: zip archives, played only if they are trusted.

Such an archive contains pickles, and a pickle can run any code in the process that loads it. Without permission to load
it, only the part that is JSON is read.
"""

import importlib
import inspect
import os
import re
import reprlib
import zipfile
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.config import masks_of
from gridpuzzles_gym.engine.messages import did_you_mean, one_line, quote
from gridpuzzles_gym.engine.puzzle import Puzzle
from gridpuzzles_gym.engine.system.files import read_json

from ..thoughts import Thoughts

_ZIP = b"PK"
"""The first bytes of a zip archive."""
_NAMED = re.compile(r"(.+\.zip):(\w+)", re.DOTALL)
_DATA = "data"
"""The file in the zip archive that holds JSON."""
_MOST_BYTES = 16 * 2**20
"""Maximum size of that JSON."""
ALGORITHMS = {
    "PPO": "stable_baselines3",
    "A2C": "stable_baselines3",
    "DQN": "stable_baselines3",
    "MaskablePPO": "sb3_contrib",
    "RecurrentPPO": "sb3_contrib",
    "QRDQN": "sb3_contrib",
    "TRPO": "sb3_contrib",
}
"""The algorithms whose models can be played, and their packages."""


class SB3Agent:
    """A model of Stable-Baselines3 as an agent: its own ``predict()``, with masks from the environment if required.

    Args:
        model: The loaded algorithm.
        env: The environment to play, one or a vector of the suite's.
        source: What the model is called in messages.
        seed: Random seed for sampling actions, for which Stable-Baselines3 seeds the random generators of the process;
            None leaves them alone.

    Raises:
        ValueError: The environment has other spaces than the one the model was trained on.
    """

    def __init__(self, model: Any, env: Any, source: str = "the model", seed: int | None = None) -> None:
        for name in ("observation_space", "action_space"):
            here = getattr(env, f"single_{name}", None) or getattr(env, name)
            if getattr(model, name) not in (here, _as_trained(here)):
                trained = reprlib.repr(getattr(model, name))
                raise ValueError(f"{source} was trained with {name} {trained}, this environment has {here}")
        if seed is not None:
            model.set_random_seed(seed % 2**32)
        self.model = model
        self._env = env if "action_masks" in inspect.signature(model.predict).parameters else None

    def predict(
        self,
        observation: npt.NDArray[Any],
        state: Any = None,
        episode_start: npt.NDArray[np.bool_] | None = None,
        deterministic: bool = False,
    ) -> tuple[npt.NDArray[np.int64], Any]:
        """Actions for one observation or a batch; sampled unless ``deterministic``.

        The state's arrays have a leading axis of environments, unlike those of RecurrentPPO, which begin with layers.
        """
        more = {} if self._env is None else {"action_masks": self._masks(observation)}
        layers = None if state is None else tuple(np.swapaxes(array, 0, 1) for array in state)
        actions, layers = self.model.predict(observation, layers, episode_start, deterministic, **more)
        return actions, None if layers is None else tuple(np.swapaxes(array, 0, 1) for array in layers)

    def _masks(self, observation: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        masks = masks_of(self._env)
        return masks[0] if np.shape(observation) == self.model.observation_space.shape else masks

    def thoughts(self, observation: npt.NDArray[Any], state: Any, i: int = 0) -> Thoughts:
        """Return the probability of each action; nothing if the algorithm has none, or they depend on a memory."""
        policy = self.model.policy
        if state is not None or not hasattr(policy, "get_distribution"):
            return Thoughts()
        import torch

        more = {} if self._env is None else {"action_masks": masks_of(self._env)[i]}
        batch, _ = policy.obs_to_tensor(observation)
        with torch.no_grad():
            distribution: Any = policy.get_distribution(batch, **more).distribution
        return Thoughts(probabilities=tuple(distribution.probs[0].tolist()))


def _as_trained(space: Any) -> Any:
    """Return a space as Stable-Baselines3 changes it for training: of pictures, colours come first."""
    from stable_baselines3.common.preprocessing import is_image_space
    from stable_baselines3.common.vec_env import VecTransposeImage

    return VecTransposeImage.transpose_space(space) if is_image_space(space) else space


def is_zip(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins like a zip archive; False if it cannot be read."""
    try:
        with Path(path).open("rb") as file:
            return Path(path).is_file() and file.read(len(_ZIP)) == _ZIP
    except OSError:
        return False


def split_algorithm(agent: str) -> tuple[str, str | None]:
    """Return the path in ``MODEL.zip:ALGORITHM`` and the algorithm; None if it is not named."""
    found = _NAMED.fullmatch(agent)
    return (found[1], found[2]) if found else (agent, None)


def sb3_observation(path: str | os.PathLike[str], puzzle: Puzzle, env_id: str | None = None) -> str | None:
    """Return the ``observation=`` that has the shape of a model's observations; None if there is none or it is unknown.

    Args:
        path: The archive.
        puzzle: The puzzle to play.
        env_id: The id of its environment; None if unknown.

    Raises:
        ValueError: It is no archive of Stable-Baselines3.
    """
    space = _data(path).get("observation_space")
    shape = space.get("_shape") if isinstance(space, dict) else None
    if env_id is None or not isinstance(shape, list):
        return None
    env = gym.make(env_id, disable_env_checker=True)
    extent = env.unwrapped.config.extent  # type: ignore[attr-defined]  # of an environment of the suite
    env.close()
    fitting = (name for name, kind in puzzle.observations.items() if list(kind.space(extent).shape or ()) == shape)
    return next(fitting, None)


def load_sb3(
    path: str | os.PathLike[str], env: Any, seed: int = 0, trust_pickle: bool = False, algorithm: str | None = None
) -> SB3Agent:
    """Load a model to play ``env``.

    Args:
        path: The archive.
        env: The environment, single or vector, made with the observation the model was trained on.
        seed: Seed for sampling actions.
        trust_pickle: Load it: it can run any code.
        algorithm: A key of :data:`ALGORITHMS`; None detects it.

    Raises:
        ValueError: It is not trusted, or no archive of Stable-Baselines3, or the algorithm is unknown, or the
            environment has other spaces than the one the model was trained on.
        ImportError: Stable-Baselines3 is not installed.
    """
    if algorithm is not None and algorithm not in ALGORITHMS:
        raise ValueError(f"algorithm={quote(algorithm)} is not known; {did_you_mean(algorithm, ALGORITHMS)}")
    data = _data(path)
    if not trust_pickle:
        raise ValueError(
            f"{path} is a model of Stable-Baselines3, and loading one can run any code in the file. "
            "If you trust its source, use --trust-pickle (trust_pickle=True)"
        )
    chosen = algorithm or _algorithm(data)
    kind = getattr(importlib.import_module(ALGORITHMS[chosen]), chosen)
    try:
        model = kind.load(path, device="cpu")
    except Exception as error:  # whatever its pickles raise
        raise ValueError(
            f"{path} cannot be loaded as a {chosen} model: {type(error).__name__}, {one_line(error)}"
        ) from None
    return SB3Agent(model, env, str(path), seed)


def _data(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the JSON in an archive; its pickles are texts there."""
    try:
        with zipfile.ZipFile(path) as archive, archive.open(_DATA) as file:
            text = file.read(_MOST_BYTES + 1)
        if len(text) > _MOST_BYTES:
            raise ValueError(f"{_DATA} has more than {_MOST_BYTES:,} bytes")
        data = read_json(text, _DATA, parse_constant=float)
        if not isinstance(data, dict) or "policy_class" not in data:
            raise ValueError(f"{_DATA} has no policy_class")
    except Exception as error:  # of zip files and their several compressions: more than the documentation lists
        raise ValueError(f"{path} is not a model: {type(error).__name__}, {one_line(error)}") from None
    return data


def _algorithm(data: dict[str, Any]) -> str:
    """Return which algorithm saved a model: by the modules of its policy and buffer, and the settings only one has."""
    parts = (data.get(name) for name in ("policy_class", "rollout_buffer_class"))
    modules = " ".join(str(part.get("__module__")) for part in parts if isinstance(part, dict))
    if "maskable" in modules:
        return "MaskablePPO"
    if "recurrent" in modules or data.get("rollout_buffer_class", "") is None:  # RecurrentPPO does not set it
        return "RecurrentPPO"
    if "exploration_rate" in data:
        return "QRDQN" if "qrdqn" in modules else "DQN"
    if "cg_max_steps" in data:
        return "TRPO"
    return "PPO" if "clip_range" in data else "A2C"
