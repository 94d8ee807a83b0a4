"""Reading actions from lines that consist of actions and nothing else, however they are written.

A text is read in three steps.

1. *Lines.* Each line loses what does not matter: emphasis, quotes, a bullet, the bars of a table, and a label such as
   ``Final answer:``. Empty lines, fences and rules are skipped, and so is what is above the rule of a table. A line
   that ends with a comma goes on in the next.
2. *Entries.* A line is split into entries at ``, ; | > ->``, *then*, *and*, and at a full stop after a word. If it
   begins with the number of a step (``1.``, ``1)``, ``(1)``, ``1:``, ``Step 1:``, ``#1``, ``1 |``), it is split at
   numbers of the same form instead. Lines ``1 up``, ``2 left``, ``3 down``, at least three of them, are numbered too.
3. *Actions.* An entry is one of: names with spaces in between, or letters of directions (``uurd``); a name with a
   count (``right x3``, ``3x right``, ``right (3)``, ``right*3``, ``right 3``); symbols of directions only (``↑→``);
   names with ``→`` in between; a symbol with its own name (``⬆️ Up``); a number. An entry may have a comment in
   parentheses, words that say nothing of actions.

What a person could read in several ways is a fault. These rules hold for the lines together:

- Numbers are actions only if all entries are numbers.
- If one entry has the number of a step, all have: 1, 2, 3, … Each is one action, and has no bare count.
- Bare counts that could be such numbers (``up 1, left 2``) are a fault, and so are bare numbers before names.
- Several lines must have one action each, or one count; without numbers or bullets they are not apart.
- A label begins the actions: what is above it is not read. Two lines in a row with the same label are a fault.

Where a reply ends with actions (:meth:`ActionLines.ending`), either all lines after the last label are read, or the
last line alone. The latter is a fault if other lines look as if they belonged to it: a plan is never read in part.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .action_names import (
    ARROWS,
    LONGEST,
    LONGEST_FAULT,
    MOST_COUNTED,
    ActionNames,
    ReplyError,
    TooManyActionsError,
    told,
    whole,
)
from .reply_text import LABEL

_BLANK = re.compile(r"`{3,}\w*|[-=*_#~\s|`]*")
_QUOTE = re.compile(r"(?:>\s?)+(?=[^\s>])|#{1,6}\s+")
_BULLET = re.compile(r"[-+*•–]\s+")
_PAIR = re.compile(r"(?<![\w*])\*(?=\S)([^*]+)(?<=\S)\*(?![\w*])")
_TIMES = re.compile(r"(?<=[\w)])[*×](?=\d)|(?<=[\w)] )[*×](?= ?\d)")
_TIMES_AFTER = re.compile(r"(?<=\d)[*×](?=\w)|(?<=\d )[*×](?= \w)|(?<=\d)×")
_MARKS_AROUND = re.compile(r"(?<![^\W_])_+|_+(?![^\W_])|[*\"'`$]")
_LABEL = re.compile(rf"({LABEL}|{LABEL.removesuffix('[:=]')}\Z)\s*", re.IGNORECASE)
_CALL = re.compile(r"act\s?\(\s?(?:actions\s?=\s?)?(.*)\)")
_JOINED = re.compile(r"(?:,? ?(?<!\w)(?:then|and)(?!\w))+,?", re.IGNORECASE)
_SEPARATOR = re.compile(r"[,;|]|[-=]{1,3}>|>|(?<=[^\W\d_])[.!]\s|(?<=\))[.!]\s")
_GOES_ON = re.compile(r"(?:[,;>]|\b(?:then|and))\Z", re.IGNORECASE)
_STEPS = tuple(
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
_BARE_STEP = re.compile(r"(\d{1,4})(?= [^\W\d])")
_COMMENT = re.compile(r"(?<=[^\W_]) ?\(([^()]*)\)")
_DOUBTS = {
    *("not", "no", "or", "if", "maybe", "perhaps", "instead", "unless", "optional", "optionally", "either", "except"),
    *(
        "once",
        "twice",
        "thrice",
        "times",
        "again",
        "repeat",
        "repeated",
        "each",
        "both",
        "all",
        "every",
        "until",
        "till",
    ),
    *("to", "as", "while", "along", "step", "steps", "square", "squares", "cell", "cells", "another", "more"),
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "several", "few", "many"),
}
"""Words with which a comment could change what is meant, or how often."""
_COUNTS = (
    (re.compile(r"\( ?(\d{1,6}) ?\)"), r" \1 "),
    (re.compile(r"\( ?x? ?(\d{1,6}) ?(?:x|times)? ?\)", re.IGNORECASE), r" ×\1 "),
    (re.compile(r"(?<!\w)x ?(\d{1,6})(?!\w)", re.IGNORECASE), r" ×\1 "),
    (re.compile(r"(?<!\w)(\d{1,6}) ?(?:x|times)(?!\w)", re.IGNORECASE), r" \1× "),
)
_AFTER, _BEFORE = re.compile(r"×(\d+)|(\d+)×"), re.compile(r"(\d+)×")
_WORD = re.compile(r"[^\W\d_]+")
_BEGINNING = re.compile(r"\W*(?:\d+\W+)?([^\W\d][\w -]*?)\s*([(:;,|>↑↓←→])\s*([^\W\d_]*)")
_SYMBOL = re.compile(rf"\( ?([{ARROWS}]) ?\)")
_FRAME = {"(": ")", "[": "]", "{": "}", "<": ">"}
_SAID = "end with one line that has nothing but actions, separated by commas"


class _Line(NamedTuple):
    """A line of a reply without what does not matter."""

    text: str
    label: str
    """Its label in small letters; empty if there is none."""
    listed: bool
    """Whether it has a bullet or the bars of a table."""
    apart: bool
    """Whether there is an empty line before it."""


class _Entry(NamedTuple):
    """One entry: its actions, or its number."""

    actions: tuple[int, ...]
    number: int | None = None
    """The action's number, if it is given by number."""
    single: bool = True
    """Whether it is one action, perhaps with a count."""
    bare: int = 0
    """The count, if it is bare."""
    step: int | None = None
    """The number of the step."""


