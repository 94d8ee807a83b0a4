"""The speed of the site's modules in Node and in Chromium, compared with ``env.step`` and ``make_vec``.

``python benchmarks/web_stepping.py`` prints the table of docs/web.md; it needs ``node``, ``chromium`` and Playwright.
Like :mod:`stepping`, it counts processor time on one core; in Chromium, elapsed time.
"""

import json
import shutil
import subprocess
import threading
from pathlib import Path
from typing import Any

from stepping import single, vector

import gridpuzzles_gym
from gridpuzzles_gym.engine.puzzle import load_puzzle
from gridpuzzles_gym.web.building import MODULES
from gridpuzzles_gym.web.serving import Server

REPOSITORY = Path(__file__).parent.parent
SCRIPTS = "benchmarks/web/steps.js", "src/gridpuzzles_gym/web/site/js/*.js"
IN_A_PAGE = """async (names) => {
  const { rates } = await import("/benchmarks/web/steps.js");
  const read = async (file) => new Uint8Array(await (await fetch(`/modules/${file}`)).arrayBuffer());
  return rates(names, read, () => performance.now() / 1000);
}"""


def in_node(names: list[str]) -> Any:
    """Return the steps a second by environment, without and with observations."""
    command = ["node", REPOSITORY / "benchmarks" / "web" / "node.js", MODULES, *names]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def in_chromium(names: list[str]) -> Any:
    """Return the same in a page of Chromium."""
    from playwright.sync_api import sync_playwright

    files = {"index.html": b"<!doctype html>"}
    files |= {f"modules/{path.name}": path.read_bytes() for path in MODULES.iterdir()}
    for pattern in SCRIPTS:
        files |= {str(path.relative_to(REPOSITORY)): path.read_bytes() for path in REPOSITORY.glob(pattern)}
    with Server(files) as server, sync_playwright() as playwright:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(server.address)
        found = page.evaluate(IN_A_PAGE, names)
        browser.close()
        server.shutdown()
    return found


def main() -> None:
    """Measure, and print."""
    names = list(dict.fromkeys(load_puzzle(row.puzzle).name for row in gridpuzzles_gym.ENVIRONMENTS))
    node, chromium = in_node(names), in_chromium(names)
    print("| | Node | and observing | Chromium | and observing | `env.step` | `make_vec`, 1,024 |")
    print("|---|---|---|---|---|---|---|")
    for row in gridpuzzles_gym.ENVIRONMENTS:
        rates = *node[row.id].values(), *chromium[row.id].values()
        figures = (*rates, single(row.id, 1.0), vector(row.id, 1.0, 1024))
        print(f"| {row.id} | " + " | ".join(f"{figure / 1e6:.2f} M" for figure in figures) + " |")


if __name__ == "__main__":
    main()
