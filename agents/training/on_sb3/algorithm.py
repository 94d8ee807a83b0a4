"""Stable-Baselines3's PPO with the settings of a run."""

from typing import Any

from sb3_contrib import MaskablePPO, RecurrentPPO
from stable_baselines3 import PPO
from stable_baselines3.common.utils import LinearSchedule
from stable_baselines3.common.vec_env import VecEnv

from ...networks.network import Network
from ..collector import REMEMBERED
from ..learner import MAX_GRADIENT
from ..ppo import VALUE_WEIGHT
from ..sb3_policy import MaskableNetworkPolicy, NetworkPolicy, RecurrentNetworkPolicy
from ..settings import Settings


def algorithm_for(settings: Settings, network: Network, env: VecEnv | None, recurrent: bool) -> Any:
    """Return PPO, MaskablePPO or RecurrentPPO with a policy that computes a network.

    Args:
        settings: Settings of the run. Those that change over a run are linear in the progress that remains, except the
            entropy bonus, which these algorithms hold constant: the run sets it before each update.
        network: The network.
        env: The environments; None: they are set later, before ``_setup_model()`` is called.
        recurrent: Whether the policy keeps the network's memory: RecurrentPPO, which has no action masks. Otherwise the
            network has no memory, or the observations contain it.
    """
    made: Any = PPO, NetworkPolicy
    if recurrent:
        made = RecurrentPPO, RecurrentNetworkPolicy
    elif settings.masked:
        made = MaskablePPO, MaskableNetworkPolicy
    algorithm, policy = made
    return algorithm(
        policy,
        env,
        learning_rate=LinearSchedule(settings.learning_rate, settings.final_learning_rate, 1.0),
        n_steps=settings.n_steps,
        batch_size=max(2, min(settings.batch_size, settings.num_envs * settings.n_steps)),
        n_epochs=settings.n_epochs,
        gamma=settings.gamma,
        gae_lambda=settings.gae_lambda,
        clip_range=settings.clip_range,
        ent_coef=settings.entropy,
        vf_coef=VALUE_WEIGHT,
        max_grad_norm=MAX_GRADIENT,
        stats_window_size=REMEMBERED,
        policy_kwargs={
            "network": {"name": network.name, "shape": network.shape, **network.parameters()},
            "optimizer_kwargs": {"eps": 1e-5, "fused": True},
        },
        seed=settings.seed,
        device="cpu",
        _init_setup_model=env is not None,
    )
