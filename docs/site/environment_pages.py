"""The pages of the environments, made from the records of the puzzles and of their agents.

Sphinx calls :func:`write_pages` before it reads the sources. No puzzle is named here: a page ``environments/NAME.md``
is written for each puzzle with a registered id, from its record, the documentation of its module and of its options,
the record of its agents, the scores in ``environments/scores.csv``, and the hand-written
``environments/results/NAME.md``.
"""

import dataclasses
import importlib
import inspect
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gridpuzzles_gym._version import __version__
from gridpuzzles_gym.agents.puzzle_agents import agents_record
from gridpuzzles_gym.agents.registry import agent_entries
from gridpuzzles_gym.agents.search_tables import heuristics_of, searches_of
from gridpuzzles_gym.engine.env import PuzzleEnv
from gridpuzzles_gym.engine.levels.bundled import bundled
from gridpuzzles_gym.engine.levels.sources import find_levels, level_source
from gridpuzzles_gym.engine.pictures.pixels import observations_of
from gridpuzzles_gym.engine.puzzle import Puzzle, load_puzzle
from gridpuzzles_gym.engine.vector import PuzzleVectorEnv
from gridpuzzles_gym.play.arguments import short_names
from gridpuzzles_gym.play.choices import ids_of
from gridpuzzles_gym.play.preferences import as_markdown
from gridpuzzles_gym.registration import ENVIRONMENTS, spec_of

from . import docstrings, films, reference
from .links import DOCS, rebased
from .scores import read_scores, score_table, table, title, variants

FOLDER = DOCS / "environments"
REFERENCE = DOCS / "reference" / "puzzles.md"
"""The page that lists the modules of all puzzles."""
PLAY = "play"
"""The folder of the site that holds the playable pages."""


def puzzles() -> list[Puzzle]:
    """Return the puzzles of all registered ids, in order."""
    return list(dict.fromkeys(load_puzzle(row.puzzle) for row in ENVIRONMENTS))


def write_pages(with_films: bool = True) -> list[Path]:
    """Write the page of each puzzle, and the reference of all puzzles.

    Args:
        with_films: Whether the pages show films; they are recorded, which takes minutes.

    Returns:
        The pages.
    """
    pages = {FOLDER / f"{puzzle.name}.md": "\n\n".join(_page(puzzle, with_films)) + "\n" for puzzle in puzzles()}
    pages[REFERENCE] = reference.puzzles_page(puzzles())
    return [_write(path, text) for path, text in pages.items()]


def _write(path: Path, text: str) -> Path:
    """Write a page unless it is there already: Sphinx reads again what is newer than the last build."""
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
    return path


def _page(puzzle: Puzzle, with_films: bool = True) -> Iterator[str]:
    """Yield the page's paragraphs."""
    first, _, rest = docstrings.as_markdown(_module_doc(puzzle)).partition("\n\n")
    yield f"# {puzzle.title}"
    yield _sentence(first.removeprefix(f"{puzzle.title}: "))
    if with_films:
        yield from _films(puzzle)
    yield _facts(puzzle)
    yield f"## Description\n\n{rest}"
    yield f"## Play it here\n\n{_player(puzzle)}"
    yield f"## Actions\n\n{_actions(puzzle)}"
    yield f"## Keys and mouse\n\n{as_markdown(puzzle)}"
    yield f"## Observations\n\n{_observations(puzzle)}"
    yield f"## Arguments\n\n{_arguments(puzzle)}"
    yield f"## Infos\n\n{_infos(puzzle)}"
    yield f"## Levels\n\n{_levels(puzzle)}"
    yield f"## Agents\n\n{_agents(puzzle)}"
    yield from _searches(puzzle)
    yield f"## Training\n\n{_training(puzzle)}"
    yield from _scores(puzzle)
    yield from _results(puzzle)
    yield f"## Versions\n\n{_versions(puzzle)}"


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


def _module_doc(puzzle: Puzzle) -> str:
    return inspect.getdoc(importlib.import_module(puzzle.module)) or puzzle.title


def _options(puzzle: Puzzle, env_id: str | None = None, **settings: Any) -> Any:
    """Return the options with which an id, by default the first of the puzzle, is registered."""
    own = {field.name for field in dataclasses.fields(puzzle.options)}
    kwargs = spec_of(env_id or ids_of(puzzle)[0]).kwargs
    return puzzle.read_options(**{name: value for name, value in kwargs.items() if name in own}, **settings)


def _switched(puzzle: Puzzle) -> Iterator[tuple[str, Any]]:
    """Yield the puzzle's options with each switch on that is off by default and can be on alone, and its name."""
    for field in dataclasses.fields(puzzle.options):
        if field.default is False:
            on: dict[str, Any] = {field.name: True}
            yield field.name, _options(puzzle, **on)


def _films(puzzle: Puzzle) -> Iterator[str]:
    for env_id in ids_of(puzzle):
        film = films.film_of(env_id, FOLDER / "films")
        name = f"films/{film.file.name}"
        command = f"gridpuzzles watch {short_names(env_id)[0]} --agent {film.agent} --seed {film.seed}"
        yield f"![An episode of {env_id}, played by {film.agent}]({name})\n\n`{env_id}`: `{command}`"


