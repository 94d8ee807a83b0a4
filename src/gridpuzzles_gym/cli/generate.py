"""``gridpuzzles generate``: generate levels and summarize them."""

import contextlib
import dataclasses
import errno
import functools
import inspect
import json as json_module
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich import box
from rich.table import Table
from typer.core import TyperCommand

from gridpuzzles_gym.agents.candidates import Candidate, CandidateMaker
from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.agents.level_sources.generating import PATIENCE, GenerationReport, LevelCollection
from gridpuzzles_gym.agents.level_sources.generating import generate as generate_levels
from gridpuzzles_gym.agents.level_sources.makers import bounds_of, make_candidates, maker_of, settings_of
from gridpuzzles_gym.agents.parallel import open_executor
from gridpuzzles_gym.agents.puzzle_agents import LevelFlag, key_of

from ..engine.levels.rows import ROWS
from ..engine.levels.sources import SIDECAR, find_levels, levels_text, write_levels
from ..engine.messages import did_you_mean, plural, quote
from ..engine.puzzle import Puzzle
from ..engine.system.files import read_json, write_text
from ..play.arguments import all_puzzles, new_file, puzzle_named, read_settings, resolve_id
from ..play.line_file import LineFile
from .common.errors import FAILED, INTERRUPTED
from .common.options import Force, Json, Ray, Workers
from .common.terminal import console, examples, notices, print_json, say

SUFFIXES = (".txt", ".xsb", ROWS)
UNFINISHED = ".unfinished"
"""The suffix of the record of a file that is not complete."""

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
        "generate sokoban --size 7 --boxes 2 --count 100 --out small.txt",
        "generate sokoban --seconds 60 --workers 2 --least-nodes 100 --out hard.txt",
        "generate sokoban --simulations 10000 --evaluation original --out as_the_original.txt",
        "generate bait --size 7 --difficulty medium --count 500 --out mine.txt",
        "generate wumpus --size 6 --set pits=5 --count 100 --out caves.txt",
        "generate 15-puzzle --set scramble=20",
        "generate sokoban --size 7 --count 1000000 --out million.npz",
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
        Path | None,
        typer.Option(metavar="TXT|XSB|NPZ", help="Write the levels to this file instead of printing them."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue after an interruption, with the same options.")
    ] = False,
    force: Force = False,
    json: Json = False,
) -> None:
    """Generate levels that can be solved. Ctrl-C keeps the levels generated so far; [cyan]--resume[/] continues.

    A larger [cyan]--count[/] or [cyan]--seconds[/] appends levels: the first ones stay the same. No level occurs twice;
    for Sokoban, rotated and mirrored boards count as the same level. With [cyan]--out[/], Sokoban levels also get a
    table with the same name and the suffix [cyan].csv[/]: measurements, a solution and the random bits of each level.

    A file that ends in [cyan].npz[/] has rows of numbers instead of text: millions of levels are opened in a moment.
    """
    if resume and out is None:
        raise ValueError("--resume continues a file: it needs --out FILE")
    if resume and force:
        raise ValueError("--resume and --force cannot be combined")
    maker_values = sorted(context.meta.get(_MAKER_VALUES, {}).items())  # not in the order of the command line
    read = {name: int(text) if isinstance(text, str) and text.isdecimal() else text for name, text in maker_values}
    flags = {"size": size, "width": width, "height": height, **read}
    request = Request(puzzle, flags, read_settings(settings or ()), avoid or (), seed)
    go_on = f"the same command with --resume{' instead of --force' if force else ''} goes on"
    collection = LevelCollection({key_of(request.puzzle, level) for level in request.avoided()})
    with contextlib.ExitStack() as held:
        journal = None if out is None else held.enter_context(open_journal(out, request, resume, force))
        executor = held.enter_context(open_executor(workers, ray))
        try:
            report = generate_levels(request.maker, collection, seed, count, seconds, executor, journal=journal)
            titles = titles_of(report.kept, out.stem if out else request.puzzle.name)
            written = write(request.puzzle, out, titles, report.kept) if out and report.kept else []
            if journal is not None and not report.interrupted:
                journal.finish()
        except OSError as error:
            kept = f"; the levels made so far are kept: {go_on}" if journal is not None and journal.begun else ""
            raise OSError(error.errno, f"{error.strerror or error}{kept}", error.filename) from None
    if json:
        print_json(report.as_json(titles) | {"written": [str(path) for path in written]})
    else:
        if out is None:
            print(levels_text(titles, [level.board for level in report.kept]), end="")
        (console if out else notices).print(summary(report))
        say([f"written: {path}" for path in written])
        if report.interrupted and journal is not None and journal.begun:
            say([go_on])
    if report.interrupted or not report.kept:
        raise typer.Exit(INTERRUPTED if report.interrupted else FAILED)


