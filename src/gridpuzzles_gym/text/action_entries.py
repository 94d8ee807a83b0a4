"""Reading one line of actions: its entries and their actions; :mod:`.action_lines` describes the grammar."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from .action_names import ARROWS, MOST_COUNTED, ActionNames, ReplyError, quoted

WRITE = "end with one line that has nothing but actions, separated by commas"
"""The advice at the end of faults."""
STEP_NUMBERS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        r"(?<!\w)(?:step|action|move|turn) ?#?(\d{1,4}) ?(?:[:.)]|[-–] )",
        r"(?<![\w.])(\d{1,4})\.(?!\d)",
        r"(?<![\w(])(\d{1,4})\)",
        r"[(\[](\d{1,4})[)\]](?= ?[^\s,;.])",
        r"(?<!\w)(\d{1,4}):",
        r"#(\d{1,4})[:.)]?(?= )",
        r"(?<!\w)(\d{1,4}) ?\|",
    )
)
"""Patterns of step numbers, one for each notation."""
WORD = re.compile(r"[^\W\d_]+")
_DOUBTFUL_WORDS = """
not no or if maybe perhaps instead unless optional optionally either except once twice thrice times again repeat each
repeated both all every until till to as while along step steps square squares cell cells another more several few many
one two three four five six seven eight nine ten
"""
DOUBTFUL_WORDS = frozenset(_DOUBTFUL_WORDS.split())
"""Words by which a comment could change which actions are meant, or how often."""

_CALL = re.compile(r"act\s?\(\s?(?:actions\s?=\s?)?(.*)\)")
_JOINED = re.compile(r"(?:,? ?(?<!\w)(?:then|and)(?!\w))+,?", re.IGNORECASE)
_SEPARATOR = re.compile(r"[,;|]|[-=]{1,3}>|>|(?<=[^\W\d_])[.!]\s|(?<=\))[.!]\s")
_COMMENT = re.compile(r"(?<=[^\W_]) ?\(([^()]*)\)")
_COUNTS = (
    (re.compile(r"\( ?(\d{1,6}) ?\)"), r" \1 "),
    (re.compile(r"\( ?x? ?(\d{1,6}) ?(?:x|times)? ?\)", re.IGNORECASE), r" ×\1 "),
    (re.compile(r"(?<!\w)x ?(\d{1,6})(?!\w)", re.IGNORECASE), r" ×\1 "),
    (re.compile(r"(?<!\w)(\d{1,6}) ?(?:x|times)(?!\w)", re.IGNORECASE), r" \1× "),
)
_AFTER, _BEFORE = re.compile(r"×(\d+)|(\d+)×"), re.compile(r"(\d+)×")
_SYMBOL = re.compile(rf"\( ?([{ARROWS}]) ?\)")
_FRAME = {"(": ")", "[": "]", "{": "}", "<": ">"}


class Entry(NamedTuple):
    """One entry: its actions, or the number of its action."""

    actions: tuple[int, ...]
    number: int | None = None
    """The action's number, if the entry is a number."""
    single: bool = True
    """Whether it is one action, perhaps with a count."""
    bare: int = 0
    """The count, if it is a number without a sign such as ``x``."""
    step: int | None = None
    """The step number before the entry."""


