"""Reading actions from lines that contain nothing else, in any of many notations.

A text is read in three steps.

1. *Lines.* Emphasis, quotes, bullets, the bars of a table, and labels such as ``Final answer:`` are removed. Empty
   lines, fences, rules and the header of a table are skipped. A line that ends with a comma continues in the next.
2. *Entries.* A line is split into entries at ``, ; | > ->``, *then*, *and*, and at a full stop after a word. If it
   begins with a step number (``1.``, ``1)``, ``(1)``, ``1:``, ``Step 1:``, ``#1``, ``1 |``), it is split at
   numbers of that notation instead. Lines ``1 up``, ``2 left``, ``3 down``, at least three of them, are numbered too.
3. *Actions.* An entry is one of: names with spaces in between, or letters of directions (``uurd``); a name with a
   count (``right x3``, ``3x right``, ``right (3)``, ``right*3``, ``right 3``); symbols of directions only (``↑→``);
   names with ``→`` in between; a symbol with its own name (``⬆️ Up``); a number. An entry may have a comment in
   parentheses that says nothing about actions.

A text that a person could read in several ways is invalid. These rules apply to all lines together:

- Numbers are actions only if all entries are numbers.
- If one entry has a step number, all must have one: 1, 2, 3, … Each is one action without a bare count.
- Bare counts that could be step numbers (``up 1, left 2``) are invalid, and so are bare numbers before names.
- Several lines must have one action each, perhaps with a count; no empty lines may separate them, unless they
  have numbers or bullets.
- Actions begin after a label: lines above it are not read. Two lines in a row with the same label are invalid.

Where a reply ends with actions (:meth:`ActionLines.ending`), either all lines after the last label are read, or the
last line alone. The latter is invalid if other lines look like a part of the plan: a plan is never read in part.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from .action_entries import DOUBTFUL_WORDS, STEP_NUMBERS, WORD, WRITE, ActionEntries, Entry
from .action_names import (
    LONGEST,
    LONGEST_FAULT,
    MOST_COUNTED,
    ActionNames,
    ReplyError,
    TooManyActionsError,
    quoted,
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
_GOES_ON = re.compile(r"(?:[,;>]|\b(?:then|and))\Z", re.IGNORECASE)
_BARE_STEP = re.compile(r"(\d{1,4})(?= [^\W\d])")
_BEGINNING = re.compile(r"\W*(?:\d+\W+)?([^\W\d][\w -]*?)\s*([(:;,|>↑↓←→])\s*([^\W\d_]*)")


class _Line(NamedTuple):
    """A line of a reply, without decoration."""

    text: str
    label: str
    """Its label in lower case; empty if there is none."""
    listed: bool
    """Whether it has a bullet or the bars of a table."""
    apart: bool
    """Whether an empty line precedes it."""


class ActionLines:
    """Reads actions from lines; see the module's docstring.

    Args:
        names: The names of the actions.
    """

    def __init__(self, names: ActionNames) -> None:
        self.names, self._entries = names, ActionEntries(names)
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
            *DOUBTFUL_WORDS,
        }

    def read(self, text: str) -> tuple[int, ...]:
        """Return the actions of a text that consists of actions only, perhaps after a label.

        Raises:
            ReplyError: It has any other word, no action, too many, or several readings.
        """
        return self._together(self._lines(whole(text)))

    def ending(self, text: str) -> tuple[int, ...]:
        """Return the actions with which a text ends.

        Raises:
            ReplyError: It does not end with actions, or they could be a part of a plan; or as for :meth:`read`.
        """
        lines = self._lines(text[-LONGEST:])
        if not lines:
            raise ReplyError(f"the reply is empty: {self.names.allowed}")
        begin = max((place for place, line in enumerate(lines) if line.label), default=0)
        if begin and lines[begin - 1].label == lines[begin].label and lines[begin - 1].text and not lines[begin].apart:
            raise ReplyError(f"{quoted(lines[begin].label)} appears twice in a row: {WRITE}")
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
            raise ReplyError(f"only a part of the lines can be read: {WRITE}; {self.names.allowed}")
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
        """Whether a line that cannot be read together with the last one looks like a part of a plan.

        A few words that form no sentence could be a misspelled name, unless the last line is ``apart``.
        """
        text = line.text[-LONGEST_FAULT:]
        end = text.rstrip(".,;!* ")
        if end.endswith("</answer>") or (":" in text and end.endswith(("}", "]"))):
            return True
        text = line.text
        words = {*map(str.lower, WORD.findall(text))}
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
        """Return the actions of lines that form one answer."""
        if lines and lines[0].label and not lines[0].text:
            lines = [line._replace(apart=line.apart and place > 0) for place, line in enumerate(lines[1:])]
        if any(line.label for line in lines[1:]):
            raise ReplyError(f"a label between actions: {WRITE}")
        lines = _continued(lines)
        bare = len(lines) > 2 and all(
            (found := _BARE_STEP.match(line.text)) and int(found[1]) == place for place, line in enumerate(lines, 1)
        )
        entries: list[Entry] = []
        for line in lines:
            text = _BARE_STEP.sub(r"\1:", line.text, count=1) if bare else line.text
            own = self._entries.read(text)
            if len(lines) > 1 and (len(own) != 1 or not own[0].single):
                raise ReplyError(f"several lines with several actions: {WRITE}")
            entries += own
            if len(entries) > MOST_COUNTED:
                raise self.names.too_many(len(entries))
        if any(line.apart for line in lines[1:]) and not all(map(_listed, lines)):
            raise ReplyError(f"actions with empty lines in between: {WRITE}")
        return self._checked(entries)

    def _checked(self, entries: Sequence[Entry]) -> tuple[int, ...]:
        """Return the actions of all entries."""
        numbers = [entry.number for entry in entries if entry.number is not None]
        if numbers:
            if len(numbers) < len(entries) or any(entry.step is not None for entry in entries):
                raise ReplyError(
                    f"numbers mixed with names of actions: write the name of each action; {self.names.allowed}"
                )
            return self.names.of_entries(numbers)
        steps = [entry.step for entry in entries]
        if any(step is not None for step in steps) and steps != [*range(1, len(steps) + 1)]:
            raise ReplyError(f"the numbers of the steps are not 1, 2, 3, …: {WRITE}")
        counts = [entry.bare for entry in entries]
        if len(counts) > 1 and counts == [*range(1, len(counts) + 1)]:
            raise ReplyError(f"the numbers after the actions can be counts or steps: {WRITE}")
        return self.names.checked([action for entry in entries for action in entry.actions])


def _listed(line: _Line) -> bool:
    """Whether a line is part of a list: it has a bullet, a number, or the bars of a table."""
    return line.listed or any(form.match(line.text) for form in STEP_NUMBERS)


def _continued(lines: Sequence[_Line]) -> list[_Line]:
    """Return the lines, each joined with the next if it ends with a separator."""
    groups: list[list[_Line]] = []
    for line in lines:
        before = groups[-1] if groups else None
        goes_on = before and not line.apart and _GOES_ON.search(before[-1].text[-5:])
        if before and goes_on and not (before[0].listed and not line.listed):
            before.append(line)
        else:
            groups.append([line])
    return [group[0]._replace(text=" ".join(line.text for line in group)) for group in groups]
