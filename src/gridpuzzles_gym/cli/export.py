"""``gridpuzzles export``: write a trained model for other programs."""

from pathlib import Path
from typing import Annotated

import typer

from .common.options import Force
from .common.terminal import examples, say

group = typer.Typer()


@group.command(
    rich_help_panel="Learn and measure",
    epilog=examples(
        "export runs/Wumpus-v0-ppo --out wumpus.onnx",
        "export runs/EightPuzzle-v0-maskable-ppo/model.safetensors --out 8-puzzle.zip",
    ),
)
def export(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="Trained model: its file, or the folder of its run.")],
    out: Annotated[
        Path,
        typer.Option(
            metavar="FILE.zip|FILE.onnx", help="A model for Stable-Baselines3's PPO (.zip), or for ONNX (.onnx)."
        ),
    ],
    force: Force = False,
) -> None:
    """Write a trained model for other programs."""
    from ..commands import export as work

    say([f"wrote {work.export(model, out, force)}"])
