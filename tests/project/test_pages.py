"""The README and the pages of the site: their code runs, their commands are understood, their links lead somewhere."""

import doctest
import importlib.util
import re
import shlex
import sys

import pytest
import typer.main
from helpers import REPOSITORY

from gridpuzzles_gym import cli
from gridpuzzles_gym.cli.program import COMMANDS, load

if str(REPOSITORY) not in sys.path:
    sys.path.append(str(REPOSITORY))

from docs.site import scores

README = REPOSITORY / "README.md"
DOCS = REPOSITORY / "docs"
PAGES = [README, REPOSITORY / "CONTRIBUTING.md", REPOSITORY / "CHANGELOG.md", REPOSITORY / "levels" / "README.md"]
PAGES += [DOCS / "index.md", *sorted(DOCS.glob("*.md")), *sorted(DOCS.glob("guides/**/*.md"))]
PAGES += [DOCS / "environments" / "index.md", *sorted(DOCS.glob("environments/results/*.md"))]
PAGES = list(dict.fromkeys(PAGES))
by_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(REPOSITORY).as_posix())


def blocks(page, *languages):
    """The code blocks of a page that are in one of these languages."""
    return [code for language, code in re.findall(r"^```(\w*)\n(.*?)^```", page.read_text(), re.M | re.S)
            if language in languages]  # fmt: skip


def missing(page):
    """The first package that the page imports, and that is not installed."""
    names = re.findall(r"^>>> (?:import|from) (\w+)", page.read_text(), re.M)
    return next((name for name in names if importlib.util.find_spec(name) is None), None)


@pytest.mark.compiled
@pytest.mark.extended
@by_page
def test_the_code_runs(page, tmp_path, monkeypatch):
    """In a folder of its own, where pages may write files."""
    if name := missing(page):
        pytest.skip(f"{name} is not installed")
    monkeypatch.chdir(tmp_path)
    failures, tried = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert tried > 8 or page != README
    assert failures == 0


def commands(page):
    """Every ``gridpuzzles …`` of a page, as words."""
    lines = "\n".join(blocks(page, "", "bash", "console")).replace("\\\n", " ").splitlines()
    lines += re.findall(r"`(gridpuzzles [^`]+)`", re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S))
    for line in lines:
        line = line.removeprefix("$ ")
        if re.match(r"gridpuzzles\b", line):
            yield shlex.split(re.sub(r" [<>] .*", "", line), comments=True)[1:]


def test_the_commands_are_understood():
    wrong = []
    for page in PAGES:
        for words in commands(page):
            left = list(words)
            name = left.pop(0) if left and not left[0].startswith("-") else ""
            if name and name not in COMMANDS:
                wrong.append((page.name, words))
                continue
            command = load(name) if name else typer.main.get_command(cli.app)
            if left and left[0] in getattr(command, "commands", {}):
                command = command.commands[left.pop(0)]
            try:
                rest = command.make_parser(command.context_class(command)).parse_args(left)[1]
            except Exception as error:  # an option that there is not
                rest = error
            wrong += [(page.name, words, rest)] if rest else []
    assert wrong == []


def test_links_and_pictures_are_there():
    broken = []
    for page in PAGES:
        for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
            path, _, anchor = link.partition("#")
            target = page.parent / path if path else page
            if not link.startswith("https://") and not (target.exists() and (not anchor or anchor in anchors(target))):
                broken.append((page.name, link))
    assert broken == []


def anchors(page):
    """What GitHub calls the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_readme_shows_the_comparison_as_it_is():
    """`python -m docs.site.scores` writes it."""
    assert scores.with_comparison(README.read_text()) == README.read_text()
