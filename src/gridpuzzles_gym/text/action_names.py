"""The names and numbers of actions, and the faults of replies that have others.

Case is ignored; spaces, underscores and hyphens are equal: ``"turn_left"`` is ``"Turn left"``. The number of an action
is accepted only if all entries of a reply are numbers: among names, it could be a count or a step number.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ..engine.messages import plural, quote, shorten

LONGEST_FAULT = 200
"""Maximum length of a fault, in characters."""
LONGEST = 100_000
"""The number of characters at the end of a reply that are read; the maximum length of what must be read as a whole."""
LONGEST_WORD = 60
"""Maximum length of the name of an action, in characters."""
MOST_COUNTED = 1000
"""The number of entries after which reading stops, because the reply has too many actions."""
DIRECTIONS = ("up", "down", "left", "right")
LETTERS = {"up": "u", "down": "d", "left": "l", "right": "r", "wait": "w"}
"""The letters of LURD strings, the notation of Sokoban."""
ARROWS = "↑↓←→"
"""The symbols of the four directions."""

_QUOTED = 40
_GAPS = re.compile(r"[\s_-]+")
_DIGITS = re.compile(r"\s*[0-9]+\s*")


class ReplyError(ValueError):
    """Why a reply is invalid, in one line."""

    def __init__(self, message: str) -> None:
        super().__init__(shorten(message, LONGEST_FAULT))


class TooManyActionsError(ReplyError):
    """A reply has more actions than are allowed."""


def quoted(value: Any) -> str:
    """Return a value quoted and shortened, for a fault."""
    return quote(value, _QUOTED)


def whole(text: str) -> str:
    """Return the text if it is short enough to be read as a whole.

    Raises:
        ReplyError: It is longer.
    """
    if len(text) > LONGEST:
        raise ReplyError(f"{quoted(text)} has {len(text):,} characters; the maximum is {LONGEST:,}")
    return text


class ActionNames:
    """The names of an environment's actions, and how many of them a reply may have.

    Args:
        names: The name of each action, in order.
        most: Maximum number of actions in one reply.

    Attributes:
        words: The maximum number of words of a name.
        letters: The action of each letter of LURD strings; empty unless the actions are the four directions, with or
            without waiting.
        arrows: The action of each of :data:`ARROWS`; empty unless the four directions are among the actions.

    Raises:
        ValueError: Two names differ too little, or a name has a character that separates actions.
    """

    def __init__(self, names: Sequence[str], most: int) -> None:
        self.names, self.most = tuple(names), most
        found: dict[str, int] = {}
        for number, name in enumerate(self.names):
            key = _key(name)
            if not key or len(name) > LONGEST_WORD or re.search(r"[,;|\n\r]|[-=]>", name):
                what = f"must be words of at most {LONGEST_WORD} characters, without , ; | -> and line breaks"
                raise ValueError(f"action name {quote(name)}: {what}")
            if key in found:
                raise ValueError(f"action names {quote(self.names[found[key]])} and {quote(name)} must differ in more")
            found[key] = number
        own = dict(found)
        for key, number in own.items():
            found.setdefault(key.replace(" ", ""), number)  # "TurnLeft"
        self._found = found
        self.words = max((key.count(" ") + 1 for key in found), default=1)
        four = set(DIRECTIONS) <= set(own)
        self.arrows = {symbol: own[key] for symbol, key in zip(ARROWS, DIRECTIONS, strict=True)} if four else {}
        lurd = four and set(own) <= set(LETTERS)
        self.letters = {LETTERS[key]: number for key, number in own.items()} if lurd else {}
        self.vocabulary = {word for key in own for word in key.split()} | set(self.letters)
        """All words in names, and the letters."""

    @property
    def allowed(self) -> str:
        """The sentence that lists the allowed names, for faults."""
        return shorten(f"allowed are {', '.join(self.names)}", LONGEST_FAULT // 2)

    def named(self, word: str) -> int | None:
        """Return the action with that name; None if there is none."""
        return self._found.get(_key(word)) if len(word) <= 2 * LONGEST_WORD else None

    def is_number(self, word: str) -> bool:
        """Whether a word is a number, and not the name of an action."""
        return len(word) <= LONGEST and bool(_DIGITS.fullmatch(word)) and self.named(word) is None

    def strict(self, text: str) -> tuple[int, ...]:
        """Return the actions of a text that consists of names only, separated by commas or line breaks.

        Raises:
            ReplyError: It contains anything else, no action, or too many.
        """
        return self.of_entries(list(_items(text)))

    def of_entries(self, entries: Sequence[Any]) -> tuple[int, ...]:
        """Return the actions of a list of names, or of numbers.

        Raises:
            ReplyError: It contains anything else, both, no action, or too many.
        """
        if len(entries) > LONGEST:
            raise TooManyActionsError(f"the list has {len(entries):,} entries; the maximum is {LONGEST:,}")
        actions, numbers = [], 0
        for entry in entries:
            if isinstance(entry, int) and not isinstance(entry, bool):
                if not 0 <= entry < len(self.names):
                    raise ReplyError(f"invalid action number {quoted(entry)}: {self.allowed}")
                actions.append(entry)
                numbers += 1
            elif not isinstance(entry, str):
                raise ReplyError(f"invalid action {quoted(entry)}: must be a name; {self.allowed}")
            else:
                action = self.named(entry)
                if action is None and self.is_number(entry) and len(entry) <= LONGEST_WORD:
                    numbers += 1
                    action = int(entry) if int(entry) < len(self.names) else None
                if action is None:
                    raise ReplyError(f"invalid action {quoted(entry)}: {self.allowed}")
                actions.append(action)
        if 0 < numbers < len(entries):
            raise ReplyError(f"numbers mixed with names of actions: write the name of each action; {self.allowed}")
        return self.checked(actions)

    def listed(self, value: Any) -> tuple[int, ...]:
        """Return the actions of a JSON value: a list of names or of numbers.

        Raises:
            ReplyError: It is anything else, or has no action, or too many.
        """
        if not isinstance(value, list):
            raise ReplyError(f'"actions" must be a list of names, not {quoted(value)}: {self.allowed}')
        return self.of_entries(value)

    def checked(self, actions: Sequence[int]) -> tuple[int, ...]:
        """Return the actions, unless there are none or too many.

        Raises:
            ReplyError: There are none or too many.
        """
        if not actions:
            raise ReplyError(f"the reply has no action: {self.allowed}")
        if len(actions) > self.most:
            raise self.too_many(len(actions))
        return tuple(actions)

    def too_many(self, number: int) -> TooManyActionsError:
        """Return the error for a reply with this number of actions."""
        most = plural(self.most, "action is", "actions are")
        found = f"{number:,}" if number <= MOST_COUNTED else f"over {MOST_COUNTED:,}"
        return TooManyActionsError(f"the reply has {found} actions; at most {most} allowed")


def _key(name: str) -> str:
    return _GAPS.sub(" ", name.strip()).lower()


def _items(text: str) -> Iterator[str]:
    """Yield the pieces of a text between commas and line breaks; empty lines and commas at line ends are skipped."""
    for line in text.splitlines():
        items = line.split(",")
        if len(items) > 1 and not items[-1].strip():
            items.pop()
        if len(items) > 1 or items[0].strip():
            yield from items