def _facts(puzzle: Puzzle) -> str:
    rows = []
    for env_id in ids_of(puzzle):
        spec = spec_of(env_id)
        default = _options(puzzle, env_id)
        actions = puzzle.actions(default)
        observation = next(iter(puzzle.observations.values()))
        space = observation.space(level_source(puzzle, None, default).extent)
        names = ", ".join(f"`{name}`" for name in short_names(env_id))
        rows.append([f"`{env_id}`", names, f"`Discrete({len(actions)})`", f"`{space}`", str(spec.max_episode_steps)])
    headings = ["id", "names at the command line", "action space", "observation space", "step limit"]
    complete = any(observation.decode for observation in puzzle.observations.values())
    traits = [*(["deterministic"] * puzzle.deterministic), f"{'fully' if complete else 'partially'} observable"]
    return f"{table(headings, rows)}\nThe puzzle is {' and '.join(traits)}."


def _player(puzzle: Puzzle) -> str:
    address = f"../{PLAY}/{puzzle.name}.html"
    return (
        f'<iframe class="player" src="{address}" title="{puzzle.title}" loading="lazy"></iframe>\n\n'
        f'<a class="reference external" href="{address}">Open it on a page of its own</a>; it runs in the browser, by '
        "the same rules."
    )


def _actions(puzzle: Puzzle) -> str:
    names = puzzle.actions(_options(puzzle))
    rows = [[str(number), name] for number, name in enumerate(names)]
    for switch, options in _switched(puzzle):
        more = puzzle.actions(options)
        rows += [[str(k), f"{more[k]} (with `{switch}=True`)"] for k in range(len(names), len(more))]
    return table(["action", "meaning"], rows)


def _observations(puzzle: Puzzle) -> str:
    extent = level_source(puzzle, None, _options(puzzle)).extent
    parts = []
    for number, (name, observation) in enumerate(observations_of(puzzle).items()):
        channels = observation.channels(extent)
        about = [f"`{observation.space(extent)}`."]
        if not number:
            about.append("The default.")
        if observation.decode is not None:
            about.append("It shows the complete state.")
        rows = [[str(k), channel] for k, channel in enumerate(channels)]
        parts.append(f'### `observation="{name}"`\n\n{" ".join(about)}\n\n{table(["channel", "name"], rows)}')
    return f"Sizes are those of `{ids_of(puzzle)[0]}`.\n\n" + "\n".join(parts)


def _arguments(puzzle: Puzzle) -> str:
    """Return the lists of what ``gym.make`` takes, and of what only ``gym.make_vec`` takes."""
    own = [_entry(each.name, each.type, _default(puzzle, each.name), each.words) for each in _own(puzzle)]
    single, vector = _shared(PuzzleEnv), _shared(PuzzleVectorEnv)
    single["max_episode_steps"] = _entry("max_episode_steps", "int", "the step limit", "Steps until truncation.")
    more = [entry for name, entry in vector.items() if name not in single and name != "num_envs"]
    return "\n".join([*own, *single.values(), "Of `gym.make_vec` only:\n", *more])


def _entry(name: str, kind: str, default: str, words: str) -> str:
    """Return an argument as an entry of a definition list, which narrow screens show better than a table."""
    return f"`{name}`: `{kind}`, default {default}\n: {words}\n"


def _shared(environment_class: Any) -> dict[str, str]:
    """Return the entries of the arguments that an environment takes whatever its puzzle is, by name."""
    known, entries = inspect.signature(environment_class.__init__).parameters, {}
    for name, words in docstrings.arguments(environment_class).items():
        if name in known and name != "puzzle":
            annotation = re.sub(r"\b[a-z_.]+\.(?=[A-Z])", "", inspect.formatannotation(known[name].annotation))
            default = known[name].default
            entries[name] = _entry(name, annotation, f"`{getattr(default, 'name', repr(default))}`", words)
    return entries


def _own(puzzle: Puzzle) -> list[docstrings.Field]:
    return docstrings.fields(puzzle.options)


def _default(puzzle: Puzzle, option: str) -> str:
    """Return the default of an option, and where an id is registered with another one."""
    values = {env_id: getattr(_options(puzzle, env_id), option) for env_id in ids_of(puzzle)}
    first, *others = values.items()
    words = [f"{env_id}: `{value!r}`" for env_id, value in others if value != first[1]]
    return f"`{first[1]!r}`" + (f" ({', '.join(words)})" if words else "")


