"""A puzzle of one's own, without a line of JavaScript, has a page: its picture, status, mouse and agents."""

import re

import pytest
from browser import DESKTOP, Visit, served, why_not

import gridpuzzles_gym
from gridpuzzles_gym.registration import Environment, environment_of
from gridpuzzles_gym.web import assembly, building
from gridpuzzles_gym.web.linking import NoLinkerError, build_module

pytestmark = [
    pytest.mark.extended,
    pytest.mark.skipif(bool(why_not()), reason=why_not() or "-"),
    pytest.mark.xdist_group("browser"),
]
ID = "Toy-page-v0"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The files of a site with the toy's page."""
    try:
        build_module([])
    except NoLinkerError as error:
        pytest.skip(str(error))
    folder = tmp_path_factory.mktemp("modules")
    gridpuzzles_gym.register(Environment(ID, "toy", 30, {}))
    own = [environment_of(f"toy:{ID}")]
    building.build(building.all_modules(own), folder)
    return assembly.site(own, folder)


def test_it_is_played_with_keys_and_mouse(browser, files):
    assert not [path for path in files if path.startswith("puzzles/toy")]
    with served(files) as address, Visit(browser, address, DESKTOP) as one:
        one.open("toy.html#of=Toy-page-v0%7EToy-page-v0&seed=1")
        assert "on the way" in one.words(".state")
        assert "find the green square" in one.words(".reason")
        assert one.page.locator("#text").is_hidden()
        one.page.locator("svg.board").first.focus()
        one.press("ArrowRight")
        one.page.wait_for_url(re.compile("play=d$"))
        box = one.page.locator("#stage > svg").bounding_box()
        one.page.mouse.click(box["x"] + 0.2 * box["width"], box["y"] + 0.8 * box["height"])
        one.page.wait_for_url(re.compile("play=ddbbcc$"))
        assert "at the goal" in one.words(".state")
        assert "6 moves" in one.words("#ending")
        one.open("toy.html#of=Toy-page-v0%7EToy-page-v0&seed=1")
        one.page.get_by_label("Agent").select_option("astar")
        one.page.get_by_role("button", name="Step", exact=True).click()
        one.page.wait_for_url(re.compile("play=d$"))
        one.open("toy.html#text=q1ZKzkhU")
        one.page.wait_for_selector("#problem:not([hidden])")
        assert "This link is broken" in one.words("#problem")
        one.open("index.html")
        card = one.page.locator("li.card", has_text="Toy maze")
        assert card.locator("img").evaluate("one => one.decode().then(() => one.naturalWidth)") > 100
