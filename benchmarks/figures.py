"""Computes figures of the bundled tables and of the documentation again, and lists those that are wrong.

``python benchmarks/figures.py``: all parts; ``--only packs scores``: some. Of what takes long, every ``--every``-th is
computed, 1 for all. Parts that are done are kept in ``--out``, so that a run that was stopped goes on from there; parts
named by ``--only`` start again. Seconds and rates, trained models and levels that are not bundled are left out; the page
of learning curves is compared with the results that it is made from.
"""

import argparse
import csv
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
from rich.console import Console
from rich.progress import Progress

from gridpuzzles_gym.agents.cat_mouse import values
from gridpuzzles_gym.agents.evaluation import compare
from gridpuzzles_gym.agents.n_puzzle.distances import table_of
from gridpuzzles_gym.agents.search.problem import Limits, Problem, Result
from gridpuzzles_gym.agents.search_tables import heuristic_named, search_named
from gridpuzzles_gym.agents.sokoban.generation.difficulty import measure, prove_fewest_moves
from gridpuzzles_gym.agents.sokoban.generation.generator import Generator, Recipe
from gridpuzzles_gym.agents.sokoban.generation.measured import Measured
from gridpuzzles_gym.agents.sokoban.generation.packs import Grade, read_sidecar
from gridpuzzles_gym.agents.wumpus.optimum.policy import load_or_solve
from gridpuzzles_gym.app.arguments import environment
from gridpuzzles_gym.engine.levels import find_levels
from gridpuzzles_gym.puzzles.sokoban.notation import read_lurd

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
KINDS = ("starter", "easy", "medium", "hard")
MEASURES = ("pushes", "fewest_moves", "nodes", "proof_nodes", "box_changes", "deadlock_density")
RECIPES: dict[str, dict[str, Any]] = {
    "starter": {"height": 7, "width": 7, "boxes": 2, "exact": False, "simulations": 50},
    "easy": {"height": 8, "width": 8, "boxes": 3, "simulations": 100},
    "medium": {"height": 10, "width": 10, "boxes": 4, "simulations": 300},
    "hard": {"height": 10, "width": 10, "boxes": 4, "simulations": 100, "edits": 500},
}
"""Those of levels/README.md."""
UNTRAINED = {"uct", "tile-ida-star", "pretrained"}
"""Agents that are not played again: they take hours, or were trained."""


class Check(NamedTuple):
    """A figure, as it is said and as it was computed."""

    where: str
    said: str
    found: str


Checks = Iterator[Check]


