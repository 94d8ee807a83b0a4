"""The table and the picture of docs/learning.md, made of the results of the runs."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median
from typing import Any

from gridpuzzles_gym.engine.system.files import replacing, write_text

from .runs import Row

Results = Mapping[str, list[dict[str, Any]]]
"""The results of each row's runs."""


def read_results(rows: Mapping[str, Row], folder: Path) -> Results:
    """Return the results of the runs of each row in the folder of results."""
    files = {name: sorted(folder.glob(f"{name}-[0-9].json")) for name in rows}
    return {name: [json.loads(file.read_text(encoding="utf-8")) for file in some] for name, some in files.items()}


def write_page(rows: Mapping[str, Row], folder: Path) -> Path:
    """Replace the table between its two comments in the page of the folder of results, and return the page."""
    page = folder.with_suffix(".md")
    table = "\n".join(_lines(rows, read_results(rows, folder)))
    text, count = re.subn(
        r"<!-- scores -->\n.*?<!-- /scores -->",
        lambda _: f"<!-- scores -->\n\n{table}\n\n<!-- /scores -->",
        page.read_text(encoding="utf-8"),
        flags=re.DOTALL,
    )
    if count != 1:
        raise ValueError(f"{page}: must have one block <!-- scores --> … <!-- /scores -->, not {count}")
    write_text(page, text)
    return page


def _lines(rows: Mapping[str, Row], results: Results) -> Iterator[str]:
    yield "| row | environment, learner | tested on | seeds | steps | minutes | return | success | of the bound |"
    yield "|---|---|---|---:|---:|---:|---:|---:|---:|"
    for name, row in rows.items():
        runs = results[name]
        for test in row.tests if runs else ():
            scores = [score for run in runs for score in run["scores"] if score["test"] == test.name]
            returns, successes = ([score[key] for score in scores] for key in ("mean_return", "success"))
            middle = median(returns)
            between = f" ({min(returns):+.1f} … {max(returns):+.1f})" if len(runs) > 1 else ""
            cells = [f"`{name}`", f"{row.env}, {row.learner}", test.name, str(len(runs))]
            cells += [
                f"{median(run['steps'] for run in runs) / 1e6:.1f} M",
                f"{median(run['minutes'] for run in runs):.0f}",
            ]
            cells += [f"{middle:+.1f}{between}", f"{100 * median(successes):.1f} %"]
            cells.append(f"{100 * middle / test.bound:.1f} %" if test.bound else "")
            yield f"| {' | '.join(cells)} |"
    yield ""
    yield from (f"- `{name}`: `{row.command}`" for name, row in rows.items() if results[name])


def draw(rows: Mapping[str, Row], folder: Path) -> Path:
    """Draw the success in training by steps, a panel an environment and a line a run, and return the picture."""
    from matplotlib.figure import Figure

    results = read_results(rows, folder)
    environments = list(dict.fromkeys(row.env for name, row in rows.items() if results[name]))
    figure = Figure(figsize=(9, 3 * -(-len(environments) // 2)), layout="constrained")
    panels = figure.subplots(-(-len(environments) // 2), 2, squeeze=False).flatten()
    for axes, env in zip(panels, environments, strict=False):
        some = [name for name, row in rows.items() if row.env == env and results[name]]
        for number, name in enumerate(some):
            for k, run in enumerate(results[name]):
                steps, _, success = zip(*run["curve"], strict=True)
                label = rows[name].learner if k == 0 else "_"
                axes.plot([x / 1e6 for x in steps], [100 * y for y in success], f"C{number}", lw=0.9, label=label)
        axes.set(title=env, xlabel="million steps", ylabel="% solved", ylim=(-2, 102))
        axes.set_xlim(left=0)
        axes.grid(alpha=0.3)
        axes.legend(fontsize="small", loc="lower right")
    for axes in panels[len(environments) :]:
        axes.set_visible(False)
    picture = folder / "curves.png"
    with replacing(picture) as unfinished:
        figure.savefig(unfinished, dpi=110, metadata={"Software": None})
    return picture
