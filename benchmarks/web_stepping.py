"""How fast the modules of the site step in Node, beside ``env.step`` and ``make_vec``; prints the table of docs/web.md.

``python benchmarks/web_stepping.py``; it needs ``node``. Like :mod:`stepping`, it counts processor time on one core.
"""

import json
import subprocess
from pathlib import Path

from stepping import single, vector

import gridpuzzles_gym
from gridpuzzles_gym.web.building import MODULES

SCRIPT = Path(__file__).parent / "web" / "steps.js"


def main() -> None:
    """Measure, and print."""
    done = subprocess.run(["node", SCRIPT, MODULES], capture_output=True, text=True, check=True)
    rates = json.loads(done.stdout)
    print("| | Node | and observing | `env.step` | `make_vec`, 1,024 |\n|---|---|---|---|---|")
    for row in gridpuzzles_gym.ENVIRONMENTS:
        figures = (*rates[row.id].values(), single(row.id, 1.0), vector(row.id, 1.0, 1024))
        print(f"| {row.id} | " + " | ".join(f"{figure / 1e6:.2f} M" for figure in figures) + " |")


if __name__ == "__main__":
    main()
