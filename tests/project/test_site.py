"""The site: pages of environments are made from records, links hold on GitHub and here, and faults are found."""

import re
import sys
from pathlib import Path

import pytest
from helpers import PUZZLES, REPOSITORY

if str(REPOSITORY) not in sys.path:
    sys.path.append(str(REPOSITORY))

from docs.site import checking, docstrings, environment_pages, films
from gridpuzzles_gym.agents.registry import agents_of
from gridpuzzles_gym.agents.search_tables import heuristics_of, searches_of
from gridpuzzles_gym.engine.levels.bundled import bundled
from gridpuzzles_gym.engine.levels.sources import level_source
from gridpuzzles_gym.play.choices import ids_of

DOCS = REPOSITORY / "docs"


@pytest.fixture
def no_films(monkeypatch):
    monkeypatch.setattr(films, "film_of", lambda env_id, folder: films.Film(folder / f"{env_id}.gif", "random", 3))


@pytest.mark.parametrize("name", PUZZLES)
def test_a_page_says_all_that_the_records_say(name, no_films):
    puzzle = PUZZLES[name]
    text = "\n\n".join(environment_pages._page(puzzle))
    assert text.startswith(f"# {puzzle.title}\n")
    assert all(f"`{env_id}`" in text and f"{env_id}.gif" in text for env_id in ids_of(puzzle))
    extent = level_source(puzzle, None, environment_pages._options(puzzle)).extent
    for observation in puzzle.observations.values():
        assert all(f" | {channel} |" in text for channel in observation.channels(extent))
    assert all(
        f"| {number} | {action} |" in text for number, action in enumerate(puzzle.actions(puzzle.read_options()))
    )
    for option in docstrings.fields(puzzle.options):
        assert f"\n`{option.name}`: " in text
        assert option.words, f"{option.name} has no docstring"
        assert option.words in text
    for names in (agents_of(puzzle), bundled(puzzle)):
        assert all(f"| `{each}` | " in text for each in names)
    if puzzle.deterministic:
        assert all(f"| `{each}` | " in text for each in [*searches_of(puzzle), *heuristics_of(puzzle)])
    assert all(f"| `{metric}` | " in text for metric in puzzle.metric_kinds(puzzle.read_options()))
    assert f"{environment_pages.PLAY}/{puzzle.name}.html" in text
    assert "``" not in re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)


def site(folder: Path, body: str) -> list[str]:
    (folder / "index.html").write_text(f"<html><body id='here'>{body}</body></html>")
    (folder / "a.html").write_text("<h1 id='title'>A</h1>")
    return list(checking.faults(folder))


def test_a_whole_site_has_no_faults(tmp_path):
    body = "<a href='a.html#title'>a</a> <a href='#here'>b</a> <a href='https://example.org/x'>c</a> <img src='data:,'>"
    assert site(tmp_path, body) == []


def test_a_broken_site_is_found(tmp_path):
    for body, words in (
        ("<a href='b.html'>", "no such file"),
        ("<a href='a.html#nowhere'>", "no such anchor"),
        ("<a href='http://'>", "not a web address"),
        ("<a href='/root.html'>", "no such file"),
        ("<script src='https://cdn.example.org/x.js'></script>", "from another host"),
        ("<img src='missing.png'>", "no such file"),
    ):
        (fault,) = site(tmp_path, body)
        assert (fault.startswith("index.html: "), words in fault) == (True, True), fault
    assert checking.main(tmp_path / "none") == 1
