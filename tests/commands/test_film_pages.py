"""Films as pages: one file with all that it needs, from which the same episodes come back."""

import base64
import dataclasses
import hashlib
import json
import re
from pathlib import Path

import pygame
import pytest
from printed import film_in
from web_replay import run_jobs

from gridpuzzles_gym import cli
from gridpuzzles_gym.commands import film_pages
from gridpuzzles_gym.commands.film_pages import record_page
from gridpuzzles_gym.engine.puzzle import load_puzzle
from gridpuzzles_gym.puzzles.sokoban.picture import PICTURE
from gridpuzzles_gym.session.session import Watched
from gridpuzzles_gym.session.watch_options import WatchOptions
from gridpuzzles_gym.web.bundling import bundle, without_comments

SCRIPT = "<script>alert(1)</script>"
PLAYERS = {
    "Wumpus-v0": ["bayesian", "online-search"],
    "CatMouse-v0": ["value-iteration"],
    "EightPuzzle-v0": ["astar", "random"],
    "Bait-v0": ["random"],
    "Sokoban-v0": ["astar"],
}
TWO_EPISODES = WatchOptions(seed=5, episodes=2, settings={"max_episode_steps": 40})


@pytest.mark.parametrize("id", PLAYERS)
def test_a_page_gives_back_what_was_played(id, tmp_path):
    path = tmp_path / "film.html"
    lines = record_page(id, PLAYERS[id], path, TWO_EPISODES, progress=False)
    page = path.read_text()
    content = film_in(page)
    (tmp_path / "film.json").write_text(json.dumps(content))
    (found,) = run_jobs([{"run": "film", "files": {"film": tmp_path / "film.json"}}], tmp_path)
    episodes = iter(json.loads(found))
    sessions = [Watched(id, agent, TWO_EPISODES) for agent in PLAYERS[id]]
    shown = []
    for _ in range(2):
        for session in sessions:
            frames = next(episodes)
            session.begin()
            for k, frame in enumerate(frames):
                if k:
                    session.advance()
                scene = session.scene()
                thoughts = session.player.thoughts()
                assert frame["state"] == scene.state.tolist()
                assert frame["before"] == (None if scene.before is None else scene.before.tolist())
                assert (frame["action"], frame["score"], frame["steps"]) == (scene.action, scene.score, scene.steps)
                assert (frame["outcome"], frame["over"]) == (session.outcome, session.over)
                if not session.over:
                    notes = {f"{row},{column}": words for (row, column), words in thoughts.notes.items()}
                    assert frame["thoughts"]["notes"] == notes
                    assert frame["thoughts"]["values"].keys() == {f"{r},{c}" for r, c in thoughts.values}
            assert session.over
            shown.append(f"{session.summary()} ({session.label()})")
    names = [f"{agent}: " if len(PLAYERS[id]) > 1 else "" for agent in PLAYERS[id]] * 2
    assert lines == [name + line for name, line in zip(names, shown, strict=True)]


def test_a_film_of_a_hundred_steps_is_small(tmp_path):
    path = tmp_path / "film.html"
    record_page("Wumpus-v0", ["bayesian"], path, WatchOptions(seed=0), progress=False)  # to the limit of 100 steps
    assert len(film_in(path.read_text())["rounds"][0]["episodes"][0]["frames"]) == 101
    assert path.stat().st_size <= 400_000


