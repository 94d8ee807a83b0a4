"""Charts: no legend lies over what it explains."""

import csv

import pytest

from gridpuzzles_gym.agents.evaluation import Comparison, Score
from gridpuzzles_gym.agents.training.monitoring.curve import FIELDS, draw_curve

pytest.importorskip("matplotlib")


@pytest.fixture
def written(monkeypatch):
    """The figures that are written, in order."""
    from matplotlib.figure import Figure

    figures, save = [], Figure.savefig

    def listening(self, *arguments, **settings):
        figures.append(self)
        save(self, *arguments, **settings)

    monkeypatch.setattr(Figure, "savefig", listening)
    return figures


def covered(figure):
    """Where a legend lies over a panel."""
    legends = [*figure.legends, *(axes.get_legend() for axes in figure.axes if axes.get_legend())]
    assert legends
    boxes = [axes.get_window_extent() for axes in figure.axes]
    return [box for legend in legends for box in boxes if legend.get_window_extent().overlaps(box)]


@pytest.mark.parametrize("count", [1, 3, 12])
def test_a_comparison(tmp_path, written, count):
    scores = [Score(f"agent {i}", 10, 900.0 - i, 5.0, 0.9, 0.1, 0.0, 20.0, 0.1) for i in range(count)]
    Comparison("Wumpus-v0", 0, tuple(scores)).write_chart(tmp_path / "chart.png")
    assert not covered(written[0])


@pytest.mark.parametrize("curriculum", ["", "0.5"])
def test_a_learning_curve(tmp_path, written, curriculum):
    with (tmp_path / "curve.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerows([FIELDS, *([1000 * i, i, 900, 1.0, 0.99, 20, curriculum] for i in range(5))])
    draw_curve(tmp_path / "curve.csv", tmp_path / "curve.png", "Wumpus-v0")
    assert not covered(written[0])