def maker_flags() -> dict[str, tuple[LevelFlag, list[str]]]:
    """Return the flags of all level makers by name, each with the titles of the puzzles it is for."""
    found: dict[str, tuple[LevelFlag, list[str]]] = {}
    for puzzle in all_puzzles():
        maker = maker_of(puzzle)
        for flag in maker.flags if maker else ():
            found.setdefault(flag.name, (flag, []))[1].append(puzzle.title)
    return found


class Request:
    """What to generate: a maker of candidates, and the levels to reject.

    Args:
        puzzle: The name of a puzzle, or an id.
        flags: Values of the flags of all puzzles, by name; None if a flag was not given.
        settings: Other settings of the generator.
        avoid: Packs and files whose levels are rejected.
        seed: Seed of the random bits.

    Attributes:
        description: All of this as a JSON object.
        maker: The maker of candidates.

    Raises:
        ValueError: The puzzle has no generator, or a value is invalid.
    """

    def __init__(
        self, puzzle: str, flags: Mapping[str, Any], settings: Mapping[str, Any], avoid: Sequence[str], seed: int
    ) -> None:
        self.puzzle, self._avoid = puzzle_named(puzzle), avoid
        given = {name: value for name, value in flags.items() if value is not None}
        other = {f"--set {name}": value for name, value in settings.items()}
        self.description = {"puzzle": puzzle, **given, **other, "avoid": list(avoid), "seed": seed}
        known, bounds = settings_of(self.puzzle), bounds_of(self.puzzle)
        for name in given:
            if name not in (*known, *bounds):
                allowed = ", ".join(_flag(flag) for flag in flags if flag in (*known, *bounds))
                raise ValueError(f"{_flag(name)} does not apply to {self.puzzle.title}; allowed are {allowed}, --set")
        for name in settings:
            if name not in known:
                raise ValueError(f"unknown setting --set {quote(name)}; {did_you_mean(name, known)}")
            if name in given:
                raise ValueError(f"{_flag(name)} and --set {name} cannot be combined")
        bounding = {name: given.pop(name) for name in bounds if name in given}
        options = {} if puzzle == self.puzzle.name else Game.of(resolve_id(puzzle)).own_settings
        self.maker: CandidateMaker = make_candidates(self.puzzle, {**given, **settings}, bounding, options)

    def avoided(self) -> Iterator[Any]:
        """Yield the levels to reject."""
        for choice in self._avoid:
            yield from find_levels(self.puzzle, choice)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


