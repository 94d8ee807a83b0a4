"""The pages in a real browser: what counts as a move, hints, minima, stars, ticks, pictures, and who can play."""

import re

import pytest
from browser import DESKTOP, PHONE, why_not

pytestmark = [
    pytest.mark.extended,
    pytest.mark.skipif(bool(why_not()), reason=why_not() or "-"),
    pytest.mark.xdist_group("browser"),
]

STARTER = "sokoban.html#pack=starter&number=2"


def follow_hint(one):
    """Ask for a hint, and follow it."""
    one.page.get_by_role("button", name="Hint", exact=True).click()
    one.page.wait_for_function("() => document.querySelector('#hint').textContent.includes('Hint:')")
    one.page.get_by_role("button", name="Hint", exact=True).click()


def solve_by_hints(one):
    while not one.page.locator("#ending:not([hidden])").count():
        follow_hint(one)


def test_a_level_solved_by_hints_alone_sets_nothing(visit):
    with visit() as one:
        one.open(STARTER)
        solve_by_hints(one)
        assert "Solved" in one.words("#ending")
        assert "by hints or an agent" in one.words("#ending")
        assert "★" not in one.words("#ending")
        assert one.page.evaluate("Object.keys(localStorage).filter((key) => key.includes('starter')).length") == 0
        assert not one.page.get_by_label("Level").locator("option").nth(1).text_content().startswith("✓")


def test_minimum_stars_tick_and_pictures(visit):
    with visit() as one:
        one.open(STARTER)
        assert "minimum 13" in one.words("#score")
        assert "pushes 0, minimum 6" in one.words("#score")
        keys = {"u": "ArrowUp", "d": "ArrowDown", "l": "ArrowLeft", "r": "ArrowRight"}
        one.press(*(keys[letter] for letter in "uuruLrrrdLLulDD".lower()))
        one.page.wait_for_selector("#ending:not([hidden])")
        assert "★" in one.words("#ending")
        assert "minimum 13" in one.words("#ending")
        assert one.page.get_by_label("Level").locator("option").nth(1).text_content().startswith("✓")
        one.page.reload()
        one.page.wait_for_selector("body[data-ready]")
        assert one.page.get_by_label("Level").locator("option").nth(1).text_content().startswith("✓")
        one.page.get_by_role("button", name="Levels", exact=True).click()
        pictures = one.page.locator("#gallery li")
        assert pictures.count() == 1000
        assert "✓" in pictures.nth(1).text_content()
        assert "✓" not in pictures.nth(2).text_content()
        one.page.wait_for_function("() => document.querySelectorAll('#gallery svg *').length > 20")
        drawn = one.page.evaluate(
            "[...document.querySelectorAll('#gallery li > button > svg')].filter((each) => each.children.length).length"
        )
        assert 0 < drawn < 200, "only those in view are drawn"
        pictures.nth(3).get_by_role("button").click()
        one.page.wait_for_url(re.compile(r"number=4(&|$)"))


@pytest.mark.parametrize("variant", ["EightPuzzle-v0%7E3+%C3%97+3%2C+spiral", "FifteenPuzzle-v0%7E5+%C3%97+5"])
@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_who_is_offered_for_any_tiles_plays(visit, variant, size):
    with visit(size) as one:
        one.open(f"n_puzzle.html#of={variant}&seed=3")
        one.page.get_by_label("Agent").select_option("greedy")
        one.page.get_by_role("button", name="Step", exact=True).click()
        one.page.wait_for_url(re.compile(r"play=\w"))
        assert "cannot play" not in one.words("#agents")
