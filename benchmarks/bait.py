"""Results of the agents for Bait on given levels: our two, whose results are proven, and the original program's four.

``python benchmarks/bait.py FILE...`` with files of levels, such as GVGAI's; times are of one core.
"""

import argparse
import dataclasses
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from gridpuzzles_gym.agents.bait import ORIGINAL_AGENTS
from gridpuzzles_gym.agents.bait.heuristics import HEURISTICS
from gridpuzzles_gym.agents.bait.searches import SEARCHES as OWN
from gridpuzzles_gym.agents.search.problem import Limits, Problem
from gridpuzzles_gym.agents.search.searches import SEARCHES
from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.engine.puzzle import Outcome
from gridpuzzles_gym.puzzles.bait import PUZZLE
from gridpuzzles_gym.puzzles.bait.rules import WORTH

OURS = HEURISTICS["first-times"]


@dataclasses.dataclass
class Game:
    """A game as it was played, and the cost of deciding on its moves."""

    problem: Problem
    """From the current position."""
    ending: str = str(Outcome.UNFINISHED)
    steps: int = 0
    score: int = 0
    decisions: int = 0
    nodes: int = 0
    seconds: float = 0.0

    def play(self, search: str, heuristic: str, limits: Limits, **parameters: object) -> bool:
        """Search once, and play the plan found; return whether there was one and the game goes on."""
        found = {**SEARCHES, **OWN}[search]
        result = found.solve(self.problem, HEURISTICS[heuristic], limits, self.decisions, **parameters)
        end = self.problem.replay(result.actions)[-1]
        self.decisions += 1
        self.nodes += result.expanded
        self.seconds += result.seconds
        self.steps += len(result.actions)
        self.score += int(self.problem.state[WORTH] - end[WORTH])
        self.problem = dataclasses.replace(self.problem, state=end)
        self.ending = str(Outcome(PUZZLE.rules.outcome(self.problem.level, end)))
        return len(result.actions) > 0 and self.ending == str(Outcome.UNFINISHED)


def play_original(problem: Problem, name: str, budget: int, most: int) -> Game:
    """Play a game with one of the original agents, with ``budget`` times its budget; it ends when no plan is found."""
    game, settings = Game(problem), dict(ORIGINAL_AGENTS[name])
    limits = Limits(nodes=budget * settings.pop("nodes"), depth=settings.pop("depth", None))
    while game.play(limits=limits, **settings):
        if game.decisions == most:
            return game
    return game


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--seconds", type=float, default=60, help="time limit of each of our searches")
    parser.add_argument("--memory", type=int, default=4096, help="memory limit of each of our searches, in MiB")
    parser.add_argument("--budget", type=int, default=10, help="multiple of the original agents' budgets")
    parser.add_argument("--decisions", type=int, default=100, help="maximum in a game, of the original agents")
    arguments = parser.parse_args()
    limits = Limits(seconds=arguments.seconds, memory=arguments.memory << 20)
    table = Table(box=box.MARKDOWN, title="* proven: no shorter way; ** proven: no higher score, nor sooner")
    for name in ("level", "agent", "ended", "steps", "score", "decisions", "nodes", "seconds"):
        table.add_column(name, justify="left" if name in ("level", "agent", "ended") else "right")
    for file in arguments.files:
        for level in find_levels(PUZZLE, file):
            options = PUZZLE.read_options()
            problem = Problem(PUZZLE, *PUZZLE.encode(level, level.extent, options), options)
            games = {}
            for search, mark in (("astar", "*"), ("bait-score", "**")):
                game = games[search] = Game(problem)
                game.play(search, OURS.name, limits)
                if game.ending == str(Outcome.SOLVED):
                    game.ending += mark
            for name in ORIGINAL_AGENTS:
                games[name] = play_original(problem, name, arguments.budget, arguments.decisions)
            for name, game in games.items():
                numbers = game.steps, game.score, game.decisions, game.nodes
                table.add_row(
                    file.stem if name == "astar" else "", name, game.ending,
                    *(f"{number:,}" for number in numbers), f"{game.seconds:.3f}",
                )  # fmt: skip
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
