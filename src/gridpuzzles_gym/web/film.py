"""Films: pages that are a single file and play episodes in any browser, without a network.

The page holds its script, its sprites and its episodes as JSON::

    {"title", "pace", "actions", "options", "revealed", "rules", "sprites": {name: address},
     "rounds": [{"label", "episodes": [episode]}]}
    episode: {"player", "label", "summary", "title", "level", "state", "frames": [frame]}
    frame: the changes since the previous frame: "state": [place, number, ...], "action", "score", "metrics",
           "outcome", "over", "lines" ([speaker, text]), "notes" and "values" by "row,column" (null
           if removed), "thoughts" (the rest)

The page needs no rules: it also has the picture's and the status's tables, "looks", and::

    episode: "area", "ground", "inset" and "placements": [row], distinct rows of numbers, indexed by the two before
             and "pieces"
    frame: "said": the status's numbers, "pieces": [from, count, index, ...], what replaces so many indices
"""

import base64
import dataclasses
import hashlib
import html
import json
import urllib.parse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any, NamedTuple

import numpy as np

from gridpuzzles_gym.agents.thoughts import Thoughts
from gridpuzzles_gym.engine.pictures.picture import Picture
from gridpuzzles_gym.engine.puzzle import Puzzle
from gridpuzzles_gym.engine.scene import Scene

from .assembly import SITE
from .bundling import bundle, without_comments
from .games import rules_of
from .looks import describe_looks, recorded_placements, sprites_of

HEIGHT = 560
"""The default height of a film in another page, in pixels."""
_MAIN = """
import { show } from "./js/film.js";
import { drawingOf } from "./js/picture.js";
import { recorded } from "./js/recorded_looks.js";
const film = JSON.parse(document.getElementById("film").textContent);
show(document.getElementById("stage"), film, drawingOf(film.looks, recorded));
"""


class Line(NamedTuple):
    """Something said by a language model or by the game."""

    speaker: str
    """``"model"``, ``"thought"`` (what a model thinks) or ``"game"``."""
    text: str


class Frame(NamedTuple):
    """One state of an episode."""

    scene: Scene
    thoughts: Thoughts
    """The player's thoughts; their notes are drawn, those of the scene are not."""
    outcome: str
    """One of :data:`~gridpuzzles_gym.engine.puzzle.OUTCOMES`."""
    over: bool
    """Whether the episode has ended, by the rules or by its limit."""
    lines: Sequence[Line] = ()
    """What is said in this state, for pages that show a language model's words next to the board."""


class Episode(NamedTuple):
    """An episode of one player."""

    player: str
    label: str
    """A label such as the level and the seed, which reproduce the episode."""
    summary: str
    """How it ended, in one line."""
    frames: Sequence[Frame]


class Round(NamedTuple):
    """The episodes of all players on the same level with the same seed."""

    label: str
    episodes: Sequence[Episode]


def check_drawing(puzzle: Puzzle) -> Picture:
    """Return a puzzle's picture; raise ValueError if it has none."""
    if puzzle.picture is None:
        raise ValueError(f"{puzzle.title} has no picture")
    return puzzle.picture


def film_page(
    puzzle: Puzzle,
    rounds: Sequence[Round],
    title: str,
    table: Sequence[Sequence[str]] = (),
    pace: float = 4.0,
    words: Sequence[str] = (),
    notes: Sequence[str] = (),
    table_first: bool = False,
) -> str:
    """Return a page that shows episodes.

    Args:
        puzzle: The puzzle.
        rounds: At least one round; all have the same options.
        title: The heading.
        table: Rows of text; the first is the heading.
        pace: Steps per second at first.
        words: The headings of further columns with text, in addition to the first column.
        notes: Paragraphs below the table.
        table_first: Show the table above the film instead of below.

    Raises:
        ValueError: The puzzle has no picture.
    """
    picture = check_drawing(puzzle)
    files = (SITE / "js").iterdir()
    scripts = {f"js/{file.name}": without_comments(file.read_text(encoding="utf-8")) for file in files}
    scripts["main.js"] = _MAIN
    script = bundle(scripts, "main.js")
    style = (SITE / "view.css").read_text(encoding="utf-8") + (SITE / "film.css").read_text(encoding="utf-8")
    shown = _table(table, words) + "".join(f"<p>{html.escape(note)}</p>" for note in notes)
    return Template((SITE / "film.html").read_text(encoding="utf-8")).substitute(
        title=html.escape(title),
        script=script,
        script_hash=_hash(script),
        style=style,
        style_hash=_hash(style),
        film=_json({**_described(puzzle, picture, rounds), "title": title, "pace": pace}),
        above=shown if table_first else "",
        below="" if table_first else shown,
    )


def embedded(page: str, height: int = HEIGHT) -> str:
    """Return a page as an element of another one, for notebooks; its scripts cannot access the other page.

    Args:
        page: As :func:`film_page` returns it.
        height: The height in pixels; the width is that of the other page.
    """
    frame = f'width="100%" height="{height}" sandbox="allow-scripts" style="border: 0"'
    return f'<iframe title="film" {frame} srcdoc="{html.escape(page)}"></iframe>'


