"""Computes figures of the bundled tables and of the documentation again, and lists those that are wrong.

``python benchmarks/figures.py``: all parts; ``--only starter scores``: some. Of the hard levels, one in ``--every`` is
made again. Parts that are done are kept in ``--out``, so that a run that was stopped goes on from there; parts named by
``--only`` start again. Seconds and rates, trained models and levels that are not bundled are left out.
"""

import argparse
import csv
import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from pack_figures import DOCS, KINDS, ROOT, Check, Checks, medians, pack, table
from rich.console import Console
from rich.progress import Progress

from gridpuzzles_gym.agents.cat_mouse import optimum as values
from gridpuzzles_gym.agents.cat_mouse.optimum import chain_of
from gridpuzzles_gym.agents.evaluation import compare
from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.agents.n_puzzle.distances import table_of
from gridpuzzles_gym.agents.search.problem import Limits, Problem, Result
from gridpuzzles_gym.agents.search_tables import heuristic_named, search_named
from gridpuzzles_gym.agents.wumpus.optimum.policy import load_or_solve
from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.puzzles.sokoban.notation import write_lurd
from gridpuzzles_gym.registration import puzzle_of_id

TITLES = (
    ("Bait-v0", "bait/lessons", "astar", r"fewest steps: (?P<number>\d+)\n; (?P<title>.*)\n"),
    ("EightPuzzle-v0", "n_puzzle/classic", "tile-ida-star", r"; (?P<title>.*?(?P<number>\d+) moves.*)\n"),
    ("EightPuzzle-v0", "n_puzzle/eight", "tile-ida-star", r"; (?P<title>.*?(?P<number>\d+) moves.*)\n"),
    ("FifteenPuzzle-v0", "n_puzzle/fifteen", "tile-ida-star", r"; (?P<title>.*?(?P<number>\d+) moves.*)\n"),
    ("Sokoban-v0", "sokoban/first", "sokoban-moves", r"fewest moves: (?P<number>\d+)\n; (?P<title>.*)\n"),
    ("Sokoban-v0", "sokoban/first", "sokoban-pushes", r"fewest pushes: (?P<number>\d+), .*\n; (?P<title>.*)\n"),
)
"""Level files, the search that proves the figures in their comments, and the pattern of these figures."""
MOUSE = (
    (False, 200, "exact, at most 200 steps"),
    (False, None, "exact, without a step limit"),
    (True, 200, "exact, with and without the limit of 200 steps"),
)
UNTRAINED = {"uct", "tile-ida-star", "pretrained"}
"""Agents whose scores are not computed again: they take hours, or were trained."""


def levels_of(env_id: str, choice: str) -> list[Any]:
    return find_levels(puzzle_of_id(env_id), choice)


def pushes_of(level: Any, result: Result) -> int:
    puzzle = puzzle_of_id("Sokoban-v0")
    rows = puzzle.encode(level, level.extent, puzzle.read_options())
    return sum(map(str.isupper, write_lurd(*rows, result.actions)))


def search(env_id: str, level: Any, name: str, heuristic: str | None = None, **parameters: Any) -> Result:
    puzzle = puzzle_of_id(env_id)
    problem = Problem.at_start(puzzle, level)
    return search_named(name, puzzle).solve(problem, heuristic_named(heuristic, puzzle), Limits(), **parameters)


def titles(every: int) -> Checks:
    """The figures in the comments of level files."""
    for env_id, file, name, pattern in TITLES:
        text = (ROOT / "levels" / f"{file}.txt").read_text(encoding="utf-8")
        said = {match["title"]: match["number"] for match in re.finditer(pattern, text)}
        for level in levels_of(env_id, Path(file).name):
            found = search(env_id, level, name)
            cost = pushes_of(level, found) if name == "sokoban-pushes" else len(found.actions)
            yield Check(f"{file}: {level.name}, {name}", said[level.name], str(cost))


def searches(every: int) -> Checks:
    """Moves, pushes and nodes of searches on bundled levels."""
    named = {level.name: level for level in levels_of("Sokoban-v0", "first")}
    for title, _, *cells in table(DOCS / "sokoban-solver.md", "| level | boxes"):
        for name, heuristic, said in (("astar", "original", cells[:2]), ("sokoban", None, cells[3:5])):
            found, where = search("Sokoban-v0", named[title], name, heuristic), f"sokoban-solver.md: {title}, {name}"
            yield Check(where, said[0], f"{len(found.actions)}, {pushes_of(named[title], found)}")
            yield Check(f"{where}, nodes", said[1], f"{found.expanded:,}")
    for level, (board, *cells) in zip(
        levels_of("EightPuzzle-v0", "classic"), table(DOCS / "searches.md", "| board | breadth-first"), strict=True
    ):
        for name, cell in zip(("breadth-first", "depth-first", "astar"), cells, strict=True):
            found, numbers = search("EightPuzzle-v0", level, name), re.findall(r"[\d,]*\d", cell)
            yield Check(
                f"searches.md: {board}, {name}", str(numbers), str([f"{len(found.actions):,}", f"{found.expanded:,}"])
            )
    for row in table(DOCS / "teachers.md", "| environment | teacher"):
        numbers = re.findall(r"[\d.]+(?=,| moves)", row[2])
        for kind, number in zip(re.findall("|".join(KINDS), row[0]), numbers, strict=False):
            found = [search("Sokoban-v0", one, "sokoban-moves", weight=3) for one in levels_of("Sokoban-v0", kind)]
            yield Check(f"teachers.md: {kind}", number, f"{np.mean([len(one.actions) for one in found]):.1f}")


