"""Evaluating a language model: the work of ``gridpuzzles ask``."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...engine.messages import plural
from ...session.arguments import new_file
from . import films, lengths, results
from .bars import Bars
from .budget import Budget
from .endpoint import Endpoint
from .episodes import Episodes
from .journal import Journal, Record
from .running import Run, RunStatus
from .work import Work

PAGE = ".html"
Compare = Callable[[Sequence[int], Bars], Mapping[str, Sequence[Record]]]
"""``compare(done, bars)``: the records of each baseline, by name, for the episodes with these numbers."""


@dataclasses.dataclass(frozen=True)
class Outputs:
    """The files that a run writes; None: not written."""

    journal: Path | None = None
    csv: Path | None = None
    page: Path | None = None
    resume: bool = False
    force: bool = False

    def check(self) -> None:
        """Check, before any request, that the table and the page can be written.

        Raises:
            ValueError: A name is invalid.
            OSError: A file already exists, or cannot be written.
        """
        overwrite = self.force or self.resume  # a resumed run has written them before
        if self.csv is not None:
            new_file(self.csv, overwrite)
        if self.page is not None:
            new_file(self.page, overwrite, PAGE)


class Report(NamedTuple):
    """The results of a run."""

    title: str
    rows: Sequence[results.Row]
    by_length: Sequence[lengths.LengthRow]
    """The results by the length of the shortest solution; empty if it is not known."""
    status: RunStatus
    written: Sequence[Path]
    wanted: int
    """The number of episodes or tasks to do."""
    done: int
    """The number of finished ones."""
    noun: str
    resumable: bool

    def tables(self) -> list[Any]:
        """Return the tables for the terminal."""
        found = [results.table(self.rows, self.title, self.noun == "task")]
        return [*found, lengths.table(self.by_length)] if self.by_length else found

    def lines(self) -> list[str]:
        """Return what is printed below the table."""
        status = self.status
        found = [f"{self.done:,} of {plural(self.wanted, self.noun)} done; in this call: {status.spent}"]
        if status.failed:
            last = list(status.failed.values())[-1]
            found.append(f"{plural(len(status.failed), self.noun)} failed, the last: {last}")
        if status.stopped and not status.unusable:
            found.append(f"stopped: {status.stopped}")
        if self.done < self.wanted and not status.interrupted and not status.unusable:
            found.append(self.go_on)
        return found + [f"wrote {path}" for path in self.written]

    @property
    def go_on(self) -> str:
        """How to continue, in words."""
        if self.resumable:
            return "the same command with --resume (without --force) asks for the rest"
        return "with --out FILE, --resume could ask for the rest"

    def as_json(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        spent = self.status.spent
        return {
            "title": self.title,
            "wanted": self.wanted,
            "done": self.done,
            "failed": {str(number): words for number, words in self.status.failed.items()},
            "stopped": self.status.stopped,
            "requests": spent.requests,
            "prompt_tokens": spent.prompt_tokens,
            "completion_tokens": spent.completion_tokens,
            "rows": [results.as_json(row) for row in self.rows],
            "by_length": [row._asdict() for row in self.by_length],
            "written": [str(path) for path in self.written],
        }


def ask(
    work: Work,
    model: Endpoint | str,
    outputs: Outputs,
    budget: Budget,
    concurrency: int = 8,
    compare: Compare = lambda done, bars: {},
    show: Callable[[Report], object] = lambda report: None,
    progress: bool = True,
) -> Report:
    """Evaluate a model and write the results.

    Args:
        work: The episodes or tasks.
        model: The endpoint, or the name of a scripted model, which needs no network.
        outputs: The files to write.
        budget: Limits of the run.
        concurrency: Maximum number of episodes or tasks at the same time.
        compare: Returns the records of the baselines.
        show: Called with the report before the table and the page are written.
        progress: Show progress bars on a terminal.

    Raises:
        ValueError: A name is unknown, or the journal belongs to another run.
        OSError: A file cannot be written.
        ImportError: httpx is not installed.
        KeyboardInterrupt: Ctrl-C; the message says how to continue.
    """
    outputs.check()
    if isinstance(model, str):
        name, parameters = f"{model}, by text", {}
        work.scripted(model, 0)  # raises an error if the name is unknown
    else:
        name, parameters = model.model, dict(model.parameters)
    options = {"model": name, "scripted": isinstance(model, str), "parameters": parameters, **work.options()}
    journal = Journal(outputs.journal, options, outputs.resume, outputs.force)
    try:
        with Bars(progress) as bars:
            run = Run(
                work, journal, min(concurrency, work.count), budget, lambda: bars.show(run.status, journal.records)
            )
            bars.begin(name, work.count, work.noun)
            status = run.with_script(model) if isinstance(model, str) else run.with_endpoint(model)
            records = [journal.records[number] for number in sorted(journal.records) if number < work.count]
            others: Mapping[str, Sequence[Record]] = {}
            try:
                if records and not status.interrupted:
                    others = compare([record.index for record in records], bars)
            except KeyboardInterrupt:
                status.interrupted = True
    finally:
        journal.close()
    report = Report(
        title=_title(work, options),
        rows=results.rows_of(name, records, others),
        by_length=lengths.by_length(name, records, others),
        status=status,
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
