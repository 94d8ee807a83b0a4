"""Data sets of tasks as files with a line of JSON for each item: ``gridpuzzles tasks``."""

import contextlib
import errno
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any

from gridpuzzles_gym.text.tasks import DIFFICULTIES, TASKS, Item, TaskDataset, tasks_for
from gridpuzzles_gym.text.tasks.settings import sets_for, settings_for

from ..engine.system.interrupts import uninterrupted
from ..engine.system.json_text import read_json
from ..engine.system.progress_bar import progress
from ..session.arguments import new_file
from ..session.line_file import LineFile

SUFFIX = ".jsonl"
WIDTH = 80
"""The width of lines of a description."""


def descriptions(env_id: str) -> Iterator[str]:
    """Yield lines that describe the tasks of an environment, with the settings of each difficulty.

    Raises:
        ValueError: It has none.
    """
    for name in tasks_for(env_id):
        task = TASKS[name]
        yield from wrap(f"{name}: {task.description}", WIDTH, subsequent_indent="    ")
        for difficulty in DIFFICULTIES:
            yield from _described(difficulty, settings_for(task, env_id, difficulty, {}))
        for chosen in sets_for(task, env_id):
            yield from _described(f"--set {chosen}", settings_for(task, env_id, DIFFICULTIES[0], {chosen: True}))


def _described(name: str, settings: Mapping[str, Any]) -> list[str]:
    pairs = (f"{key}={json.dumps(value, separators=(',', ':'))}" for key, value in settings.items())
    return wrap(f"  {name}: {' '.join(pairs)}", WIDTH, subsequent_indent="    ", break_on_hyphens=False)


def avoided(names: Sequence[str]) -> list[Any]:
    """Return what ``--avoid`` names: the items of a file of items, or a pack or file of levels.

    Raises:
        ValueError: A file of items has another content.
        OSError: It cannot be read.
    """
    found: list[Any] = []
    for name in names:
        if not name.endswith(SUFFIX):
            found.append(name)
            continue
        for number, line in enumerate(Path(name).read_text(encoding="utf-8").splitlines(), start=1):
            try:
                found.append(Item.of_row(_object(line)))
            except ValueError as error:
                raise ValueError(f"{name}, line {number}: {error}") from None
    return found


def _object(line: str) -> Mapping[str, Any]:
    content = read_json(line)
    if not isinstance(content, dict):
        raise ValueError("it is not a JSON object")
    return content


def write(dataset: TaskDataset, path: Path | None, force: bool, resume: bool, show: Callable[[str], None]) -> int:
    """Write a data set to a file, an item a line; Ctrl-C keeps the items written.

    Args:
        dataset: The data set.
        path: The file; None: ``show`` receives the lines.
        force: Overwrite an existing file.
        resume: Go on with an existing file, whose items must be the first ones of the data set.
        show: Receives each line if there is no file.

    Returns:
        The number of items that the file has, or that were shown.

    Raises:
        ValueError: The file cannot be resumed, both options are given, or there are too few distinct items.
        OSError: The file exists and neither is given, or it cannot be read or written.
    """
    if resume and force:
        raise ValueError("--resume and --force cannot be combined")
    if path is None:
        if resume:
            raise ValueError("--resume continues a file: it needs --out FILE")
        return _add_all(dataset, 0, show)
    with contextlib.closing(LineFile(path)) as lines:
        kept: list[str] = []
        if resume and path.exists():
            kept = lines.read().splitlines(keepends=True)
            _check_same(dataset, kept, path)
        elif path.is_file() and not force:
            why = "already exists; use --resume to go on, --force to overwrite it"
            raise FileExistsError(errno.EEXIST, why, str(path))
        else:
            new_file(path, force)
        return _add_all(dataset, len(kept), lines.add)


def _add_all(dataset: TaskDataset, done: int, add: Callable[[str], None]) -> int:
    """Add the items after the first ones; return how many there are in the end."""
    with contextlib.suppress(KeyboardInterrupt), progress(len(dataset), done, "item") as advance:
        for index in range(done, len(dataset)):
            line = _line(dataset[index])
            with uninterrupted():
                add(line)
                done += 1
            advance()
    return done


def _check_same(dataset: TaskDataset, kept: Sequence[str], path: Path) -> None:
    """Raise ValueError unless the lines of a file are the first items of a data set."""
    if len(kept) > len(dataset):
        raise ValueError(f"{path}: cannot be resumed: it has {len(kept):,} items, more than --count {len(dataset):,}")
    with progress(len(kept), 0, "checking item") as advance:
        for index, line in enumerate(kept):
            if line != _line(dataset[index]):
                raise ValueError(
                    f"{path}, line {index + 1}: cannot be resumed: it is not item {index} of this data set"
                )
            advance()


def _line(item: Item) -> str:
    return json.dumps(item.row(), ensure_ascii=False) + "\n"