def test_nothing_is_injected_and_nothing_is_fetched(tmp_path):
    file = tmp_path / "levels.txt"
    file.write_text(f"; {SCRIPT}\n#####\n#@$.#\n#####\n")
    path = tmp_path / "film.html"
    record_page("Sokoban-v0", ["astar"], path, WatchOptions(str(file)), progress=False)
    page = path.read_text()
    assert SCRIPT not in page
    assert film_in(page)["rounds"][0]["episodes"][0]["title"] == SCRIPT
    assert not re.findall(r'(?:src|href)="(?!data:)', page)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    script = re.search(r"<script>(.*)</script>\n</body>", page, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy.startswith("default-src 'none'")
    assert f"script-src 'sha256-{digest}'" in policy


@pytest.mark.parametrize("kind", [str, Path])
def test_a_film_shows_pictures_of_ones_own(kind, tmp_path):
    pixel, drawn = pygame.Surface((1, 1)), tmp_path / "style"
    drawn.mkdir()
    pygame.image.save(pixel, drawn / "box.png")
    path = tmp_path / "film.html"
    settings = {"max_episode_steps": 5, "style": kind(drawn)}
    record_page("Sokoban-v0", ["random"], path, WatchOptions(seed=1, settings=settings), progress=False)
    film = film_in(path.read_text())
    picture = film["looks"]["picture"]
    (sprites,), (icons,) = picture["sprites"].values(), picture["icons"].values()
    named = {name for name in (*sprites, *icons.values()) if name[0] not in "#~"}
    assert named == film["sprites"].keys()
    content = base64.b64encode((drawn / "box.png").read_bytes()).decode()
    assert film["sprites"][sprites[PICTURE.sprites.index("box")]] == f"data:image/png;base64,{content}"
    assert film["sprites"]["warehouse/goal"].startswith("data:image/svg+xml,")


def test_a_page_from_the_command_line(tmp_path, capsys):
    path = tmp_path / "film.html"
    options = ["--agent", "random", "--agent", "online-search", "--seed", "4", "--record", str(path)]
    assert cli.run(["watch", "wumpus", *options]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines[:2]] == ["random", "online-search"]
    assert [each["player"] for each in film_in(path.read_text())["rounds"][0]["episodes"]] == [
        "random",
        "online-search",
    ]
    assert cli.run(["watch", "wumpus", *options]) == 1
    assert "already exists" in capsys.readouterr().err


def test_a_report_has_the_table_and_the_first_episodes(tmp_path, capsys):
    path = tmp_path / "report.html"
    agents = ["--agent", "random", "--agent", "online-search"]
    assert cli.run(["compare", "wumpus", *agents, "--episodes", "20", "--seed", "9", "--report", str(path)]) == 0
    assert f"wrote {path}" in capsys.readouterr().out.replace("\n", "")
    page = path.read_text()
    assert "<th>return ± 95 %</th>" in page
    rounds = film_in(page)["rounds"]
    assert [each["label"] for each in rounds] == ["seed 9", "seed 10", "seed 11"]
    assert all([each["player"] for each in round["episodes"]] == agents[1::2] for round in rounds)


def test_ctrl_c_keeps_the_finished_episodes(tmp_path, monkeypatch):
    played, calls = film_pages._played, []

    def interrupted(session, player):
        calls.append(player)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return played(session, player)

    monkeypatch.setattr(film_pages, "_played", interrupted)
    path = tmp_path / "film.html"
    with pytest.raises(KeyboardInterrupt, match=r"played 1 of 3 episodes; .* has them"):
        record_page("Wumpus-v0", ["random", "online-search"], path, WatchOptions(seed=1, episodes=3), progress=False)
    assert len(film_in(path.read_text())["rounds"]) == 1


@pytest.mark.parametrize(
    ("agents", "message"), [(["random"] * 5, "5 agents: a page shows 1 to 4"), (["nonsense"], "nonsense")]
)
def test_what_cannot_be_filmed(tmp_path, agents, message):
    with pytest.raises(ValueError, match=message):
        record_page("Wumpus-v0", agents, tmp_path / "film.html", WatchOptions(), progress=False)
    assert not list(tmp_path.iterdir())


def test_a_puzzle_without_a_drawing_says_so_at_once(monkeypatch, tmp_path, capsys):
    bare = dataclasses.replace(load_puzzle("gridpuzzles_gym.puzzles.wumpus"), picture=None)
    monkeypatch.setattr("gridpuzzles_gym.puzzles.wumpus.PUZZLE", bare)
    with pytest.raises(ValueError, match="Wumpus World has no picture"):
        record_page("Wumpus-v0", ["random"], tmp_path / "film.html", WatchOptions(), progress=False)
    files = ["--csv", str(tmp_path / "scores.csv"), "--report", str(tmp_path / "report.html")]
    assert cli.run(["compare", "wumpus", "--agent", "random", *files]) == 2
    assert "has no picture" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.xdist_group("browser")
@pytest.mark.parametrize("id", PLAYERS)
def test_a_film_plays_in_a_browser_without_a_network(id, browser, tmp_path):
    path = tmp_path / "film.html"
    lines = record_page(id, PLAYERS[id], path, TWO_EPISODES, progress=False)
    context = browser.new_context(offline=True, viewport={"width": 900, "height": 700})
    page, asked, complaints = context.new_page(), [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda line: complaints.append(line.text))
    page.goto(path.as_uri())
    ends = page.locator(".player .end")
    assert ends.first.inner_text() in lines[0]
    assert not ends.first.inner_text().startswith(("Solved", "Died", "Out"))
    last = page.locator(".slider").get_attribute("max")
    page.keyboard.press("End")
    assert page.locator(".slider").input_value() == last
    for end, line in zip(ends.all(), lines, strict=False):
        assert end.inner_text() in line
        assert end.inner_text().startswith(("Solved", "Died", "Out", "Over"))
    page.keyboard.press("ArrowLeft")
    assert page.locator(".slider").input_value() == str(int(last) - 1)
    page.keyboard.press("Home")
    page.keyboard.press(" ")
    page.wait_for_function("() => Number(document.querySelector('.slider').value) > 1")
    page.get_by_label("episode").select_option(index=1)
    assert page.locator(".slider").input_value() == "0"
    assert complaints == []
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    context.close()


# -- bundling ----------------------------------------------------------------------------------------


def test_modules_become_one_script():
    files = {
        "main.js": 'import { twice } from "./js/a.js";\nimport { one as first } from "./js/b.js";\ntwice(first);\n',
        "js/a.js": 'import { one } from "./b.js";\nexport function twice(x) { return 2 * x * one; }\n',
        "js/b.js": "export const one = 1;\n",
    }
    script = bundle(files, "main.js")
    assert script.count("const one = 1;") == 1
    assert "import" not in script
    assert "export" not in script
    assert script.index("const one") < script.index("function twice") < script.index("twice(first)")


def test_lines_of_comments_are_left_out():
    code = 'const a = /** @type {any} */ (b); // kept\n/** @type {any} */ (a).c = "\\n// kept";\n'
    comments = "// @ts-check\n  /* One\n   * two */\n"
    assert without_comments(comments + code + "/** Three. */\n") == code


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ('import { a } from "./missing.js";\n', KeyError),
        ('import { a } from "./main.js";\n', ValueError),
        ('import a from "./a.js";\n', ValueError),
        ("export default 3;\n", ValueError),
    ],
)
def test_what_cannot_be_bundled(source, error):
    with pytest.raises(error):
        bundle({"main.js": source}, "main.js")
