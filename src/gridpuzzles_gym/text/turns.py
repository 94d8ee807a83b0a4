"""The user's messages in a conversation."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

ENDINGS = {
    "solved": "You have won.",
    "died": "You have died.",
    "left": "You have left without winning.",
    "unfinished": "The game is over: the limit is reached.",
}
"""The sentence at the end of an episode, by outcome."""
_HEADER = re.compile(r"^After \d+(?: of \d+)? actions:\n", re.MULTILINE)


class Turn(NamedTuple):
    """The user's next message, and the result of the last reply."""

    text: str
    """The actions performed or the fault of the reply; then the board."""
    reward: float
    """The reward of this turn; 0 at the start."""
    terminated: bool
    """Whether the episode has ended by the rules."""
    truncated: bool
    """Whether it was ended by a limit on actions, turns, or invalid replies."""
    info: Mapping[str, Any]
    """``actions``: the names of those performed in this turn; ``fault``: what was wrong with the reply, or empty;
    ``invalid_replies`` and ``steps``: their numbers in this episode; ``score``: the sum of the environment's rewards in
    this episode; at its end also ``outcome`` and ``is_success``."""

    @property
    def done(self) -> bool:
        """Whether the conversation is over."""
        return self.terminated or self.truncated


def with_header(board: str, steps: int, limit: int | None) -> str:
    """Return a board below a line with the number of actions so far.

    Args:
        board: The board as text.
        steps: The number of actions so far.
        limit: The maximum number of actions in an episode; None: no limit.
    """
    return f"After {steps}{'' if limit is None else f' of {limit}'} actions:\n{board}"


def board_in(text: str) -> str:
    """Return the board in a message of the user: the text after the line "After … actions:".

    Raises:
        ValueError: There is no such line.
    """
    header = _HEADER.search(text)
    if header is None:
        raise ValueError("there is no board in the message: no line 'After … actions:'")
    return text[header.end() :]
