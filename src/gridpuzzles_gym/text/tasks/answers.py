"""What a reply says in the end: in its last ``<answer>…</answer>``, or on its last line."""

import re
from collections.abc import Mapping
from typing import Any

from ..action_names import LONGEST, ReplyError
from ..replies import after_thoughts, last_answer, text_of

Reply = str | Mapping[str, Any]
"""A text, or an assistant message in OpenAI's form."""
Square = tuple[int, int]
"""Row and column, counted from 1."""

MOST_SQUARES = 10_000
_WORD = re.compile(r"[a-z]+")
_NUMBER = re.compile(r"\d+")
_BRACKETED = re.compile(r"[(\[]\s{0,9}(\d{1,9})\s{0,9}[,;]\s{0,9}(\d{1,9})\s{0,9}[)\]]")
_NO_SQUARE = re.compile(r"[-.]\d")  # negative, or no integer
_LONGEST_NUMBER = 9


def final_answer(reply: Any) -> str:
    """Return the answer at the end of a reply; empty if there is none.

    Args:
        reply: Anything; what is not a reply has no answer.
    """
    text = reply if isinstance(reply, str) else text_of(reply.get("content")) if isinstance(reply, Mapping) else ""
    try:
        text = after_thoughts(text)
    except ReplyError:
        return ""
    answer = last_answer(text, closed=False)
    if answer is not None:
        return answer.strip()
    lines = (line for line in reversed(text[-LONGEST:].splitlines()) if any(map(str.isalnum, line)))
    return next(lines, "").strip()


def read_choice(reply: Any, choices: tuple[str, ...]) -> str | None:
    """Return the one of some words that an answer has; None if it has none or several of them."""
    words = {*_WORD.findall(final_answer(reply).lower())}
    found = [choice for choice in choices if choice in words]
    return found[0] if len(found) == 1 else None


def read_squares(reply: Any) -> set[Square] | None:
    """Return the squares that an answer lists; an answer without a number that has the word none lists no square.

    Returns:
        The squares; None if the answer is neither.
    """
    answer = final_answer(reply)
    if _NO_SQUARE.search(answer):
        return None
    first = _BRACKETED.search(answer)
    if first and _NUMBER.search(_BRACKETED.sub(" ", answer[first.start() :])):
        return None  # something after it is no square
    numbers = [number for pair in _BRACKETED.findall(answer) for number in pair] or _NUMBER.findall(answer)
    if not numbers:
        return set() if "none" in _WORD.findall(answer.lower()) else None
    if len(numbers) % 2 or len(numbers) > 2 * MOST_SQUARES or max(map(len, numbers)) > _LONGEST_NUMBER:
        return None
    return {*zip(map(int, numbers[::2]), map(int, numbers[1::2]), strict=True)}
