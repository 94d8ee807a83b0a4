"""Results of trained models on levels of Sokoban that they have not seen; prints the table of the documentation.

    gridpuzzles train Sokoban-v0 --levels starter --out runs/uniform
    gridpuzzles train Sokoban-v0 --levels starter --sampler curriculum --out runs/curriculum
    python benchmarks/sokoban_ppo.py runs/uniform runs/curriculum --curve curve.png

``--curve`` draws the success of their checkpoints too.
"""

import argparse
from pathlib import Path

import gridpuzzles_gym  # noqa: F401  (registers the environments)
from gridpuzzles_gym.agents.evaluation import Score, compare
from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.agents.training.settings import read_settings

ID = "Sokoban-v0"
UNSEEN = "starter-test"
PLAIN = ("random", "sokoban")


def scored(agent: str, levels: str, episodes: int, deterministic: bool = False) -> Score:
    """Return the scores of an agent on a pack, with the registered step limit."""
    kwargs = {"levels": levels}
    return compare(Game.of(ID, **kwargs), [agent], episodes, progress=False, deterministic=deterministic).scores[0]


def row(agent: str, episodes: int) -> str:
    """One row of the table: on unseen levels, by its likeliest actions only, and on the levels that it trained on."""
    score, likeliest, known = scored(agent, UNSEEN, episodes), "–", "–"
    if agent not in PLAIN:
        likeliest = f"{scored(agent, UNSEEN, episodes, deterministic=True).success:.1%}"
        known = f"{scored(agent, read_settings(agent).env_kwargs['levels'], episodes).success:.1%}"
    returns = f"{score.mean_return:+.1f} ± {score.interval:.1f}"
    return " | ".join([agent, returns, f"{score.success:.1%}", f"{score.steps:.1f}", likeliest, known])


def draw(folders: list[Path], episodes: int, picture: Path) -> None:
    """The success of every checkpoint on unseen levels."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 3.5), layout="constrained")
    axes = figure.subplots()
    for folder in folders:
        steps = sorted(int(path.stem) for path in (folder / "checkpoints").glob("*.zip"))
        paths = [str(folder / "checkpoints" / f"{number}.zip") for number in steps]
        success = [100 * scored(path, UNSEEN, episodes).success for path in paths]
        axes.plot([number / 1e6 for number in steps], success, marker="o", markersize=3, label=folder.name)
    axes.set(
        xlabel="million steps",
        ylabel="% solved",
        ylim=(0, 100),
        title="PPO on 7×7 boards of Sokoban that it has not seen",
    )
    axes.grid(alpha=0.3)
    figure.legend(loc="outside lower center", ncols=3)
    figure.savefig(picture, dpi=120)


def main() -> None:
    """Measure and print Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, help="trained models")
    parser.add_argument("--episodes", type=int, default=1000)
    parser.add_argument("--curve", type=Path, metavar="PNG")
    chosen = parser.parse_args()
    print("agent | return ± 95 % | success | steps | success by likeliest actions | success on what it trained on")
    for agent in (*PLAIN, *map(str, chosen.folders)):
        print(row(agent, chosen.episodes), flush=True)
    if chosen.curve:
        draw(chosen.folders, chosen.episodes, chosen.curve)


if __name__ == "__main__":
    main()
