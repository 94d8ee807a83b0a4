"""An agent to start from: ``gridpuzzles grade --template``."""

import contextlib
import textwrap
from string import Template
from typing import Any

import gymnasium as gym

from gridpuzzles_gym.agents.simple_agent import task_of

from ...session.arguments import environment

_FILE = Template('''"""An agent for $env_id. To grade it: gridpuzzles grade $env_id THIS_FILE

Actions: $actions

Observations, each an array whose first axis has these channels:

$observations
"""

import numpy as np

$action_names


class MyAgent:
    """Plays a random legal action. Change predict() to play well, and give the class a name of your own."""

    observation = "$observation"  # what predict() sees: one of the observations above

    def __init__(self, task):
        # task has env_id, actions, observation, channels, shape and max_episode_steps; this parameter may be left out.
        # Long computations belong here, not into predict().
        self.channels = task.channels
        self.random = np.random.default_rng(0)

    def reset(self):
        """Called before each episode: forget the one before. This method may be left out."""

    def predict(self, observation, action_masks):
        """Return the next action.

        action_masks is an array bool[$count]: True for actions that change anything. This parameter may be left out.
        """
        legal = np.flatnonzero(action_masks)
        return self.random.choice(legal) if len(legal) else 0

    def see(self, observation, channel):
        """Return one channel of an observation, by its name."""
        return observation[self.channels.index(channel)]
''')
_WIDTH = 100


def template(env_id: str, **settings: Any) -> str:
    """Return a Python file with an agent that plays random legal actions.

    Args:
        env_id: A registered id.
        **settings: Keyword arguments of the environment.

    Raises:
        ValueError: The id is unknown, or a setting is invalid.
    """
    puzzle = environment(env_id)[1]
    with contextlib.closing(gym.make(env_id, disable_env_checker=True, **settings)) as env:
        task = task_of(env)
        inner: Any = env.unwrapped
        extent = inner.config.extent
    observations = [
        f"{name}, {observation.space(extent)}: {', '.join(observation.channels(extent))}"
        for name, observation in puzzle.observations.items()
    ]
    return _FILE.substitute(
        env_id=env_id,
        actions=", ".join(f"{number} {name}" for number, name in enumerate(task["actions"])),
        action_names=", ".join(map(_constant, task["actions"])) + f" = range({len(task['actions'])})",
        observations="\n".join(
            textwrap.fill(line, _WIDTH, initial_indent="    ", subsequent_indent="        ") for line in observations
        ),
        observation=task["observation"],
        count=len(task["actions"]),
    )


def _constant(action: str) -> str:
    """Return the name of an action as a constant."""
    return "".join(letter if letter.isalnum() else "_" for letter in action.upper())