class Journal:
    """The candidates made for a file that is not complete, one JSON object a line, after one with the request.

    Args:
        path: The journal's file.
        request: What determines the candidates.
        resume: Continue with the candidates that are there; a last line that is not complete is dropped.

    Attributes:
        candidates: Those that are there.

    Raises:
        ValueError: It was begun with another request, or it is damaged.
    """

    def __init__(self, path: Path, request: Request, resume: bool) -> None:
        self._lines, self._request = LineFile(path), json_module.loads(json_module.dumps(request.description))
        maker = maker_of(request.puzzle)
        self._difficulty = None if maker is None else maker.difficulty
        self.candidates: list[Candidate] = []
        if not resume:
            return
        try:
            first, *others = [read_json(line) for line in self._lines.read().splitlines()] or [self._request]
            self.candidates = [self._candidate(fields) for fields in others]
            different = [name for name in {**first, **self._request} if first.get(name) != self._request.get(name)]
        except (ValueError, TypeError, AttributeError):
            raise ValueError(f"{path} is damaged; use --force to start again") from None
        for name in different:
            was, now = (json_module.dumps(each.get(name)) for each in (first, self._request))
            raise ValueError(f"{path}: cannot be resumed with other options: {name} was {was}, now it is {now}")

    @property
    def begun(self) -> bool:
        """Whether there is something to resume."""
        return self._lines.begun

    def add(self, candidate: Candidate) -> None:
        """Write a candidate to disk; raises OSError."""
        if not self.begun:
            self._lines.add(json_module.dumps(self._request) + "\n")
        fields = dataclasses.asdict(candidate) | {"key": candidate.key.hex()}
        kept = {name: value for name, value in fields.items() if value or name == "random_bits"}
        self._lines.add(json_module.dumps(kept) + "\n")

    def finish(self) -> None:
        """Delete the journal: the levels are written."""
        self._lines.close()
        self._lines.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Close the journal, which is kept unless it is finished."""
        self._lines.close()

    def _candidate(self, fields: dict[str, Any]) -> Candidate:
        difficulty = fields.get("difficulty")
        if difficulty is not None and self._difficulty is not None:
            fields["difficulty"] = self._difficulty(**difficulty)
        return Candidate(**fields | {"key": bytes.fromhex(fields.get("key", ""))})


@contextlib.contextmanager
def open_journal(out: Path, request: Request, resume: bool, force: bool) -> Iterator[Journal]:
    """Check that a level file can be written, and open its journal.

    Raises:
        ValueError: The name has another suffix, there is nothing to resume, or as :class:`Journal`.
        OSError: A file exists, or the journal of an earlier run, and neither option is given; or it cannot be written.
    """
    maker = maker_of(request.puzzle)
    new_file(out, force or resume, *SUFFIXES)
    if maker is not None and maker.table is not None:
        new_file(out.with_suffix(SIDECAR), force or resume)
    path = out.with_name(out.name + UNFINISHED)
    if resume and not path.exists():
        raise ValueError(f"{path}: there is nothing to resume; start without --resume")
    if path.exists() and not (resume or force):
        why = "an unfinished generation is there; use --resume to go on, --force to start again"
        raise FileExistsError(errno.EEXIST, why, str(path))
    with contextlib.closing(Journal(path, request, resume)) as journal:
        yield journal


def titles_of(levels: Sequence[Candidate], stem: str) -> list[str]:
    """Return the titles of levels: their own, otherwise the name of their file or puzzle and a number."""
    return [level.name or f"{stem} {number}" for number, level in enumerate(levels, start=1)]


def write(puzzle: Puzzle, out: Path, titles: Sequence[str], levels: Sequence[Candidate]) -> list[Path]:
    """Write levels, and a table next to them if they were measured; return the files' paths."""
    write_levels(puzzle, out, titles, [level.board for level in levels])
    maker = maker_of(puzzle)
    if maker is None or maker.table is None:
        return [out]
    write_text(out.with_suffix(SIDECAR), maker.table(titles, levels))
    return [out, out.with_suffix(SIDECAR)]


def summary(report: GenerationReport) -> Table:
    """Return a table that summarizes a report."""
    table = Table(box=box.SIMPLE_HEAD, show_header=False, padding=(0, 1, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column()
    made = len(report.kept)
    table.add_row("levels", f"{made:,}")
    if report.rejected:
        table.add_row("rejected", ", ".join(f"{number:,} {why}" for why, number in report.rejected.most_common()))
    if report.given_up:
        table.add_row("stopped", f"after {plural(PATIENCE, 'rejection')} in a row")
    processes = f", {plural(report.workers, 'process', 'processes')}" if report.workers > 1 else ""
    each = f", {report.seconds / made:.3g} per level" if made else ""
    table.add_row("seconds", f"{report.seconds:.1f}{each}{processes}")
    measured = [candidate.difficulty.numbers() for candidate in report.kept if candidate.difficulty]
    if measured:
        table.add_row("median score", f"{np.median([candidate.score for candidate in report.kept]):.4g}")
        for name in filter(set(measured[0]).intersection(*measured).__contains__, measured[0]):
            median = np.median([numbers[name] for numbers in measured])
            table.add_row(f"median {name.replace('_', ' ')}", f"{median:.3g}" if median < 1 else f"{median:,g}")
    return table
