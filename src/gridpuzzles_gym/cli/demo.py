"""``make demo``: compare all agents, the suite's trained network among them, then train another and record them all."""

import argparse
import contextlib
import shlex
import shutil
import sys
from pathlib import Path

from rich.console import Console

from gridpuzzles_gym.agents.evaluation import Comparison, compare
from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.agents.models.model_file import MODEL
from gridpuzzles_gym.agents.registry import agents_of
from gridpuzzles_gym.agents.training.settings import preset_settings
from gridpuzzles_gym.agents.training.trainer import train

from ..engine.messages import plural
from ..engine.puzzle import Outcome
from ..play.recording import record
from ..play.session import Watched, WatchOptions

ENV_ID, PUZZLE = "Wumpus-v0", "wumpus"
FILM_SEED = 19  # a cave whose gold can be reached without risk


def demo(folder: Path, minutes: float, episodes: int) -> None:
    """Run the whole demo; a model that already exists in ``folder`` is not trained again.

    Args:
        folder: Output folder for the model, learning curve, table and recordings.
        minutes: Minutes of training.
        episodes: Number of caves in the comparison.
    """
    console = Console()
    game = Game.of(ENV_ID)
    model, agents = folder / MODEL, agents_of(game.puzzle)
    console.print(f"[bold]1. Comparing all agents on the same {plural(episodes, 'cave')}[/bold]")
    before = compare(game, agents, episodes=episodes)
    console.print(before.table())
    console.print(f"[bold]2. Training PPO on {ENV_ID}[/bold] for {minutes:g} min")
    if model.exists():
        console.print(f"   {model} already exists; training is skipped")
    else:
        # The schedules depend on time: slow machines take fewer steps and still end with a low entropy bonus.
        train(preset_settings(game, {"minutes": minutes}), folder)
    after = compare(game, [str(model)], episodes=episodes)
    console.print(after.table())
    comparison = Comparison(ENV_ID, before.seed, before.scores + after.scores)
    comparison.write_csv(folder / "comparison.csv")
    comparison.write_chart(folder / "comparison.png")
    console.print("[bold]3. Recording one episode of each agent[/bold]")
    for agent in [*agents, str(model)]:
        film = folder / f"{'ppo' if agent == str(model) else agent}.gif"
        seed = solved_seed(game, agent) if agent == str(model) else FILM_SEED
        for line in record(game, agent, film, WatchOptions(seed), force=True):
            console.print(f"   {film}: {line}")
    console.print(f"Everything is in [bold]{folder}[/bold]. Next:")
    for words in (f"play {PUZZLE}", f"watch {PUZZLE} --agent {model.parent}", "list"):
        console.print(f"   {program()} {words}", soft_wrap=True, highlight=False)


def solved_seed(game: Game, agent: str) -> int:
    """Return the seed of the first of fifty episodes that an agent solves, or :data:`FILM_SEED` if it solves none."""
    for seed in range(FILM_SEED, FILM_SEED + 50):
        with contextlib.closing(Watched(game, agent, WatchOptions(seed))) as session:
            session.begin()
            while not session.over:
                session.advance()
            if session.outcome == Outcome.SOLVED:
                return seed
    return FILM_SEED


def program() -> str:
    """Return the installed command as it can be typed here: its path if the shell does not find it by name."""
    script = Path(sys.executable).with_name("gridpuzzles")
    if shutil.which("gridpuzzles") == str(script) or not script.exists():
        return "gridpuzzles"
    return shlex.quote(str(script.relative_to(Path.cwd()) if script.is_relative_to(Path.cwd()) else script))


def main() -> None:
    """Command line of ``make demo``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("runs/demo"), help="output folder")
    parser.add_argument("--minutes", type=float, default=1.0, help="minutes of training")
    parser.add_argument("--episodes", type=int, default=1000, help="number of caves in the comparison")
    chosen = parser.parse_args()
    try:
        demo(chosen.out, chosen.minutes, chosen.episodes)
    except KeyboardInterrupt as interrupt:
        print(f"demo: {str(interrupt) or 'stopped'}", file=sys.stderr)
        sys.exit(130)
    except (ValueError, OSError) as error:
        sys.exit(f"demo: {error}")


if __name__ == "__main__":
    main()
