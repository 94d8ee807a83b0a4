"""The messages of a conversation, in OpenAI's chat form, with early exchanges in full or summarized."""

import base64
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..engine.messages import plural

Message = dict[str, Any]
"""A chat message: ``role``, ``content`` (a text, or a list of parts), and other fields of an assistant's message."""
Reply = str | Mapping[str, Any]
"""A model's reply: a text, or an assistant message."""
NAMED = 50
"""The maximum number of past actions that a summary names."""


class Exchange(NamedTuple):
    """A message of the user, the model's reply, and the actions performed."""

    text: str
    """The user's text."""
    picture: bytes | None
    """The board as a PNG; None if it is in the text."""
    reply: Reply
    actions: tuple[str, ...]
    """The names of the actions that were performed."""


def messages_of(
    system: str, exchanges: Sequence[Exchange], text: str, picture: bytes | None, history: int | None
) -> list[Message]:
    """Return the messages to which the model must reply; the last one is the user's.

    Args:
        system: The system prompt.
        exchanges: All past exchanges.
        text: The user's last text.
        picture: The board as a PNG; None if it is in the text.
        history: The number of last exchanges to return in full; None: all. The actions of earlier ones are summarized
            in a sentence before the first message of the user.
    """
    count = len(exchanges) if history is None else min(history, len(exchanges))
    earlier, recent = exchanges[: len(exchanges) - count], exchanges[len(exchanges) - count :]
    messages: list[Message] = [{"role": "system", "content": system}]
    for exchange in recent:
        messages += _user_message(exchange.text, exchange.picture), *_assistant_messages(exchange.reply)
    messages.append(_user_message(text, picture))
    if earlier:
        messages[1]["content"] = _with_summary(_summary(earlier), messages[1]["content"])
    return messages


def _user_message(text: str, picture: bytes | None) -> Message:
    """Return a message of the user; its content has parts if there is a picture."""
    if picture is None:
        return {"role": "user", "content": text}
    address = f"data:image/png;base64,{base64.b64encode(picture).decode()}"
    parts = [{"type": "text", "text": text}, {"type": "image_url", "image_url": {"url": address}}]
    return {"role": "user", "content": parts}


def _assistant_messages(reply: Reply) -> list[Message]:
    """Return a reply as messages: the assistant's, and the result of each tool call, which is the same for all.

    An invalid reply, neither a text nor a message, becomes a text.
    """
    if not isinstance(reply, Mapping):
        return [{"role": "assistant", "content": str(reply)}]
    message = {**reply, "role": "assistant"}
    calls = message.get("tool_calls")
    if not isinstance(calls, list):
        return [message]
    named = [
        {**call, "id": call.get("id") or f"call_{place}"}
        for place, call in enumerate(calls)
        if isinstance(call, Mapping)
    ]
    message["tool_calls"] = named
    return [message, *({"role": "tool", "tool_call_id": call["id"], "content": "received"} for call in named)]


def _summary(exchanges: Sequence[Exchange]) -> str:
    """Return a sentence that summarizes the actions of exchanges."""
    actions = [action for exchange in exchanges for action in exchange.actions]
    if not actions:
        return f"Before: {plural(len(exchanges), 'reply', 'replies')}, no action."
    left_out = f"{plural(len(actions) - NAMED, 'action')}, then " if len(actions) > NAMED else ""
    return f"Before: {left_out}{', '.join(actions[-NAMED:])}."


def _with_summary(summary: str, content: Any) -> Any:
    """Return the content of a message with the summary before it."""
    if isinstance(content, str):
        return f"{summary}\n\n{content}"
    return [{"type": "text", "text": summary}, *content]
