"""``gridpuzzles generate``: generate levels and summarize them."""

import contextlib
import dataclasses
import functools
import inspect
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from .common.errors import FAILED, INTERRUPTED
from .common.options import Force, Json, Ray, SheetAnswers, SheetTheme, Workers
from .common.terminal import console, examples, notices, print_json, say

group = typer.Typer()
_MAKER_VALUES = "gridpuzzles_gym.maker_values"


class _Generate(TyperCommand):
    """The command with the flags of the puzzles' level makers, which are collected when it is used."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters; the flags of the level makers follow the sizes."""
        own = super().get_params(ctx)
        place = next(index for index, parameter in enumerate(own) if parameter.name == "settings")
        return [*own[:place], *self._maker_options, *own[place:]]

    @functools.cached_property
    def _maker_options(self) -> list[Any]:
        from ..commands.generation.generate import maker_flags

        def command(**values: Any) -> None: ...

        options = {
            name: Annotated[
                flag.kind | None, typer.Option(metavar=flag.metavar, help=f"{', '.join(titles)}: {flag.help}")
            ]
            for name, (flag, titles) in maker_flags().items()
        }
        keyword = inspect.Parameter.KEYWORD_ONLY
        command.__annotations__ = options
        command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [inspect.Parameter(name, keyword, default=None, annotation=option) for name, option in options.items()]
        )
        app = typer.Typer(add_completion=False)
        app.command()(command)
        params = [param for param in typer.main.get_command(app).params if param.name in options]
        for param in params:
            param.expose_value, param.callback = False, _remember
        return params


def _remember(ctx: Any, param: Any, value: Any) -> Any:
    """Store the value of a level maker's flag for the command."""
    ctx.meta.setdefault(_MAKER_VALUES, {})[param.name] = value
    return value


