"""RLlib's settings for a run of ours."""

import math
from typing import Any

import gymnasium as gym
import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from gridpuzzles_gym.engine.messages import plural

from ...networks.network import Network
from ...parallel.on_ray import count_cores
from ..learner import MAX_GRADIENT
from ..ppo import VALUE_WEIGHT
from ..settings import Settings
from .env_runner import SETTINGS, BatchEnvRunner
from .learner import SEED, THREADS, BatchLearner
from .module import NetworkModule

PROBE_SECONDS = 1.0
"""Maximum time in seconds that an update waits for a lost env runner to answer; RLlib's default is 30."""


def configured(settings: Settings, network: Network, view: gym.Space[Any]) -> PPOConfig:
    """Return RLlib's settings.

    Args:
        settings: The run's.
        network: Its network.
        view: The space of the input of the network's first layer.

    Raises:
        ValueError: The cluster is too small.
    """
    runners, learners = processes(settings, count_cores())
    gpu = uses_gpu(settings, int(ray.cluster_resources().get("GPU", 0)))
    actions = gym.spaces.Discrete(network.actions)
    model = {
        "name": network.name,
        "shape": network.shape,
        "actions": network.actions,
        "parameters": network.parameters(),
    }
    core = core_share(learners)
    config = PPOConfig()
    # A model with such gradients is never saved, so steps need not check for them.
    config.framework("torch", torch_skip_nan_gradients=True)
    config.environment(observation_space=view, action_space=actions, env_config={SETTINGS: settings})
    config.env_runners(env_runner_cls=BatchEnvRunner, num_env_runners=runners, num_cpus_per_env_runner=core)
    config.learners(
        learner_class=BatchLearner,
        learner_config_dict={THREADS: 1 if learners else settings.threads, SEED: settings.seed},
        num_learners=learners,
        num_cpus_per_learner=core,
        num_gpus_per_learner=int(gpu),
        add_default_connectors_to_learner_pipeline=False,
    )
    config.training(
        lr=_schedule(settings.learning_rate, settings.final_learning_rate, settings.total_steps),
        entropy_coeff=_schedule(settings.entropy, settings.final_entropy, settings.total_steps),
        gamma=settings.gamma,
        lambda_=settings.gae_lambda,
        clip_param=settings.clip_range,
        vf_clip_param=math.inf,
        vf_loss_coeff=VALUE_WEIGHT,
        use_kl_loss=False,
        grad_clip=MAX_GRADIENT,
        grad_clip_by="global_norm",
        num_epochs=settings.n_epochs,
    )
    config.rl_module(
        rl_module_spec=RLModuleSpec(
            module_class=NetworkModule, observation_space=view, action_space=actions, model_config=model
        )
    )
    # Each update probes lost runners, and does not wait for those that are still starting.
    config.fault_tolerance(restart_failed_env_runners=True, env_runner_health_probe_timeout_s=PROBE_SECONDS)
    config.debugging(log_level="ERROR")
    return config


def core_share(learners: int) -> float:
    """Return the share of a core that a process takes: learners and runners wait for each other."""
    return 0.5 if learners else 1.0


def processes(settings: Settings, cores: int) -> tuple[int, int]:
    """Return the numbers of runners and learners on a cluster.

    Raises:
        ValueError: It is too small.
    """
    learners = settings.learners
    runners = min(cores, settings.num_envs) if settings.env_runners is None else settings.env_runners
    needed = math.ceil((runners + learners) * core_share(learners))
    if needed > cores:
        what = f"{plural(runners, 'env_runner')} and {plural(learners, 'learner')}"
        raise ValueError(f"{what} need {needed} cores, the cluster has {cores}")
    return runners, learners


def uses_gpu(settings: Settings, gpus: int) -> bool:
    """Return whether each learner uses a GPU; without learners of their own, whether this process does.

    Raises:
        ValueError: GPUs are required, and the cluster has too few.
    """
    enough = gpus >= settings.learners if settings.learners else torch.cuda.is_available()
    if settings.device == "cuda" and not enough:
        where = f"the cluster has {gpus}" if settings.learners else "PyTorch finds none on this machine"
        raise ValueError(f"device='cuda': each learner needs a GPU, and {where}")
    return settings.device != "cpu" and enough and (gpus > 0 or not settings.learners)


def _schedule(first: float, last: float, steps: int) -> Any:
    return first if first == last else [[0, first], [steps, last]]
