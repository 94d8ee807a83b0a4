"""Trains every environment by its preset with our own engine and with Stable-Baselines3's, by turns, for equal steps.

    python benchmarks/engines.py --steps 2000000 --seeds 3

Prints, for each environment and engine: the mean return of the trained models on ``--episodes`` episodes each, with the
95 % interval of the mean over the seeds (Student's t); and the steps that a second of the processor makes, the median
of the seeds, with the lowest and the highest. Finished runs are kept in ``--out`` and others go on, for which only the
seconds of the last part are counted.
"""

import argparse
import dataclasses
import json
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

import gridpuzzles_gym  # noqa: F401  (registers the environments)
from gridpuzzles_gym.agents.evaluation import compare
from gridpuzzles_gym.agents.training.checkpoints import CHECKPOINT
from gridpuzzles_gym.agents.training.presets import preset_settings
from gridpuzzles_gym.agents.training.settings import OWN, SB3
from gridpuzzles_gym.agents.training.trainer import train
from gridpuzzles_gym.registration import ENVIRONMENTS

RESULT = "result.json"
T_95 = {1: 12.71, 2: 4.30, 3: 3.18, 4: 2.78, 5: 2.57, 6: 2.45, 7: 2.36, 8: 2.31, 9: 2.26}
"""Two-sided 95 % quantiles of Student's t, by degrees of freedom."""


@dataclasses.dataclass(frozen=True)
class Trained:
    """The result of a run."""

    mean: float
    """Mean return of the episodes of the trained model."""
    seconds: float
    """Seconds of the processor that the run took."""
    steps: int


def trained(env_id: str, engine: str, seed: int, steps: int, episodes: int, folder: Path) -> Trained:
    """Train and test a model; or read the result of a run that is finished."""
    result = folder / RESULT
    if result.is_file():
        return Trained(**json.loads(result.read_text()))
    chosen = {"engine": engine, "seed": seed, "total_steps": steps, "minutes": None, "threads": 1, "device": "cpu"}
    settings = preset_settings(env_id, {}, chosen)
    begun = time.process_time()
    train(settings, folder, resume=(folder / CHECKPOINT).is_file())
    seconds = time.process_time() - begun
    score = compare(env_id, [str(folder)], episodes, env_kwargs=settings.env_kwargs, progress=False).scores[0]
    found = Trained(score.mean_return, seconds, steps)
    result.write_text(json.dumps(dataclasses.asdict(found)))
    return found


def row(env_id: str, engine: str, found: Sequence[Trained]) -> str:
    """Return the row of an environment and an engine."""
    means, speeds = [run.mean for run in found], [run.steps / run.seconds for run in found]
    interval = "–"
    if len(means) > 1:
        interval = f"{T_95[len(means) - 1] * statistics.stdev(means) / len(means) ** 0.5:.1f}"
    rate = f"{statistics.median(speeds):,.0f} ({min(speeds):,.0f} … {max(speeds):,.0f})"
    return f"| `{env_id}` | {engine} | {statistics.mean(means):+.1f} ± {interval} | {rate} |"


def main() -> None:
    """Train what is not trained yet, and print Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=2_000_000, help="steps of each run")
    parser.add_argument("--seeds", type=int, choices=range(2, 11), default=3, metavar="N", help="2 to 10")
    parser.add_argument("--episodes", type=int, default=2000, help="episodes of each test")
    ids = [environment.id for environment in ENVIRONMENTS]
    parser.add_argument("--only", nargs="+", choices=ids, default=ids, metavar="ID", help="environments")
    parser.add_argument("--out", type=Path, default=Path("runs/engines"), help="folder of the runs")
    chosen = parser.parse_args()
    rows = []
    for env_id in chosen.only:
        runs: dict[str, list[Trained]] = {OWN: [], SB3: []}
        for seed in range(chosen.seeds):
            for engine, found in runs.items():
                folder = chosen.out / f"{env_id}-{engine}-{chosen.steps}-{seed}"
                found.append(trained(env_id, engine, seed, chosen.steps, chosen.episodes, folder))
        rows += [row(env_id, engine, found) for engine, found in runs.items()]
        print(rows[-2], rows[-1], sep="\n", flush=True)
    print("\n| environment | engine | return | steps a second of the processor |\n|---|---|---:|---:|", *rows, sep="\n")


if __name__ == "__main__":
    main()