def rows_of_scores() -> list[dict[str, str]]:
    with (DOCS / "environments/scores.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def scores(every: int) -> Checks:
    """The scores of agents, which play the same episodes again; those of :data:`UNTRAINED` are left out."""
    for row in rows_of_scores():
        where = f"scores.csv: {row['id']} {row['settings']} {row['label'] or row['agent']}"
        shares = [
            float(row[name].rstrip(" %")) for name in ("success", "deaths", "timeouts") if row[name].endswith("%")
        ]
        yield Check(f"{where}: shares are at most 100 %", "True", str(sum(shares) <= 100.2))
        if not row["agent"] or row["agent"] in UNTRAINED or not row["episodes"] or "×" in row["settings"]:
            continue
        given = dict(re.findall(r'(\w+)="?([^",]+)"?', row["settings"]))
        given = {name: said if name == "levels" else json.loads(said.lower()) for name, said in given.items()}
        count, whole = int(row["episodes"].replace(",", "")), " of " in row["success"]
        played = compare(Game.of(row["id"], **given), [row["agent"]], count, progress=False, every_level=whole)
        [score] = played.scores
        numbers = (score.mean_return, 100 * score.deaths, 100 * score.timeouts, score.steps)
        for name, value in zip(("return", "deaths", "timeouts", "steps"), numbers, strict=True):
            if row[name]:
                said = re.sub("[ %+]", "", row[name]).replace("−", "-")
                yield Check(f"{where}: {name}", said, f"{value:.{len(said.partition('.')[2])}f}")


def bounds(every: int) -> Checks:
    """The exact bounds."""
    rows = [row for row in rows_of_scores() if row["label"].startswith("exact")]
    said = {(row["id"], row["settings"], row["label"]): row["return"].lstrip("+") for row in rows}
    for climb in (False, True):
        value = load_or_solve(4, 4, 3, climb, 100).value
        yield Check("scores.csv: Wumpus", said["Wumpus-v0", "climb=True" * climb, "exact"], f"{value:.4f}")
    for blocked, limit, label in MOUSE:
        batch: Any = gym.make("CatMouse-v0", cat_blocked=blocked).unwrapped.batch  # type: ignore[attr-defined]
        level, first = batch.pool.rows(0)
        chain = chain_of(level)
        value = values.expectation(values.solve(chain), chain.start(level, first), limit).mean_return
        yield Check(
            f"scores.csv: CatMouse, {label}", said["CatMouse-v0", "cat_blocked=True" * blocked, label], f"{value:.3f}"
        )
    distances = table_of((1, 2, 3, 4, 5, 6, 7, 8, 0), (3, 3))
    value, label = 1000 - distances[distances >= 0].mean(), "exact, mean of all boards"
    yield Check("scores.csv: EightPuzzle", said["EightPuzzle-v0", "", label], f"{value:.2f}")


PARTS: dict[str, Callable[[int], Checks]] = {
    **{part.__name__: part for part in (medians, titles, bounds, searches, scores)},
    **{kind: partial(pack, kind) for kind in KINDS},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=[], metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--every", type=int, default=50, help="make one in so many of the hard levels again")
    parser.add_argument("--out", type=Path, default=ROOT / "runs" / "figures.json", help="file of the finished parts")
    given = parser.parse_args()
    done: dict[str, Any] = json.loads(given.out.read_text()) if given.out.exists() else {}
    console = Console(stderr=True)
    for name in given.only or [part for part in PARTS if part not in done]:
        checked, wrong = 0, []
        with Progress(console=console, transient=True) as bar:
            task = bar.add_task(name, total=None)
            for check in PARTS[name](given.every):
                checked += 1
                if check.said != check.found:
                    wrong.append(check)
                bar.update(
                    task, advance=1, description=f"{name}: {checked:,} figures, {len(wrong):,} wrong, {check.where}"
                )
        done[name] = {"checked": checked, "wrong": wrong}
        given.out.parent.mkdir(parents=True, exist_ok=True)
        given.out.write_text(json.dumps(done, ensure_ascii=False, indent=1), encoding="utf-8")
    for name, each in done.items():
        print(f"{name}: {each['checked']:,} figures, {len(each['wrong']):,} wrong")
        for where, said, found in each["wrong"]:
            print(f"    {where}: {said}, found {found}")


if __name__ == "__main__":
    main()
