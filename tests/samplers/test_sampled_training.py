"""Training on sampled levels: samplers by name, the learner's scores, the curriculum in the curve, resuming."""

import dataclasses
import json

import errands
import numpy as np
import pytest
import torch
from helpers import CORRIDOR, curve, puzzle_of, same

pytest.importorskip("tensorboard")

from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.agents.level_sources.makers import make_source
from gridpuzzles_gym.agents.level_sources.named_samplers import SAMPLERS, make_sampler, read_sampler
from gridpuzzles_gym.agents.samplers import LevelReplay, OnTheFly, Pack
from gridpuzzles_gym.agents.training.settings import Settings, read_settings
from gridpuzzles_gym.agents.training.trainer import LevelScores, train

RIGHT = 3
TINY = Settings(total_steps=1024, num_envs=8, n_steps=32, batch_size=64, n_epochs=1, hidden=16, minutes=None, threads=1)
EASY = {"scramble": 1, "max_episode_steps": 6}


def tiny(sampler, env_id="EightPuzzle-v0", **changes):
    return dataclasses.replace(TINY, sampler=sampler, env_id=env_id, **changes)


# -- by name -------------------------------------------------------------------------------------


def test_a_choice_is_a_name_and_parameters():
    assert read_sampler("uniform") == ("uniform", {})
    assert read_sampler("curriculum:up=0.7, episodes=50,by=nodes") == (
        "curriculum",
        {"up": 0.7, "episodes": 50, "by": "nodes"},
    )
    assert read_sampler("on-the-fly:floor=[30,40],wait=true")[1] == {"floor": [30, 40], "wait": True}


def test_every_name_makes_its_sampler():
    assert set(SAMPLERS) == {"uniform", "curriculum", "backwards", "replay", "on-the-fly"}
    assert make_sampler("uniform", Game.of("Wumpus-v0")) is None
    tiles = make_sampler("curriculum", Game.of("FifteenPuzzle-v0", goal="spiral", observation="symbols"))
    assert tiles.extent == (4, 4)
    assert tiles.size == 6
    boards = make_sampler("curriculum", Game.of("Sokoban-v0", levels=CORRIDOR))
    assert (boards.size, boards.width) == (1, 1)
    assert make_sampler("replay", Game.of("Sokoban-v0", levels=CORRIDOR)).scores == "learner"
    assert isinstance(make_sampler("replay:temperature=0.1,scores=learnability", Game.of("Wumpus-v0")), LevelReplay)
    for text, env_id, kwargs, extent in (
        ("size=[5,4],pits=1", "Wumpus-v0", {}, (4, 5)),
        ("size=7", "CatMouse-v0", {}, (7, 7)),
        ("cats=2", "CatMouse-v0", {"size": 9}, (9, 9)),
        ("size=4", "EightPuzzle-v0", {}, (4, 4)),
        ("size=8", "Bait-v0", {}, (8, 8)),
        ("size=7,boxes=1,simulations=5,evaluation=original", "Sokoban-v0", {}, (7, 7)),
    ):
        made = make_sampler(f"on-the-fly:workers=0,{text}", Game.of(env_id, **kwargs))
        assert made.extent == extent
        made.sample(1)


@pytest.mark.extended
@pytest.mark.parametrize(
    ("puzzle", "parameters"),
    [("Bait-v0", {"size": 7}), ("Sokoban-v0", {"width": 7, "height": 7, "boxes": 2, "simulations": 20})],
)
def test_makers_make_equal_levels_of_equal_random_bits(puzzle, parameters):
    maker = make_source(puzzle_of(puzzle), parameters)
    background = OnTheFly(maker, 1, wait=True, buffer=2, seed=3)
    here = OnTheFly(maker, 0, seed=3)
    for _ in range(3):
        assert same(background.sample(0).content, here.sample(0).content)
    background.close()


