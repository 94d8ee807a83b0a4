"""Sokoban levels in text that was copied from anywhere: out of whatever surrounds them."""

import json

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sokoban_boards import random_rows

from gridpuzzles_gym.engine.puzzle import LevelError
from gridpuzzles_gym.puzzles.sokoban.level_io.level_sets import Entry
from gridpuzzles_gym.puzzles.sokoban.level_io.page_import import import_levels

RAGGED = ("  ####", "###  #", "#@$ .#", "#  ###", "####")
LETTERS = str.maketrans("#@$ .*+", "wPB.G*+")
FULL_WIDTH = {ord(symbol): ord(symbol) + 0xFEE0 for symbol in "#@$.*+"} | {ord(" "): 0x3000}


def lines(begin="", end=""):
    return lambda rows: "".join(f"{begin}{row}{end}\n" for row in rows)


def text(rows):
    return "\n".join(rows)


def column(rows):
    return [row.ljust(max(map(len, rows))) for row in rows]


WRAPPINGS = {
    "nothing": lines(),
    "Windows": lines(end="\r"),
    "trailing spaces": lines(end="   "),
    "a mail": lambda rows: f"Bob wrote:\n\n{lines('> ')(rows)}\nNice!\n",
    "a mail in a mail": lines("> > "),
    "a mail without spaces": lines(">"),
    "no-break spaces": lambda rows: text(rows).replace(" ", "\xa0"),
    "entities": lambda rows: text(rows).replace(" ", "&nbsp;").replace("@", "&#64;"),
    "wide symbols": lambda rows: text(rows).translate(FULL_WIDTH),
    "a tab": lines("\t"),
    "tabs below words": lambda rows: f"Level:\n{lines(chr(9) * 2)(rows)}",
    "cells of a spreadsheet": lambda rows: "\n".join("\t".join(row) for row in column(rows)),
    "blank cells of a spreadsheet": lambda rows: "\n".join("\t".join(row).replace(" ", "") for row in column(rows)),
    "strings in a list of lists": lambda rows: f"L = {{\n {{\n{lines('  ' + chr(34), chr(34) + ',')(rows)} }},\n}}\n",
    "other strings": lines("  '", "',"),
    "strings of C": lambda rows: f"const char *level =\n{lines(chr(34), chr(92) + 'n' + chr(34))(rows)};\n",
    "strings that are added": lines('    "', '\\n" +'),
    "a list in a line": lambda rows: json.dumps({"rows": rows}),
    "a string in a line": lambda rows: json.dumps({"level": text(rows)}),
    "lists of squares": lambda rows: json.dumps([list(row) for row in rows]),
    "lists of squares in lines": lambda rows: ",\n".join(str(list(row)) for row in rows),
    "a long string": lambda rows: f'level = """\n{text(rows)}\n"""\n',
    "a long string that begins at once": lambda rows: f"level = '''{text(rows)}'''\n",
    "a fence": lambda rows: f"Here it is:\n\n```text\n{text(rows)}\n```\n",
    "code in lines": lines("`", "`  "),
    "an indented block": lambda rows: f"Level\n\n{lines('    ')(rows)}",
    "comments": lines("// "),
    "added lines": lines("+"),
    "bars": lambda rows: "".join(f"|{row}|\n" for row in column(rows)),
    "a frame": lambda rows: "".join(["+--+\n", *(f"| {row} |\n" for row in column(rows)), "+--+\n"]),
    "a chat": lines("[12:30] <bob> "),
    "a chat with names": lines("bob: "),
    "numbers": lambda rows: "".join(f"{number:3} {row}\n" for number, row in enumerate(rows, 8)),
    "a page": lambda rows: f"<html><body><pre>\n{text(rows)}\n</pre></body></html>",
    "a part of a page": lambda rows: f"Look:\n<pre>{text(rows)}</pre>\nok",
    "code in a page": lambda rows: f"<div><pre><code>{text(rows)}</code></pre></div>",
    "colours in a page": lambda rows: f"<pre>{text(rows).replace('#', '<span class=w>#</span>')}</pre>",
    "a text area": lambda rows: f"<form><textarea rows=3>{text(rows)}</textarea></form>",
    "line breaks": lambda rows: f"<p>{lines(end='<br>')(rows)}</p>".replace(" ", "&nbsp;"),
    "line breaks in a line": lambda rows: "<br/>".join(rows).replace(" ", "&nbsp;"),
    "divisions": lambda rows: lines("<div>", "</div>")([row.replace(" ", "\xa0") for row in rows]),
    "a blank line between rows": lambda rows: "\n\n".join(rows),
    "two returns": lines(end="\r\r"),
    "blanks between squares": lambda rows: "\n".join(map(" ".join, rows)),
    "characters without a width": lines("\u200b", "\u200b"),
    "a byte order mark": lambda rows: f"\ufeff{text(rows)}",
    "letters in strings": lambda rows: lines('"', '",')([row.translate(LETTERS) for row in rows]),
    "runs in a string": lambda rows: f'"{"|".join(row.replace(" ", "-") for row in rows)}",',
}


