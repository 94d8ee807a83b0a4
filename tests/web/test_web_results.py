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


def test_blocked_keys_are_no_moves(visit):
    with visit() as one:
        one.open("n_puzzle.html#pack=eight&number=1")
        one.press(*["ArrowUp"] * 5, *["ArrowLeft"] * 5)
        moves = int(one.words("#score").removeprefix("moves "))
        assert 0 < moves <= 4, "a board of three rows and columns lets the blank go no further"
        assert f"step {moves}" in " ".join(one.words(".numbers").split()).lower()
        one.press(*["Backspace"] * moves)
        assert one.page.get_by_text("Undo", exact=True).is_disabled()


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


def test_a_move_that_was_undone_and_made_again_still_follows_its_hint(visit):
    with visit() as one:
        one.open(STARTER)
        follow_hint(one)
        follow_hint(one)
        one.page.wait_for_url(re.compile(r"play=[a-d]{2}$"))
        taken = one.page.url[-2:]
        one.press("Backspace", "Backspace")
        one.press(*(("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight")["abcd".index(letter)] for letter in taken))
        solve_by_hints(one)
        moves = re.search(r"(\d+) moves", one.words("#ending"))[1]
        assert f"{moves} moves by hints or an agent" in one.words("#ending")


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


def test_who_cannot_play_is_not_offered(visit):
    with visit() as one:
        one.open("n_puzzle.html")
        one.page.get_by_label("Source of the game").select_option("own")
        one.page.locator("#paste-text").fill("1 2 3 4 5 6\n7 8 9 10 11 0\n")
        one.page.get_by_role("button", name="Play", exact=True).click()
        one.page.wait_for_url(re.compile("text="))
        names = one.page.get_by_label("Agent").locator("option").all_inner_texts()
        assert not {"astar", "greedy"} & set(names)


def test_hints_where_chance_plays_a_part(visit):
    with visit() as one:
        one.open("wumpus.html#of=Wumpus-v0%7E4+%C3%97+4%2C+3+pits&seed=28")
        one.press("ArrowLeft")
        one.press("h")
        one.page.wait_for_function("() => document.querySelector('#hint').textContent.includes('Hint:')")
        one.press("h")
        one.page.wait_for_url(re.compile(r"play=a[a-z]"))
