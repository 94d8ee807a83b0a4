"""Evaluate a language model: the work of ``gridpuzzles ask``."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...engine.messages import plural
from ...session.arguments import new_file
from ..film_pages import SUFFIX as PAGE
from . import films, results
from .bars import Bars
from .budget import Budget
from .endpoint import Endpoint
from .episodes import Episodes
from .journal import Journal, Record
from .retrying import RETRIES
from .running import Run, RunStatus
from .work import Work

Compared = Callable[[Sequence[int], Bars], Mapping[str, Sequence[Record]]]
"""``compared(done, bars)``: the records of others, by name, for the episodes with these numbers."""


@dataclasses.dataclass(frozen=True)
class Outputs:
    """The files that a run writes; None: not this one."""

    journal: Path | None = None
    csv: Path | None = None
    page: Path | None = None
    resume: bool = False
    force: bool = False

    def check(self) -> None:
        """Check, before anything is asked, that the table and the page can be written.

        Raises:
            ValueError: A name is invalid.
            OSError: A file exists, or cannot be written.
        """
        again = self.force or self.resume  # a run that goes on has written them before
        if self.csv is not None:
            new_file(self.csv, again)
        if self.page is not None:
            new_file(self.page, again, PAGE)


class Report(NamedTuple):
    """What a run has found."""

    title: str
    rows: Sequence[results.Row]
    course: RunStatus
    written: Sequence[Path]
    wanted: int
    """The number of episodes or tasks that were wanted."""
    done: int
    noun: str
    resumable: bool

    def table(self) -> Any:
        """Return the table for the terminal."""
        return results.table(self.rows, self.title, self.noun == "task")

    def lines(self) -> list[str]:
        """Return what is printed below the table."""
        course = self.course
        found = [f"{self.done:,} of {plural(self.wanted, self.noun)} done; in this call: {course.spent}"]
        if course.failed:
            last = list(course.failed.values())[-1]
            found.append(f"{plural(len(course.failed), self.noun)} failed, the last: {last}")
        if course.stopped and not course.useless:
            found.append(f"stopped: {course.stopped}")
        if self.done < self.wanted and not course.interrupted and not course.useless:
            found.append(self.go_on)
        return found + [f"wrote {path}" for path in self.written]

    @property
    def go_on(self) -> str:
        """How to get the rest."""
        if self.resumable:
            return "the same command with --resume (without --force) asks for the rest"
        return "with --out FILE, --resume could ask for the rest"

    def as_json(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        spent = self.course.spent
        return {
            "title": self.title,
            "wanted": self.wanted,
            "done": self.done,
            "failed": {str(number): words for number, words in self.course.failed.items()},
            "stopped": self.course.stopped,
            "requests": spent.requests,
            "prompt_tokens": spent.prompt_tokens,
            "completion_tokens": spent.completion_tokens,
            "rows": [results.as_json(row) for row in self.rows],
            "written": [str(path) for path in self.written],
        }


def ask(
    work: Work,
    model: Endpoint | str,
    outputs: Outputs,
    budget: Budget,
    places: int = 8,
    retries: int = RETRIES,
    compared: Compared = lambda done, bars: {},
    show: Callable[[Report], object] = lambda report: None,
    progress: bool = True,
) -> Report:
    """Ask a model and write what it has done.

    Args:
        work: What it is asked.
        model: The endpoint, or the name of a model that needs no network.
        outputs: The files.
        budget: Limits.
        places: How many are asked at the same time.
        retries: How often a request is sent again.
        compared: Returns what the model is compared with.
        show: Called with the report before the table and the page are written, which may fail.
        progress: Show progress bars on a terminal.

    Raises:
        ValueError: A name is unknown, or the journal is of another run.
        OSError: A file cannot be written.
        ImportError: httpx is not installed.
        KeyboardInterrupt: Ctrl-C; the message says how to go on.
    """
    outputs.check()
    if isinstance(model, str):
        name, parameters = f"{model}, by text", {}
        work.scripted(model, 0)  # reports errors
    else:
        name, parameters = model.model, dict(model.parameters)
    options = {"model": name, "scripted": isinstance(model, str), "parameters": parameters, **work.options()}
    journal = Journal(outputs.journal, options, outputs.resume, outputs.force)
    try:
        with Bars(progress) as bars:
            run = Run(work, journal, min(places, work.count), budget, lambda: bars.show(run.course, journal.records))
            bars.begin(name, work.count, work.noun)
            course = run.with_script(model) if isinstance(model, str) else run.with_endpoint(model, retries)
            records = [journal.records[number] for number in sorted(journal.records) if number < work.count]
            others: Mapping[str, Sequence[Record]] = {}
            try:
                if records and not course.interrupted:
                    others = compared([record.index for record in records], bars)
            except KeyboardInterrupt:
                course.interrupted = True
    finally:
        journal.close()
    report = Report(
        title=_title(work, options),
        rows=results.rows_of(name, records, others),
        course=course,
        written=[path for path in (outputs.journal,) if path is not None and path.exists()],
        wanted=work.count,
        done=len(records),
        noun=work.noun,
        resumable=outputs.journal is not None,
    )
    show(report)
    return _written(report, outputs, work, name, records)


def _written(report: Report, outputs: Outputs, work: Work, model: str, records: Sequence[Record]) -> Report:
    """Write the table and the page."""
    written = list(report.written)
    if outputs.csv is not None and report.rows:
        results.write_csv(report.rows, outputs.csv)
        written.append(outputs.csv)
    if outputs.page is not None and records and isinstance(work, Episodes):
        films.write_page(work.contest, model, records, outputs.page)
        written.append(outputs.page)
    return report._replace(written=written)


def _title(work: Work, options: Mapping[str, Any]) -> str:
    if isinstance(work, Episodes):
        contest = work.contest
        levels = f" of {options['levels']}" if options["levels"] else ""
        played = "each level once" if contest.every_level else f"seeds from {contest.seed}"
        return f"{contest.env_id}{levels}: {plural(work.count, 'episode')}, {played}, {options['view']}"
    return f"{options['env_id']}: {options['task']}, {options['difficulty']}, seed {options['seed']}"
