"""A wrapper that shows observations as text; actions remain numbers."""

from typing import Any

import gymnasium as gym
import numpy.typing as npt

from ..engine.config import config_of
from ..engine.messages import quote
from .text_spaces import observation_space
from .views import View


class TextObservation(gym.ObservationWrapper[str, int, npt.NDArray[Any]], gym.utils.RecordConstructorArgs):
    """Shows the observations of an environment of the suite as text.

    Args:
        env: The environment; its ``observation=`` must be the one that the view reads.
        view: A key of :data:`~gridpuzzles_gym.text.views.VIEWS`.

    Raises:
        ValueError: It is not an environment of the suite, or has another observation than the view needs.
    """

    def __init__(self, env: gym.Env[npt.NDArray[Any], int], view: str = "board") -> None:
        gym.utils.RecordConstructorArgs.__init__(self, view=view)
        gym.ObservationWrapper.__init__(self, env)
        config = config_of(env)
        self.view = View(config, view)
        if config.observation != self.view.observation:
            raise ValueError(
                f"observation is {quote(config.observation)}; for text it must be {quote(self.view.observation)}: "
                f"gym.make(…, observation={quote(self.view.observation)})"
            )
        if env.observation_space != config.space:
            raise ValueError("the observations must be the puzzle's own: without flat=True, dtype= and wrappers")
        self.observation_space = observation_space(config)

    def observation(self, observation: npt.NDArray[Any]) -> str:
        """Return an observation as text."""
        return self.view.write(observation[None])[0]
