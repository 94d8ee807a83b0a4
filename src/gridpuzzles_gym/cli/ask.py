"""``gridpuzzles ask``: evaluate language models."""

import math
from pathlib import Path
from typing import Annotated, Any

import typer

from .common.errors import FAILED
from .common.options import EnvironmentId, Force, Json, Levels, Setting, given, settings_of
from .common.terminal import console, examples, print_json, say

group = typer.Typer()
BASE_URL = "GRIDPUZZLES_BASE_URL"
"""The environment variable that ``--base-url`` can be given by."""


@group.command(
    rich_help_panel="Language models",
    epilog=examples(
        "ask sokoban --scripted astar --levels starter-test --episodes 5",
        "ask sokoban --model qwen --base-url http://localhost:8000/v1 --levels starter-test --out qwen.jsonl",
        "ask wumpus --model qwen --base-url http://localhost:8000/v1 --episodes 100 --view facts --record qwen.html",
        "ask 8-puzzle --model qwen --base-url http://localhost:8000/v1 --task shortest-plan --difficulty hard",
        "ask sokoban --model qwen --base-url http://localhost:8000/v1 --task plan --set corridor --episodes 80",
        "ask bait --model NAME --base-url https://HOST/v1 --key-env MY_KEY --budget-tokens 1000000",
    ),
)
def ask(
    env_id: EnvironmentId,
    model: Annotated[str | None, typer.Option(metavar="NAME", help="Name of the model at the endpoint.")] = None,
    base_url: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            envvar=BASE_URL,
            help="Address of the OpenAI-compatible endpoint, e.g. http://localhost:8000/v1. Without it, nothing is "
            "sent anywhere.",
        ),
    ] = None,
    key_env: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Environment variable with the API key of the endpoint.",
            show_default="no key is sent",
        ),
    ] = None,
    scripted: Annotated[
        str | None,
        typer.Option(
            metavar="random|AGENT",
            help="Replies without a network, instead of a model: random ones, or those of an agent that reads the "
            "messages. With --task only [cyan]answer[/], the known answers.",
        ),
    ] = None,
    levels: Levels = None,
    episodes: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Number of episodes or tasks.", show_default="20, but each of --levels once"
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="Seed of the first episode (later ones use seed+1, seed+2, …), or of the tasks.",
            show_default="that of compare; 0 with --task",
        ),
    ] = None,
    settings: Setting = None,
    task: Annotated[
        str | None, typer.Option(metavar="NAME", help="Single-turn tasks instead of episodes, e.g. shortest-plan.")
    ] = None,
    difficulty: Annotated[
        str | None, typer.Option(metavar="easy|medium|hard", help="Difficulty of the tasks.", show_default="easy")
    ] = None,
    view: Annotated[
        str, typer.Option(metavar="NAME", help="How the board is written: board, coordinates or facts.")
    ] = "board",
    images: Annotated[bool, typer.Option("--images", help="Show the board as a picture instead.")] = False,
    replies: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="How replies are read: lenient, plain, answer, json or tools.",
            show_default="lenient",
        ),
    ] = None,
    actions_per_reply: Annotated[
        int | None, typer.Option(metavar="N", help="Maximum number of actions in a reply.", show_default="1")
    ] = None,
    history: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Number of past turns in each prompt; earlier ones are summed up.", show_default="all"
        ),
    ] = None,
    max_turns: Annotated[int | None, typer.Option(metavar="N", help="Maximum number of replies of an episode.")] = None,
    max_invalid: Annotated[
        int | None,
        typer.Option(metavar="N", help="Number of invalid replies in a row that end an episode.", show_default="3"),
    ] = None,
    temperature: Annotated[float | None, typer.Option(metavar="T", help="Temperature of the model.")] = None,
    max_tokens: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Maximum number of tokens of a reply.")
    ] = None,
    parameters: Annotated[
        list[str] | None,
        typer.Option(
            "--param", metavar="NAME=VALUE", help="Other parameter of each request, e.g. top_p=0.9. Can be repeated."
        ),
    ] = None,
    concurrency: Annotated[
        int, typer.Option(metavar="N", min=1, max=1024, help="Maximum number of requests at the same time.")
    ] = 8,
    timeout: Annotated[float, typer.Option(metavar="S", help="Time limit of a request, in seconds.")] = 300,
    retries: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            max=100,
            help="Maximum number of times a request is sent again if the endpoint is busy or fails.",
        ),
    ] = 5,
    budget_requests: Annotated[
        int | None, typer.Option(metavar="N", help="Maximum number of requests of this call.")
    ] = None,
    budget_tokens: Annotated[
        int | None, typer.Option(metavar="N", help="Maximum number of tokens; after them, no request is sent.")
    ] = None,
    budget_seconds: Annotated[
        float | None, typer.Option(metavar="S", help="Time limit of the model's episodes, in seconds.")
    ] = None,
    baselines: Annotated[
        list[str] | None,
        typer.Option(
            "--baseline",
            metavar="NAME|MODEL",
            help="Agent of the suite to compare with, or none; with --task, only for plan, shortest-plan and "
            "best-action of puzzles without chance. Can be repeated.",
            show_default="random and the best of the puzzle",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write each finished episode to this file, one JSON object a line."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue --out after an interruption, with the same options.")
    ] = False,
    force: Force = False,
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write the table as CSV.")] = None,
    record: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also write an .html page: the boards next to the model's replies."),
    ] = None,
    json: Json = False,
) -> None:
    """Evaluate a language model behind an OpenAI-compatible endpoint: episodes as conversations, or single-turn tasks.

    The table compares the model with random play, agents of the suite and the shortest solutions, on the same
    episodes; for tasks, a second one shows the share of correct answers by the length of the shortest solution. Ctrl-C
    and budgets keep finished episodes; [cyan]--resume[/] plays the others. A request that the endpoint refuses after
    the first turn, e.g. for too many tokens, ends its episode.
    """
    from ..commands.asking import commands
    from ..commands.asking.asking import Outputs
    from ..commands.asking.budget import Budget
    from ..session.arguments import read_settings

    if temperature is not None and not 0 <= temperature < math.inf:
        raise ValueError(f"--temperature {temperature:g}: must be a number of at least 0")
    model_options = given(temperature=temperature, max_tokens=max_tokens)
    more = read_settings(parameters or (), "--param")
    for name in model_options:
        if name in more:
            raise ValueError(f"--{name.replace('_', '-')} and --param {name}=… cannot be combined")
    conversation = {"replies": replies, "actions_per_reply": actions_per_reply, "history": history}
    conversation |= {"max_turns": max_turns, "max_invalid": max_invalid}

    def show(report: Any) -> None:
        """Print the table before files are written, which may fail."""
        if not json and report.rows:
            console.print(*report.tables(), sep="\n")

    options = commands.AskOptions(
        env_id, settings_of(settings, alone=task is not None), levels, episodes, seed, task, difficulty, view, images,
        given(**conversation), baselines,
    )  # fmt: skip
    report = commands.ask_command(
        options,
        commands.model_of(model, base_url, key_env, scripted, {**model_options, **more}, timeout, retries),
        Outputs(out, csv, record, resume, force),
        Budget(budget_requests, budget_tokens, budget_seconds),
        concurrency,
        show,
        progress=not json,
    )
    if json:
        print_json(report.as_json())
    else:
        say(report.lines())
    if report.status.interrupted:
        raise KeyboardInterrupt(f"stopped by Ctrl-C: {report.done:,} of {report.wanted:,} done; {report.go_on}")
    if report.status.unusable:
        raise OSError(f"{report.status.stopped}; {report.done:,} of {report.wanted:,} done; {report.go_on}")
    if report.status.failed:
        raise typer.Exit(FAILED)
