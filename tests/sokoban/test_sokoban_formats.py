"""The formats of Sokoban's level files: each both ways, and none that does harm."""

import random
import re

import gymnasium as gym
import pytest
from hypothesis import given
from hypothesis import strategies as st
from level_texts import SOKOBAN_SPELLINGS
from sokoban_boards import random_rows

from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.engine.puzzle import LevelError
from gridpuzzles_gym.puzzles.sokoban import PUZZLE
from gridpuzzles_gym.puzzles.sokoban.level_io.formats import WRITERS, read_entries
from gridpuzzles_gym.puzzles.sokoban.level_io.level_sets import Entry, as_written

OPTIONS = PUZZLE.read_options()
PLAIN = ("#####", "#@$.#", "#   #", "#####")
BOARD = "".join(f"{row}\n" for row in PLAIN)
XML_SPELLING = (
    "<SokobanLevels><LevelCollection><Level Id='a'><L>#######</L><L>#+   .#</L>"
    "<L># $$* #</L><L>#     #</L><L>#######</L></Level></LevelCollection></SokobanLevels>"
)
FULL = ("#######", "#+   .#", "# $$* #", "#     #", "#######")


def contents(text):
    return [level.content for level in PUZZLE.parse(text, "t")]


def names(text):
    return [level.name for level in PUZZLE.parse(text, "t")]


# -- each both ways ------------------------------------------------------------------------------

words = st.text("abc XYZ:;#<&\"'é1", max_size=12).map(lambda text: text.strip().lstrip("; "))


@given(st.sampled_from(list(WRITERS)), st.lists(st.integers(0, 500), min_size=1, max_size=4), st.data())
def test_every_format_goes_round(form, seeds, data):
    boards = [random_rows(seed) for seed in seeds]
    written = []
    for number, rows in enumerate(boards):
        (entry,) = read_entries("\n".join(rows), "t")
        title, author = (f"{data.draw(words)} {part}{number}" for part in ("title", "author"))
        author = author * data.draw(st.booleans())
        comments = () if form == "slc" else tuple(f"{data.draw(words)} c{number}{k}".strip() for k in range(number % 3))
        written.append(Entry(entry.board, title.strip(), author.strip(), comments))
    again = read_entries(WRITERS[form](written), "t")
    assert [entry.board.rows for entry in again] == [entry.board.rows for entry in written]
    assert [entry[1:] for entry in again] == [entry[1:] for entry in written]
    assert contents(WRITERS[form](again)) == boards


ANY = st.text(
    st.sampled_from("a1 ;#<&'|-\x00\x1b\n\r\t\x7f\x85\xa0\u2028\ufeff\uffff\ud800\u200b日"), max_size=8
) | st.sampled_from(["Title: x", "author :", "Comment-End", "Comment:", "solution", "::", "lurd", "# @", "#" * 9])


@given(st.lists(st.tuples(ANY, ANY, st.lists(ANY, max_size=2)), min_size=1, max_size=3))
def test_whatever_titles_hold_is_read_back(said):
    (entry,) = read_entries(BOARD, "t")
    entries = [Entry(entry.board, title, author, tuple(comments)) for title, author, comments in said]
    for form, write in WRITERS.items():
        text = write(entries)
        again = read_entries(text.encode().decode(), "t")
        kept = [as_written(each) for each in entries]
        if form == "slc":  # it numbers levels without a title, and has no room for comments
            kept = [each._replace(title=each.title or str(n), comments=()) for n, each in enumerate(kept, 1)]
        assert [each[1:] for each in again] == [each[1:] for each in kept], form
        assert [each.board.rows for each in again] == [entry.board.rows] * len(entries)


# -- spellings -----------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [*SOKOBAN_SPELLINGS, XML_SPELLING])
def test_every_spelling_is_the_same_level(text):
    assert contents(text) == [FULL]
    assert contents(text.replace("\n", "\r\n")) == [FULL]
    assert [level.content for level in find_levels(PUZZLE, text + "\n")] == [FULL]
    plain = gym.make("Sokoban-v0", levels="\n".join([*FULL, ""])).reset(seed=0)[0]
    assert (gym.make("Sokoban-v0", levels=text + "\n").reset(seed=0)[0] == plain).all()


# -- collections ---------------------------------------------------------------------------------


def test_a_collection_of_a_sok_file():
    text = f"""\
:::::::::::::::::::::::::::::
:: Legend:  Wall......:  #  :
:::::::::::::::::::::::::::::

Collection: Mine
Author: Somebody

First

{BOARD}
Author: Ann
Comment:
A hint.

{BOARD}
Comment-End:

Solution/Moves (1/1)
R

Second

{BOARD}
Author: Ben
Comment: short
"""
    first, second = read_entries(text, "t")
    assert (first.title, first.author, second.title, second.author) == ("First", "Ann", "Second", "Ben")
    assert "A hint." in first.comments
    assert second.comments[-1] == "short"


def test_the_titles_of_xsok():
    tables = ";WALLS\n    12 f floor\n. 13 f goal\n#  0 0 walls\n\n;OBJECTS\n@ 0 f player\n$ 1 f box\n\n;MAXLEVEL 2\n"
    text = f"{tables};LEVEL First steps\n;AUTHOR Ann\n;COMMENT easy\n{BOARD}\n;LEVEL 2\n;AUTHOR Ann\n{BOARD}"
    first, second = read_entries(text, "t")
    assert (first.title, first.author, first.comments) == ("First steps", "Ann", ("easy",))
    assert (second.title, second.author) == ("2", "Ann")
    with pytest.raises(LevelError, match="t:8:1: '-' in a table"):
        read_entries(text.replace("$ 1", "- 4"), "t")


