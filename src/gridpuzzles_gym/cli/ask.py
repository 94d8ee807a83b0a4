"""``gridpuzzles ask``: evaluate language models."""

import hashlib
import math
import os
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import typer

from gridpuzzles_gym.agents.evaluation import SEED
from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.agents.level_selection import selected_levels
from gridpuzzles_gym.agents.puzzle_agents import board_of

from ..engine.messages import shorten
from ..engine.puzzle import SOLVED
from ..engine.system.progress_bar import progress
from ..engine.system.tables import NumberTable
from ..play.arguments import read_settings, writable
from ..text import Conversations
from ..text.asking import Endpoint, Episodes, Run, Tasks, UnusableError
from ..text.tasks import read_items
from .common.errors import FAILED, ID
from .common.options import Json, Levels, Setting, drop_none, resolved, settings_of
from .common.terminal import console, examples, print_json, say
from .grade import Contest

group = typer.Typer()
EPISODES = 20
"""Default number of episodes, if levels are not played once each."""
_RESERVED = ("model", "messages", "tools", "stream", "stream_options", "n")


@group.command(
    rich_help_panel="Language models",
    epilog=examples(
        "ask sokoban --scripted astar --levels starter-test --episodes 5",
        "ask sokoban --model qwen --base-url http://localhost:8000/v1 --levels starter-test --out qwen.jsonl",
        "ask wumpus --model qwen --base-url http://localhost:8000/v1 --episodes 100",
        "ask --tasks plans.jsonl --model qwen --base-url http://localhost:8000/v1 --out qwen.jsonl",
        "ask bait --model NAME --base-url https://HOST/v1 --key-env MY_KEY --param temperature=0",
    ),
)
def ask(
    env_id: Annotated[
        str | None, typer.Argument(metavar=ID, callback=resolved, help="ID or short name of an environment.")
    ] = None,
    tasks: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Single-turn tasks of this file, instead of episodes of an environment."),
    ] = None,
    model: Annotated[str | None, typer.Option(metavar="NAME", help="Name of the model at the endpoint.")] = None,
    base_url: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            envvar="GRIDPUZZLES_BASE_URL",
            help="Address of the OpenAI-compatible endpoint, e.g. http://localhost:8000/v1. Without it, nothing is "
            "sent anywhere.",
        ),
    ] = None,
    key_env: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Environment variable with the API key.", show_default="no key is sent"),
    ] = None,
    scripted: Annotated[
        str | None,
        typer.Option(
            metavar="random|AGENT",
            help="Replies without a network, instead of a model: random ones, or those of an agent that reads the "
            "messages. With --tasks only [cyan]answer[/], the known answers.",
        ),
    ] = None,
    levels: Levels = None,
    episodes: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Number of episodes.", show_default="20, but each of --levels once"),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="Seed of the first episode; later ones use seed+1, seed+2, …",
            show_default="that of compare",
        ),
    ] = None,
    settings: Setting = None,
    images: Annotated[bool, typer.Option("--images", help="Show the board as a picture instead.")] = False,
    tools: Annotated[bool, typer.Option("--tools", help="Offer a tool that performs actions.")] = False,
    actions_per_reply: Annotated[
        int | None, typer.Option(metavar="N", help="Maximum number of actions in a reply.", show_default="1")
    ] = None,
    max_turns: Annotated[int | None, typer.Option(metavar="N", help="Maximum number of replies of an episode.")] = None,
    parameters: Annotated[
        list[str] | None,
        typer.Option(
            "--param", metavar="NAME=VALUE", help="Parameter of each request, e.g. temperature=0. Can be repeated."
        ),
    ] = None,
    concurrency: Annotated[
        int, typer.Option(metavar="N", min=1, max=1024, help="Maximum number of requests at the same time.")
    ] = 8,
    timeout: Annotated[float, typer.Option(metavar="S", help="Time limit of a request, in seconds.")] = 300,
    retries: Annotated[
        int, typer.Option(metavar="N", min=0, max=100, help="Maximum number of retries after temporary errors.")
    ] = 5,
    baselines: Annotated[
        list[str] | None,
        typer.Option(
            "--baseline",
            metavar="NAME|MODEL",
            help="Agent of the suite to compare with on the same episodes, or none. Can be repeated.",
            show_default="random and the best of the puzzle",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Add each finished episode or task to this file, one JSON object a line."),
    ] = None,
    json: Json = False,
) -> None:
    """Evaluate a language model behind an OpenAI-compatible endpoint: episodes as conversations, or single-turn tasks.

    The table compares the model with agents of the suite on the same episodes. Ctrl-C keeps what is finished: the same
    command with the same [cyan]--out[/] goes on. A request that the endpoint refuses after the first turn, e.g. for too
    many tokens, ends its episode.
    """
    endpoint = _model(model, base_url, key_env, scripted, parameters, timeout, retries)
    own = drop_none(levels=levels, episodes=episodes, seed=seed, max_turns=max_turns)
    own |= drop_none(actions_per_reply=actions_per_reply, images=images or None, tools=tools or None)
    own |= drop_none(settings=settings, baseline=baselines)
    if (env_id is None) == (tasks is None):
        raise ValueError("ask needs the ID of an environment, or --tasks FILE; gridpuzzles list shows all")
    work: Episodes | Tasks
    if tasks is not None:
        if own:
            name = next(iter(own)).replace("_", "-").replace("settings", "set")
            raise ValueError(f"--{name} applies to episodes: it cannot be combined with --tasks")
        work = Tasks(read_items(tasks), {"tasks": tasks.name, "digest": _digest(tasks.read_text(encoding="utf-8"))})
    else:
        assert env_id is not None
        work = _episodes(env_id, own, settings_of(settings), concurrency)
    if out is not None:
        writable(out)
    run, unusable, interrupted = Run(work, endpoint, out), "", False
    rows = []
    try:
        with progress(work.count, len(run.records), work.noun) as advance:
            run.ask(min(concurrency, work.count), advance)
    except UnusableError as error:
        unusable = str(error)
    except KeyboardInterrupt:
        interrupted = True
    done = sorted(run.records)
    if done:
        rows.append(_row(run.name, [run.records[number] for number in done]))
    if isinstance(work, Episodes) and done and not interrupted:
        rows += _baselines(work, done, baselines)
    counted = f"{len(done):,} of {work.count:,} {work.noun}s done"
    if json:
        failed = {str(number): error for number, error in run.failed.items()}
        print_json({"rows": rows, "done": len(done), "wanted": work.count, "failed": failed})
    else:
        if rows:
            console.print(_table(rows, isinstance(work, Tasks)))
        say([counted, *([] if out is None else [f"wrote {out}"])])
    more = "the same command asks for the rest" if out else "with --out FILE, the same command could ask for the rest"
    if interrupted:
        raise KeyboardInterrupt(f"stopped by Ctrl-C: {counted}; {more}")
    if unusable:
        raise OSError(f"{unusable}; {counted}; {more}")
    if run.failed:
        say([f"failed: {len(run.failed)}, the last: {list(run.failed.values())[-1]}; {more}"])
        raise typer.Exit(FAILED)


