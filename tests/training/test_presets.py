"""Presets of the training settings: what they override, and what overrides them."""

import dataclasses
import os

import gymnasium as gym
import pytest
from helpers import TOY

import gridpuzzles_gym
from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.agents.training.settings import Settings, preset_settings

EIGHT = "EightPuzzle-v0"
PRESETS = {
    row.id: preset for row in gridpuzzles_gym.ENVIRONMENTS if (preset := Game.of(row.id).agents.presets.get(row.id))
}


@pytest.mark.parametrize("env_id", PRESETS)
def test_every_preset_names_an_environment_and_settings_that_exist(env_id, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1}, raising=False)  # the threads depend on it
    preset, defaults = PRESETS[env_id], Settings()
    fields = {field.name for field in dataclasses.fields(Settings)} - {"env_id", "env_kwargs"}
    assert set(preset.learner) <= fields
    for name, value in preset.learner.items():
        assert value != getattr(defaults, name), f"{name} is the default anyway"
    gym.make_vec(env_id, num_envs=2, **preset.environment).close()


def test_an_environment_without_a_preset_has_the_defaults():
    bare = TOY._replace(id="BareToy-v0")
    gridpuzzles_gym.register(bare)
    try:
        assert preset_settings(Game.of(bare.id, prize=6), {"seed": 3}) == Settings(bare.id, {"prize": 6}, seed=3)
    finally:
        del gym.registry[bare.id]


def test_a_preset_overrides_the_defaults_and_is_overridden_by_what_is_given():
    preset = PRESETS[EIGHT]
    untouched = preset_settings(EIGHT, {})
    assert untouched == Settings(EIGHT, dict(preset.environment), **preset.learner)
    given = preset_settings(Game.of(EIGHT, scramble=9, goal="spiral"), {"gamma": 0.5, "seed": 3})
    assert given.env_kwargs == {**preset.environment, "scramble": 9, "goal": "spiral"}
    assert (given.gamma, given.seed) == (0.5, 3)
    assert dataclasses.replace(given, env_kwargs=untouched.env_kwargs, gamma=untouched.gamma, seed=0) == untouched
    assert preset_settings(Game.of(EIGHT, scramble=None), {}).env_kwargs["scramble"] is None, (
        "uniform starts can be had"
    )


def test_sokobans_rewards_and_step_limit_stay_where_levels_are_given():
    preset = PRESETS["Sokoban-v0"].environment
    assert preset["levels"] == "starter"
    assert preset_settings(Game.of("Sokoban-v0", levels="easy"), {}).env_kwargs == {**preset, "levels": "easy"}
    made = preset_settings("Sokoban-v0", {"sampler": "on-the-fly:boxes=2"})
    assert made.env_kwargs == {name: value for name, value in preset.items() if name != "levels"}


def test_a_presets_sampler_is_for_rewards_on_registered_levels_and_observations():
    given = [({}, {}), ({"levels": "small-easy-test"}, {}), ({}, {"teacher": "auto"}), ({"observation": "symbols"}, {})]
    samplers = [preset_settings(Game.of("Bait-v0", **settings), chosen).sampler for settings, chosen in given]
    assert samplers == ["backwards:step=5,uniform=0.2", *["uniform"] * 3]


def test_the_command_line_trains_with_the_preset_and_resumes_without_asking_again(tmp_path, capsys):
    pytest.importorskip("stable_baselines3")
    from gridpuzzles_gym import cli
    from gridpuzzles_gym.agents.training.settings import read_settings

    out = str(tmp_path)
    small = ["--num-envs", "8", "--hyper", "n_steps=16", "--hyper", "hidden=16", "--hyper", "n_epochs=1"]
    train = ["train", EIGHT, "--out", out]
    assert cli.run([*train, "--steps", "256", "--set", "max_episode_steps=40", *small]) == 0
    preset = PRESETS[EIGHT]
    first = read_settings(tmp_path)
    assert first.env_kwargs == {**preset.environment, "max_episode_steps": 40}
    assert (first.num_envs, first.hidden, first.total_steps) == (8, 16, 256)
    for name in preset.learner.keys() - {"num_envs", "n_steps", "hidden", "n_epochs", "total_steps"}:
        assert getattr(first, name) == preset.learner[name]
    printed = " ".join(capsys.readouterr().out.split())
    assert "settings: --set 'scramble=[1,100]' --set max_episode_steps=40 --hyper " in printed
    assert "--hyper hidden=16" in printed
    assert "hidden=128" not in printed, "what the preset says, and the command overrides"

    assert cli.run([*train, "--resume", "--steps", "384"]) == 0
    assert read_settings(tmp_path) == dataclasses.replace(first, total_steps=384)
    resumed = " ".join(capsys.readouterr().out.split())
    assert "max_episode_steps=40 --hyper " in resumed, "a resumed run keeps its own settings"
    assert "total_steps=384" in resumed
