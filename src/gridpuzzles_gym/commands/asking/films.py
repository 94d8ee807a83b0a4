"""Transcripts as an HTML page: the boards next to the model's replies."""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from gridpuzzles_gym.agents.thoughts import Thoughts

from ...engine.env import PuzzleEnv
from ...engine.messages import plural, shorten
from ...engine.system.files import write_text
from ...session.session import ENDINGS
from ...text.reply_text import text_of
from ...web.film import Episode, Frame, Line, Round, film_page
from ..grading.contest import Contest
from .journal import Record

MOST_EPISODES = 100
"""The maximum number of episodes in a page; later ones are left out."""
LONGEST = 4000
"""The maximum length of a reply in a page, in characters; the middle of longer ones is left out."""


def write_page(contest: Contest, model: str, records: Sequence[Record], path: Path) -> None:
    """Write a page with a model's episodes.

    Args:
        contest: The episodes.
        model: The name of the model.
        records: At least one.
        path: The file.

    Raises:
        ValueError: Pages cannot draw the puzzle.
        OSError: The file cannot be written.
    """
    with contextlib.closing(contest.env(None)) as env:
        rounds = [_round(contest, env, model, record) for record in records[:MOST_EPISODES]]
    write_text(path, film_page(contest.puzzle, rounds, f"{contest.puzzle.title}: {model}", pace=1.0))


def _round(contest: Contest, env: Any, model: str, record: Record) -> Round:
    inner = env.unwrapped
    assert isinstance(inner, PuzzleEnv)
    _, info = env.reset(seed=contest.seed + record.index)
    if contest.every_level:
        _, info = env.reset(options={"level": record.index})
    names = inner.config.action_names
    frames: list[Frame] = []
    for lines, action in _steps(record):
        frames.append(Frame(inner.scene(), Thoughts(), info["outcome"], action is None, lines))
        if action is not None:
            info = env.step(names.index(action))[4]
    word = ENDINGS.get(record.outcome, record.outcome)
    if record.outcome == "unfinished" and record.error:
        word = "Refused by the endpoint"
    invalid = (
        f", {plural(record.invalid_replies, 'invalid reply', 'invalid replies')}" if record.invalid_replies else ""
    )
    label = ", ".join(filter(None, (record.level, f"seed {record.seed}")))
    summary = f"{word} after {plural(record.steps, 'step')}, return {record.score:g}{invalid}"
    return Round(label, [Episode(model, label, summary, frames)])


def _steps(record: Record) -> Iterator[tuple[list[Line], str | None]]:
    """Yield the lines to show with a board, and the action that changes it; None at the end."""
    lines: list[Line] = []
    for message in record.messages:
        if message.get("role") != "assistant":
            continue
        lines += _lines_of(message)
        for action in message["actions"]:
            yield lines, action
        if message["actions"]:
            lines = []
    end = record.error or str(record.messages[-1].get("content", "")).partition("\n")[0]
    yield [*lines, Line("game", shorten(end, LONGEST))], None


def _lines_of(message: dict[str, Any]) -> Iterator[Line]:
    """Yield a reply, and the fault in it, as lines."""
    if message.get("reasoning"):
        yield Line("thought", shorten(message["reasoning"], LONGEST))
    text = text_of(message.get("content"))
    calls = [call.get("function") for call in message.get("tool_calls") or () if isinstance(call, dict)]
    called = [f"{call.get('name')}({call.get('arguments')})" for call in calls if isinstance(call, dict)]
    yield Line("model", shorten("\n".join(filter(None, (text, *called))), LONGEST))
    if message["fault"]:
        yield Line("game", f"Invalid reply: {message['fault']}")