def _infos(puzzle: Puzzle) -> str:
    kinds: dict[str, str] = {
        "action_mask": "int8, 1 for each action that changes anything; in every step",
        "is_success": "bool: whether the goal was reached; at the end of an episode",
        "outcome": "how it ended, `Outcome`: 0 `UNFINISHED` (the limit), 1 `SOLVED`, 2 `DIED`, 3 `LEFT`",
    }
    own = dict(puzzle.metric_kinds(_options(puzzle)))
    kinds |= {name: f"{kind.__name__}, of the episode so far; in every step" for name, kind in own.items()}
    for switch, options in _switched(puzzle):
        more = {name: kind for name, kind in puzzle.metric_kinds(options).items() if name not in own}
        kinds |= {name: f"{kind.__name__}; in every step, with `{switch}=True`" for name, kind in more.items()}
    return table(["key", "value"], [[f"`{name}`", words] for name, words in kinds.items()])


def _levels(puzzle: Puzzle) -> str:
    first = ids_of(puzzle)[0]
    generated = puzzle.generation_with(_options(puzzle)) is not None
    default = "A new instance is generated for each episode." if generated else f"Default: `{puzzle.default_levels}`."
    rows = []
    for pack in sorted(bundled(puzzle), key=lambda pack: pack != puzzle.default_levels):
        levels = find_levels(puzzle, pack)
        rows.append([f"`{pack}`", f"{len(levels):,}", _sizes([level.extent[:2] for level in levels])])
    own = f'`gym.make("{first}", levels=…)` plays bundled levels by their name'
    packs = table(["bundled levels", "number", "size, width × height"], rows)
    others = "your own by text, file or folder, or those of a [sampler](../samplers.md)"
    return f"{default} {own}, {others}.\n\n{packs}\n[What the bundled levels are](../levels.md)"


def _sizes(extents: list[tuple[int, ...]]) -> str:
    low = " × ".join(str(min(sides)) for sides in reversed(list(zip(*extents, strict=True))))
    high = " × ".join(str(max(sides)) for sides in reversed(list(zip(*extents, strict=True))))
    return low if low == high else f"{low} to {high}"


def _agents(puzzle: Puzzle) -> str:
    rows = []
    for name, entry in agent_entries(puzzle).items():
        reads = f" (needs `observation={entry.observation!r}`)" if entry.observation else ""
        rows.append([f"`{name}`", entry.description + reads])
    found = table(["agent", "what it does"], rows)
    return f"`gridpuzzles_gym.make_agent(NAME, env)`, or `--agent NAME` at the command line.\n\n{found}"


def _searches(puzzle: Puzzle) -> Iterator[str]:
    searches, heuristics = searches_of(puzzle), heuristics_of(puzzle)
    if searches:
        rows = []
        for name, search in searches.items():
            proves = "fewest actions" if search.optimal else search.proves or "–"
            rows.append([f"`{name}`", search.description, proves, "yes" if search.complete else "no"])
        found = table(["search", "order in which states are expanded", "proves", "complete"], rows)
        yield f"## Searches\n\n{found}"
        rows = []
        for name, heuristic in heuristics.items():
            admissible = "yes" if heuristic.admissible else "no"
            rows.append([f"`{name}`", heuristic.description, admissible])
        found = table(["heuristic", "estimate of the remaining actions", "admissible"], rows)
        yield f"## Heuristics\n\nThe first one is the default.\n\n{found}"


def _training(puzzle: Puzzle) -> str:
    presets: Mapping[str, Any] = agents_record(puzzle).presets
    parts = []
    for env_id in ids_of(puzzle):
        command = f"gridpuzzles train {short_names(env_id)[0]}"
        if env_id in presets:
            alone, _, taught = str(presets[env_id]).partition("; with --teacher: ")
            parts.append(f"The preset of `{command}`:\n\n{_lines(alone)}")
            if taught:
                parts.append(f"With `--teacher`, differently:\n\n{_lines(taught)}")
        else:
            parts.append(f"`{command}` trains with the default settings.")
    return "\n\n".join(parts) + "\n\nThe settings are explained in [training](../training.md)."


def _lines(preset: str) -> str:
    """Return the options of a command as a block, a line each."""
    return "```text\n{}\n```".format(preset.replace(" --", "\n--"))


def _scores(puzzle: Puzzle) -> Iterator[str]:
    found = variants(score for score in read_scores() if score.id in ids_of(puzzle))
    if found:
        yield (
            "## Scores\n\nMean return with its 95 % confidence interval, and success rate: [how they were measured]"
            "(../agents.md#how-the-comparison-was-made)."
        )
    for (env_id, settings), scores in found.items():
        yield f"### {title(env_id, settings)}\n\n{score_table(scores)}"


def _results(puzzle: Puzzle) -> Iterator[str]:
    """Yield the hand-written part of the page, without its own title."""
    file = FOLDER / "results" / f"{puzzle.name}.md"
    if file.is_file():
        text = file.read_text(encoding="utf-8").partition("\n")[2]
        yield rebased(text, file, FOLDER / f"{puzzle.name}.md").strip()


def _versions(puzzle: Puzzle) -> str:
    ids = ", ".join(f"`{env_id}`" for env_id in ids_of(puzzle))
    return (
        f"This page describes {ids} of gridpuzzles_gym {__version__}. A change of dynamics, rewards or observations "
        "raises the version in the id: [changelog](../changelog.md)."
    )
