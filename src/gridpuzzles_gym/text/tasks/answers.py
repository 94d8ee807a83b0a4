r"""Reading the answer of a reply to a question: in its last ``<answer>``, in ``\boxed{…}``, or on its last line.

Only a clear answer counts. Yes or no must be that word alone, perhaps after a label such as ``Answer:``. Squares must
be pairs of numbers; separators, list numbers, a count such as ``(5 squares)``, and words that only introduce the
squares are allowed. A list of several lines is read as a whole or not at all.
"""

import re
from collections.abc import Mapping
from typing import Any

from ..action_names import LONGEST, ReplyError
from ..reply_text import LABEL, after_thoughts, final_answer, last_answer, normalized, text_of

Reply = str | Mapping[str, Any]
"""A text, or an assistant message in OpenAI's form."""
Square = tuple[int, int]
"""Row and column, counted from 1."""

MOST_SQUARES = 10_000
_LONGEST_NUMBER = 9
_DECORATION = " \t*_`~\"'()[]{}<>#$.!,:;-"
_LABEL = re.compile(rf"[\s*_#>-]*{LABEL}", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"\d+")
_STEP = re.compile(r"[ \t]*(?:[-*•+][ \t]+)?(?:\(?(\d{1,5})[.):][ \t]+(?=\D{0,20}\d))?")
_LISTED = re.compile(r"[ \t]*(?:[-*•+][ \t]|\(?\d{1,5}[.):][ \t]|[(\[]+ ?\d)")
_COUNT = re.compile(
    r"(?:\(|there (?:are|is) |:|^|\n) ?(\d{1,5})(?: certainly| safe)* squares? ?\)?|there (?:are|is) (\d{1,5}):"
)
_BRACKETED = re.compile(r"[(\[]\s{0,9}(?:row\s)?(\d{1,9})\s{0,9}[,;]\s{0,9}(?:col(?:umn)?\s)?(\d{1,9})\s{0,9}[)\]]")
_INVALID_NUMBER = re.compile(r"[-.]\d|\.\.")  # negative, no integer, or not all of them
_INTRODUCTION = {
    *("the", "these", "all", "certainly", "safe", "square", "squares", "list", "of", "are", "is", "there", "and"),
    *("row", "rows", "column", "columns", "col"),
}
"""Words that only introduce the squares."""


def answer_text(reply: Any) -> str:
    """Return the answer at the end of a reply; empty if there is none.

    Args:
        reply: Any object; one that is not a reply has no answer.
    """
    text = reply if isinstance(reply, str) else text_of(reply.get("content")) if isinstance(reply, Mapping) else ""
    try:
        text = normalized(after_thoughts(text))
        answer = last_answer(text, closed=False)
        answer = final_answer(text) if answer is None else answer
    except ReplyError:
        return ""
    return (_last_lines(text) if answer is None else answer).strip()


def _last_lines(text: str) -> str:
    """Return the last line with a letter or digit; if it is in a list, the whole list."""
    lines = [line for line in text[-LONGEST:].splitlines() if any(map(str.isalnum, line))]
    begin = len(lines) - 1
    while begin > 0 and _LISTED.match(lines[begin]) and _LISTED.match(lines[begin - 1]):
        begin -= 1
    return "\n".join(lines[max(0, begin) :])


def read_choice(reply: Any, choices: tuple[str, ...]) -> str | None:
    """Return the answer of a reply if it is one of ``choices``; otherwise None."""
    word = _LABEL.sub("", answer_text(reply), count=1).strip(_DECORATION).lower()
    return word if word in choices else None


def read_squares(reply: Any) -> set[Square] | None:
    """Return the squares that an answer lists; the word none, without numbers, is an empty list.

    Returns:
        The squares; None if the answer is anything else.
    """
    answer = _LABEL.sub("", answer_text(reply), count=1).lower()
    steps = [_STEP.match(line) for line in answer.splitlines()]
    numbers = [int(step[1]) for step in steps if step and step[1]]
    if numbers and numbers != [*range(1, len(steps) + 1)]:
        return None
    lines = (line[step.end() :] if step else line for line, step in zip(answer.splitlines(), steps, strict=True))
    answer = "\n".join(lines)
    counts = {int(found[1] or found[2]) for found in _COUNT.finditer(answer)}
    answer = _COUNT.sub(" ", answer)
    words = {*_WORD.findall(answer)}
    if not words - {"none"} <= _INTRODUCTION or _INVALID_NUMBER.search(answer):
        return None
    pairs = _BRACKETED.findall(answer)
    rest = _NUMBER.findall(_BRACKETED.sub(" ", answer))
    if pairs and rest:
        return None  # other numbers next to the pairs
    found = [number for pair in pairs for number in pair] or rest
    if len(found) % 2 or len(found) > 2 * MOST_SQUARES or max(map(len, found), default=0) > _LONGEST_NUMBER:
        return None
    squares = {*zip(map(int, found[::2]), map(int, found[1::2]), strict=True)}
    if bool(squares) == ("none" in words) or (counts and counts != {len(squares)}):
        return None
    return squares
