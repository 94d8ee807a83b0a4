"""The page of learning curves: results of several machines add up, drawing needs no PyTorch, stopped runs go on."""

import csv
import dataclasses
import json
import shutil
import sys

import numpy as np
import pytest
from helpers import REPOSITORY

if str(REPOSITORY) not in sys.path:
    sys.path.append(str(REPOSITORY))

from benchmarks.learning import page, results
from benchmarks.learning.charts import band, draw_chart
from benchmarks.learning.going_on import after, shown_curve, trained_before
from benchmarks.learning.plan import FILE, read_plan
from benchmarks.learning.results import LIKELIEST, SAMPLED, Result, Score

PLAN = """
[charts.caves]
title = "Small caves"
env = "Wumpus-v0"
settings = { size = 2, pits = 0 }
agents = ["random"]
bound = { label = "optimum", return = 990.0 }
snapshot_minutes = 1e-6
tests = [
    { name = "caves", settings = { size = 2, pits = 0 }, episodes = 20, curve = true },
    { name = "elsewhere", settings = { levels = "$NOWHERE/levels" } },
]
published = [{ label = "theirs", steps = 100.0, success = 0.5 }]

[[experiments]]
name = "small"
chart = "caves"
label = "PPO"
seeds = [3, 4]
settings = { size = 2, pits = 0 }
training = { total_steps = 64, minutes = 5, num_envs = 8, n_steps = 4, batch_size = 32, hidden = 8, threads = 1 }
"""


@pytest.fixture
def plan(tmp_path):
    (tmp_path / "plan.toml").write_text(PLAN)
    return read_plan(tmp_path / "plan.toml")


def curve(file, steps, success):
    rows = [f"ppo,{n},{n / 10},{1000 * success * n / steps[-1]},{success},0.1,9," for n in steps]
    file.write_text("phase,steps,seconds,return,success,deaths,length,curriculum\n" + "\n".join(rows) + "\n")
    return file


SETTINGS = {"env_kwargs": {"size": 2, "pits": 0, "max_episode_steps": 10}, "num_envs": 2}


def result(run, seed, success=0.5):
    scores = tuple(Score("caves", action, 20, 100 * success, 1.0, success, 0.1, 9.0) for action in (SAMPLED, LIKELIEST))
    on_the_way = (Score("caves", SAMPLED, 20, 10.0, 1.0, 0.25, 0.1, 9.0, 50, 5.0),)
    return Result(
        run, "small", seed, "Wumpus-v0", 100, 0.2, "cpu", "gridpuzzles train", {}, SETTINGS, scores, on_the_way
    )


def test_the_plan_is_one_of_runs_that_can_be_started():
    from gridpuzzles_gym.agents.registry import agents_of
    from gridpuzzles_gym.agents.training.presets import preset_settings
    from gridpuzzles_gym.engine.puzzle import load_puzzle
    from gridpuzzles_gym.registration import ENVIRONMENTS

    plan, puzzles = read_plan(FILE), {row.id: load_puzzle(row.puzzle) for row in ENVIRONMENTS}
    assert {chart.env for chart in plan.charts.values()} == set(puzzles)
    for experiment, seed in plan.runs():
        chart = plan.charts[experiment.chart]
        settings = preset_settings(chart.env, experiment.settings, {**experiment.training, "seed": seed})
        assert (settings.env_id, settings.seed) == (chart.env, seed)
    for chart in plan.charts.values():
        assert plan.experiments_of(chart)
        assert set(chart.agents) <= set(agents_of(puzzles[chart.env]))
        options = set(puzzles[chart.env].read_options().__dataclass_fields__)
        for settings in (chart.settings, *(test.settings for test in chart.tests)):
            assert set(settings) <= options | {"levels", "observation", "max_episode_steps"}


def test_runs_are_chosen_by_patterns_and_first_seeds_come_first(plan):
    assert [experiment.run(seed) for experiment, seed in plan.runs()] == ["small-3", "small-4"]
    assert [seed for _, seed in plan.runs(["*-4"])] == [4]
    with pytest.raises(SystemExit, match="no run is called large"):
        plan.runs(["large"])


