r"""Reading the replies of a language model: the chosen actions, or what is wrong with the reply.

A reply has one of two forms:

- Its last line is ``ACTIONS:`` and actions, separated by commas: ``ACTIONS: up, left``. Nothing above it is read.
- The whole reply is one JSON object: ``{"actions": ["up", "left"]}``. It may be in a fenced block, after thoughts
  (``<think>…</think>``), or be the arguments of a call of the tool ``act``.

An action is written as its name. If all actions are directions or waiting, an entry may also be a string of their
first letters, ``uurd``; and where there are the four directions, a string of arrows, ``↑↑→↓``. Case and emphasis
(``**ACTIONS:** up``) are ignored; spaces, underscores and hyphens are equal. Every other reply is invalid, and its
fault says what was found and what is allowed. Reading never raises an error.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..engine.arguments import integer
from ..engine.messages import plural, quote, shorten
from ..engine.system.files import read_json

REWARD_VERSION = 2
"""Raised whenever the same replies can get another reward or score than before; records and items contain it."""
MOST_ACTIONS = 1000
"""Maximum number of actions in one reply that can be allowed."""
TOOL = "act"
"""The name of the tool."""
LONGEST = 100_000
"""The number of characters at the end of a reply that are read."""
LONGEST_FAULT = 200
"""Maximum length of a fault, in characters."""

_LETTERS = {"up": "u", "down": "d", "left": "l", "right": "r", "wait": "w"}
_ARROWS = {"up": "↑", "down": "↓", "left": "←", "right": "→"}
_EMPHASIS = "*_`#> \t"
_THOUGHT = "<think>", "</think>"
_FENCE = re.compile(r"```\w*\s*")
_GAPS = re.compile(r"[\s_-]+")


class Reply(NamedTuple):
    """The actions of a reply, or its fault."""

    actions: tuple[int, ...]
    """The actions, in order; empty if the reply is invalid."""
    fault: str
    """What is wrong, and what is allowed, in one line of at most 200 characters; empty if the reply is valid."""


class ReplyError(ValueError):
    """Why a reply is invalid, in one line."""

    def __init__(self, message: str) -> None:
        super().__init__(shorten(message, LONGEST_FAULT))


class ReplyReader:
    """Reads replies; see the module's docstring.

    Args:
        actions: The name of each action, in order.
        most: Maximum number of actions in one reply.
        tools: Whether the model is offered the tool ``act``. Its calls are read in any case.

    Raises:
        ValueError: Two names differ too little, or a name contains a comma.
    """

    def __init__(self, actions: Sequence[str], most: int = 1, tools: bool = False) -> None:
        self.actions, self.most = tuple(actions), integer("actions_per_reply", most, 1, MOST_ACTIONS)
        self.offers_tool = tools
        self._numbers = {_key(name): number for number, name in enumerate(self.actions)}
        if len(self._numbers) < len(self.actions) or any("," in name for name in self.actions):
            raise ValueError(f"action names {quote(self.actions)}: must differ in letters, and have no commas")
        keys = set(self._numbers)
        self._symbols: dict[str, int] = {}
        if set(_ARROWS) <= keys:
            self._symbols = {arrow: self._numbers[name] for name, arrow in _ARROWS.items()}
            if keys <= set(_LETTERS):
                self._symbols |= {_LETTERS[name]: number for name, number in self._numbers.items()}

    def read(self, reply: Any) -> Reply:
        """Return the actions of a reply, or its fault.

        Args:
            reply: A text, or an assistant message in OpenAI's form; anything else is an invalid reply.
        """
        try:
            if isinstance(reply, Mapping) and reply.get("tool_calls"):
                actions = [action for call in _calls(reply["tool_calls"]) for action in self._listed(call)]
            else:
                line, value = _parts(reply, "ACTIONS")
                actions = self._entries(line) if value is None else self._listed(value)
            if len(actions) > self.most:
                allowed = plural(self.most, "action is", "actions are")
                raise ReplyError(f"the reply has {len(actions):,} actions; at most {allowed} allowed")
            return Reply(tuple(actions), "")
        except ReplyError as fault:
            return Reply((), shorten(f"{fault}; {self._allowed}", LONGEST_FAULT))

    @property
    def _allowed(self) -> str:
        return shorten(f"allowed are {', '.join(self.actions)}", LONGEST_FAULT // 2)

    def _listed(self, value: Any) -> list[int]:
        """Return the actions of a JSON object."""
        listed = value.get("actions") if isinstance(value, Mapping) else None
        if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
            raise ReplyError(f'the JSON must be {{"actions": [names]}}, not {_quoted(value)}')
        if not listed:
            raise ReplyError("the reply has no action")
        return [action for entry in listed for action in self._entry(entry)]

    def _entries(self, line: str) -> list[int]:
        """Return the actions after ``ACTIONS:``."""
        if not line:
            raise ReplyError("the reply has no action")
        return [action for entry in line.split(",") for action in self._entry(entry)]

    def _entry(self, entry: str) -> list[int]:
        """Return the actions of one entry: a name, letters or arrows."""
        entry = entry.strip(f"{_EMPHASIS}'\".")
        number = self._numbers.get(_key(entry))
        if number is not None:
            return [number]
        symbols = "".join(entry.lower().split())
        if not symbols or any(symbol not in self._symbols for symbol in symbols):
            raise ReplyError(f"invalid action {_quoted(entry)}" if entry else "there is no action between two commas")
        return [self._symbols[symbol] for symbol in symbols]

    @property
    def instructions(self) -> str:
        """The instructions on how to reply, with an example, for the system prompt."""
        several = [self.actions[0], self.actions[-1], self.actions[0]][: self.most]
        if self.offers_tool:
            number = "one action" if self.most == 1 else f"1 to {self.most} actions, which are performed in order"
            how = f"Reply with a call of the tool {TOOL} that has {number}."
            example = f" {TOOL}(actions={json.dumps(several)})"
        else:
            number = "one action" if self.most == 1 else f"1 to {self.most} actions, which are performed in order,"
            commas = "" if self.most == 1 else " separated by commas"
            how = f"End your reply with one line: ACTIONS: and {number}{commas}."
            example = f"\nACTIONS: {', '.join(several)}"
        return f"{how} Allowed are {', '.join(self.actions)}. For example:{example}"

    @property
    def tools(self) -> list[dict[str, Any]] | None:
        """OpenAI's ``tools``: the one function, if it is offered."""
        if not self.offers_tool:
            return None
        actions = {
            "type": "array",
            "items": {"type": "string", "enum": list(self.actions)},
            "minItems": 1,
            "maxItems": self.most,
            "description": f"{'One action' if self.most == 1 else f'1 to {self.most} actions'}, performed in order.",
        }
        parameters = {
            "type": "object",
            "properties": {"actions": actions},
            "required": ["actions"],
            "additionalProperties": False,
        }
        description = "Perform actions; the result is what you see after them."
        return [{"type": "function", "function": {"name": TOOL, "description": description, "parameters": parameters}}]


