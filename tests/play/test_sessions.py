"""Sessions and recordings."""

import random

import gymnasium as gym
import imageio.v3
import pytest
from helpers import ROWS, same

from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.engine.env import RENDER_FPS
from gridpuzzles_gym.play import recording
from gridpuzzles_gym.play import session as sessions
from gridpuzzles_gym.play.arguments import read_settings
from gridpuzzles_gym.play.recording import record
from gridpuzzles_gym.play.session import Session, Watched, WatchOptions

ID = "Wumpus-v0"


def test_settings_are_json_or_python_or_text():
    pairs = ["size=[5,4]", "climb=true", "reward=textbook", "pit_probability=0.2", "levels=a=b", "x=True"]
    assert read_settings(pairs) == {
        "size": [5, 4], "climb": True, "reward": "textbook", "pit_probability": 0.2, "levels": "a=b", "x": True,
    }  # fmt: skip


def test_a_session_counts_undoes_and_ends_by_itself():
    session = Session(Game.of(ID, levels="textbook", max_episode_steps=2), seed=3)
    session.begin()
    assert not session.undo()
    session.play(1)
    session.play(1)
    assert session.over
    assert session.summary() == "Out of steps after 2 steps, return -2"
    assert session.undo()
    assert not session.over
    assert session.scene().steps == 1
    assert session.label() == "textbook, seed 3"
    session.close()


@pytest.mark.parametrize("id", [row.id for row in ROWS])
def test_a_session_plays_what_an_environment_plays(id):
    session, env = Session(Game.of(id, max_episode_steps=30), seed=7), gym.make(id, max_episode_steps=30)
    for seed in (7, 8):
        begun, _ = env.reset(seed=seed)
        assert same(session.begin(), begun)
        actions = random.Random(seed)
        while not session.over:
            action = actions.randrange(env.action_space.n)
            seen = env.step(action)[0]
            assert same(session.play(action), seen)
            assert same(session.env.get_state()["scores"], env.unwrapped.get_state()["scores"])


def test_an_agents_notes_are_shown_only_when_asked_for():
    for notes in (True, False):
        session = Watched(Game.of(ID), "online-search", WatchOptions(seed=1, notes=notes))
        session.begin()
        session.advance()
        assert bool(session.picture().notes) is notes


def steps_in(lines):
    return sum(int(line.split("after ")[1].split(" ")[0]) for line in lines)


def test_gif_has_a_frame_a_step_and_holds_first_and_last(tmp_path):
    path = tmp_path / "new" / "film.gif"
    options = WatchOptions(seed=5, episodes=2, fps=10)
    lines = record(Game.of(ID), "online-search", path, options, tile_size=16, progress=False)
    frames = imageio.v3.imread(path)
    assert len(frames) == steps_in(lines) + 2
    assert all(side % 2 == 0 for side in frames.shape[1:3])
    durations = [imageio.v3.immeta(path, index=index)["duration"] for index in range(len(frames))]
    assert durations[:2] == [1000, 100]
    assert durations[-1] == 2000
    assert durations.count(1000) == durations.count(2000) == 2  # one of each an episode
    assert [file.name for file in path.parent.iterdir()] == ["film.gif"]


def test_mp4_reads_back(tmp_path):
    path = tmp_path / "film.mp4"
    lines = record(Game.of(ID), "random", path, WatchOptions(seed=3, fps=10), tile_size=17, progress=False)
    frames = imageio.v3.imread(path)
    assert len(frames) == 1 * 10 + steps_in(lines) - 1 + 2 * 10
    assert all(side % 2 == 0 for side in frames.shape[1:3])


@pytest.mark.parametrize("name", ["film.gif", "film.mp4"])
def test_ctrl_c_leaves_a_film_of_what_was_played(tmp_path, monkeypatch, name):
    advance, calls = Watched.advance, []

    def interrupted(self):
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        advance(self)

    monkeypatch.setattr(sessions.Watched, "advance", interrupted)
    monkeypatch.setattr(recording, "GRACE", 60.0)
    path = tmp_path / name
    with pytest.raises(KeyboardInterrupt, match=f"played 0 of 1 episode; .*{name} has the first 4 of 4 pict"):
        record(Game.of(ID), "random", path, WatchOptions(seed=3), tile_size=16, progress=False)
    assert len(imageio.v3.imread(path)) == (4 if name == "film.gif" else RENDER_FPS + 3)  # a film holds by repeating
