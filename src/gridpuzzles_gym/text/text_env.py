"""Gymnasium's environments of texts: whole conversations."""

import string
from collections.abc import Mapping
from typing import Any

import gymnasium as gym

from ..engine.env import RENDER_FPS, read_reset_options
from ..engine.messages import quote
from .conversations import Conversation

CHARACTERS = frozenset(string.printable) - frozenset("\t\r\v\f") | frozenset("…×−–’°")
"""The characters of all texts; Gymnasium's spaces need a finite set."""
REPLY_LENGTH = 2**14
"""Maximum length of a sampled reply, in characters; longer ones, and other characters, are read too."""
_PER_SQUARE, _OTHER_TEXT = 64, 4096
"""The maximum number of characters for each square, and for everything else."""


class TextEnv(gym.Env[str, str]):
    """A conversation as an environment of Gymnasium; ``gym.make("gridpuzzles/SokobanText-v0")``.

    An invalid reply raises no error: it costs a turn, and the next observation says what was wrong.

    Args:
        env_id: The id of the environment that is played.
        render_mode: ``"ansi"``: the text of the last observation; or None.
        **options: Keyword arguments of :class:`~gridpuzzles_gym.text.Conversation`.

    Attributes:
        system: The system prompt: the rules, the symbols, and how to reply.

    Raises:
        ValueError: A keyword argument is unknown or has an invalid value.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": RENDER_FPS}  # noqa: RUF012 - as Gymnasium has it

    def __init__(self, env_id: str, render_mode: str | None = None, **options: Any) -> None:
        if render_mode not in (None, "ansi"):
            raise ValueError(f"render_mode is {quote(render_mode)}; it must be 'ansi' or None")
        self.render_mode = render_mode
        self.conversation = Conversation(env_id, **options)
        self.config, self.system = self.conversation.of.config, self.conversation.of.system
        height, width = self.config.extent[:2]
        self.observation_space = gym.spaces.Text(_OTHER_TEXT + _PER_SQUARE * height * width, charset=CHARACTERS)
        self.action_space = gym.spaces.Text(min_length=0, max_length=REPLY_LENGTH, charset=CHARACTERS)
        self._playing = False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Begin an episode; the arguments are those of the environment that is played."""
        level = read_reset_options(options, ("level",)).get("level")
        super().reset(seed=seed)
        turn = self.conversation.start(seed=seed, level=level)
        self._playing = True
        return contained(turn.text), dict(turn.info)

    def step(self, action: str | Mapping[str, Any]) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Perform a reply.

        Args:
            action: A text, or an assistant message in OpenAI's form.

        Returns:
            The user's next message, the reward of this turn, ``terminated``, ``truncated`` and ``info``.
            ``info["fault"]`` says what was wrong with the reply; it is empty if the reply was valid.

        Raises:
            gymnasium.error.ResetNeeded: Before the first reset, or after the end of an episode.
        """
        if not self._playing:
            raise gym.error.ResetNeeded("the episode is over, or has not begun: call reset() first")
        turn = self.conversation.reply(action)
        self._playing = not turn.done
        return contained(turn.text), turn.reward, turn.terminated, turn.truncated, dict(turn.info)

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation so far, as OpenAI's chat messages."""
        return self.conversation.messages

    def render(self) -> str | None:
        """Return the last observation if the render mode is ``"ansi"``."""
        return contained(self.conversation.turn.text) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Close the environment that is played."""
        self.conversation.close()


def contained(text: str) -> str:
    """Return a text with question marks in place of characters outside the spaces."""
    if CHARACTERS.issuperset(text):
        return text
    return "".join(character if character in CHARACTERS else "?" for character in text)
