"""Datasets of demonstrations: Minari reads them, and they are the same however they came about."""

import dataclasses
import errno
import json
import os
import runpy
import shutil
import signal
import subprocess
import sys

import gymnasium as gym
import minari
import numpy as np
import pytest
from helpers import CORRIDOR, REPOSITORY, ROWS, puzzle_of, run, run_on_full_disk
from minari.data_collector.episode_buffer import EpisodeBuffer
from minari.dataset.minari_storage import MinariStorage
from tiny_models import write_tiny_model

from gridpuzzles_gym.agents.demonstrations.dataset import DatasetFolder
from gridpuzzles_gym.agents.demonstrations.hdf5 import EpisodeFile
from gridpuzzles_gym.agents.demonstrations.recording import Recorder
from gridpuzzles_gym.agents.demonstrations.request import CHUNK, request
from gridpuzzles_gym.agents.playing import AGENT_SEED
from gridpuzzles_gym.agents.registry import load_agent, observation_for
from gridpuzzles_gym.commands.demonstrate import demonstrate
from gridpuzzles_gym.engine.system.file_lock import locked

CASES = [(row.id, name) for row in ROWS for name in puzzle_of(row.id).observations]
SMALL = {"size": 3, "pits": 1, "max_episode_steps": 9}


def episodes_of(folder):
    dataset = minari.MinariDataset(folder / "data")
    return dataset, list(dataset), list(dataset.storage.get_episode_metadata(range(len(dataset))))