def read_choice(reply: Any, choices: Sequence[str]) -> str | None:
    """Return the answer of a reply to a question: its last line is ``ANSWER:`` and one of ``choices``.

    A JSON object ``{"answer": …}`` is read too; everything else gives None.
    """
    try:
        line, value = _parts(reply, "ANSWER")
    except ReplyError:
        return None
    given = value.get("answer") if isinstance(value, Mapping) else line
    word = given.strip(f"{_EMPHASIS}'\".").lower() if isinstance(given, str) else None
    return word if word in choices else None


def text_of(content: Any) -> str:
    """Return the text of a message's ``content``, which is a text, a list of parts, or None."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list | tuple) else ()
    texts = [part.get("text") if isinstance(part, Mapping) else part for part in parts]
    return "\n".join(text for text in texts if isinstance(text, str))


def _parts(reply: Any, label: str) -> tuple[str, Any]:
    """Return what follows the label on the last line of a reply, or ``""`` and the reply's JSON value.

    Raises:
        ReplyError: It has neither.
    """
    if not isinstance(reply, str | Mapping):
        raise ReplyError(f"the reply must be a text or a message, not {_quoted(reply)}")
    text = reply if isinstance(reply, str) else text_of(reply.get("content"))
    end = text.rfind(_THOUGHT[1])
    if text.rfind(_THOUGHT[0]) > end:
        raise ReplyError(f"the reply ends before {_THOUGHT[1]}")
    text = text[max(end + len(_THOUGHT[1]), len(text) - LONGEST) if end >= 0 else -LONGEST :].strip().rstrip("`\n\r\t ")
    if not text:
        raise ReplyError("the reply is empty")
    last = text.splitlines()[-1]
    name, colon, rest = last.partition(":")
    if colon and name.strip(_EMPHASIS).upper() == label:
        return rest.strip(_EMPHASIS), None
    fenced = _FENCE.match(text)
    text = text[fenced.end() :] if fenced else text
    if not text.startswith("{"):
        raise ReplyError(
            f"the last line must begin with {label}:, or the reply be a JSON object; it is {_quoted(last)}"
        )
    return "", _loaded(text)


def _calls(calls: Any) -> list[Any]:
    """Return the arguments of tool calls."""
    found = []
    for call in calls if isinstance(calls, list | tuple) else [calls]:
        function = call.get("function") if isinstance(call, Mapping) else None
        if not isinstance(function, Mapping) or function.get("name") != TOOL:
            raise ReplyError(f"a tool call must have the function {TOOL}, not {_quoted(call)}")
        arguments = function.get("arguments")
        found.append(_loaded(arguments) if isinstance(arguments, str) else arguments)
    return found


def _loaded(text: str) -> Any:
    try:
        return read_json(text, "the JSON object")
    except ValueError as error:
        raise ReplyError(str(error)) from None


def _quoted(value: Any) -> str:
    return quote(value, 40)


def _key(name: str) -> str:
    return _GAPS.sub(" ", name.strip()).lower()