class ActionEntries:
    """Reads lines of actions.

    Args:
        names: The names of the actions.
    """

    def __init__(self, names: ActionNames) -> None:
        self.names = names

    def read(self, text: str) -> list[Entry]:
        """Return the entries of a line.

        Raises:
            ReplyError: It contains anything but actions, or can be read in several ways.
        """
        text = _unframed(text)
        call = _CALL.fullmatch(text)
        text = _unframed(call[1]) if call else text
        if ".." in text:
            raise ReplyError(f"the list of actions is incomplete: {quoted(text)}: {WRITE}")
        form = next((form for form in STEP_NUMBERS if form.match(text)), None)
        text = _COMMENT.sub(self._without_comment, text)
        if form is not None:
            return self._numbered(form, text)
        if any(map(str.isalpha, text)) or any(symbol in text for symbol in ARROWS):
            text = text.rstrip(".! ")
        pieces = _SEPARATOR.split(_JOINED.sub(" > ", text))
        if len(pieces) > 1 and not pieces[-1].strip() and text.rstrip()[-1:] in (",", ";"):
            pieces.pop()
        entries: list[Entry] = []
        found = 0
        for piece in pieces:
            entry = self._entry(piece)
            entries.append(entry)
            found += max(1, len(entry.actions))
            if found > MOST_COUNTED:
                raise self.names.too_many(found)
        return entries

    def _numbered(self, form: re.Pattern[str], text: str) -> list[Entry]:
        """Return the entries of a line that begins with a step number."""
        pieces = form.split(text)
        entries: list[Entry] = []
        for number, piece in zip(pieces[1::2], pieces[2::2], strict=True):
            entry = self._entry(piece.strip(" ,;|.!"))
            if not entry.single or entry.number is not None or entry.bare:
                raise ReplyError(f"step {number} must be one action, not {quoted(piece.strip())}: {WRITE}")
            entries.append(entry._replace(step=int(number)))
            if len(entries) > MOST_COUNTED:
                raise self.names.too_many(len(entries))
        return entries

    def _without_comment(self, found: re.Match[str]) -> str:
        """Return the replacement of parentheses after a word: a space if they say nothing about actions."""
        words = {*map(str.lower, WORD.findall(found[1]))}
        idle = (
            words
            and words.isdisjoint(self.names.vocabulary | DOUBTFUL_WORDS)
            and not re.search(rf"[\d{ARROWS}]", found[1])
        )
        return " " if idle and words != {"x"} else found[0]

    def _entry(self, piece: str) -> Entry:
        """Return one entry; :mod:`.action_lines` describes the grammar."""
        piece = _unframed(piece.strip())
        if not piece:
            raise ReplyError(f"an entry has no action: {self.names.allowed}")
        action = None if " " in piece else self.names.named(piece)
        if action is not None:
            return Entry((action,))
        if any(symbol in piece for symbol in ARROWS):
            return self._with_arrows(_SYMBOL.sub(r" \1 ", piece))
        for form, count in _COUNTS:
            piece = form.sub(count, piece)
        words = piece.split()
        if all(map(self.names.is_number, words)):
            return self._numbers(words)
        if len(words) > 1 and self.names.is_number(words[-1]):
            action = self.names.named(" ".join(words[:-1]))
            if action is None and words[0].lower() in self.names.letters and len(words) == 2:
                action = self.names.letters[words[0].lower()]
            if action is not None:
                return Entry(self._repeated(action, words[-1]), bare=int(words[-1]))
        return self._run(words)

    def _numbers(self, words: list[str]) -> Entry:
        if len(words) > 1:  # "0 2 1"
            return Entry(self.names.of_entries(words), single=False)
        if len(words[0]) > 9:
            raise ReplyError(f"invalid action {quoted(words[0])}: {self.names.allowed}")
        return Entry((), int(words[0]))

    def _with_arrows(self, piece: str) -> Entry:
        """Return an entry with arrows."""
        parts = [part.strip() for part in re.split(f"([{ARROWS}])", piece)]
        symbols, words = [*"".join(parts[1::2])], [part for part in parts[::2] if part]
        if not words and self.names.arrows:
            return Entry(tuple(self.names.arrows[symbol] for symbol in symbols), single=len(symbols) == 1)
        if len(words) == len(symbols) + 1 and {*symbols} == {"→"}:
            entries = [self._entry(word) for word in words]
            if any(entry.number is not None for entry in entries):
                raise ReplyError(f"numbers with arrows in between: {WRITE}")
            return Entry(tuple(action for entry in entries for action in entry.actions), single=False)
        if len(words) == len(symbols) == 1:
            action = self.names.named(_unframed(words[0]))
            if action is not None and action == self.names.arrows.get(symbols[0]):
                return Entry((action,))
        raise ReplyError(f"{quoted(piece)} can be read in several ways: {WRITE}")

    def _repeated(self, action: int, count: str) -> tuple[int, ...]:
        """Return an action, repeated by a count."""
        number = int(count[:9])
        if number > self.names.most:
            raise self.names.too_many(number)
        if not number:
            raise ReplyError(f"an action with the count 0: {WRITE}")
        return (action,) * number

    def _run(self, words: list[str]) -> Entry:
        """Return the actions of words separated by white space only, which must have exactly one reading."""
        ways = [1] + [0] * len(words)
        last: list[tuple[int, tuple[int, ...], bool]] = [(0, (), True)] * len(ways)
        furthest = 0
        for place in range(len(words)):
            if place > furthest:
                break
            for used, actions, single in self._readings(words, place) if ways[place] else ():
                ways[place + used] = min(ways[place + used] + ways[place], 2)
                last[place + used] = place, actions, single
                furthest = max(furthest, place + used)
        if not ways[-1]:
            raise ReplyError(f"invalid action {quoted(words[min(furthest, len(words) - 1)])}: {self.names.allowed}")
        if ways[-1] > 1:
            raise ReplyError(f"{quoted(' '.join(words))} can be read in several ways: separate actions by commas")
        found: list[tuple[int, ...]] = []
        place, single = len(words), True
        while place:
            place, actions, single = last[place]
            found.append(actions)
        return Entry(
            tuple(action for actions in reversed(found) for action in actions), single=single and len(found) == 1
        )

    def _readings(self, words: list[str], place: int) -> Iterator[tuple[int, tuple[int, ...], bool]]:
        """Yield the readings of the next words: the number of words, their actions, and whether it is one action."""
        begin = place
        before = _BEFORE.fullmatch(words[place])
        if before:
            begin += 1
        for used in range(1, min(self.names.words, len(words) - begin) + 1):
            end = begin + used
            action = self.names.named(" ".join(words[begin:end]))
            letters = self.names.letters if action is None and used == 1 else {}
            if letters and all(letter in letters for letter in words[begin].lower()):
                if len(words[begin]) > 1:
                    if not before:
                        yield 1, tuple(letters[letter] for letter in words[begin].lower()), False
                    continue
                action = letters[words[begin].lower()]
            if action is None:
                continue
            yield end - place, self._repeated(action, before[1]) if before else (action,), True
            after = _AFTER.fullmatch(words[end]) if end < len(words) and not before else None
            if after:
                yield end + 1 - place, self._repeated(action, after[1] or after[2]), True


def _unframed(text: str) -> str:
    """Return a text without brackets around all of it."""
    text = text.strip()
    inner = text.rstrip(".!")
    while len(inner) > 2 and _FRAME.get(inner[0]) == inner[-1] and not re.search(r"[(\[{<>}\])]", inner[1:-1]):
        text = inner = inner[1:-1].strip()
    return text