def _model(
    model: str | None,
    base_url: str | None,
    key_env: str | None,
    scripted: str | None,
    parameters: Sequence[str] | None,
    timeout: float,
    retries: int,
) -> Endpoint | str:
    """Return the endpoint, or the name of a scripted model; raises ValueError if an option is invalid or missing."""
    if scripted is not None:
        for name, value in (("--model", model), ("--key-env", key_env), ("--param", parameters)):
            if value:
                raise ValueError(f"--scripted needs no model: it cannot be combined with {name}")
        return scripted
    if not model or base_url is None:
        raise ValueError(
            "ask needs a model: --model NAME --base-url URL, or --scripted NAME for replies without a network"
        )
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query:
        raise ValueError(f"--base-url {base_url}: must be an address such as http://localhost:8000/v1")
    key = "EMPTY" if key_env is None else os.environ.get(key_env, "").strip()
    if not key:
        raise ValueError(f"--key-env {key_env}: this environment variable is not set")
    fields = read_settings(parameters or (), "--param")
    for name in _RESERVED:
        if name in fields:
            raise ValueError(f"--param {name}=… is not allowed: each request has its own")
    if not 0 < timeout < math.inf:
        raise ValueError(f"--timeout {timeout:g}: must be a positive number of seconds")
    return Endpoint(base_url, model, key, fields, timeout, retries)


