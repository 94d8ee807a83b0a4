"""The table of searches: it feeds the agents, the command line and the tests."""

from .beam import beam
from .best_first import astar, greedy, uniform_cost, weighted_astar
from .breadth_first import bidirectional, breadth_first
from .depth_first import depth_first, depth_limited, ida_star, iterative_deepening
from .local import hill_climbing, random_restart, simulated_annealing, stochastic_hill_climbing
from .mcts import mcts
from .search import Search

SEARCHES: dict[str, Search] = {
    search.name: search
    for search in (
        Search("breadth-first", "the oldest state first", breadth_first, optimal=True, informed=False),
        Search("depth-first", "the youngest state first, each once", depth_first, informed=False),
        Search(
            "depth-limited",
            "depth-first, no deeper than the depth limit, or 30",
            depth_limited,
            complete=False,
            informed=False,
        ),
        Search(
            "iterative-deepening",
            "depth-limited to 0, 1, 2 … actions",
            iterative_deepening,
            optimal=True,
            informed=False,
        ),
        Search("uniform-cost", "the cheapest state first", uniform_cost, optimal=True, informed=False),
        Search(
            "bidirectional",
            "breadth-first from both ends",
            bidirectional,
            optimal=True,
            informed=False,
            backward=True,
        ),
        Search("greedy", "the least estimate first", greedy, featured=True),
        Search("astar", "the least cost + estimate first", astar, optimal=True, featured=True),
        Search("weighted-astar", "the least cost + weight × estimate first", weighted_astar, featured=True),
        Search("ida-star", "depth-first below a rising bound on cost + estimate", ida_star, optimal=True),
        Search(
            "hill-climbing",
            "to the successor with the least estimate, while that falls",
            hill_climbing,
            complete=False,
            stochastic=True,
        ),
        Search(
            "stochastic-hill-climbing",
            "to a random successor with a lower estimate",
            stochastic_hill_climbing,
            complete=False,
            stochastic=True,
        ),
        Search(
            "random-restart",
            "hill climbing, each time from where another random walk leads",
            random_restart,
            complete=False,
            stochastic=True,
        ),
        Search(
            "simulated-annealing",
            "random steps, worse ones the rarer the colder it gets",
            simulated_annealing,
            complete=False,
            stochastic=True,
        ),
        Search("beam", "breadth-first, the most promising of each layer only", beam, complete=False),
        Search("mcts", "UCT: simulations before each move", mcts, stochastic=True),
    )
}
"""Searches by name, for every puzzle that is deterministic."""
