"""The text of a reply: without thoughts, in uniform spelling; and the answer that is marked in it."""

import re
import unicodedata
from collections import deque
from collections.abc import Mapping
from typing import Any

from .action_names import ARROWS, DIRECTIONS, LONGEST, ReplyError

LABEL = (
    r"(?:here (?:is|are) )?"
    r"(?:(?:the|my|your|our|final|next|best|chosen|full|complete|whole|shortest|optimal) ){0,5}"
    r"(?:actions?|moves?|answers?|plan|choice|decision|reply|response|output|solution|steps|sequence|path)"
    r"(?: is| are)? ?[*_]* ?[:=]"
)
"""Pattern of a label before an answer, such as ``Final answer:``; case is ignored."""

_THINKING = ("think", "thinking", "thought", "reasoning")
_OPENING = (*(f"<{name}>" for name in _THINKING), "[THINK]", "<|channel|>analysis")
_CLOSING = (*(f"</{name}>" for name in _THINKING), "[/THINK]", "<|channel|>final<|message|>")
_THOUGHT = re.compile("|".join(map(re.escape, _OPENING + _CLOSING)))
_END_OF_TURN = re.compile(r"(?:<[|｜][^<>|｜]{1,30}[|｜]>|</s>|<eos>|<end_of_turn>|\[EOS\])\Z")
_LONGEST_TOKEN, _MOST_TOKENS = 40, 100
_TAG = re.compile(r"<(/?)answer>", re.IGNORECASE)
_BOXED = re.compile(r"\\boxed\s{0,9}\{\s{0,9}([^{}\n]*)\}")
_TRAILING = re.compile(r"[\s.,;!*_`\"')\]$\\]*")
"""Pattern of what may follow an answer."""
_LATEX = re.compile(r"\\(?:text|textbf|textit|texttt|mathrm|mathbf)\s{0,9}\{([^{}\n]*)\}")
_ARROW_COMMANDS = re.compile(r"\\(?:(up|down|left|right)arrow|to)(?![a-z])")
_SYMBOLS = dict(zip(DIRECTIONS, ARROWS, strict=True))
_UNIFORM: dict[int, str | None] = str.maketrans(
    {
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0e\ufe0f"),  # invisible
        **dict.fromkeys("“”„«»", '"'),
        **dict.fromkeys("‘’", "'"),
        **dict.fromkeys("、،", ","),
        **{chr(0x2460 + number): f" ({number + 1}) " for number in range(20)},  # ① to ⑳
        **dict.fromkeys("⇑⬆⇧", "↑"),
        **dict.fromkeys("⇓⬇⇩", "↓"),
        **dict.fromkeys("⇐⬅⇦", "←"),
        **dict.fromkeys("⇒➡⇨➔➜➝➞⟶⟹", "→"),
        "。": ". ",
        "\u20e3": ")",  # the frame of 1️⃣
    }
)


def text_of(content: Any) -> str:
    """Return the text of a message's ``content``, which is a text, a list of parts, or None."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list | tuple) else ()
    texts = [part.get("text") if isinstance(part, Mapping) else part for part in parts]
    return "\n".join(text for text in texts if isinstance(text, str))


def without_end(text: str) -> str:
    """Return the text without the tokens that end a turn, such as ``<|im_end|>`` and ``</s>``."""
    text = text.rstrip()
    for _ in range(_MOST_TOKENS):
        found = _END_OF_TURN.search(text, max(0, len(text) - _LONGEST_TOKEN))
        if not found:
            break
        text = text[: found.start()].rstrip()
    return text


def after_thoughts(text: str) -> str:
    """Return a reply without its thoughts: the part after the last of them, or the part before if none follows.

    Only the last :data:`~.action_names.LONGEST` characters are read and returned.

    Raises:
        ReplyError: The last thought has no end.
    """
    text = text.rstrip()
    before, text = text[:-LONGEST], without_end(text[-LONGEST:])
    inside = max(map(before.rfind, _OPENING)) > max(map(before.rfind, _CLOSING))
    said, place = "", 0
    for tag in _THOUGHT.finditer(text):
        if tag[0] in _CLOSING:
            if not inside:
                said = ""  # its beginning was in the prompt
            inside = False
        elif not inside:
            part = text[place : tag.start()]
            said, inside = (said if part.isspace() else part or said), True
        place = tag.end()
    if inside:
        raise ReplyError(f"the reply ends before {_CLOSING[0]}: the action must follow")
    rest = text[place:]
    return without_end(said) if said and not rest.strip() else rest


def normalized(text: str) -> str:
    """Return the end of a text with full-width letters, quotes, arrows and the like written in one way."""
    text = unicodedata.normalize("NFKC", text[-LONGEST:].translate(_UNIFORM))[-LONGEST:]
    text = _ARROW_COMMANDS.sub(lambda found: f" {_SYMBOLS[found[1] or 'right']} ", text)
    return _LATEX.sub(r"\1", text)


def last_answer(text: str, closed: bool) -> str | None:
    """Return the content of the last ``<answer>``, which may lack its end tag unless ``closed``.

    Raises:
        ReplyError: Another one directly precedes it, so that it could be a part of the answer.
    """
    found = _last_tagged(text[-LONGEST:], closed)
    return None if found is None else found[0]


def final_answer(text: str) -> str | None:
    r"""Return the content of the ``<answer>…</answer>`` or ``\boxed{…}`` at the end of a text; None if there is none.

    Raises:
        ReplyError: Another one directly precedes it, so that it could be a part of the answer.
    """
    found = _last_tagged(text, closed=False)
    if found is not None and _TRAILING.fullmatch(text, found[1]):
        return found[0]
    begin = text.rfind("\\boxed")
    boxed = _BOXED.match(text, begin) if begin >= 0 else None
    if boxed is None or not _TRAILING.fullmatch(text, boxed.end()):
        return None
    if "\\boxed" in text[text.rfind("\n", 0, begin) + 1 : begin]:
        raise ReplyError("several \\boxed{…} in one line: end with one line that has all actions")
    return boxed[1]


def _last_tagged(text: str, closed: bool) -> tuple[str, int] | None:
    """Return the content of the last ``<answer>``, and where it ends."""
    begin: re.Match[str] | None = None
    last: deque[tuple[int, int, int, int]] = deque(maxlen=2)  # begin of each, begin and end of its content, its end
    for tag in _TAG.finditer(text):
        if not tag[1]:
            begin = tag
        elif begin is not None:
            last.append((*begin.span(), *tag.span()))
            begin = None
    if begin is not None and not closed:
        last.append((*begin.span(), len(text), len(text)))
    if not last:
        return None
    if len(last) == 2 and _TRAILING.fullmatch(text, last[0][3], last[1][0]):
        raise ReplyError("several <answer>s in a row: end with one that has the whole answer")
    return text[last[-1][1] : last[-1][2]], last[-1][3]
