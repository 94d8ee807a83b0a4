"""Agents' episodes as a page that plays in a browser: ``watch --record FILE.html`` and ``compare --report``."""

import dataclasses
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from gridpuzzles_gym.agents.search.problem import Problem
from gridpuzzles_gym.agents.thoughts import Thoughts

from ..engine.env import PuzzleEnv
from ..engine.levels.row_level import RowLevel
from ..engine.messages import plural
from ..engine.puzzle import OUTCOMES, UNFINISHED
from ..engine.system.files import replacing
from ..session.arguments import environment, new_file
from ..session.session import ENDINGS, Watched, short_name
from ..session.watch_options import PACE, WatchOptions
from ..session.watching import path_of
from ..web.film import Episode, Frame, Round, check_drawing, film_page

if TYPE_CHECKING:
    from gridpuzzles_gym.agents.evaluation import Comparison

SUFFIX = ".html"
MOST_PLAYERS = 4
"""Maximum number of agents side by side."""
REPORTED_ROUNDS = 3
"""The number of episodes in a report."""


def record_page(
    env_id: str,
    agents: Sequence[str],
    path: str | Path,
    options: WatchOptions,
    progress: bool = True,
    force: bool = False,
) -> list[str]:
    """Write a page with episodes of one or several agents, side by side on the same levels and seeds.

    Ctrl-C keeps the episodes that all agents have finished.

    Args:
        env_id: A registered id.
        agents: Names of agents, or paths of models; at most :data:`MOST_PLAYERS`.
        path: The file; its name ends in ``.html``.
        options: How they are watched.
        progress: Show a progress bar.
        force: Overwrite an existing file.

    Returns:
        One line for each episode of each agent.

    Raises:
        ValueError: The id, an agent or the level is unknown, a setting is invalid, there are too many agents, or the
            puzzle has no drawing for pages.
        OSError: The file exists and ``force`` is False, or it cannot be written.
        KeyboardInterrupt: Ctrl-C; its message says what was written.
    """
    path, episodes = Path(path), options.episodes or 1
    new_file(path, force, SUFFIX)
    puzzle = environment(env_id)[1]
    check_drawing(puzzle)
    rounds: list[Round] = []
    columns = TextColumn("playing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    stopped = False
    with Progress(*columns, console=Console(stderr=True), disable=not progress, transient=True) as bar:
        try:
            rounds.extend(bar.track(play_rounds(env_id, agents, options), episodes))
        except KeyboardInterrupt:
            stopped = True
    if rounds:
        title = f"{puzzle.title}: {', '.join(map(short_name, agents))}"
        with replacing(path) as unfinished:
            unfinished.write_text(film_page(puzzle, rounds, title, pace=options.fps or PACE), encoding="utf-8")
    if stopped:
        kept = f"{path} has them" if rounds else "nothing was written"
        raise KeyboardInterrupt(f"stopped: played {len(rounds):,} of {plural(episodes, 'episode')}; {kept}")
    several = len(agents) > 1
    return [
        f"{f'{episode.player}: ' if several else ''}{episode.summary} ({episode.label})"
        for each in rounds
        for episode in each.episodes
    ]


def write_report(comparison: "Comparison", path: Path, agents: Sequence[str], options: WatchOptions) -> None:
    """Write a comparison as a page: its table, and the agents' first episodes side by side.

    Args:
        comparison: The comparison.
        path: The file.
        agents: The agents compared, as given to the comparison.
        options: How they played; the seed is the comparison's, the number of episodes is :data:`REPORTED_ROUNDS`.
    """
    done = agents[: len(comparison.scores)][:MOST_PLAYERS]
    options = dataclasses.replace(options, seed=comparison.seed, episodes=REPORTED_ROUNDS)
    rounds = list(play_rounds(comparison.env_id, done, options))
    table = comparison.table()
    rows = [[*table.words, *table.numbers], *table.rows]
    page = film_page(environment(comparison.env_id)[1], rounds, table.title, rows)
    with replacing(path) as unfinished:
        unfinished.write_text(page, encoding="utf-8")


def play_rounds(env_id: str, agents: Sequence[str], options: WatchOptions) -> Iterator[Round]:
    """Play episodes, each with all agents.

    Args:
        env_id: A registered id.
        agents: As for :func:`record_page`.
        options: As for :func:`record_page`.

    Raises:
        ValueError: As for :func:`record_page`.
    """
    if not 1 <= len(agents) <= MOST_PLAYERS:
        raise ValueError(f"{len(agents)} agents: a page shows 1 to {MOST_PLAYERS}")
    if options.seed is None:
        options = dataclasses.replace(options, seed=random.randrange(1_000_000))
    sessions = [Watched(env_id, agent, options) for agent in agents]
    try:
        for _ in range(options.episodes or 1):
            episodes = [_played(session, short_name(agent)) for session, agent in zip(sessions, agents, strict=True)]
            yield Round(episodes[0].label, episodes)
    finally:
        for session in sessions:
            session.close()


def _played(session: Watched, player: str) -> Episode:
    """Play the next episode of a session."""
    session.begin()
    frames = [_frame(session)]
    while not session.over:
        session.advance()
        frames.append(_frame(session))
    return Episode(player, session.label(), session.summary(), frames)


def solution_page(problem: Problem, actions: Sequence[int], player: str, label: str = "") -> str:
    """Return a page that shows a plan.

    Args:
        problem: What it starts from.
        actions: The plan; each must be legal.
        player: What found it.
        label: The instance.

    Raises:
        ValueError: An action is illegal, or the puzzle has no drawing for pages.
    """
    problem.replay(actions)  # reports illegal actions
    puzzle, options = problem.puzzle, problem.options
    extent = puzzle.check(problem.level, problem.state, options)
    level = RowLevel(puzzle, extent, options, (problem.level, problem.state), label)
    env = PuzzleEnv(puzzle, levels=[level], **dataclasses.asdict(options))
    env.batch.interpret()
    _, info = env.reset()
    frames = []
    for k in range(len(actions) + 1):
        scene, plan = env.scene(), actions[k:]
        thoughts = Thoughts(path=tuple(path_of(scene, puzzle, plan)))
        frames.append(Frame(scene, thoughts, info["outcome"], info["outcome"] != OUTCOMES[UNFINISHED]))
        if plan:
            info = env.step(plan[0])[4]
    summary = f"{ENDINGS[info['outcome']]} after {plural(len(actions), 'step')}" if info["is_success"] else "Not solved"
    return film_page(puzzle, [Round(label, [Episode(player, label, summary, frames)])], puzzle.title)


def _frame(session: Watched) -> Frame:
    scene = session.scene()
    thoughts = Thoughts() if session.over or not session.show_notes else session.player.thoughts()
    path = thoughts.path or tuple(path_of(scene, session.puzzle, thoughts.plan))
    return Frame(scene, dataclasses.replace(thoughts, path=path), session.outcome, session.over)