def test_a_curve_is_read_without_rows_that_are_broken_or_double(tmp_path):
    file = curve(tmp_path / "curve.csv", [10, 20, 30], 0.5)
    file.write_text(file.read_text() + "ppo,20,9.0,7,0.5,0.1,9,\nppo,40,4.0,7\n")
    rows = results.read_curve(file)
    assert [(row["steps"], row["seconds"]) for row in rows] == [(10, 1), (20, 9), (30, 3)]
    many = [{"steps": n} for n in range(1000)]
    assert [row["steps"] for row in results.thinned(many, 4)] == [249, 499, 749, 999]
    assert results.thinned(many[:3], 4) == many[:3]
    assert len(results.thinned(many, 300)) <= 301


def test_the_band_is_between_the_seeds(tmp_path):
    rows = [[{"steps": n, "return": k * n} for n in range(k, 100 + k)] for k in (1, 2, 6)]
    places, mean, low, high = band(rows, "steps", "return")
    assert (places[0], places[-1]) == (6, 100)
    assert np.allclose(low, places)
    assert np.allclose(high, 6 * places)
    assert np.allclose(mean, 3 * places)


def test_a_curve_begins_after_the_first_episodes_and_the_run_before_it(plan):
    rows = [{"steps": n, "seconds": n / 10, "return": float(n)} for n in (10, 20, 30)]
    first, second = result("small-3", 3), result("longer-3", 3)
    assert [row["return"] for row in shown_curve(rows, first, 0, 0.0)] == [20.0, 30.0], "2 environments, 10 steps"
    assert shown_curve(rows[:1], first, 0, 0.0) == rows[:1], "what is known of a run that has just begun"
    unlimited = dataclasses.replace(first, settings={"env_kwargs": {}, "num_envs": 1})
    assert [row["return"] for row in shown_curve([{**rows[0], "steps": n} for n in (99, 100)], unlimited, 0, 0)] == [10]

    longer = dataclasses.replace(plan.experiments[0], name="longer", start="small-*")
    assert longer.begins_with(3) == "small-3"
    assert trained_before(second, longer, {"small-3": first}) == (100, 0.2)
    assert trained_before(second, longer, {}) == trained_before(first, plan.experiments[0], {}) == (0, 0.0)
    moved = after(second, 100, 0.2)
    assert (moved.steps, moved.minutes, moved.snapshots[0].steps, moved.snapshots[0].seconds) == (200, 0.4, 150, 17.0)
    assert [row["seconds"] for row in shown_curve(rows, second, 100, 0.2)] == [14.0, 15.0]


