"""``gridpuzzles tasks``: write questions with answers for language models."""

from pathlib import Path
from typing import Annotated

import typer

from ..engine.messages import plural
from .common.errors import INTERRUPTED
from .common.options import EnvironmentId, Force
from .common.terminal import examples, say

group = typer.Typer()


@group.command(
    rich_help_panel="Language models",
    epilog=examples(
        "tasks sokoban",
        "tasks sokoban --task plan --count 1000 --out train.jsonl",
        "tasks sokoban --task plan --count 100 --seed 1 --avoid train.jsonl --out eval.jsonl",
        "tasks wumpus --task safe-squares --difficulty hard --count 3",
        "tasks sokoban --task plan --set corridor --count 80 --out corridors.jsonl",
        "tasks 8-puzzle --task shortest-plan --difficulty hard --set least_length=25 --set scramble=[25,60]",
    ),
)
def tasks(
    env_id: EnvironmentId,
    task: Annotated[str | None, typer.Option("--task", metavar="NAME", help="Task of the items.")] = None,
    count: Annotated[int, typer.Option(metavar="N", min=1, help="Number of items.")] = 10,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Random seed. The same seed gives the same items.")] = 0,
    difficulty: Annotated[str, typer.Option(metavar="easy|medium|hard", help="Difficulty of the items.")] = "easy",
    view: Annotated[
        str, typer.Option(metavar="board|coordinates|facts", help="How positions are written as text.")
    ] = "board",
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE|NAME",
            help="Setting of the task or its levels, or a set of other levels, e.g. corridor. Can be repeated.",
        ),
    ] = None,
    avoid: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE|NAME", help="Leave out items of this file (.jsonl), level file or pack. Can be repeated."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the items to this file instead of printing them.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue after an interruption, with the same options.")
    ] = False,
    force: Force = False,
) -> None:
    """Write questions about a puzzle with verified answers, for training and evaluating language models.

    Every line is a JSON object with the prompt, chat messages, a correct answer and measured difficulty. No item occurs
    twice, not even rotated or mirrored (rotated corridors count as different), and none is in a bundled test pack. A
    larger [cyan]--count[/] appends items: the first ones stay the same. Ctrl-C keeps the items written so far;
    [cyan]--resume[/] continues.

    Without [cyan]--task[/], the tasks of the environment are listed with their settings.
    """
    from ..commands import tasks as work
    from ..session.arguments import read_settings
    from ..text.tasks import TaskDataset

    if task is None:
        changed = {"--set": settings, "--avoid": avoid, "--out": out, "--resume": resume, "--force": force}
        for name, value in changed.items():
            if value:
                raise ValueError(f"{name} needs --task: without it, the tasks are only listed")
        say(work.descriptions(env_id))
        return
    given = read_settings(settings or (), alone=True)
    dataset = TaskDataset(task, env_id, count, seed, difficulty, view=view, avoid=work.avoided(avoid or ()), **given)
    written = work.write(dataset, out, force, resume, lambda line: print(line, end="", flush=True))
    if out is not None:
        say([f"wrote {plural(written, 'item')} to {out}"])
    if written < count:
        if out is not None:
            say(["the same command with --resume instead of --force goes on" if force else "--resume goes on"])
        raise typer.Exit(INTERRUPTED)