def test_backwards_begins_in_the_middle_of_won_games_nearest_to_the_end_first():
    game = Game.of("Sokoban-v0", levels="######\n#@ $.#\n######\n")
    made = make_sampler("backwards:teacher=sokoban-moves,games=3,uniform=0,episodes=2", game)
    assert [level.content[1] for level in made.levels] == ["# @$.#", "#@ $.#"]
    env, lengths = game.make(levels=made), []
    for _ in range(8):
        env.reset(seed=None if lengths else 0)
        lengths.append(1 if env.step(RIGHT)[2] else 1 + env.step(RIGHT)[2])
    assert lengths == sorted(lengths)
    assert set(lengths) == {1, 2}
    with pytest.raises(ValueError, match="teacher random has won none of 2 games"):
        make_sampler("backwards:teacher=random,games=2", game.with_settings(max_episode_steps=1))


# -- scores --------------------------------------------------------------------------------------


class Listening(Pack):
    """A pack that writes down its scores."""

    def __init__(self, levels):
        super().__init__(levels)
        self.scores = []

    def score(self, level, value):
        self.scores.append((level, value))


def test_the_learner_scores_every_episode_by_its_mean_advantage():
    """Against a plain loop over whole episodes, across rollouts."""
    numbers = np.random.default_rng(1)
    envs, steps = 6, 7
    levels = [errands.corridor(word) for word in range(5)]
    sampler = Listening(levels)
    scores = LevelScores(sampler, envs)
    wanted, unfinished = [], [[] for _ in range(envs)]
    for _ in range(8):
        advantages = numbers.normal(size=(steps, envs)).astype(np.float32)
        ended = []
        for step in range(steps):
            for i in range(envs):
                unfinished[i].append(abs(float(advantages[step, i])))
                if numbers.random() < 0.2:
                    level = levels[numbers.integers(5)] if numbers.random() < 0.9 else None
                    ended.append((step, i, level))
                    if level is not None:
                        wanted.append((level, np.mean(unfinished[i])))
                    unfinished[i] = []
        scores.report(advantages, ended)
    assert len(wanted) > 30
    assert [level for level, _ in sampler.scores] == [level for level, _ in wanted]
    np.testing.assert_allclose([value for _, value in sampler.scores], [value for _, value in wanted], rtol=1e-5)


# -- training ------------------------------------------------------------------------------------


@pytest.mark.extended
def test_a_curriculum_is_in_the_curve_and_goes_on_where_it_was(tmp_path):
    choice = "curriculum:up=0.05,down=0,episodes=10"
    train(tiny(choice, env_kwargs=EASY), tmp_path)
    assert read_settings(tmp_path).sampler == choice
    assert json.loads((tmp_path / "settings.json").read_text())["sampler"] == choice
    way = [float(row["curriculum"]) for row in curve(tmp_path)]
    assert way[-1] > 0
    assert (tmp_path / "learning_curve.png").stat().st_size > 1000
    train(tiny(choice, env_kwargs=EASY, total_steps=1280), tmp_path, resume=True)
    assert float(curve(tmp_path)[4]["curriculum"]) >= way[-1]
    train(tiny("uniform", env_kwargs=EASY, total_steps=1536), tmp_path, resume=True)
    assert curve(tmp_path)[-1]["curriculum"] == ""


MEASURES = {
    "curriculum:episodes=10": "curriculum",
    "replay": "mean_score",
    "on-the-fly:wait=true": "repeated",
}


@pytest.mark.extended
@pytest.mark.parametrize("choice", MEASURES)
def test_what_a_sampler_measures_is_logged(tmp_path, choice):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    train(tiny(choice, env_kwargs=EASY, total_steps=512), tmp_path)
    events = EventAccumulator(str(tmp_path / "tensorboard"))
    events.Reload()
    logged = [event.value for event in events.Scalars(f"levels/{MEASURES[choice]}")]
    assert len(curve(tmp_path)) == len(logged) == 2
    told = [row["curriculum"] for row in curve(tmp_path)]
    if MEASURES[choice] == "curriculum":
        assert [float(value) for value in told] == pytest.approx(logged)
    else:
        assert told == ["", ""]


@pytest.mark.extended
def test_replay_is_scored_by_the_learner_and_resumed(tmp_path):
    choice, scored = "replay:buffer=50", []
    for total in (1024, 1280):
        train(tiny(choice, env_kwargs=EASY, total_steps=total), tmp_path, resume=bool(scored))
        scored.append(len(torch.load(tmp_path / "checkpoint.pt")["run"]["sampler"]["levels"]))
    assert 10 < scored[0] <= scored[1]
