"""JSON in replies: a reply that is an object, and the last object in a reply."""

import json
import re
from typing import Any

from .action_names import LONGEST, ReplyError, told, whole

_FENCE = "```"
_KEY = re.compile(r'"actions?"\s{0,20}:')
_TRIES = 8


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
        raise ReplyError(f'invalid JSON {told(text)}: {why}; must be {{"actions": [names]}}') from None


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


def last_object(text: str) -> dict[str, Any] | None:
    """Return the last JSON object in a text that has the key "action" or "actions"; None if there is none.

    Only the innermost objects around the last few of such keys are tried, so that the time is in proportion to the
    length.
    """
    text = text[-LONGEST:]
    decoder = json.JSONDecoder()
    for key in [found.start() for found in _KEY.finditer(text)][: -_TRIES - 1 : -1]:
        begin = key
        for _ in range(_TRIES):
            begin = text.rfind("{", 0, begin)
            if begin < 0:
                break
            try:
                value, end = decoder.raw_decode(text, begin)
            except (ValueError, RecursionError):
                continue
            if end > key and ("action" in value or "actions" in value):
                return dict(value)
    return None