def test_only_where_walls_are_hashes_is_said_what_p_and_b_mean():
    for text, hint in (("#####\n#P .#\n#B. #\n#####", True), ("  *****\n* P # *\n*  .  *\n*# ## *\n*******", False)):
        with pytest.raises(LevelError) as caught:
            PUZZLE.parse(text, "t")
        assert ("with # for walls" in str(caught.value)) == hint


def test_an_xml_collection():
    text = f"""<?xml version="1.0" encoding="ISO-8859-1"?>
<!DOCTYPE SokobanLevels SYSTEM "SokobanLev.dtd">
<SokobanLevels><Title>All</Title>
  <LevelCollection Copyright="Ann">
    <Level Id="one &amp; only" Width="5" Height="4">
{"".join(f"<L>{row}</L>" for row in PLAIN)}
    </Level>
    <Level Id="" Copyright="Ben"><L>#####</L><L>#@$.#</L><L>#####</L></Level>
  </LevelCollection>
</SokobanLevels>
"""
    first, second = read_entries(text, "t")
    assert (first.board.rows, first.title, first.author) == (PLAIN, "one & only", "Ann")
    assert (second.title, second.author) == ("", "Ben")
    assert names(text) == ["one & only", "t:8"]


# -- what cannot be ------------------------------------------------------------------------------


def xml(body, head=""):
    return f"{head}<SokobanLevels><Level Id='a'>{body}</Level></SokobanLevels>"


INVALID = {
    "XML: unknown symbol": (xml("\n<L>####</L>\n <L>#@?#</L>"), r"t:3:7: unknown symbol '\?'"),
    "XML: no player": (xml("\n<L>####</L><L># .#</L><L>####</L>"), "t:2:4: no player"),
    "XML: not closed": ("<SokobanLevels><Level>", "t:1:23: not well-formed XML: no element found"),
    "XML: no rows": (xml(""), "t:1:1: a level must have rows"),
    "XML: a row on two lines": (xml("<L>####\n####</L>"), "t:1:33: a row must not contain line breaks"),
    "XML: a bomb": (
        xml("<L>&b;</L>", '<!DOCTYPE s [<!ENTITY a "####"><!ENTITY b "&a;&a;&a;&a;">]>'),
        "t:1:13: this document declares entities",
    ),
    "XML: a file": (
        xml("<L>&x;</L>", '<!DOCTYPE s [<!ENTITY x SYSTEM "file:///etc/passwd">]>'),
        "declares entities of its own",
    ),
    "XML: too deep": ("<SokobanLevels>" + "<a>" * 10_000, "over 16 nested elements"),
    "XML: half a character": (xml("<L>\ud800</L>"), "an unpaired surrogate"),
}


@pytest.mark.parametrize("case", INVALID)
def test_a_file_that_cannot_be(case):
    text, message = INVALID[case]
    with pytest.raises(LevelError, match=message):
        PUZZLE.parse(text, "t")


@pytest.mark.parametrize("text", ["", "\n\n", "; nothing\n", "Just words.\nAnd more.\n", "12\n", "-----\n"])
def test_a_file_without_a_level(tmp_path, text):
    path = tmp_path / "x.txt"
    path.write_text(text)
    with pytest.raises(LevelError, match="no level in"):
        find_levels(PUZZLE, path)


def test_too_much_is_refused(tmp_path, monkeypatch):
    with pytest.raises(LevelError, match="over 16 MiB of XML"):
        PUZZLE.parse("<SokobanLevels>" + " " * 2**24, "t")
    path = tmp_path / "large.slc"
    with path.open("wb") as file:
        file.truncate(64 * 2**20 + 1)
    with pytest.raises(LevelError, match=r"large\.slc is over 64 MiB"):
        find_levels(PUZZLE, path)


# -- anything ------------------------------------------------------------------------------------

(ENTRY,) = read_entries(BOARD, "t")
MUTATED = [write([ENTRY._replace(title="t", author="a", comments=("c",))] * 2) for write in WRITERS.values()]


def check(text):
    try:
        levels = PUZZLE.parse(text, "t")
    except LevelError as error:
        wrong = str(error)
    else:
        wrong = ""
    if wrong:
        assert re.match(r"t:\d+:\d+: ", wrong)
        return
    for level in levels:
        row, state = PUZZLE.encode(level, level.extent, OPTIONS)
        again = PUZZLE.parse(PUZZLE.format(row, state), "again")[0]
        assert (PUZZLE.encode(again, level.extent, OPTIONS)[0] == row).all()


@given(
    st.sampled_from(MUTATED),
    st.lists(
        st.tuples(
            st.floats(0, 1),
            st.integers(0, 3),
            st.sampled_from(list("#@+$*. -_pPbBwWGf0123|;:<>&/LTCx\t\r\n\x00\u2028\ufeff²")),
        ),
        min_size=1,
        max_size=4,
    ),
)
def test_mutated_files_are_levels_or_a_level_error(text, changes):
    for place, remove, symbol in changes:
        at = int(place * len(text))
        text = text[:at] + symbol + text[at + remove :]
    check(text)


@given(st.integers(0, 2**32), st.sampled_from(list(WRITERS)))
def test_lines_left_out_or_doubled(seed, form):
    rng = random.Random(seed)
    lines = WRITERS[form]([ENTRY._replace(title="t", comments=("c",))] * 3).splitlines(keepends=True)
    for _ in range(3):
        at = rng.randrange(len(lines))
        lines[at : at + 1] = [lines[at]] * rng.choice((0, 2))
    check("".join(lines))
