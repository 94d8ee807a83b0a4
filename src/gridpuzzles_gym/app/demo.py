"""``make demo``: train PPO for two to three minutes, compare it with the other agents, film each of them."""

import argparse
import dataclasses
import sys
from pathlib import Path

from rich.console import Console

from gridpuzzles_gym.agents.evaluation import compare
from gridpuzzles_gym.agents.registry import agents_of
from gridpuzzles_gym.agents.training.model_files import MODEL
from gridpuzzles_gym.agents.training.ppo import train
from gridpuzzles_gym.agents.training.settings import Settings

from .arguments import environment
from .recording import record

ENV_ID = "Wumpus-v0"
FILM_SEED = 19  # a cave whose gold can be had without a risk


def demo(folder: Path, minutes: float, episodes: int) -> None:
    """Run the whole demonstration; a model that is already in ``folder`` is not trained again.

    Args:
        folder: Where model, curve, table and films go.
        minutes: Of training.
        episodes: Caves of the comparison.
    """
    console = Console()
    # The schedules follow the clock: slower machines see fewer steps, and still end with a settled policy.
    settings = dataclasses.replace(Settings(env_id=ENV_ID), minutes=minutes)
    console.print(f"[bold]1. PPO learns {ENV_ID}[/bold], {minutes:g} minutes")
    model = folder / MODEL
    if model.exists():
        console.print(f"   {model} is there already: not trained again")
    else:
        train(settings, folder)
    agents = [*agents_of(environment(ENV_ID)[1]), str(model)]
    console.print(f"[bold]2. The same {episodes:,} caves for everyone[/bold]")
    comparison = compare(ENV_ID, agents, episodes=episodes)
    console.print(comparison.table())
    comparison.write_csv(folder / "comparison.csv")
    comparison.write_chart(folder / "comparison.png")
    console.print("[bold]3. One episode of each as a film[/bold]")
    for agent in agents:
        film = folder / f"{'ppo' if agent == str(model) else agent}.gif"
        for line in record(ENV_ID, agent, film, seed=FILM_SEED, force=True):
            console.print(f"   {film}: {line}")
    console.print(f"Everything is in [bold]{folder}[/bold]. Play yourself: gridpuzzles play {ENV_ID}")


def main() -> None:
    """The command line of ``make demo``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("runs/demo"), help="folder for everything it writes")
    parser.add_argument("--minutes", type=float, default=2.5, help="minutes of training")
    parser.add_argument("--episodes", type=int, default=1000, help="caves of the comparison")
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
