"""Films in notebooks; levels, search problems, results and comparisons are shown there by themselves."""

import base64
import dataclasses
import tempfile
from pathlib import Path
from typing import Any

from gridpuzzles_gym.agents.game import Game

from .play.recording import record
from .play.session import WatchOptions

__all__ = ["Film", "film"]


@dataclasses.dataclass(frozen=True)
class Film:
    """Episodes as a moving picture."""

    gif: bytes = dataclasses.field(repr=False)
    """The content of a GIF file."""

    def _repr_html_(self) -> str:
        return f'<img alt="film" src="data:image/gif;base64,{base64.b64encode(self.gif).decode()}">'


def film(
    env_id: str,
    agent: str,
    level: str | None = None,
    seed: int | None = None,
    episodes: int = 1,
    fps: float = 4,
    tile_size: int = 48,
    deterministic: bool = False,
    trust_pickle: bool = False,
    **settings: Any,
) -> Film:
    """Return a film of an agent's episodes; arguments and errors as for ``gridpuzzles watch --record``.

    Args:
        env_id: A registered id.
        agent: The name of an agent, or the path of a trained model.
        level: A level file, a bundled pack or a level's title; None: the levels of the environment.
        seed: Seed of the first episode; later ones use seed+1, seed+2, …; None chooses one at random.
        episodes: Number of episodes.
        fps: Actions per second.
        tile_size: The width of a square in pixels.
        deterministic: A trained model takes its most likely actions instead of sampling.
        trust_pickle: Load a model that Stable-Baselines3 saved. Its file can run any code.
        **settings: Keyword arguments of the environment.

    Raises:
        ValueError: The id, the agent or the level is unknown, or a setting is invalid.
        ImportError: imageio is not installed.
    """
    game = Game.of(env_id, **settings, **({} if level is None else {"levels": level}))
    options = WatchOptions(seed, episodes, fps, deterministic=deterministic, trust_pickle=trust_pickle)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "film.gif")
        record(game, agent, path, options, tile_size, progress=False)
        return Film(path.read_bytes())