class ActionLines:
    """Reads actions from lines; see the module's docstring.

    Args:
        names: The names of the actions.
    """

    def __init__(self, names: ActionNames) -> None:
        self.names = names
        own = names.vocabulary
        self._known = own | {
            "x",
            "times",
            "then",
            "and",
            "step",
            "action",
            "move",
            "turn",
            "answer",
            "actions",
            *_DOUBTS,
        }

    def read(self, text: str) -> tuple[int, ...]:
        """Return the actions of a text that consists of actions only, perhaps after a label.

        Raises:
            ReplyError: There is any other word, no action, too many, or several ways to read the text.
        """
        return self._together(self._lines(whole(text)))

    def ending(self, text: str) -> tuple[int, ...]:
        """Return the actions with which a text ends.

        Raises:
            ReplyError: It does not end with actions, they could be a part of a plan, or as for :meth:`read`.
        """
        lines = self._lines(text[-LONGEST:])
        if not lines:
            raise ReplyError(f"the reply is empty: {self.names.allowed}")
        begin = max((place for place, line in enumerate(lines) if line.label), default=0)
        if begin and lines[begin - 1].label == lines[begin].label and lines[begin - 1].text and not lines[begin].apart:
            raise ReplyError(f"{told(lines[begin].label)} is there twice in a row: {_SAID}")
        body = lines[begin:]
        try:
            return self._together(body)
        except TooManyActionsError:
            raise
        except ReplyError:
            if len(body) == 1:
                raise
        last = body[-1]
        alone = self._together([last._replace(label="", apart=False)])
        first = max(place for place, line in enumerate(body) if line.apart or place == 0)
        near = body[min(first, len(body) - 2) : -1]
        if (_listed(last) and any(map(_listed, body[:-1]))) or any(
            self._like_actions(line, last.apart) for line in near
        ):
            raise ReplyError(f"only a part of the lines can be read: {_SAID}; {self.names.allowed}")
        return alone

    # -- lines -----------------------------------------------------------------------------------

    def _lines(self, text: str) -> list[_Line]:
        lines: list[_Line] = []
        apart = False
        for raw in text.splitlines():
            line = raw.strip()
            if lines and {"|", "-"} <= set(line) <= set("|-: \t"):
                lines[-1] = _Line("", "table", False, lines[-1].apart)
            elif _BLANK.fullmatch(line):
                apart = bool(lines)
            else:
                lines.append(self._line(line, apart))
                apart = False
        return lines

    def _line(self, line: str, apart: bool) -> _Line:
        line = _QUOTE.sub("", line, count=1) if _QUOTE.match(line) else line
        bullet = _BULLET.match(line)
        line = line[bullet.end() :] if bullet else line
        table = line.startswith("|")
        line = line.strip("|") if table and not line.startswith("||") else line
        line = line.replace("\t", " | ") if line[:1].isdigit() else line
        line = _PAIR.sub(r" \1 ", line.replace("**", " "))
        line = _TIMES_AFTER.sub("x ", _TIMES.sub(" x", " ".join(line.split())))
        line = " ".join(_MARKS_AROUND.sub(" ", line).split())
        label = _LABEL.match(line) if self.names.named(line) is None else None
        rest = line[label.end() :] if label else line
        return _Line(rest.strip(), label[0].lower() if label else "", bool(bullet) or table, apart)

    def _like_actions(self, line: _Line, apart: bool) -> bool:
        """Whether a line that cannot be read, or not with the last one, looks like a part of a plan.

        A few words that are no sentence could be a name with an error, unless the last line is ``apart``.
        """
        text = line.text[-LONGEST_FAULT:]
        end = text.rstrip(".,;!* ")
        if end.endswith("</answer>") or (":" in text and end.endswith(("}", "]"))):
            return True
        text = line.text
        words = {*map(str.lower, _WORD.findall(text))}
        if not words:
            return not line.label
        if words <= self._known:
            return True
        if _listed(line):
            return False
        if not apart and len(text.split()) <= self.names.words + 1 and text[-1] not in ".!?:":
            return True
        begin = _BEGINNING.match(text[:LONGEST_FAULT])
        if begin is None or self.names.named(begin[1]) is None:
            return False
        return begin[2] != "," or begin[3].lower() in self.names.vocabulary

    # -- lines together --------------------------------------------------------------------------

    def _together(self, lines: Sequence[_Line]) -> tuple[int, ...]:
        """The actions of lines that are one answer."""
        if lines and lines[0].label and not lines[0].text:
            lines = [line._replace(apart=line.apart and place > 0) for place, line in enumerate(lines[1:])]
        if any(line.label for line in lines[1:]):
            raise ReplyError(f"a label between actions: {_SAID}")
        lines = _continued(lines)
        bare = len(lines) > 2 and all(
            (found := _BARE_STEP.match(line.text)) and int(found[1]) == place for place, line in enumerate(lines, 1)
        )
        entries: list[_Entry] = []
        for line in lines:
            text = _BARE_STEP.sub(r"\1:", line.text, count=1) if bare else line.text
            own = self._entries(text)
            if len(lines) > 1 and (len(own) != 1 or not own[0].single):
                raise ReplyError(f"several lines with several actions: {_SAID}")
            entries += own
            if len(entries) > MOST_COUNTED:
                raise self.names.too_many(len(entries))
        if any(line.apart for line in lines[1:]) and not all(map(_listed, lines)):
            raise ReplyError(f"actions with empty lines in between: {_SAID}")
        return self._checked(entries)

    def _checked(self, entries: Sequence[_Entry]) -> tuple[int, ...]:
        """The actions of all entries."""
        numbers = [entry.number for entry in entries if entry.number is not None]
        if numbers:
            if len(numbers) < len(entries) or any(entry.step is not None for entry in entries):
                raise ReplyError(
                    f"numbers beside names of actions: write the name of each action; {self.names.allowed}"
                )
            return self.names.of_entries(numbers)
        steps = [entry.step for entry in entries]
        if any(step is not None for step in steps) and steps != [*range(1, len(steps) + 1)]:
            raise ReplyError(f"the numbers of the steps are not 1, 2, 3, …: {_SAID}")
        counts = [entry.bare for entry in entries]
        if len(counts) > 1 and counts == [*range(1, len(counts) + 1)]:
            raise ReplyError(f"the numbers after the actions can be counts or steps: {_SAID}")
        return self.names.checked([action for entry in entries for action in entry.actions])

    # -- entries ---------------------------------------------------------------------------------

    def _entries(self, text: str) -> list[_Entry]:
        """The entries of a line."""
        text = _unframed(text)
        call = _CALL.fullmatch(text)
        text = _unframed(call[1]) if call else text
        if ".." in text:
            raise ReplyError(f"the actions are not all there, in {told(text)}: {_SAID}")
        form = next((form for form in _STEPS if form.match(text)), None)
        text = _COMMENT.sub(self._without_comment, text)
        if form is not None:
            return self._numbered(form, text)
        if any(map(str.isalpha, text)) or any(symbol in text for symbol in ARROWS):
            text = text.rstrip(".! ")
        pieces = _SEPARATOR.split(_JOINED.sub(" > ", text))
        if len(pieces) > 1 and not pieces[-1].strip() and text.rstrip()[-1:] in (",", ";"):
            pieces.pop()
        entries: list[_Entry] = []
        found = 0
        for piece in pieces:
            entry = self._entry(piece)
            entries.append(entry)
            found += max(1, len(entry.actions))
            if found > MOST_COUNTED:
                raise self.names.too_many(found)
        return entries

    def _numbered(self, form: re.Pattern[str], text: str) -> list[_Entry]:
        """The entries of a line that begins with the number of a step."""
        pieces = form.split(text)
        entries: list[_Entry] = []
        for number, piece in zip(pieces[1::2], pieces[2::2], strict=True):
            entry = self._entry(piece.strip(" ,;|.!"))
            if not entry.single or entry.number is not None or entry.bare:
                raise ReplyError(f"step {number} must be one action, not {told(piece.strip())}: {_SAID}")
            entries.append(entry._replace(step=int(number)))
            if len(entries) > MOST_COUNTED:
                raise self.names.too_many(len(entries))
        return entries

    def _without_comment(self, found: re.Match[str]) -> str:
        """What a group in parentheses after a word leaves: nothing, if it says nothing of actions."""
        words = {*map(str.lower, _WORD.findall(found[1]))}
        idle = words and words.isdisjoint(self.names.vocabulary | _DOUBTS) and not re.search(rf"[\d{ARROWS}]", found[1])
        return " " if idle and words != {"x"} else found[0]

    def _entry(self, piece: str) -> _Entry:
        """One entry: see the module's docstring."""
        piece = _unframed(piece.strip())
        if not piece:
            raise ReplyError(f"an entry has no action: {self.names.allowed}")
        action = None if " " in piece else self.names.named(piece)
        if action is not None:
            return _Entry((action,))
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
                return _Entry(self._repeated(action, words[-1]), bare=int(words[-1]))
        return self._run(words)

    def _numbers(self, words: list[str]) -> _Entry:
        if len(words) > 1:  # "0 2 1"
            return _Entry(self.names.of_entries(words), single=False)
        if len(words[0]) > 9:
            raise ReplyError(f"invalid action {told(words[0])}: {self.names.allowed}")
        return _Entry((), int(words[0]))

    def _with_arrows(self, piece: str) -> _Entry:
        """An entry with symbols of directions."""
        parts = [part.strip() for part in re.split(f"([{ARROWS}])", piece)]
        symbols, words = [*"".join(parts[1::2])], [part for part in parts[::2] if part]
        if not words and self.names.arrows:
            return _Entry(tuple(self.names.arrows[symbol] for symbol in symbols), single=len(symbols) == 1)
        if len(words) == len(symbols) + 1 and {*symbols} == {"→"}:
            entries = [self._entry(word) for word in words]
            if any(entry.number is not None for entry in entries):
                raise ReplyError(f"numbers with arrows in between: {_SAID}")
            return _Entry(tuple(action for entry in entries for action in entry.actions), single=False)
        if len(words) == len(symbols) == 1:
            action = self.names.named(_unframed(words[0]))
            if action is not None and action == self.names.arrows.get(symbols[0]):
                return _Entry((action,))
        raise ReplyError(f"{told(piece)} can be read in several ways: {_SAID}")

    def _repeated(self, action: int, count: str) -> tuple[int, ...]:
        """An action as often as a count says."""
        number = int(count[:9])
        if number > self.names.most:
            raise self.names.too_many(number)
        if not number:
            raise ReplyError(f"an action with the count 0: {_SAID}")
        return (action,) * number

    def _run(self, words: list[str]) -> _Entry:
        """The actions of words with no separator but white space, read in the only possible way."""
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
            raise ReplyError(f"invalid action {told(words[min(furthest, len(words) - 1)])}: {self.names.allowed}")
        if ways[-1] > 1:
            raise ReplyError(f"{told(' '.join(words))} can be read in several ways: separate actions by commas")
        found: list[tuple[int, ...]] = []
        place, single = len(words), True
        while place:
            place, actions, single = last[place]
            found.append(actions)
        return _Entry(
            tuple(action for actions in reversed(found) for action in actions), single=single and len(found) == 1
        )

    def _readings(self, words: list[str], place: int) -> Iterator[tuple[int, tuple[int, ...], bool]]:
        """The ways to read the next words: how many words they are, their actions, and whether it is one action."""
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


def _listed(line: _Line) -> bool:
    """Whether a line is one of a list: with a bullet, a number, or the bars of a table."""
    return line.listed or any(form.match(line.text) for form in _STEPS)


def _continued(lines: Sequence[_Line]) -> list[_Line]:
    """The lines, those joined of which the first ends with a separator."""
    groups: list[list[_Line]] = []
    for line in lines:
        before = groups[-1] if groups else None
        goes_on = before and not line.apart and _GOES_ON.search(before[-1].text[-5:])
        if before and goes_on and not (before[0].listed and not line.listed):
            before.append(line)
        else:
            groups.append([line])
    return [group[0]._replace(text=" ".join(line.text for line in group)) for group in groups]


def _unframed(text: str) -> str:
    """A text without brackets around all of it."""
    text = text.strip()
    inner = text.rstrip(".!")
    while len(inner) > 2 and _FRAME.get(inner[0]) == inner[-1] and not re.search(r"[(\[{<>}\])]", inner[1:-1]):
        text = inner = inner[1:-1].strip()
    return text