def _described(puzzle: Puzzle, picture: Picture, rounds: Sequence[Round]) -> dict[str, Any]:
    options = rounds[0].episodes[0].frames[0].scene.options
    return {
        "actions": list(puzzle.actions(options)),
        "options": dataclasses.asdict(options),
        "revealed": puzzle.hidden is None or _has(options, puzzle.hidden.revealed),
        "rules": rules_of(puzzle),
        "looks": describe_looks(puzzle, options),
        "sprites": {name: _address(file) for name, file in sprites_of(puzzle, options).items()},
        "rounds": [
            {"label": each.label, "episodes": [_episode(puzzle, picture, episode) for episode in each.episodes]}
            for each in rounds
        ],
    }


def _has(options: Any, values: Mapping[str, Any]) -> bool:
    return all(getattr(options, name) == value for name, value in values.items())


def _address(file: Path) -> str:
    """Return a sprite's address, which holds its content."""
    if file.suffix.lower() == ".svg":
        return "data:image/svg+xml," + urllib.parse.quote(file.read_text(encoding="utf-8"), safe=" =:/'<>\"(),;")
    return "data:image/png;base64," + base64.b64encode(file.read_bytes()).decode()


def _episode(puzzle: Puzzle, picture: Picture, episode: Episode) -> dict[str, Any]:
    first = episode.frames[0].scene
    frames = list(_changes(episode.frames))
    scenes = [frame.scene for frame in episode.frames]
    looks, pieces = recorded_placements(picture, scenes)
    said: list[int] = []
    for frame, scene, change in zip(frames, scenes, pieces, strict=True):
        frame |= {"pieces": change} if change else {}
        if puzzle.status is not None and said != (said := puzzle.status.numbers_of(scene)):
            frame["said"] = said
    return {
        "player": episode.player,
        "label": episode.label,
        "summary": episode.summary,
        "title": first.title,
        "level": first.level.tolist(),
        "state": first.state.tolist(),
        **looks,
        "frames": frames,
    }


def _changes(frames: Sequence[Frame]) -> Iterator[dict[str, Any]]:
    """Yield what has changed in each frame."""
    state = frames[0].scene.state
    before: dict[str, Any] = {}
    notes: dict[str, Any] = {}
    values: dict[str, Any] = {}
    for frame in frames:
        scene, thoughts = frame.scene, frame.thoughts
        places = np.flatnonzero(scene.state != state)
        now: dict[str, Any] = {
            "action": None if scene.action is None else int(scene.action),
            "score": float(scene.score),
            "metrics": {name: int(number) for name, number in scene.metrics.items()},
            "outcome": frame.outcome,
            "over": frame.over,
            "thoughts": _thoughts(thoughts),
        }
        if frame.lines or "lines" in before:
            now["lines"] = [list(line) for line in frame.lines]
        change: dict[str, Any] = {
            name: entry for name, entry in now.items() if name not in before or before[name] != entry
        }
        if places.size:
            change["state"] = np.stack([places, scene.state[places]], axis=1).ravel().tolist()
        new_notes = {_key(square): words for square, words in thoughts.notes.items()}
        new_values = {_key(square): float(f"{value:.4g}") for square, value in thoughts.values.items()}
        for name, old, new in (("notes", notes, new_notes), ("values", values, new_values)):
            if old != new:
                gone = dict.fromkeys(old.keys() - new.keys())
                change[name] = gone | {square: entry for square, entry in new.items() if old.get(square) != entry}
        yield change
        state, before, notes, values = scene.state, now, new_notes, new_values


def _thoughts(thoughts: Thoughts) -> dict[str, Any]:
    found = {
        "valuesName": thoughts.values_name,
        "path": [[int(row), int(column)] for row, column in thoughts.path],
        "probabilities": [float(f"{share:.3g}") for share in thoughts.probabilities],
        "legend": dict(thoughts.legend),
        "figures": dict(thoughts.figures),
    }
    return {name: entry for name, entry in found.items() if entry}


def _key(square: tuple[int, int]) -> str:
    return f"{int(square[0])},{int(square[1])}"


def _table(rows: Sequence[Sequence[str]], words: Sequence[str]) -> str:
    if not rows:
        return ""
    kinds = [' class="words"' if heading in words else "" for heading in rows[0]]

    def line(row: Sequence[str], cell: str) -> str:
        cells = (f"<{cell}{kind}>{html.escape(each)}</{cell}>" for kind, each in zip(kinds, row, strict=True))
        return f"<tr>{''.join(cells)}</tr>"

    lines = line(rows[0], "th") + "".join(line(row, "td") for row in rows[1:])
    return f'<div class="wide"><table>{lines}</table></div>'


def _json(content: Mapping[str, Any]) -> str:
    """Return JSON for an element of a page; ``<`` is escaped, since it could end the element."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"), default=str).replace("<", "\\u003c")


def _hash(text: str) -> str:
    """Return the hash by which a content-security policy allows a script or style."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
