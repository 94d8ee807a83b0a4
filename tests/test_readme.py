"""The README and the pages beside it: their code runs, their commands are understood, their links lead somewhere."""

import doctest
import re
import shlex
from pathlib import Path

import pytest
import typer.main

from gridpuzzles_gym import ENVIRONMENTS, cli
from gridpuzzles_gym.app.controls import as_markdown
from gridpuzzles_gym.engine.puzzle import load_puzzle

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").glob("*.md")), ROOT / "levels" / "README.md", ROOT / "CHANGELOG.md"]
by_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())


def blocks(page, *languages):
    """The code blocks of a page that are in one of these languages."""
    return [code for language, code in re.findall(r"^```(\w*)\n(.*?)^```", page.read_text(), re.M | re.S)
            if language in languages]  # fmt: skip


@by_page
def test_the_code_runs(page):
    failures, tried = doctest.testfile(str(page), module_relative=False)
    assert tried > 8 or page != README
    assert failures == 0


@by_page
def test_all_python_is_tried(page):
    assert all(code.startswith(">>> ") for code in blocks(page, "python"))


def commands(page):
    """Every ``gridpuzzles …`` of a page, as words."""
    lines = "\n".join(blocks(page, "", "bash", "console")).replace("\\\n", " ").splitlines()
    lines += re.findall(r"`(gridpuzzles [^`]+)`", re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S))
    for line in lines:
        words = shlex.split(re.sub(r" [<>] .*", "", line.removeprefix("$ ")), comments=True)
        if words[:1] == ["gridpuzzles"]:
            yield words[1:]


@by_page
def test_the_commands_are_understood(page):
    for words in commands(page):
        command = typer.main.get_command(cli.app)
        while hasattr(command, "commands") and words and not words[0].startswith("-"):
            name, *words = words
            assert name in command.commands, name
            command = command.commands[name]
        parser = command.make_parser(command.context_class(command))
        left = parser.parse_args(list(words))[1]  # raises at an option that there is not
        assert not left, words


@by_page
def test_links_and_pictures_are_there(page):
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if not link.startswith("https://"):
            path, _, anchor = link.partition("#")
            target = page.parent / path if path else page
            assert target.exists(), link
            assert not anchor or anchor in anchors(target), link


def anchors(page):
    """What GitHub calls the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_picture_is_shown():
    shown = {Path(name).name for page in PAGES for name in re.findall(r"images/([\w.-]+)", page.read_text())}
    assert {path.name for path in (ROOT / "docs" / "images").iterdir()} == shown


def test_the_readme_lists_the_keys_and_gestures():
    ours = [load_puzzle(module) for module in dict.fromkeys(row.puzzle for row in ENVIRONMENTS)]
    assert as_markdown(ours) in README.read_text()
