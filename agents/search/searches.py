"""The table of searches, used by the agents, the command line and the tests."""

from .beam import beam
from .best_first import astar, greedy, uniform_cost, weighted_astar
from .breadth_first import bidirectional, breadth_first
from .depth_first import depth_first, depth_limited, ida_star, iterative_deepening
from .guided import levin_tree_search, phs_star, value_astar
from .local import hill_climbing, random_restart, simulated_annealing, stochastic_hill_climbing
from .monte_carlo.uct import mcts
from .search import Search

SEARCHES: dict[str, Search] = {
    search.name: search
    for search in (
        Search("breadth-first", "states in the order they were found", breadth_first, optimal=True, informed=False),
        Search("depth-first", "the most recently found state first, each once", depth_first, informed=False),
        Search(
            "depth-limited",
            "depth-first to at most the depth limit, or 30 actions",
            depth_limited,
            complete=False,
            informed=False,
        ),
        Search(
            "iterative-deepening",
            "depth-limited search to 0, 1, 2 … actions",
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
        Search("greedy", "the lowest estimate first", greedy, featured=True),
        Search("astar", "the lowest cost + estimate first", astar, optimal=True, featured=True),
        Search("weighted-astar", "the lowest cost + weight × estimate first", weighted_astar, featured=True),
        Search("ida-star", "depth-first with an increasing bound on cost + estimate", ida_star, optimal=True),
        Search(
            "hill-climbing",
            "steps to the successor with the lowest estimate, while that decreases",
            hill_climbing,
            complete=False,
            stochastic=True,
        ),
        Search(
            "stochastic-hill-climbing",
            "steps to a random successor with a lower estimate",
            stochastic_hill_climbing,
            complete=False,
            stochastic=True,
        ),
        Search(
            "random-restart",
            "hill climbing, repeated from the ends of random walks",
            random_restart,
            complete=False,
            stochastic=True,
        ),
        Search(
            "simulated-annealing",
            "random steps, fewer worse ones as the temperature falls",
            simulated_annealing,
            complete=False,
            stochastic=True,
        ),
        Search("beam", "breadth-first, keeping the most promising states of each layer", beam, complete=False),
        Search("mcts", "UCT: simulations before each move", mcts, stochastic=True),
        Search(
            "lts",
            "Levin tree search: the shortest and likeliest paths of a policy first",
            levin_tree_search,
            informed=False,
        ),
        Search("phs", "PHS*: Levin tree search that also estimates the rest of a path", phs_star, informed=False),
        Search(
            "value-astar",
            "the lowest cost + weight × a network's estimate first, in batches",
            value_astar,
            informed=False,
        ),
    )
}
"""Searches by name, for every deterministic puzzle."""
