r"""What a reply to a question says in the end: in its last ``<answer>``, in ``\boxed{…}``, or on its last line.

Only a clear answer counts. Yes or no is that word alone, perhaps after a label such as ``Answer:``. Squares are pairs
of numbers with nothing else but separators, numbers of a list, a count such as ``(5 squares)``, and words that say no
more than that these are the squares. A list of several lines is read as a whole or not at all.
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
_NO_SQUARE = re.compile(r"[-.]\d|\.\.")  # negative, no integer, or not all of them
_SAID = {
    *("the", "these", "all", "certainly", "safe", "square", "squares", "list", "of", "are", "is", "there", "and"),
    *("row", "rows", "column", "columns", "col"),
}
"""Words that say no more than that these are the squares."""


def answer_text(reply: Any) -> str:
    """Return the answer at the end of a reply; empty if there is none.

    Args:
        reply: Anything; what is not a reply has no answer.
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
    """The last line that has a letter or digit, and with it the list that ends with it."""
    lines = [line for line in text[-LONGEST:].splitlines() if any(map(str.isalnum, line))]
    begin = len(lines) - 1
    while begin > 0 and _LISTED.match(lines[begin]) and _LISTED.match(lines[begin - 1]):
        begin -= 1
    return "\n".join(lines[max(0, begin) :])


def read_choice(reply: Any, choices: tuple[str, ...]) -> str | None:
    """Return the one of some words that is the answer of a reply; None if it is anything else."""
    word = _LABEL.sub("", answer_text(reply), count=1).strip(_DECORATION).lower()
    return word if word in choices else None


def read_squares(reply: Any) -> set[Square] | None:
    """Return the squares that an answer lists; the word none, and no number, lists no square.

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
    if not words - {"none"} <= _SAID or _NO_SQUARE.search(answer):
        return None
    pairs = _BRACKETED.findall(answer)
    rest = _NUMBER.findall(_BRACKETED.sub(" ", answer))
    if pairs and rest:
        return None  # something beside them is no square
    found = [number for pair in pairs for number in pair] or rest
    if len(found) % 2 or len(found) > 2 * MOST_SQUARES or max(map(len, found), default=0) > _LONGEST_NUMBER:
        return None
    squares = {*zip(map(int, found[::2]), map(int, found[1::2]), strict=True)}
    if bool(squares) == ("none" in words) or (counts and counts != {len(squares)}):
        return None
    return squares
