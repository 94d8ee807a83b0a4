r"""Reading the replies of a language model: the chosen actions, or the fault in the reply.

The forms of a reply, ``form=``:

``"plain"``
    Names of actions and nothing else, separated by commas or line breaks.
``"answer"``
    ``<answer>…</answer>``, with names as in plain; the last one counts, and the rest of the reply is not read.
``"json"``
    One JSON object with ``"action"`` (a name) or ``"actions"`` (a list), bare or in a fenced block.
``"tools"``
    Calls of the tool ``act(actions=[…])``, in OpenAI's form. The actions of several calls are performed in order.
``"lenient"``
    The end of the reply only: tool calls; or else an ``<answer>`` or ``\boxed{…}``; JSON on lines of
    its own, objects with such a key, lists of names, or calls of the tool; or lines of actions and nothing else, in any
    of many notations (:mod:`.action_lines`). Usually that is the last line, as the prompt asks for. A reply that a
    person could read in several ways is invalid, and so is a plan that can only be read in part.

Thoughts, such as ``<think>…</think>``, are not read in any form but plain, and tokens that end a turn, such as
``<|im_end|>``, in none. Reading never raises an error, and takes time in proportion to the length of a reply.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..engine.arguments import choice, integer
from .action_lines import ActionLines
from .action_names import MOST_COUNTED, ActionNames, ReplyError, quoted, whole
from .reply_json import ending_values, json_value, loads
from .reply_text import after_thoughts, final_answer, last_answer, normalized, text_of, without_end

REPLY_FORMATS = ("lenient", "plain", "answer", "json", "tools")
"""The forms of replies."""
MOST_ACTIONS = MOST_COUNTED
"""Maximum number of actions in one reply that can be allowed."""
TOOL = "act"
"""The name of the tool."""

_CACHE_SIZE = 10_000
_LONGEST_CACHED = 200


class Reply(NamedTuple):
    """The actions of a reply, or its fault."""

    actions: tuple[int, ...]
    """The actions, in order; empty if the reply is invalid."""
    fault: str
    """What is wrong, and what is allowed, in one line of at most 200 characters; empty if the reply is valid."""


class ReplyReader:
    """Reads replies; see the module's docstring.

    Args:
        actions: The name of each action, in order.
        form: A key of :data:`REPLY_FORMATS`.
        most: Maximum number of actions in one reply.

    Raises:
        ValueError: The form is unknown, ``most`` is not from 1 to 1,000, or names of actions are too similar.
    """

    def __init__(self, actions: Sequence[str], form: str = "lenient", most: int = 1) -> None:
        self.form = choice("form", form, REPLY_FORMATS)
        self.most = integer("most", most, 1, MOST_ACTIONS)
        self.names = ActionNames(actions, self.most)
        self._lines = ActionLines(self.names)
        self._read_text = {
            "plain": self._plain,
            "answer": self._answer,
            "json": self._json,
            "tools": self._no_call,
            "lenient": self._lenient,
        }[form]
        self._cache: dict[str, Reply] = {}

    def read(self, reply: str | Mapping[str, Any]) -> Reply:
        """Read a reply.

        Args:
            reply: A text, or an assistant message in OpenAI's form: ``{"role", "content", "tool_calls"}``.

        Returns:
            Its actions or its fault; no reply raises an error.
        """
        if isinstance(reply, str):
            found = self._cache.get(reply)
            if found is None:
                found = self._checked(reply)
                if len(reply) <= _LONGEST_CACHED:
                    if len(self._cache) >= _CACHE_SIZE:
                        self._cache.clear()
                    self._cache[reply] = found
            return found
        return self._checked(reply)

    @property
    def instructions(self) -> str:
        """The instructions on how to reply, with an example, for the system prompt."""
        names, most = self.names.names, self.most
        several = [names[0], names[-1], names[0]][:most]
        number = "one action" if most == 1 else f"1 to {most} actions, which are performed in order"
        commas = number if most == 1 else f"1 to {most} actions, separated by commas, which are performed in order"
        example, content = ", ".join(several), {"action": names[0]} if most == 1 else {"actions": several}
        how, example = {
            "lenient": (f"End your reply with a line that has nothing but {commas}.", f"\n{example}"),
            "plain": (f"Reply with nothing but {commas}.", f"\n{example}"),
            "answer": (
                f"End your reply with {commas}, between <answer> and </answer>.",
                f"\n<answer>{example}</answer>",
            ),
            "json": (f"Reply with a JSON object that has {number}.", f"\n{json.dumps(content)}"),
            "tools": (
                f"Reply with a call of the tool {TOOL} that has {number}.",
                f" {TOOL}(actions={json.dumps(several)})",
            ),
        }[self.form]
        return f"{how} Allowed are {', '.join(names)}. For example:{example}"

    @property
    def tools(self) -> list[dict[str, Any]] | None:
        """OpenAI's ``tools``: the one function of the form ``"tools"``; None for other forms."""
        if self.form != "tools":
            return None
        number = "One action" if self.most == 1 else f"One to {self.most} actions"
        actions = {
            "type": "array",
            "items": {"type": "string", "enum": list(self.names.names)},
            "minItems": 1,
            "maxItems": self.most,
            "description": f"{number}, performed in order.",
        }
        parameters = {
            "type": "object",
            "properties": {"actions": actions},
            "required": ["actions"],
            "additionalProperties": False,
        }
        description = "Perform actions; the result is what you see after them."
        return [{"type": "function", "function": {"name": TOOL, "description": description, "parameters": parameters}}]

    def _checked(self, reply: Any) -> Reply:
        try:
            return Reply(self._actions(reply), "")
        except ReplyError as fault:
            return Reply((), str(fault))

    def _actions(self, reply: Any) -> tuple[int, ...]:
        if isinstance(reply, str):
            return self._read_text(reply)
        if not isinstance(reply, Mapping):
            raise ReplyError(f"the reply must be a text or a message, not {quoted(reply)}")
        calls = reply.get("tool_calls") if self.form in ("tools", "lenient") else None
        if calls:
            return self._of_calls(calls)
        return self._read_text(text_of(reply.get("content")))

    def _of_calls(self, calls: Any) -> tuple[int, ...]:
        """Return the actions of tool calls."""
        if not isinstance(calls, list | tuple):
            raise ReplyError(f"tool_calls must be a list of calls, not {quoted(calls)}")
        actions: list[int] = []
        for call in calls:
            function = call.get("function") if isinstance(call, Mapping) else None
            if not isinstance(function, Mapping):
                raise ReplyError(f"a tool call must have a function with name and arguments, not {quoted(call)}")
            if function.get("name") != TOOL:
                raise ReplyError(f"unknown tool {quoted(function.get('name'))}: the only tool is {TOOL}")
            arguments = function.get("arguments")
            if isinstance(arguments, str):
                arguments = loads(arguments)
            if not isinstance(arguments, Mapping) or "actions" not in arguments:
                raise ReplyError(f'the arguments of {TOOL} must be {{"actions": […]}}, not {quoted(arguments)}')
            given = arguments["actions"]
            actions += self._of_values([given]) if self.form == "lenient" else self.names.listed(given)
        return self.names.checked(actions)

    def _no_call(self, text: str) -> tuple[int, ...]:
        what = "no tool call" if not text.strip() else f"no tool call, only {quoted(text)}"
        raise ReplyError(f'the reply has {what}: call {TOOL} with {{"actions": […]}}; {self.names.allowed}')

    def _plain(self, text: str) -> tuple[int, ...]:
        return self.names.strict(without_end(whole(text)))

    def _answer(self, text: str) -> tuple[int, ...]:
        answer = last_answer(after_thoughts(text), closed=True)
        if answer is None:
            what = "an action" if self.most == 1 else "actions separated by commas"
            raise ReplyError(f"the reply has no <answer>…</answer>, with {what} in between; {self.names.allowed}")
        return self.names.strict(answer)

    def _json(self, text: str) -> tuple[int, ...]:
        text = after_thoughts(text)
        try:
            found = json_value(text)
        except ReplyError as error:
            raise ReplyError(f"{error}; {self.names.allowed}") from None
        value = self._keyed(found)
        if "action" in found:
            if isinstance(value, list):
                raise ReplyError(f'"action" must be one name, not {quoted(value)}; "actions" is a list')
            value = [value]
        return self.names.listed(value)

    def _keyed(self, found: Any) -> Any:
        """Return the value of ``"action"`` or ``"actions"`` in a JSON object."""
        keys = [key for key in ("action", "actions") if isinstance(found, dict) and key in found]
        if len(keys) != 1:
            both = 'both "action" and "actions"' if keys else quoted(found)
            raise ReplyError(
                f'must be a JSON object with either "action" or "actions", not {both}; {self.names.allowed}'
            )
        return found[keys[0]]

    def _lenient(self, text: str) -> tuple[int, ...]:
        text = normalized(after_thoughts(text))
        answer = final_answer(text)
        values = ending_values(text if answer is None else answer)
        if values:
            return self._of_values(values)
        return self._lines.ending(text) if answer is None else self._lines.read(answer)

    def _of_values(self, values: list[Any]) -> tuple[int, ...]:
        """Return the actions of JSON values: objects, names, numbers, and lists of them."""
        items: list[Any] = []
        for value in values:
            items += value if isinstance(value, list) else [value]
        found: list[Any] = []
        for item in items:
            item = self._keyed(_arguments(item)) if isinstance(item, dict) else item
            found += item if isinstance(item, list) else [item]
        if found and all(isinstance(item, str) for item in found):
            return self._lines.read("\n".join(found))
        return self.names.of_entries(found)


def _arguments(value: dict[str, Any]) -> Any:
    """Return the arguments of a tool call that is written as JSON; any other object unchanged."""
    function = value.get("function", value)
    if isinstance(function, dict) and function.get("name") == TOOL:
        given = function.get("arguments", function.get("parameters"))
        return loads(given) if isinstance(given, str) else given
    return value
