"""Rules at work: a few moves on a board of text, and what is seen of them."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from helpers import same

from gridpuzzles_gym import Outcome
from gridpuzzles_gym.engine.puzzle import Extent, Puzzle
from gridpuzzles_gym.engine.scene import Row


def film(id: str, board: str, moves: str, **kwargs: Any) -> tuple[str, list[float], dict[str, Any]]:
    """Play moves on a board.

    Args:
        id: Of an environment with the actions up, down, left, right and perhaps wait.
        board: Level text, its rows parted by ``/``.
        moves: The first letters of actions; the episode may end with the last, not before.
        **kwargs: Of the environment.

    Returns:
        The last board, the rewards, and the last info.
    """
    env = gym.make(id, levels=board.replace("/", "\n") + "\n", disable_env_checker=True, **kwargs).unwrapped
    _, info = env.reset(seed=0)
    rewards, ended = [], False
    for letter in moves:
        assert not ended
        _, reward, ended, _, info = env.step("udlrw".index(letter))
        rewards.append(reward)
    assert ended == (info["outcome"] != Outcome.UNFINISHED)
    scene = env.scene()
    return env.puzzle.format(scene.level, scene.state)[:-1].replace("\n", "/"), rewards, info


class Views:
    """Every observation of a state that a puzzle offers, kept up to date from step to step.

    Args:
        puzzle: One that shows everything.
        level: The level row.
        state: The state row to begin with.
        extent: Of the board.
        options: The puzzle's.
    """

    def __init__(self, puzzle: Puzzle, level: Row, state: Row, extent: Extent, options: Any) -> None:
        self.puzzle, self.level, self.extent, self.options = puzzle, level, extent, options
        self.spaces = {name: seen.space(extent) for name, seen in puzzle.observations.items()}
        self.views: dict[str, Any] = {}
        for name, observation in puzzle.observations.items():
            assert len(observation.channels(extent)) == self.spaces[name].shape[0]
            self.views[name] = self._observed(name, state)

    def _observed(self, name: str, state: Row) -> Any:
        space = self.spaces[name]
        view = np.full((space.shape[0], self.extent[0] * self.extent[1]), 7, space.dtype)
        self.puzzle.observations[name].observe(self.level, state, view)
        return view

    def __getitem__(self, name: str) -> Any:
        """An observation in the shape of its space."""
        return self.views[name].reshape(self.spaces[name].shape)

    def follow(self, before: Row, state: Row) -> None:
        """Refresh all after a step; see that they equal a fresh observation, lie in their space, and decode."""
        for name, observation in self.puzzle.observations.items():
            observation.refresh(self.level, before, state, self.views[name])
            assert same(self.views[name], self._observed(name, state))
            assert self[name] in self.spaces[name]
            assert same(self.puzzle.decode(name, self[name], self.extent, self.options), (self.level, state))

    def flipped(self, channel: str, row: int, column: int) -> Any:
        """The planes with one bit changed."""
        planes = self["planes"].copy()
        planes[self.puzzle.observations["planes"].channels(self.extent).index(channel), row, column] ^= 1
        return planes

    def refuse(self, name: str, message: str, *wrongs: Any) -> None:
        """See that none of these decodes, for the reason that the message gives."""
        for wrong in wrongs:
            with pytest.raises(ValueError, match=message):
                self.puzzle.decode(name, wrong, self.extent, self.options)
