"""Sokoban levels out of web pages that draw them with pictures."""

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pages import NAMES, ROWS, image, table
from sokoban_boards import random_rows

from gridpuzzles_gym.engine.puzzle import LevelError
from gridpuzzles_gym.puzzles.sokoban.level_io.formats import is_html
from gridpuzzles_gym.puzzles.sokoban.level_io.page_import import read_html


def boards(page, tiles=None):
    return [entry.board.rows for entry in read_html(page, "p.html", tiles)]


# -- shapes --------------------------------------------------------------------------------------


def lines_of(begin, end, rows=ROWS):
    return "".join(begin + "".join(image(NAMES[symbol]) for symbol in row) + end + "\n" for row in rows)


PAGES = {
    "a table": table(),
    "a table in capitals": table().replace("<td>", "<TD>").replace("</tr>", "</TR>").replace("<img", "<IMG"),
    "a table without end tags": table().replace("</td>", "").replace("</tr>", ""),
    "a table in a table": f"<table><tr><td>menu</td><td>{table()}</td><td></td></tr></table>",
    "a table next to a menu": "<table>" + "<tr><td>a</td><td>b</td><td>c</td></tr>" * 4 + "</table>" + table(),
    "classes": re.sub("<td><img src=.*?img/(.*?)[.].*?>", r"<td class=\1>", table()),
    "letters in cells": table(names={symbol: symbol for symbol in NAMES}, tile=str),
    "line breaks": lines_of("", "<br>"),
    "line breaks in XHTML": '<?xml version="1.0"?><!DOCTYPE html>' + lines_of("", "<br/>"),
    "divisions": lines_of("<div class=row>", "</div>"),
    "paragraphs": lines_of("<p>", ""),
    "list items": "<ul>" + lines_of("<li>", "</li>") + "</ul>",
    "line breaks in a cell": f"<table><tr><td>{image('logo')}</td><td>{lines_of('', '<br>')}</td></tr></table>",
    "pictures around it": image("banner") + image("logo") + table() + image("footer"),
    "alternative texts": table(tile=lambda name: f'<img src="data:image/gif;base64,R0lGOD" alt="{name}">'),
    "titles": table(tile=lambda name: f'<img src="x7.png" title="{name}">'),
}  # fmt: skip


@pytest.mark.parametrize("case", PAGES)
def test_shapes_of_pages(case):
    assert boards(PAGES[case]) == [ROWS]
    assert is_html(PAGES[case])


def test_several_levels_on_a_page():
    other = random_rows(3)
    assert boards(table() + "<p>and</p>" + table(other)) == [ROWS, other]


@settings(max_examples=30)
@given(st.integers(0, 2**32))
def test_any_level_is_read_back(seed):
    rows = random_rows(seed)
    assert boards(table(rows)) == [rows]
    assert boards(lines_of("", "<br>", rows)) == [rows]


# -- names ---------------------------------------------------------------------------------------

GUESSES = {
    "#": ("wall", "mur", "brick2", "Mauer", "stone_wall", "w", "wall-left", "muro"),
    " ": ("floor", "sol", "empty", "vide", "f", "blank", "ground", "floor3", "outside"),
    "@": ("player", "man", "worker", "joueur", "player_up", "sokobanPlayer", "p", "manFloor"),
    "+": ("player_on_goal", "manOnGoal", "joueur_sur_but", "worker-target", "playergoal", "pg"),
    "$": ("box", "crate", "caisse", "box_blue", "Kiste", "b", "crateOnFloor", "blueBox"),
    "*": ("box_on_goal", "boxongoal", "caisse_sur_but", "crate_ok", "goal-box", "BoxPlaced", "bg", "gb"),
    ".": ("goal", "target", "but", "cible", "goal_floor", "g", "emptyGoal", "storage"),
}


@pytest.mark.parametrize(("symbol", "name"), [(symbol, name) for symbol, names in GUESSES.items() for name in names])
def test_names_that_are_guessed(symbol, name):
    assert boards(table(names={**NAMES, symbol: name})) == [ROWS]


# -- what cannot be ------------------------------------------------------------------------------


def test_a_level_that_cannot_be_is_named_with_its_tile():
    with pytest.raises(LevelError, match=r"p\.html:2:\d+: 3 boxes but 2 goals|p\.html:\d+:\d+: 3 boxes but 2 goals"):
        boards(table([row.replace("+", "@") for row in ROWS]))
    with pytest.raises(LevelError, match=r"p\.html:2:\d+: the walls are open here"):
        boards(table([ROWS[0], ROWS[1][:-1] + " ", *ROWS[2:]]))
    with pytest.raises(LevelError, match=r"p\.html:1:\d+: a board of 260x5"):
        boards(table([row[:3] + row[3] * 253 + row[3:] for row in ROWS]))


@pytest.mark.parametrize(
    "page", ["", "<html></html>", "<p>Hello</p>", image("wall") * 2, "<table><tr><td></td></tr></table>"]
)
def test_a_page_without_a_level(page):
    with pytest.raises(LevelError, match=r"p\.html:1:1: nothing on this page looks like a level"):
        boards(page)


def test_what_is_in_comments_does_not_count():
    assert boards(table().replace("<tr>", f"<!-- <table> {image('wall')}\n--><tr>")) == [ROWS]


@given(st.integers(0, 2**32), st.sampled_from(sorted(PAGES)))
def test_a_mutated_page_is_levels_or_a_level_error(seed, case):
    rng, page = random.Random(seed), PAGES[case]
    for _ in range(rng.randint(1, 6)):
        at, length = rng.randrange(len(page)), rng.choice((0, 1, 3, 40))
        page = (
            page[:at]
            + rng.choice(("", "<", ">", "<td>", "</table>", "<table>", "&#0;", '"', "\x00", "<!--"))
            + page[at + length :]
        )
    try:
        boards(page)
    except LevelError as error:
        message = str(error)
    else:
        return
    assert message.startswith("p.html:")
