"""The examples, and the environment that has the libraries of each."""

from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).parents[2]
EXAMPLES = REPOSITORY / "examples"


class Example(NamedTuple):
    """One way to run a file of ``examples/``."""

    file: str
    library: str
    """As it is called in the table."""
    shows: str
    """What is run, for the table."""
    environment: str
    """A file of ``requirements/``, without its ending."""
    needs: tuple[str, ...]
    """The modules that it imports besides ours; the first is the library's own."""
    short: tuple[str, ...]
    """Arguments of a run of a second or so, for the tests."""
    measured: tuple[str, ...] = ()
    """Arguments of the run whose speed is in the table; by default none."""

    @property
    def name(self) -> str:
        """What distinguishes it from the others."""
        return " ".join((Path(self.file).stem, *self.measured))


SB3 = ("stable_baselines3", "torch")
LIBRARY_EXAMPLES = (
    Example(
        "cleanrl_ppo.py", "CleanRL's style", "PPO, native vector environment", "sb3", ("torch",), ("--steps", "4096"),
    ),
    Example(
        "cleanrl_ppo.py", "CleanRL's style", "PPO, `SyncVectorEnv`", "sb3", ("torch",),
        ("--steps", "4096", "--vectorization", "sync"), ("--vectorization", "sync"),
    ),
    Example(
        "stable_baselines3_ppo.py", "Stable-Baselines3", "PPO and `evaluate_policy`", "sb3", SB3, ("--steps", "1024"),
    ),
    Example(
        "maskable_ppo.py", "sb3-contrib", "MaskablePPO", "sb3", ("sb3_contrib", *SB3), ("--steps", "1024"),
    ),
    Example(
        "optuna_search.py", "Optuna", "pruned search over the settings of SB3's PPO", "sb3",
        ("optuna", *SB3),
        ("--steps", "4096", "--trials", "2"),
    ),
    Example("rllib_ppo.py", "RLlib", "PPO, two remote workers", "rllib", ("ray.rllib", "torch"),
        ("--steps", "2048", "--workers", "1"),
    ),
    Example("torchrl_ppo.py", "TorchRL", "PPO, native vector environment, masks", "torchrl", ("torchrl", "torch"),
        ("--steps", "2048"),
    ),
    Example("skrl_ppo.py", "skrl", "PPO, native vector environment", "skrl", ("skrl", "torch"), ("--steps", "4096")),
)  # fmt: skip