def content(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def small(folder, **more):
    wanted = request("Wumpus-v0", "random", SMALL, episodes=3 * CHUNK + 5, seed=more.pop("seed", 0))
    return demonstrate(wanted, folder, **{"workers": 1, **more})


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A dataset that nothing interrupted; all others have its name, which is part of them."""
    folder = tmp_path_factory.mktemp("whole") / "small-v0"
    small(folder)
    return folder


@pytest.mark.parametrize(("id", "observation"), CASES)
def test_the_recovered_environment_plays_the_same_episodes(id, observation, tmp_path):
    settings = {"observation": observation, "max_episode_steps": 12}
    demonstrate(request(id, "random", settings, episodes=4, seed=7), tmp_path / "any-v0", workers=1)
    dataset, episodes, more = episodes_of(tmp_path / "any-v0")
    env = dataset.recover_environment()
    assert (env.spec.id, env.spec.max_episode_steps) == (id, 12)
    assert (env.observation_space, env.action_space) == (dataset.observation_space, dataset.action_space)
    assert [each["seed"] for each in more] == [7, 8, 9, 10]
    assert sum(len(episode) for episode in episodes) == dataset.total_steps
    for episode, about in zip(episodes, more, strict=True):
        seen, info = env.reset(seed=about["seed"])
        states, infos, steps = [seen], [info], []
        for action in episode.actions:
            seen, *step, info = env.step(action)
            states.append(seen)
            infos.append(info)
            steps.append(step)
        assert np.array_equal(episode.observations, states)
        assert episode.observations.dtype == seen.dtype
        rewards, terminations, truncations = zip(*steps, strict=True)
        assert np.array_equal(episode.rewards, rewards)
        assert np.array_equal(episode.terminations, terminations)
        assert np.array_equal(episode.truncations, truncations)
        assert (episode.terminations | episode.truncations).tolist() == [False] * (len(steps) - 1) + [True]
        assert about["rewards_sum"] == pytest.approx(sum(rewards))
        assert episode.infos.keys() == info.keys()
        for name, values in episode.infos.items():
            told = [each[name].encode() if name == "outcome" else each[name] for each in infos]
            assert np.array_equal(values, told), name


def test_minaris_own_writer_would_write_the_same(tmp_path):
    wanted = request("Sokoban-v0", "random", {"levels": CORRIDOR, "deadlocks": True}, episodes=6)
    played, spec = Recorder(wanted, 6).play(wanted.chunk(0)), wanted.spec()
    storages = []
    for name in ("own", "theirs"):
        (tmp_path / name).mkdir()
        storages.append(MinariStorage.new(tmp_path / name, env_spec=spec, data_format="hdf5"))
    own, theirs = storages
    with EpisodeFile(tmp_path / "own" / "main_data.hdf5") as file:
        for episode in played:
            file.append(episode)
    own.update_metadata({"total_episodes": file.episodes, "total_steps": file.steps})
    buffers = [EpisodeBuffer(**{**episode._asdict(), "infos": dict(episode.infos)}) for episode in played]
    for storage in storages:  # theirs can add to a file of ours
        storage.update_episodes(buffers if storage is theirs else buffers[:2])
    assert (own.total_episodes, theirs.total_episodes) == (8, 6)
    assert own.total_steps == theirs.total_steps + played.lengths[:2].sum() == played.lengths[[*range(6), 0, 1]].sum()
    assert np.array_equal(*(each["actions"] for each in own.get_episodes([0, 6])))
    for one, other in zip(own.get_episodes(range(6)), theirs.get_episodes(range(6)), strict=True):
        flat = [{**episode.pop("infos"), **episode} for episode in (one, other)]
        assert flat[0].keys() == flat[1].keys()
        for name, values in flat[0].items():
            assert np.array_equal(values, flat[1][name]), name
            assert np.asarray(values).dtype == np.asarray(flat[1][name]).dtype, name
    for one, other in zip(own.get_episode_metadata(range(6)), theirs.get_episode_metadata(range(6)), strict=True):
        one.pop("rewards_sum")
        assert one == other


@pytest.mark.extended
def test_the_number_of_processes_does_not_matter(whole, tmp_path):
    small(tmp_path / "small-v0", workers=2)
    assert content(tmp_path / "small-v0") == content(whole)


@pytest.mark.extended
def test_kill_9_and_resume(whole, tmp_path):
    folder = tmp_path / "small-v0"
    code = f"""
import os, pathlib
from gridpuzzles_gym.agents.demonstrations.hdf5 import EpisodeFile
from gridpuzzles_gym.agents.demonstrations.request import request
from gridpuzzles_gym.commands.demonstrate import demonstrate
from gridpuzzles_gym.engine.system.file_lock import locked
append = EpisodeFile.append
def dying(file, episode):
    if episode.seed == {2 * CHUNK + 3}:
        os.kill(os.getpid(), {int(signal.SIGKILL)})
    append(file, episode)
EpisodeFile.append = dying
wanted = request("Wumpus-v0", "random", {SMALL}, episodes={3 * CHUNK + 5})
demonstrate(wanted, pathlib.Path({str(folder)!r}), workers=1)
"""
    done = subprocess.run([sys.executable, "-c", code], timeout=120, check=False, env={**os.environ, "PYTHONPATH": ""})
    assert done.returncode == -signal.SIGKILL
    assert DatasetFolder(folder).played(request("Wumpus-v0", "random", SMALL, episodes=3 * CHUNK + 5)) == 2 * CHUNK
    with pytest.raises(FileExistsError, match="use --resume"):
        small(folder)
    with pytest.raises(ValueError, match="seed was 0, now it is 1"):
        small(folder, resume=True, seed=1)
    small(folder, resume=True)
    assert content(folder) == content(whole)
    with pytest.raises(ValueError, match="is complete"):
        small(folder, resume=True)
    with pytest.raises(FileExistsError, match="use --force"):
        small(folder)
    small(folder, force=True)
    assert content(folder) == content(whole)


@pytest.mark.extended
def test_a_full_disk_loses_no_chunk(whole, tmp_path):
    """The file of all episodes does not fit, those of chunks do."""
    pytest.importorskip("resource")
    folder, size = tmp_path / "small-v0", (whole / "data" / "main_data.hdf5").stat().st_size * 9 // 10
    settings = [f"--set={name}={value}" for name, value in SMALL.items()]
    words = ["--agent", "random", "--episodes", 3 * CHUNK + 5, "--workers", 1, *settings, "--out", folder]
    said = run_on_full_disk(size, "demonstrate", "wumpus", *words)
    assert said == f"gridpuzzles: {folder}/.unfinished/data/main_data.hdf5: {os.strerror(errno.EFBIG)}\n"
    assert DatasetFolder(folder).played(request("Wumpus-v0", "random", SMALL, episodes=3 * CHUNK + 5)) > 0
    small(folder, resume=True)
    assert content(folder) == content(whole)


def test_one_process_at_a_time(whole, tmp_path):
    pytest.importorskip("fcntl")
    folder = tmp_path / "small-v0"
    shutil.copytree(whole, folder)
    (folder / ".unfinished").mkdir()
    with locked(folder / ".unfinished" / "lock", lambda: pytest.fail("nobody holds it")):
        for more in ({}, {"resume": True}, {"force": True}):
            with pytest.raises(ValueError, match="another process is making this dataset"):
                small(folder, **more)
    small(folder, force=True)
    assert content(folder) == content(whole)


def test_ctrl_c_keeps_what_is_played(whole, tmp_path, monkeypatch, capsys):
    folder = tmp_path / "small-v0"
    append = EpisodeFile.append

    def interrupted(file, episode):
        if episode.seed == CHUNK + 3:
            raise KeyboardInterrupt
        append(file, episode)

    settings = [f"--set={name}={value}" for name, value in SMALL.items()]
    words = [
        "demonstrate",
        "wumpus",
        "--agent",
        "random",
        "--episodes",
        f"{3 * CHUNK + 5}",
        "--workers",
        "1",
        *settings,
    ]
    monkeypatch.setattr(EpisodeFile, "append", interrupted)
    code, _, error = run(capsys, *words, "--out", folder)
    assert code == 130
    assert f"{CHUNK} of {3 * CHUNK + 5} episodes played; the same command with --resume goes on" in error
    monkeypatch.undo()
    code, out, _ = run(capsys, *words, "--out", folder, "--resume")
    assert code == 0
    assert f'minari.MinariDataset("{folder}/data")' in out
    assert content(folder) == content(whole)


def test_minari_finds_it_in_its_own_folder(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    code, out, _ = run(capsys, "demonstrate", "8-puzzle", "--agent", "astar", "--episodes", "3", "--set", "scramble=4")
    assert code == 0
    assert 'minari.load_dataset("eightpuzzle/astar-v0")' in out
    dataset = minari.load_dataset("eightpuzzle/astar-v0")
    assert dataset.id == "eightpuzzle/astar-v0"
    about = minari.list_local_datasets()["eightpuzzle/astar-v0"]
    assert about["algorithm_name"] == "astar"
    assert dataset.recover_environment().unwrapped.options.scramble == 4
    assert dataset[0].infos["outcome"][-1] == b"solved"
    assert minari.get_normalized_score(dataset, np.array([about["ref_max_score"]])) == [1.0]
    readme = (tmp_path / "eightpuzzle" / "astar-v0" / "README.md").read_text(encoding="utf-8")
    for part in ("3 episodes of EightPuzzle-v0", "plans by astar search", "100.00%", "scramble=4", "load_dataset"):
        assert part in readme
    begun = DatasetFolder(tmp_path / "begun-v0")
    begun.begin(request("Wumpus-v0", "random", {}, episodes=1))
    assert list(minari.list_local_datasets()) == ["eightpuzzle/astar-v0"]


@pytest.mark.extended
def test_the_agent_may_see_more_than_the_dataset_shows(tmp_path):
    for name, settings in {"planes-v0": {}, "other-v0": {"observation": "symbols"}}.items():
        demonstrate(request("CatMouse-v0", "value-iteration", settings, episodes=5), tmp_path / name, workers=1)
    (_, planes, _), (_, symbols, _) = (episodes_of(tmp_path / name) for name in ("planes-v0", "other-v0"))
    for one, other in zip(planes, symbols, strict=True):
        assert np.array_equal(one.actions, other.actions)
        assert one.observations.shape != other.observations.shape


def test_only_successes(tmp_path):
    settings = {"scramble": [1, 6], "max_episode_steps": 8}
    wanted = request("EightPuzzle-v0", "random", settings, episodes=40)
    every = demonstrate(wanted, tmp_path / "every-v0", workers=1)
    demonstrate(dataclasses.replace(wanted, only_successes=True), tmp_path / "some-v0", workers=1)
    (_, all_of_them, seeds), (_, solved, kept) = (episodes_of(tmp_path / name) for name in ("every-v0", "some-v0"))
    expected = [about["seed"] for one, about in zip(all_of_them, seeds, strict=True) if one.terminations[-1]]
    assert [about["seed"] for about in kept] == expected
    assert 0 < len(solved) < 40
    assert every.score.success == len(solved) / 40
    unsolved = request("FifteenPuzzle-v0", "random", {}, episodes=2, only_successes=True)
    with pytest.raises(ValueError, match="none of the 2 episodes was solved"):
        demonstrate(unsolved, tmp_path / "none-v0", workers=1)


def test_level_files_are_part_of_the_dataset(tmp_path, capsys):
    levels = tmp_path / "mine.txt"
    levels.write_text(CORRIDOR)
    words = ["--agent", "sokoban", "--episodes", "2", "--levels", levels, "--out", tmp_path / "own-v0"]
    assert run(capsys, "demonstrate", "sokoban", *words)[0] == 0
    levels.unlink()
    shutil.copytree(tmp_path / "own-v0", tmp_path / "moved")
    dataset, episodes, _ = episodes_of(tmp_path / "moved")
    env = dataset.recover_environment()
    assert np.array_equal(env.reset(seed=0)[0], episodes[0].observations[0])
    assert "mine.txt" not in json.dumps(dataset.env_spec.to_json())


def test_what_is_wrong_is_said(tmp_path, capsys, monkeypatch):
    (tmp_path / "other-v0" / "data").mkdir(parents=True)
    (tmp_path / "other-v0" / "letter.txt").touch()
    for words, problem in {
        ("--agent", "nobody"): "no agent 'nobody'",
        ("--agent", "random", "--out", tmp_path / "demos"): "e.g. demos-v0",
        ("--agent", "random", "--out", tmp_path / "other-v0"): "already exists",
        ("--agent", "random", "--out", tmp_path / "other-v0", "--force"): "already exists",
        ("--agent", "random", "--out", tmp_path / "new-v0", "--resume"): "there is nothing to resume",
        ("--agent", "random", "--out", tmp_path / "new-v0", "--set", "pots=3"): "no setting 'pots'",
        ("--agent", "optimal", "--set", "size=5", "--out", tmp_path / "new-v0"): "the maximum is 16",
        ("--agent", "random", "--levels", "no.txt", "--out", tmp_path / "new-v0"): "no levels 'no.txt'",
        ("--agent", "random", "--seed", "-1", "--out", tmp_path / "new-v0"): "seed=-1",
    }.items():
        code, out, error = run(capsys, "demonstrate", "wumpus", *words)
        assert (code != 0, out, error.count("\n")) == (True, "", 1)
        assert problem in error
    assert not (tmp_path / "new-v0").exists()
    assert (tmp_path / "other-v0" / "data").exists()
    monkeypatch.setitem(sys.modules, "minari", None)
    code, _, error = run(capsys, "demonstrate", "wumpus", "--agent", "random", "--out", tmp_path / "new-v0")
    assert code == 1
    assert 'pip install "gridpuzzles_gym[data]"' in error


def test_the_example_clones(whole, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["", str(whole / "data"), "2", "20"])
    runpy.run_path(str(REPOSITORY / "examples" / "clone_demonstrations.py"), run_name="__main__")
    out = capsys.readouterr().out
    assert "epoch 2: loss" in out
    assert "return " in out


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize(
    ("id", "agent", "settings"),
    [
        ("Wumpus-v0", "random", {}),
        ("Wumpus-v0", "online-search", {"observation": "percepts"}),
        ("CatMouse-v0", "uct", {"max_episode_steps": 12}),
        ("EightPuzzle-v0", "mcts", {"scramble": 3}),
        ("Wumpus-v0", {"network": "recurrent", "observation": "percepts"}, {}),
        ("Wumpus-v0", {"network": "map", "observation": "percepts"}, {}),
        ("EightPuzzle-v0", {"masks": True, "scramble": [1, 4]}, {"observation": "symbols", "scramble": [1, 4]}),
    ],
    ids=str,
)
def test_agents_play_as_they_do_alone(id, agent, settings, tmp_path):
    """Their randomness, memory and action masks are those of the episode, whatever else is played at the same time."""
    if isinstance(agent, dict):
        agent = str(write_tiny_model(tmp_path / "model.safetensors", id, **agent))
    wanted = request(id, agent, settings, episodes=4, seed=3)
    for episode in Recorder(wanted, 4).play(wanted.chunk(0)):
        needed = observation_for(agent, puzzle_of(id), id)
        env = gym.make(id, **settings | ({"observation": needed} if needed else {}))
        policy, memory, starts = load_agent(agent, env, AGENT_SEED + episode.seed), None, np.ones(1, bool)
        seen, _ = env.reset(seed=episode.seed)
        for action in episode.actions:
            own, memory = policy.predict(seen[None], memory, starts, False)
            assert own[0] == action
            seen, starts = env.step(action)[0], np.zeros(1, bool)