def test_results_of_two_machines_make_one_page(plan, tmp_path):
    first, second = tmp_path / "first" / "learning", tmp_path / "second" / "learning"
    results.publish(result("small-3", 3, 0.5), curve(tmp_path / "a.csv", range(10, 110, 10), 0.5), first)
    results.publish(result("small-4", 4, 0.75), curve(tmp_path / "b.csv", range(10, 110, 10), 0.75), second)
    shutil.copytree(second, first, dirs_exist_ok=True)
    agent = {"chart": "caves", "agent": "random", "episodes": 5, "interval": 1.0, "success": 0.25}
    results.write_references(first, [agent | {"return": 1.0}])
    results.write_references(first, [agent | {"return": -5.0}, agent | {"agent": "other", "return": 2.0}])

    known, references = results.read_results(first), results.read_references(first)
    assert known == {"small-3": result("small-3", 3, 0.5), "small-4": result("small-4", 4, 0.75)}
    assert [row["return"] for row in references] == [2.0, -5.0]
    lines = page.chart_references(plan.charts["caves"], references)
    assert [row["agent"] for row in lines] == ["random"]

    picture = draw_chart(plan.charts["caves"], plan.experiments, known, lines, first)
    image = picture.read_bytes()
    assert int.from_bytes(image[16:20], "big") == 800  # pixels wide
    assert draw_chart(plan.charts["caves"], plan.experiments, known, lines, first).read_bytes() == image
    assert draw_chart(plan.charts["caves"], plan.experiments, {}, lines, first) is None

    with page.write_scores(first, plan, known).open(newline="") as file:
        assert [(row["run"], row["action"], row["success"]) for row in csv.DictReader(file)] == [
            ("small-3", "sampled", "0.5000"),
            ("small-3", "likeliest", "0.5000"),
            ("small-4", "sampled", "0.7500"),
            ("small-4", "likeliest", "0.7500"),
        ]
    written = first.with_suffix(".md")
    written.write_text("# By hand\n\n" + "".join(f"<!-- {n} -->\n<!-- /{n} -->\nkept\n" for n in BLOCKS))
    text = page.write_page(written, plan, known, references).read_text()
    assert "| Small caves | caves | PPO | +62.5 (+50.0 … +75.0) | 62.5 % (50.0 % … 75.0 %) |" in text
    assert "| Small caves | as in training | `random` | -5.0 | 25.0 % | | |" in text
    assert "| Small caves | as in training | optimum | +990.0 |  | | |" in text
    assert "| theirs | 0 M | – | 50.0 % |" in text
    assert "![Learning curves of Small caves](learning/caves.png)" in text
    assert "| `gridpuzzles train --engine own` |" in text, "made before there was a choice of engines"
    assert text.count("kept") == len(BLOCKS)
    assert page.write_page(written, plan, known, references).read_text() == text
    written.write_text("<!-- nonsense -->\n<!-- /nonsense -->\n")
    with pytest.raises(ValueError, match="unknown block 'nonsense'"):
        page.write_page(written, plan, known, references)


BLOCKS = ("charts", "scores", "published", "commands")


@pytest.mark.extended
def test_a_run_is_trained_tested_and_published_and_goes_on_where_it_was_stopped(plan, tmp_path, monkeypatch):
    pytest.importorskip("torch")
    from benchmarks.learning import training
    from gridpuzzles_gym.agents.models.model_file import read_description

    trained, tested = [], []
    go_on, score = training.TrainingRun.go_on, training.score_model
    monkeypatch.setattr(
        training.TrainingRun, "go_on", lambda run, *more: (trained.append(run.steps), go_on(run, *more))
    )
    monkeypatch.setattr(training, "score_model", lambda *given: (tested.append(given[3].name), score(*given))[1])
    out = tmp_path / "learning"
    bench = training.Bench(plan, tmp_path / "runs", out)
    (experiment,) = plan.experiments
    assert bench.run(experiment, 3)
    found = results.read_results(out)["small-3"]
    assert (found.steps, found.seed, found.settings["hidden"]) == (64, 3, 8)
    assert [(score.test, score.action, score.episodes) for score in found.scores] == [
        ("caves", "sampled", 20),
        ("caves", "likeliest", 20),
    ]
    assert [(score.steps, score.action) for score in found.snapshots] == [(64, "sampled")]
    assert 0 <= found.scores[0].success <= 1
    assert read_description(tmp_path / "runs" / "small-3").scores[0]["success"] == found.scores[0].success
    assert (trained, tested) == ([0], ["caves", "caves"])

    assert bench.run(experiment, 3)  # complete: nothing is done again
    assert (trained, tested) == ([0], ["caves", "caves"])
    assert results.read_results(out)["small-3"] == found

    file = tmp_path / "runs" / "small-3" / training.RESULT  # stopped between two tests
    content = json.loads(file.read_text())
    file.write_text(json.dumps(content | {"snapshots": []}))
    assert bench.run(experiment, 3)
    assert (trained, tested) == ([0], ["caves"] * 3)

    longer = training.Bench(plan, tmp_path / "runs", out)
    monkeypatch.setitem(experiment.training, "total_steps", 128)  # as if it had been stopped at 64
    assert longer.run(experiment, 3)
    assert (trained, results.read_results(out)["small-3"].steps) == ([0, 64], 128)
    steps = [row["steps"] for row in results.read_curve(out / "runs" / "small-3.csv")]
    assert steps[-1] == 128
    assert steps == sorted(set(steps))
    longer.references(plan.charts.values())
    assert [row["agent"] for row in results.read_references(out)] == ["random"]
