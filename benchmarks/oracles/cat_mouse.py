"""Cat and Mouse as a Markov decision process in the language of PRISM, for the model checker Storm.

The model is written from the text of the maze and the rules as the documentation has them. A turn is a move of the
mouse (``phase=0``) and one of the cat (``phase=1``), or the end (``phase=2``); it is paid for in its second half. In
``phase=3`` the cat moves before the first turn, which it does if cat and mouse block each other.
"""

import tempfile
from collections.abc import Iterator
from typing import Any

import gymnasium as gym
import stormpy
from rich.progress import Progress

from gridpuzzles_gym.agents.cat_mouse import optimum
from gridpuzzles_gym.puzzles.cat_mouse import text

from . import Row

LIMIT = 200
SIDES = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
END = """
[win] phase=1 & wins -> (phase'=2);
[die] phase<2 & dies -> (phase'=2);
[end] phase=2 -> true;
endmodule
rewards "return" [cat] true : -1; [win] true : 999; [die] phase=1 : -1001; [die] phase=0 : -1000; endrewards
rewards "cost" [cat] true : 1; [win] true : 1; [die] phase=1 : 2001; [die] phase=0 : 2000; endrewards
"""
"""The cost is 1000 less the return: it is positive, so that it has a minimum without a limit of steps."""


def prism_model(maze: list[str], blocked: bool) -> str:
    """Return the model of a maze with one cat."""
    places = [(row, column) for row, line in enumerate(maze) for column, symbol in enumerate(line) if symbol != "#"]
    number = {place: k for k, place in enumerate(places)}
    mouse, cat, exit = (next(number[r, c] for r, c in places if maze[r][c] == symbol) for symbol in "MCE")
    lines = ["mdp", f"formula wins = mouse={exit} & cat!={exit};", "formula dies = mouse=cat;", "module game"]
    lines += [f"{name} : [0..{len(places) - 1}] init {start};" for name, start in (("mouse", mouse), ("cat", cat))]
    lines += [f"phase : [0..3] init {3 * blocked};"]
    for (r, c), here in number.items():
        ahead = {side: number.get((r + y, c + x)) for side, (y, x) in SIDES.items()}
        for side, there in ahead.items():
            to = here if there is None else f"(cat={there} ? {here} : {there})" if blocked else there
            lines.append(f"[{side}] phase=0 & !dies & mouse={here} -> (mouse'={to}) & (phase'=1);")
        ways = [there for there in ahead.values() if there is not None]
        cases = {" & ".join(f"mouse!={there}" for there in ways): ways}  # the free squares, by where the mouse is
        cases |= {f"mouse={taken}": [there for there in ways if there != taken] for taken in ways}
        for guard, free in (cases if blocked else {"true": ways}).items():
            moves = " + ".join(f"1/{len(free)} : (cat'={there}) & (phase'=0)" for there in free) or "(phase'=0)"
            lines.append(f"[cat] phase=1 & !wins & !dies & cat={here} & {guard} -> {moves};")
            lines.append(f"[begin] phase=3 & cat={here} & {guard} -> {moves};")
    return "\n".join(lines) + END


def storm(model: str, formula: str) -> float:
    """Return the value of a formula in the initial state, computed with rational numbers."""
    with tempfile.NamedTemporaryFile("w", suffix=".prism") as file:
        file.write(model)
        file.flush()
        program = stormpy.parse_prism_program(file.name)
    properties = stormpy.parse_properties(formula, program)
    mdp = stormpy.build_model[stormpy.Rational](program, properties)
    return float(stormpy.model_checking(mdp, properties[0]).get_value(mdp.initial_states[0]))


def rows(progress: Progress) -> Iterator[Row]:
    """The optimal expected return in the classic maze, in both variants, with and without a limit of steps."""
    task = progress.add_task("Cat and Mouse: Storm", total=4)
    for blocked, variant in ((False, "the cat catches"), (True, "walls to each other")):
        batch: Any = gym.make("CatMouse-v0", cat_blocked=blocked).unwrapped.batch  # type: ignore[attr-defined]
        level, first = batch.pool.rows(0)
        chain = optimum.chain_of(level)
        start = chain.start(level, first)
        model = prism_model(text.format_level(level, first).split(), blocked)
        for limit, ours, formula in (
            (f"{LIMIT} steps", optimum.best_within(chain, LIMIT), f'R{{"return"}}max=? [C<={2 * LIMIT + 1 + blocked}]'),
            ("no limit", optimum.solve(chain).values, 'R{"cost"}min=? [F phase=2]'),
        ):
            theirs, mine = storm(model, formula), float(start @ ours)
            theirs = theirs if "return" in formula else 1000 - theirs
            question = f"Cat and Mouse, {variant}, {limit}: the best return"
            program, difference = f"Storm {stormpy.__version__}", f"{abs(mine - theirs):.0e}"
            yield Row(question, program, 1, f"{mine:.9f}", f"{theirs:.9f}", difference)
            progress.advance(task)
