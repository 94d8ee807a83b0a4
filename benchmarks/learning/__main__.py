"""The command line: ``python -m benchmarks.learning``."""

import argparse
from pathlib import Path

from .plan import FILE, Plan, read_plan

PAGE = Path(__file__).parents[2] / "docs" / "learning.md"


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.learning", description=__doc__)
    parser.add_argument("--plan", type=Path, default=FILE, help="another plan")
    parser.add_argument("--out", type=Path, default=PAGE.with_suffix(""), help="folder of the results")
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="train and test what is not complete yet; can be stopped and started again")
    run.add_argument("names", nargs="*", metavar="RUN", help="patterns of names, such as 'wumpus-*'; default: all")
    run.add_argument("--runs", type=Path, default=Path("runs/learning"), help="folder of the runs")
    run.add_argument("--minutes", type=float, help="minutes of training, instead of the plan's: to try it")
    run.add_argument("--episodes", type=int, help="episodes in each test at most: to try it")
    adopt = commands.add_parser(
        "adopt", help="test finished runs of `gridpuzzles train`, and publish them as runs of the plan"
    )
    adopt.add_argument("runs", nargs="+", metavar="RUN=FOLDER", help="such as wumpus-0=runs/Wumpus-v0-ppo")
    adopt.add_argument("--episodes", type=int, help="episodes in each test at most: to try it")
    lines = commands.add_parser("references", help="measure the agents that are drawn as lines")
    lines.add_argument("charts", nargs="*", metavar="CHART", help="default: all")
    lines.add_argument("--episodes", type=int, help="episodes of each agent at most: to try it")
    ship = commands.add_parser("ship", help="measure a model, and make it the pretrained one of its environment")
    ship.add_argument("model", type=Path, help="a model file, or the folder of a run")
    ship.add_argument("--episodes", type=int, default=100_000, help="episodes in each measurement; default: 100,000")
    ship.add_argument("--averaged", action="store_true", help="play by the mean over the orientations of the board")
    commands.add_parser("draw", help="draw the charts, and write the tables of the page")
    commands.add_parser("list", help="show the runs, and which have results")
    given = parser.parse_args()
    plan = read_plan(given.plan)
    work = {
        "run": _run,
        "adopt": _adopt,
        "references": _references,
        "ship": _ship,
        "draw": _draw,
        "list": _list,
    }
    work[given.command](plan, given)


def _run(plan: Plan, given: argparse.Namespace) -> None:
    from .training import Bench

    bench = Bench(plan, given.runs, given.out, given.minutes, given.episodes)
    for experiment, seed in plan.runs(given.names):
        bench.run(experiment, seed)


def _adopt(plan: Plan, given: argparse.Namespace) -> None:
    from .training import Bench

    bench = Bench(plan, Path(), given.out, episodes=given.episodes)
    for pair in given.runs:
        name, _, folder = pair.partition("=")
        ((experiment, seed),) = plan.runs([name])
        bench.test(experiment, seed, Path(folder))


def _references(plan: Plan, given: argparse.Namespace) -> None:
    from .training import Bench

    Bench(plan, Path(), given.out, episodes=given.episodes).references(
        chart for name, chart in plan.charts.items() if not given.charts or name in given.charts
    )


def _ship(plan: Plan, given: argparse.Namespace) -> None:
    from .shipping import ship

    print(ship(given.model, episodes=given.episodes, averaged=given.averaged))


def _draw(plan: Plan, given: argparse.Namespace) -> None:
    from .charts import draw_chart
    from .page import chart_references, write_page, write_scores
    from .results import read_references, read_results

    results, references = read_results(given.out), read_references(given.out)
    for chart in plan.charts.values():
        lines = chart_references(chart, references)
        picture = draw_chart(chart, plan.experiments_of(chart), results, lines, given.out)
        if picture is not None:
            print(picture)
    print(write_scores(given.out, plan, results))
    print(write_page(given.out.with_suffix(".md"), plan, results))


def _list(plan: Plan, given: argparse.Namespace) -> None:
    from .results import read_results

    known = read_results(given.out)
    for experiment, seed in plan.runs():
        name = experiment.run(seed)
        state = f"{known[name].steps:,} steps, {len(known[name].scores)} scores" if name in known else "–"
        print(f"{name:28} {plan.charts[experiment.chart].env:18} {experiment.label:24} {state}")


if __name__ == "__main__":
    main()
