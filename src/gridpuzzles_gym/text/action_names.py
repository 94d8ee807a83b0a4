"""Reading actions from words: strictly, or leniently from a line that consists of actions and nothing else.

Names are compared without case; spaces, underscores and hyphens are equal: ``"turn_left"`` is ``"Turn left"``. The
number of an action is a name of it too.
"""

import itertools
import re
import reprlib
from collections.abc import Iterator, Sequence
from typing import Any

from ..engine.messages import one_line, plural, quote, shorten

LONGEST_FAULT = 200
"""Maximum length of a fault, in characters."""
LONGEST = 100_000
"""How many characters at the end of a reply are read; what must be read as a whole cannot be longer."""
LONGEST_WORD = 60
"""Maximum length of the name of an action, in characters; no longer piece of a reply is compared with names."""
DIRECTIONS = ("up", "down", "left", "right")
LETTERS = {"up": "u", "down": "d", "left": "l", "right": "r", "wait": "w"}
"""The letters of LURD strings, the notation of Sokoban."""

_QUOTED = 40
_GAPS = re.compile(r"[\s_-]+")
_SEPARATORS = re.compile(r"[-=]>|[→⇒;|\n\r]")
_FENCE = re.compile(r"```\w*")
_BULLET = re.compile(r"\s*(?:[-+*•–>#]+|\(?\d{1,4}[.)])\s+")
_PREFIX = re.compile(
    r"(?:(?:the|my|your|final|next|best|chosen)\s+){0,4}"
    r"(?:actions?|moves?|answers?|plan|choice|decision|reply|response|output)\s*[*_`]*\s*[:=]",
    re.IGNORECASE,
)
_BOXED = re.compile(r"\\boxed\s*\{(?:\\text\s*\{)?")
_DECORATION = " \t*_`~\"'“”‘’«»()[]{}<>#$.!,:"
_JOINING = ("then", "and")


class ReplyError(ValueError):
    """Why a reply is invalid, in one line."""

    def __init__(self, message: str) -> None:
        super().__init__(shorten(message, LONGEST_FAULT))


class TooManyActionsError(ReplyError):
    """A reply has more actions than are allowed."""


def told(value: Any) -> str:
    """Return a value for a fault, quoted and shortened; however large it is, that takes little time."""
    if isinstance(value, str):
        return quote(value, _QUOTED)
    try:
        return shorten(one_line(reprlib.repr(value)), _QUOTED)
    except Exception:  # an integer of thousands of digits
        return f"<{type(value).__name__}>"


def whole(text: str) -> str:
    """Return the text if it is short enough to be read as a whole.

    Raises:
        ReplyError: It is not.
    """
    if len(text) > LONGEST:
        raise ReplyError(f"{told(text)} has {len(text):,} characters; the maximum is {LONGEST:,}")
    return text