def _episodes(env_id: str, own: Mapping[str, Any], kwargs: dict[str, Any], concurrency: int) -> Episodes:
    """Return the episodes; raises ValueError if an option is invalid."""
    game = Game.of(env_id, **kwargs)
    if "observation" in kwargs:
        raise ValueError("--set observation=… is not allowed: the board is shown as text, or with --images")
    options = ("levels", "episodes", "seed", "settings", "baseline")
    shown = {name: value for name, value in own.items() if name not in options}
    run = {"env_id": env_id, "levels": own.get("levels", ""), "settings": dict(kwargs), **shown}
    if "levels" in own:
        kwargs["levels"] = selected_levels(game.puzzle, own["levels"], options=game.options)
        run["digest"] = _digest("\n\n".join(board_of(game.puzzle, level, game.options) for level in kwargs["levels"]))
    every_level = "levels" in own and "episodes" not in own
    count = len(kwargs["levels"]) if every_level else own.get("episodes", EPISODES)
    conversations = Conversations(env_id, min(concurrency, count), **shown, **kwargs)
    return Episodes(conversations, count, own.get("seed", SEED), every_level, run)


def _digest(content: str) -> str:
    """Return a digest by which a second run notices that a file has another content."""
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def _baselines(work: Episodes, done: Sequence[int], names: Sequence[str] | None) -> list[dict[str, Any]]:
    """Return the rows of agents of the suite that play the same episodes."""
    own = work.conversations
    contest = Contest(Game.of(own.env_id, **own.settings), done[-1] + 1, work.seed, work.every_level)
    if names is None:
        names = ["random", *contest.default_baselines()]
    rows = []
    for name in dict.fromkeys(name for name in names if name != "none"):
        results = contest.play_baseline(name).results[done].tolist()
        records = [{"success": end == SOLVED, "score": score, "steps": steps} for score, end, steps in results]
        rows.append(_row(name, records))
    return rows


def _row(player: str, records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the results of a player."""
    scores = [record["score"] for record in records]
    row = {
        "player": player,
        "episodes": len(records),
        "success": statistics.fmean(record["success"] for record in records),
        "mean_score": statistics.fmean(scores),
        "standard_error": statistics.stdev(scores) / math.sqrt(len(scores)) if len(scores) > 1 else None,
    }
    for name, total in (
        ("steps", 0),
        ("turns", 0),
        ("invalid_replies", 1),
        ("prompt_tokens", 1),
        ("completion_tokens", 1),
    ):
        values = [record[name] for record in records if name in record]
        row[name] = None if not values else sum(values) if total else statistics.fmean(values)
    return row


def _table(rows: Sequence[Mapping[str, Any]], tasks: bool) -> NumberTable:
    """Return a table for the terminal."""
    cells = []
    for row in rows:
        error = "" if row["standard_error"] is None else f" ± {row['standard_error']:.{3 if tasks else 1}f}"
        cell = [
            shorten(row["player"], 24),
            f"{row['success']:.1%}",
            f"{row['mean_score']:.{3 if tasks else 1}f}{error}",
        ]
        if not tasks:
            turns = "–" if row["turns"] is None else f"{row['turns']:.1f}"
            invalid = "–" if row["invalid_replies"] is None else f"{row['invalid_replies']:,}"
            cell += [f"{row['steps']:.1f}", turns, invalid]
        cells.append(cell)
    headings = ("correct", "score ± s.e.") if tasks else ("success", "return ± s.e.", "actions", "turns", "invalid")
    return NumberTable(("player",), headings, cells)
