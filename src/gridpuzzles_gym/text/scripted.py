"""Scripted models, which need no network: random replies, and the suite's agents, which see only the messages."""

import json
from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np

from gridpuzzles_gym.agents.policy import State
from gridpuzzles_gym.agents.registry import load_agent, observation_for

from ..engine.messages import quote
from ..engine.wording import Seen
from .conversations import Conversations, Message, board_in
from .replies import TOOL

_MEMORY_SIZE = 4096
"""The maximum number of messages for which an agent's memory is stored."""


class RandomModel:
    """Replies with one random action, all equally likely.

    Args:
        conversations: The conversations that it plays, or others with the same arguments.
        seed: The random seed.
    """

    def __init__(self, conversations: Conversations, seed: int = 0) -> None:
        self._names, self._tools = conversations.config.action_names, conversations.tools is not None
        self._random = np.random.default_rng(seed)

    def __call__(self, messages: Sequence[Message]) -> Message:
        """Return the assistant's next message."""
        return message_with([self._names[int(self._random.integers(len(self._names)))]], self._tools)


class AgentModel:
    """Replies with the actions of one of the suite's agents, which sees only the boards in the messages.

    The boards must be text. One model can play any number of conversations at once: the agent's memory is looked up by
    the messages so far.

    Args:
        conversations: The conversations that it plays, or others with the same arguments.
        agent: The name of an agent, or the path of a trained model.
        seed: The agent's random seed.

    Raises:
        ValueError: There is no such agent, it cannot play this environment, or the text does not contain its
            observation.
    """

    def __init__(self, conversations: Conversations, agent: str, seed: int = 0) -> None:
        if conversations.images:
            raise ValueError(f"agent {quote(agent)} cannot see pictures; it needs images=False")
        self._conversations, self._tools = conversations, conversations.tools is not None
        puzzle, shown = conversations.config.puzzle, conversations.view.observation
        self._observation = observation_for(agent, puzzle, conversations.env_id) or shown
        self._decodes = self._observation != shown
        if self._decodes and puzzle.observations[shown].decode is None:
            raise ValueError(
                f"agent {quote(agent)} needs observation={quote(self._observation)}, which cannot be read from the text"
            )
        self._env: Any = gym.make_vec(
            conversations.env_id, num_envs=1, observation=self._observation, **conversations.settings
        )
        self._agent = load_agent(agent, self._env, seed)
        self._env.reset(seed=0)  # trained models look up the legal actions in the states set below
        self._memory: dict[int, tuple[State | None, int]] = {}

    def __call__(self, messages: Sequence[Message]) -> Message:
        """Return the assistant's next message.

        Raises:
            ValueError: A message of the user has no board.
        """
        texts = [str(message["content"]) for message in messages if message["role"] == "user"]
        keys = [0]
        for text in texts:
            keys.append(hash((keys[-1], text)))
        known = max((place for place, key in enumerate(keys) if key in self._memory), default=0)
        state, action = self._memory.get(keys[known], (None, 0))
        for place in range(known, len(texts)):
            seen = self._seen(texts[place])[None]
            chosen, state = self._agent.predict(seen, state, np.array([place == 0]))
            action = int(np.asarray(chosen).reshape(-1)[0])
            self._remember(keys[place + 1], state, action)
        return message_with([self._conversations.config.action_names[action]], self._tools)

    def _seen(self, text: str) -> Seen:
        """Return the agent's observation of the board in a message."""
        shown: Seen = self._conversations.view.read(board_in(text))
        config, batch = self._conversations.config, self._env.unwrapped.batch
        if config.puzzle.observations[self._conversations.view.observation].decode is None:
            return shown
        level, state = config.puzzle.decode(self._conversations.view.observation, shown, config.extent, config.options)
        batch.levels[0], batch.states[0] = level, state
        if not self._decodes:
            return shown
        seen: Seen = batch.observed_as(self._observation)[0]
        return seen

    def _remember(self, key: int, state: State | None, action: int) -> None:
        if len(self._memory) >= _MEMORY_SIZE:
            del self._memory[next(iter(self._memory))]
        self._memory[key] = state, action


def message_with(names: Sequence[str], tools: bool = False) -> Message:
    """Return an assistant message that replies with some actions.

    Args:
        names: The names of the actions.
        tools: Whether it calls the tool instead of writing them.
    """
    if not tools:
        return {"role": "assistant", "content": f"ACTIONS: {', '.join(names)}"}
    function = {"name": TOOL, "arguments": json.dumps({"actions": list(names)})}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "call_0", "type": "function", "function": function}],
    }