def table(path: Path, start: str) -> list[list[str]]:
    """The rows of a Markdown table whose heading begins with this text, without marks of emphasis."""
    lines = iter(path.read_text(encoding="utf-8").splitlines())
    next(line for line in lines if line.startswith(start))
    rows = []
    for line in lines:
        if not line.startswith("|"):
            break
        rows.append([cell.strip(" *`") for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
    return rows[1:]


def number(text: str) -> float:
    """The first number of a text."""
    return float(re.search(r"[-+]?[\d,.]*\d", text.replace("−", "-"))[0].replace(",", ""))  # type: ignore[index]


def search(env_id: str, level: Any, name: str, heuristic: str | None = None, **parameters: Any) -> Result:
    puzzle, options = environment(env_id)[1], environment(env_id)[1].read_options()
    options = puzzle.resolve_options(options, level.extent, [level])
    problem = Problem(puzzle, *puzzle.encode(level, level.extent, options), options)
    return search_named(name, puzzle).solve(problem, heuristic_named(heuristic, puzzle), Limits(), **parameters)


def packs(every: int) -> Checks:
    """Every column of the tables next to Sokoban's packs; of random bits, every so many."""
    puzzle = environment("Sokoban-v0")[1]
    for pack in (*KINDS, *(f"{kind}-test" for kind in KINDS)):
        generator = Generator(Recipe(**RECIPES[pack.removesuffix("-test")]))
        for place, (level, grade) in enumerate(zip(find_levels(puzzle, pack), read_sidecar(pack), strict=True)):
            rows = puzzle.encode(level, level.extent, puzzle.read_options())
            found = measure(*rows)
            boxes, plan = sum(map("".join(level.content).count, "$*")), read_lurd(grade.certificate)
            solved = Problem(puzzle, *rows, puzzle.read_options()).reaches_goal(plan)
            pushes = sum(letter.isupper() for letter in grade.certificate)
            yield Check(f"{level.name}: certificate", f"True, {grade.pushes}", f"{solved}, {pushes}")
            again = Grade(
                level.name,
                grade.random_bits,
                round(Measured().worth(found), 6),
                boxes,
                fewest_moves=prove_fewest_moves(*rows),
                **{name: getattr(found, name) for name in ("pushes", "nodes", "proof_nodes", "box_changes")},
                deadlock_density=round(found.deadlock_density, 6),
                certificate=found.certificate,
            ).row()
            for column, said in grade.row().items():
                if column != "random_bits":
                    yield Check(f"{level.name}: {column}", said, again[column])
            if place % (every if pack.startswith("hard") else -(-every // 10)) == 0:
                made = generator.make(grade.random_bits)
                text = "" if made is None else "\n".join(made.level.content)
                yield Check(f"{level.name}: random_bits", "\n".join(level.content), text)


def medians(every: int) -> Checks:
    """Medians and means over Sokoban's packs."""
    grades = {kind: read_sidecar(kind) for kind in KINDS}
    for kind, *cells in table(ROOT / "levels/README.md", "| generated pack"):
        for name, said in zip(("pushes", "nodes"), cells[2:], strict=True):
            yield _median(f"levels/README.md, {kind}", said, grades[kind], name)
    for kind, *cells in table(DOCS / "sokoban-generator.md", "| levels | number"):
        if kind in KINDS:
            for name, said in zip(MEASURES, cells[1:], strict=True):
                yield _median(f"sokoban-generator.md, {kind}", said, grades[kind], name)


def _median(where: str, said: str, grades: list[Grade], name: str) -> Check:
    median = float(np.median([getattr(grade, name) for grade in grades]))
    return Check(f"{where}: median {name}", said, f"{median:.2f}" if median < 1 else f"{median:,g}")


def titles(every: int) -> Checks:
    """What level files say of their levels."""
    plans = [("Bait-v0", "bait/lessons", "astar", r"fewest steps: (\d+)\n; (.*)\n", (2, 1))]
    plans += [
        ("EightPuzzle-v0", f"n_puzzle/{name}", "tile-ida-star", r"; (.*?(\d+) moves.*)\n", (1, 2))
        for name in ("classic", "eight")
    ]
    plans += [("FifteenPuzzle-v0", "n_puzzle/fifteen", "tile-ida-star", r"; (.*?(\d+) moves.*)\n", (1, 2))]
    plans += [("Sokoban-v0", "sokoban/first", "sokoban-moves", r"fewest moves: (\d+)\n; (.*)\n", (2, 1))]
    plans += [("Sokoban-v0", "sokoban/first", "sokoban-pushes", r"fewest pushes: (\d+), .*\n; (.*)\n", (2, 1))]
    for env_id, file, name, pattern, (title, place) in plans:
        text = (ROOT / "levels" / f"{file}.txt").read_text(encoding="utf-8")
        said = {match[title]: match[place] for match in re.finditer(pattern, text)}
        for level in find_levels(environment(env_id)[1], file.rpartition("/")[2]):
            found = search(env_id, level, name)
            cost = _pushes(level, found) if name == "sokoban-pushes" else len(found.actions)
            yield Check(f"{file}: {level.name}, {name}", said[level.name], str(cost))


def _pushes(level: Any, result: Result) -> int:
    from gridpuzzles_gym.puzzles.sokoban.notation import write_lurd

    puzzle = environment("Sokoban-v0")[1]
    rows = puzzle.encode(level, level.extent, puzzle.read_options())
    return sum(letter.isupper() for letter in write_lurd(*rows, result.actions))


def searches(every: int) -> Checks:
    """Moves, pushes and nodes of searches on bundled levels."""
    sokoban, tiles = ({level.name: level for level in find_levels(environment(env_id)[1], pack)} for env_id, pack in (("Sokoban-v0", "first"), ("EightPuzzle-v0", "classic")))  # fmt: skip
    for title, _, *cells in table(DOCS / "sokoban-solver.md", "| level | boxes"):
        for name, heuristic, said in (("astar", "original", cells[:2]), ("sokoban", None, cells[3:5])):
            found = search("Sokoban-v0", sokoban[title], name, heuristic)
            yield Check(
                f"sokoban-solver.md: {title}, {name}",
                said[0],
                f"{len(found.actions)}, {_pushes(sokoban[title], found)}",
            )
            yield Check(f"sokoban-solver.md: {title}, nodes of {name}", said[1], f"{found.expanded:,}")
    for board, *cells in table(DOCS / "searches.md", "| board | breadth-first"):
        level = next(level for name, level in tiles.items() if name.startswith(board))
        for name, said in zip(("breadth-first", "depth-first", "astar"), cells, strict=True):
            found = search("EightPuzzle-v0", level, name)
            numbers = [f"{int(number(part)):,}" for part in said.split(" moves")]
            yield Check(
                f"searches.md: {board}, {name}", " / ".join(numbers), f"{len(found.actions):,} / {found.expanded:,}"
            )
    for row in table(DOCS / "teachers.md", "| environment | teacher"):
        for kind, said in zip(
            re.findall("|".join(KINDS), row[0]), re.findall(r"[\d.]+(?=,| moves)", row[2]), strict=False
        ):
            levels = find_levels(environment("Sokoban-v0")[1], kind)
            lengths = [len(search("Sokoban-v0", level, "sokoban-moves", weight=3).actions) for level in levels]
            yield Check(f"teachers.md: {kind}", said, f"{np.mean(lengths):.1f}")


def scores(every: int) -> Checks:
    """The scores of agents that play again on the same episodes, and bounds; what is left out is not counted."""
    with (DOCS / "environments/scores.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        shares = [number(row[name]) for name in ("success", "deaths", "timeouts") if row[name].endswith("%")]
        where = f"scores.csv: {row['id']} {row['settings']} {row['label'] or row['agent']}"
        yield Check(f"{where}: shares are at most 100 %", "True", str(sum(shares) <= 100.2))
        if row["agent"] and row["agent"] not in UNTRAINED and row["episodes"] and "of 7×7" not in row["settings"]:
            settings = dict(re.findall(r'(\w+)="?([^",]+)"?', row["settings"]))
            more = {name: json.loads(said.lower()) if name != "levels" else said for name, said in settings.items()}
            whole = " of " in row["success"]
            count = int(number(row["episodes"]))
            try:
                [score] = compare(
                    row["id"], [row["agent"]], count, env_kwargs=more, progress=False, every_level=whole
                ).scores
            except ValueError as error:
                yield Check(where, row["return"], str(error))
                continue
            places = len(row["return"].partition(".")[2])
            yield Check(f"{where}: return", row["return"], f"{score.mean_return:+.{places}f}".replace("-", "−"))
            for name in ("deaths", "timeouts", "steps"):
                scale = 1 if name == "steps" else 100
                if row[name]:
                    yield Check(
                        f"{where}: {name}", row[name].rstrip(" %"), _like(row[name], scale * getattr(score, name))
                    )
    said = {
        (row["id"], row["settings"], row["label"]): number(row["return"]) for row in rows if row["label"][:5] == "exact"
    }
    for climb in (False, True):
        value = load_or_solve(4, 4, 3, climb, 100).value
        yield Check(
            "scores.csv: bound of Wumpus", f"{said['Wumpus-v0', 'climb=True' * climb, 'exact']}", f"{value:.4f}"
        )
    for blocked, limit, label in ((False, 200, "exact, at most 200 steps"), (False, None, "exact, without a step limit"), (True, 200, "exact, with and without the limit of 200 steps")):  # fmt: skip
        batch: Any = gym.make("CatMouse-v0", cat_blocked=blocked).unwrapped.batch  # type: ignore[attr-defined]
        level, first = batch.pool.rows(0)
        chain = values.chain_of(level)
        value = values.expectation(values.solve(chain), chain.start(level, first), limit).mean_return
        yield Check(
            "scores.csv: bound of CatMouse",
            f"{said['CatMouse-v0', 'cat_blocked=True' * blocked, label]}",
            f"{value:.3f}",
        )
    distances = table_of((1, 2, 3, 4, 5, 6, 7, 8, 0), (3, 3))
    yield Check("scores.csv: bound of EightPuzzle", "978.03", f"{1000 - distances[distances >= 0].mean():.2f}")


def _like(said: str, value: float) -> str:
    """A number with as many places as the text has."""
    places = len(re.sub(r"[^\d.]", "", said).partition(".")[2])
    return f"{value:.{places}f}"


def learning(every: int) -> Checks:
    """The page of learning curves and its tables, made again from the results of the runs."""
    sys.path.append(str(ROOT))
    from benchmarks.learning.page import write_page, write_scores
    from benchmarks.learning.plan import FILE, read_plan
    from benchmarks.learning.results import read_references, read_results

    with tempfile.TemporaryDirectory() as place:
        page = Path(shutil.copy(DOCS / "learning.md", place))
        folder = Path(shutil.copytree(DOCS / "learning", Path(place) / "learning"))
        plan, results = read_plan(FILE), read_results(folder)
        write_page(page, plan, results, read_references(folder))
        for path in (page, write_scores(folder, plan, results)):
            said = (DOCS / path.relative_to(place)).read_text(encoding="utf-8").splitlines()
            for count, lines in enumerate(
                zip(said, path.read_text(encoding="utf-8").splitlines(), strict=True), start=1
            ):
                if any(letter.isdigit() for letter in lines[0]):
                    yield Check(f"{path.name}:{count}", *lines)


PARTS: dict[str, Callable[[int], Checks]] = {
    part.__name__: part for part in (medians, titles, learning, searches, scores, packs)
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=[], metavar="PART", help=", ".join(PARTS))
    parser.add_argument(
        "--every", type=int, default=50, help="of the hard levels, how many are made again: one in so many"
    )
    parser.add_argument("--out", type=Path, default=ROOT / "runs" / "figures.json", help="what was checked")
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