@group.command(
    cls=_Generate,
    rich_help_panel="Levels",
    epilog=examples(
        "generate sokoban",
        "generate sokoban --size 7 --boxes 2 --count 100 --out small.txt --sheet small.png",
        "generate sokoban --seconds 60 --workers 2 --least-nodes 100 --out hard.txt",
        "generate sokoban --simulations 10000 --evaluation original --out as_the_original.txt",
        "generate bait --size 7 --difficulty medium --count 500 --out mine.txt",
        "generate wumpus --size 6 --set pits=5 --count 100 --out caves.txt --sheet caves.png",
        "generate 15-puzzle --set scramble=20",
        "generate sokoban --size 7 --count 1000000 --out million --shards",
    ),
)
def generate(
    context: typer.Context,
    puzzle: Annotated[str, typer.Argument(metavar="PUZZLE", help="Name of the puzzle, or ID of an environment.")],
    count: Annotated[
        int | None,
        typer.Option(metavar="N", help="Number of levels to generate.", show_default="10, or no limit with --seconds"),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            metavar="S", help="Time limit in seconds, counted from the first level; the level in progress is discarded."
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(metavar="N", min=0, help="Random seed. The same seed gives the same levels.")
    ] = 0,
    workers: Workers = None,
    ray: Ray = None,
    size: Annotated[
        int | None, typer.Option(metavar="N", help="Width and height in squares, including outer walls.")
    ] = None,
    width: Annotated[int | None, typer.Option(metavar="N", help="Width in squares.")] = None,
    height: Annotated[int | None, typer.Option(metavar="N", help="Height in squares.")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Other setting of the generator or the environment. Can be repeated.",
        ),
    ] = None,
    avoid: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME|FILE", help="Reject levels that are in this pack or file. Can be repeated."),
    ] = None,
    out: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the levels to this file instead of printing them.")
    ] = None,
    shards: Annotated[
        bool,
        typer.Option(
            "--shards", help="Write a folder of any number of levels: --out is a folder, or a URL that fsspec opens."
        ),
    ] = False,
    shard_size: Annotated[
        int | None, typer.Option(metavar="N", help="Number of levels in each shard.", show_default="10,000")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue after an interruption, with the same options.")
    ] = False,
    force: Force = False,
    sheet: Annotated[
        Path | None,
        typer.Option(metavar="PNG|PDF", help="Draw the first 100 levels: one picture, or A4 pages to print."),
    ] = None,
    style: Annotated[str | None, typer.Option(metavar="NAME|FOLDER", help="Style of the sheet's pictures.")] = None,
    theme: SheetTheme = "dark",
    answers: SheetAnswers = False,
    json: Json = False,
) -> None:
    """Generate levels that can be solved. Ctrl-C keeps the levels generated so far; [cyan]--resume[/] continues.

    A larger [cyan]--count[/] or [cyan]--seconds[/] appends levels: the first ones stay the same. No level occurs twice;
    for Sokoban, rotated and mirrored boards count as the same level. With [cyan]--out[/], Sokoban levels also get a
    table with the same name and the suffix [cyan].csv[/]: measurements, a solution and the random bits of each level.

    With [cyan]--shards[/], levels are written to a folder while more are made. Environments play them from there
    without loading them: [cyan]levels="FOLDER"[/].
    """
    from gridpuzzles_gym.agents.parallel import open_executor

    from ..commands.generation import generate as work
    from ..commands.generation import output as level_output
    from ..commands.generation import target as level_target
    from ..commands.sheets import answers as sheet_answers
    from ..commands.sheets import sheets
    from ..engine.levels.folder import MOST_LEVELS
    from ..engine.system.stores import is_url
    from ..session.arguments import read_settings

    if resume and out is None:
        raise ValueError("--resume continues a file: it needs --out FILE")
    if shards and out is None:
        raise ValueError("--shards needs a folder: --out FOLDER")
    if shards and sheet is not None:
        raise ValueError("--sheet draws the levels of a file: it cannot be combined with --shards")
    if out is not None and is_url(out) and not shards:
        raise ValueError(f"--out {out}: only a folder can be elsewhere: it needs --shards")
    if shards and count is not None and count > MOST_LEVELS:
        raise ValueError(f"--count {count}: a folder has at most {MOST_LEVELS:,} levels")
    if shard_size is not None and not shards:
        raise ValueError("--shard-size applies to a folder: it needs --shards")
    unused = {"--style": style is not None, "--theme": theme != "dark", "--answers": answers}
    if sheet is None and any(unused.values()):
        named = next(name for name, given in unused.items() if given)
        raise ValueError(f"{named} applies to the picture: it needs --sheet")
    maker_values = sorted(context.meta.get(_MAKER_VALUES, {}).items())  # not in the order of the command line
    read = {name: int(text) if isinstance(text, str) and text.isdecimal() else text for name, text in maker_values}
    flags = {"size": size, "width": width, "height": height, **read}
    with contextlib.ExitStack() as held:
        try:
            request = work.Request(puzzle, flags, read_settings(settings or ()), avoid or (), seed)
            solve = sheet_answers.answers_with_progress if answers else None
            order = None if sheet is None else sheets.SheetOrder(sheet, style, theme, solve, force or resume)
            output: level_output.Output
            if out is None or not shards:
                target = level_target.Target(request.puzzle, None if out is None else Path(out), order, force or resume)
                output = level_output.FileOutput(target, request, resume, force)
            else:
                output = level_output.FolderOutput(out, request, shard_size, resume, force)
            held.enter_context(output)
            executor = held.enter_context(open_executor(workers, ray))
        except KeyboardInterrupt:
            raise KeyboardInterrupt("stopped before the first level; nothing was written") from None
        go_on = f"the same command with --resume{' instead of --force' if force else ''} goes on"
        try:
            with executor:
                report = work.generate(
                    request.maker, output.levels, seed, count, seconds, executor, journal=output.journal
                )
            written = output.write(report.interrupted, printed=not json)
            report = dataclasses.replace(report, number=output.levels.number)
        except OSError as error:
            kept = f"; the levels made so far are kept: {go_on}" if output.begun else ""
            raise OSError(error.errno, f"{error.strerror or error}{kept}", error.filename) from None
    if json:
        print_json(report.as_json(output.titles()) | {"written": written})
    else:
        (console if out else notices).print(work.summary(report))
        say([f"written: {path}" for path in written])
        if report.interrupted and output.begun:
            say([go_on])
    if report.interrupted or not report.number:
        raise typer.Exit(INTERRUPTED if report.interrupted else FAILED)
