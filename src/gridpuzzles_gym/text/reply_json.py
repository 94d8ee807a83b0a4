"""JSON in replies: whole replies, and the values at the end of a reply."""

import json
import re
from typing import Any

from .action_names import LONGEST, ReplyError, quoted, whole
from .reply_text import LABEL

_FENCE = "```"
_MOST_FAILURES = 8
_WRAPPERS = re.compile(
    r"</?(?:tool_calls?|function_calls?)>|\[TOOL_CALLS\]|```(?:json|\w*(?=[ \t]*\n))?|`", re.IGNORECASE
)
_EMPTY_LINE = re.compile(r"\n[ \t]*\n")
_BEGIN = re.compile(rf"^[ \t]*(?:[*_]*{LABEL}[*_ \t]*)?(?=[{{\[])", re.IGNORECASE | re.MULTILINE)


def loads(text: str) -> Any:
    """Return the value of a JSON text.

    Raises:
        ReplyError: It is invalid or too long.
    """
    whole(text)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        why = f"{error.msg} at character {error.pos + 1}" if isinstance(error, json.JSONDecodeError) else "too large"
        raise ReplyError(f'invalid JSON {quoted(text)}: {why}; must be {{"actions": [names]}}') from None


def json_value(text: str) -> Any:
    """Return the value of a text that is JSON, or has one fenced block with JSON.

    Raises:
        ReplyError: There is none, it is invalid, or there are several blocks.
    """
    parts = text.split(_FENCE, 4)
    if text.lstrip()[:1] == "{" or len(parts) == 1:
        return loads(text)
    if len(parts) != 3:
        raise ReplyError("the reply must have one fenced block with a JSON object, from ``` to ```")
    kind, _, rest = parts[1].partition("\n")
    return loads(rest if kind.strip().isalnum() else parts[1])


def ending_values(text: str) -> list[Any]:
    """Return the JSON objects and lists with which a text ends, each on lines of its own; empty if there are none.

    Fences, tags such as ``<tool_call>`` and prefixes such as ``Action:`` are ignored. Reading goes backward from the
    end and stops after some positions at which no value begins that extends to the values already read, so that the
    time is in proportion to the length.

    Raises:
        ReplyError: The line before also has JSON with actions, so that only a part was read.
    """
    given = text[-LONGEST:]
    text = _WRAPPERS.sub(lambda found: " " * len(found[0]), given).rstrip()
    if text[-1:] not in ("}", "]"):
        return []
    values: list[Any] = []
    decoder, end, failures = json.JSONDecoder(), len(text), 0
    for begin in reversed([found.end() for found in _BEGIN.finditer(text)]):
        try:
            value, place = decoder.raw_decode(text, begin)
        except (ValueError, RecursionError):
            place = -1
        if place < 0 or text[place:end].strip(" \t\n,"):
            failures += 1
            if failures == _MOST_FAILURES:
                break
        else:
            if values and _EMPTY_LINE.search(given, place, end):
                raise ReplyError("several JSON objects, apart: end with one object that has all actions")
            values.append(value)
            end = text.rfind("\n", 0, begin) + 1
    before = text[: max(0, end - 1)]
    line = before[before.rfind("\n") + 1 :]
    like_json = line.strip() and (not line.strip()[0].isalpha() or line.rstrip(" \t.,;").endswith(("}", "]")))
    if values and like_json and '"' in line:
        raise ReplyError("the JSON can be read in part only: end with one object that has all actions")
    return values[::-1]