class ActionNames:
    """The names of an environment's actions, and how many of them a reply may have.

    Args:
        names: The name of each action, in order.
        most: Maximum number of actions in one reply.

    Raises:
        ValueError: A name cannot be told from another one, or has a character that separates actions.
    """

    def __init__(self, names: Sequence[str], most: int) -> None:
        self.names, self.most = tuple(names), most
        self._numbers = {str(number): number for number in range(len(self.names))}
        found: dict[str, int] = {}
        for number, name in enumerate(self.names):
            key = _key(name)
            if not key or len(name) > LONGEST_WORD or re.search(r"[,;|\n\r]|[-=]>", name):
                what = f"must be words of at most {LONGEST_WORD} characters, without , ; | -> and line breaks"
                raise ValueError(f"action name {quote(name)}: {what}")
            if key in found:
                raise ValueError(f"action names {quote(self.names[found[key]])} and {quote(name)} must differ in more")
            found[key] = number
        for key, number in list(found.items()):
            found.setdefault(key.replace(" ", ""), number)  # "TurnLeft"
        self._found = found
        self._words = max((key.count(" ") + 1 for key in found), default=1)
        self._letters = self._lurd()

    @property
    def allowed(self) -> str:
        """The names that are allowed, in words, for faults."""
        return shorten(f"allowed are {', '.join(self.names)}", LONGEST_FAULT // 2)

    def one(self, word: str) -> int:
        """Return the action with that name or number.

        Raises:
            ReplyError: There is none.
        """
        action = self._action(word)
        if action is None:
            raise ReplyError(f"invalid action {told(word)}: {self.allowed}")
        return action

    def strict(self, text: str) -> tuple[int, ...]:
        """Return the actions of a text that consists of names only, separated by commas or line breaks.

        Raises:
            ReplyError: It has anything else, no action, or too many.
        """
        return self.checked([self.one(item) for item in _items(text)])

    def lenient(self, text: str) -> tuple[int, ...]:
        """Return the actions of lines that consist of actions only, however they are separated and decorated.

        Raises:
            ReplyError: There is any other word, no action, too many, or several ways to read the words.
        """
        actions: list[int] = []
        for line in whole(text).splitlines():
            for part in _SEPARATORS.sub(",", _without(_BOXED, _without(_PREFIX, _undecorated(line)))).split(","):
                words = [word for piece in part.split() if (word := piece.strip(_DECORATION))]
                for joined, run in itertools.groupby(words, lambda word: word.lower() in _JOINING):
                    if not joined:
                        actions += self._run(list(run))
        return self.checked(actions)

    def is_blank(self, line: str) -> bool:
        """Whether a line has nothing but decoration, such as the fence of a block of code."""
        return bool(_FENCE.fullmatch(line.strip())) or not _undecorated(line).strip(_DECORATION + "-=|")

    def listed(self, value: Any, lenient: bool) -> tuple[int, ...]:
        """Return the actions of a JSON value: a list of names or numbers.

        Args:
            value: The value.
            lenient: Whether a single name or number, and names as in :meth:`lenient`, are accepted too.

        Raises:
            ReplyError: It is anything else, or has no action or too many.
        """
        items = [value] if lenient and not isinstance(value, list) else value
        if not isinstance(items, list):
            raise ReplyError(f'"actions" must be a list of names, not {told(value)}: {self.allowed}')
        if len(items) > LONGEST:
            raise TooManyActionsError(f"the list has {len(items):,} entries; the maximum is {LONGEST:,}")
        actions: list[int] = []
        for item in items:
            if isinstance(item, int) and not isinstance(item, bool):
                if not 0 <= item < len(self.names):
                    raise ReplyError(f"invalid action number {told(item)}: {self.allowed}")
                actions.append(item)
            elif not isinstance(item, str):
                raise ReplyError(f"invalid action {told(item)}: must be a name; {self.allowed}")
            else:
                actions += self.lenient(item) if lenient else (self.one(item),)
        return self.checked(actions)

    def checked(self, actions: Sequence[int]) -> tuple[int, ...]:
        """Return the actions if their number is allowed.

        Raises:
            ReplyError: There is none, or there are too many.
        """
        if not actions:
            raise ReplyError(f"the reply has no action: {self.allowed}")
        if len(actions) > self.most:
            most = plural(self.most, "action is", "actions are")
            raise TooManyActionsError(f"the reply has {len(actions):,} actions; at most {most} allowed")
        return tuple(actions)

    def _action(self, word: str) -> int | None:
        if len(word) > 2 * LONGEST_WORD:
            return None
        found = self._found.get(_key(word))
        return self._numbers.get(word.strip()) if found is None else found

    def _lurd(self) -> dict[str, int]:
        """The action of each letter; empty unless the actions are the four directions, and perhaps waiting."""
        keys = {_key(name): number for number, name in enumerate(self.names)}
        if not set(DIRECTIONS) <= set(keys) <= set(LETTERS):
            return {}
        return {LETTERS[key]: number for key, number in keys.items()}

    def _run(self, words: list[str]) -> list[int]:
        """The actions of words with no separator but white space, read in the only possible way."""
        ways = [1] + [0] * len(words)
        last: list[tuple[int, Sequence[int]]] = [(0, ())] * len(ways)
        furthest = 0
        for place in range(len(words)):
            if place > furthest:
                break
            for used, actions in self._readings(words, place) if ways[place] else ():
                ways[place + used] = min(ways[place + used] + ways[place], 2)
                last[place + used] = place, actions
                furthest = max(furthest, place + used)
        if not ways[-1]:
            raise ReplyError(f"invalid action {quote(words[min(furthest, len(words) - 1)], _QUOTED)}: {self.allowed}")
        if ways[-1] > 1:
            raise ReplyError(f"{told(' '.join(words))} can be read in several ways: separate actions by commas")
        found: list[int] = []
        place = len(words)
        while place:
            place, actions = last[place]
            found += reversed(actions)
        return found[::-1]

    def _readings(self, words: list[str], place: int) -> Iterator[tuple[int, Sequence[int]]]:
        """The ways to read the next words: how many words they are, and their actions."""
        for used in range(1, min(self._words, len(words) - place) + 1):
            action = self._action(" ".join(words[place : place + used]))
            if action is not None:
                yield used, (action,)
            elif used == 1 and self._letters and all(letter in self._letters for letter in words[place].lower()):
                yield 1, [self._letters[letter] for letter in words[place].lower()]


def _key(name: str) -> str:
    return _GAPS.sub(" ", name.strip()).lower()


def _items(text: str) -> Iterator[str]:
    """The pieces of a text between commas and line breaks; empty lines are skipped, and a comma may end a line."""
    for line in text.splitlines():
        items = line.split(",")
        if len(items) > 1 and not items[-1].strip():
            items.pop()
        if len(items) > 1 or items[0].strip():
            yield from items


def _undecorated(line: str) -> str:
    """A line without a bullet and without what emphasizes or quotes its beginning."""
    return _without(_BULLET, line).lstrip(_DECORATION)


def _without(beginning: re.Pattern[str], line: str) -> str:
    found = beginning.match(line)
    return line[found.end() :].lstrip(_DECORATION) if found else line