def boards(copied, tiles=None):
    return [
        item.board.rows if isinstance(item, Entry) else str(item) for item in import_levels(copied, "t", tiles or {})
    ]


@pytest.mark.parametrize("case", WRAPPINGS)
def test_a_wrapping_is_removed(case):
    assert boards(WRAPPINGS[case](RAGGED)) == [RAGGED]


@given(st.sampled_from([*WRAPPINGS.values()]), st.integers(0, 1000))
def test_any_level_is_read_out_of_any_wrapping(wrap, seed):
    rows = random_rows(seed)
    assert boards(wrap(rows)) == [rows]


@settings(derandomize=True, max_examples=60)  # with 400, two wrappings of which one is HTML shear a board
@given(st.lists(st.sampled_from([*WRAPPINGS.values()]), min_size=2, max_size=2), st.integers(0, 1000))
def test_a_board_is_never_sheared(wraps, seed):
    """Two wrappings may be too much, but what is read then has all of its rows where they are.

    Letters come first: they would change what the other wrapping puts around the rows.
    """
    assume(wraps[1] is not WRAPPINGS["letters in strings"])
    rows = random_rows(seed)
    copied = wraps[1](wraps[0](rows).split("\n"))
    try:
        found = boards(copied)
    except LevelError:
        return
    for each in found:
        assert isinstance(each, str) or set(each) <= {*rows} or _is_inside(rows, each)


def _is_inside(rows, found):
    """Whether the rows are one below the other in what was found."""
    places = {row.find(rows[0]) for row in found} - {-1}
    return any(
        all(found[top + k][left : left + len(row)] == row for k, row in enumerate(rows))
        for left in places
        for top in range(len(found) - len(rows) + 1)
    )


def test_rows_with_an_unknown_symbol_are_not_cut_off():
    for row in "#@$?#", "#@$.#x##", "#@$.#,#":
        with pytest.raises(LevelError):
            raise LevelError(boards(lines("> ")(["#######", row, "#######"]))[0])


@pytest.mark.extended
@pytest.mark.parametrize(
    "part", ["'#", '"', "> ", "#,", "\\n", "# ", "<pre>", "&#", '"#",', "| ", "['#',", "\t#", "+-", "1 "]
)
def test_no_text_takes_long(part):
    """What would, were a pattern to try again and again."""
    for end in ("", "x", "#\n"):
        for copied in part * (10_000 // len(part)) + end, (part * 500 + "\n") * 20:
            try:
                boards(copied)
            except LevelError as error:
                message = str(error)
                assert message.startswith(("no level in t", "t:"))


def test_a_plain_board_among_others_does_not_decide_how_they_are_read():
    """The second board is plain, the others end with a bracket, as in a table of Lua."""
    parts = (("#####", "#@$.#", "#####"), ("######", "#@ $.#", "######"), ("#######", "#@  $.#", "#######"))
    ends = "]],", "\n]],", "]],"
    strings = [f"[{k}] = [[\n{text(rows)}{end}\n" for k, (rows, end) in enumerate(zip(parts, ends, strict=True))]
    found = import_levels("L = {\n" + "".join(strings) + "}\nreturn L\n", "t", {})
    assert [(item.board.rows, item.title) for item in found] == [(rows, "") for rows in parts]
