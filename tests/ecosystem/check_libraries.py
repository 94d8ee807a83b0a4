"""What each library makes of episodes, compared with a plain loop: lengths, returns, first and last observations.

``run.py`` calls this file in each environment; it prints a row of the page's table for each library that is there.
Libraries play with a policy of their own. Each episode is played again with the same actions in a plain loop, from the
level that its first observation shows, and must end at the same step with the same return. Errors that no library
reports are found this way: episodes that begin with a stale observation, that lack a step, or that are two in one.
"""

import argparse
import importlib
import json
import os
import random
import tempfile
import warnings
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np

import gridpuzzles_gym

ENV_ID, VECTOR = "EightPuzzle-v0", "vector_entry_point"
LEVELS = [
    "1 2 3 / 4 5 6 / 7 0 8", "1 2 3 / 4 5 0 / 7 8 6", "1 2 3 / 4 0 6 / 7 5 8", "1 2 0 / 4 5 3 / 7 8 6",
    "1 2 3 / 4 5 6 / 0 7 8", "1 0 3 / 4 2 6 / 7 5 8",
]  # fmt: skip
PUZZLE = {"levels": LEVELS, "max_episode_steps": 9}  # a random policy solves some; the others are truncated
FORMS: dict[str, dict[str, Any]] = {
    "planes": {},
    "flat": {"flat": True, "dtype": "float32"},
    "pixels": {"observation": "pixels"},
}
SINGLE, MODES = "single", ("NextStep", "SameStep", "Disabled")
COPIES, STEPS, EPISODES = 4, 240, 80


class Episode(NamedTuple):
    """One episode as a library has it."""

    first: Any
    """Its first observation."""
    actions: Iterable[Any]
    total: float
    """Its return."""
    last: Any = None
    """Its last observation; None: the library does not keep it."""
    masked: bool = False
    """Whether all actions must be legal."""
    bootstrap: bool = False
    """Whether the return includes, after a truncation, the worth of the last observation."""


def worth(observations: Any) -> Any:
    """Return a value of each row of observations, the same in every library."""
    return 7.0 * observations.reshape(len(observations), -1)[:, 1::2].sum(1)


class PlainLoop:
    """The episodes as they are."""

    def __init__(self, form: dict[str, Any]) -> None:
        self.env = gym.make(ENV_ID, **PUZZLE, **form)
        self.levels = {}
        for level in range(len(LEVELS)):
            for key in keys(self.env.reset(options={"level": level})[0]):
                self.levels[key] = level

    def agrees(self, episode: Episode) -> bool:
        """Return whether an episode of a library is one of this loop."""
        level = self.levels.get(keys(episode.first)[0])
        if level is None:
            return False
        observation, info = self.env.reset(options={"level": level})
        total, ended = 0.0, False
        for action in episode.actions:
            if ended or (episode.masked and not info["action_mask"][int(action)]):
                return False
            observation, reward, terminated, truncated, info = self.env.step(int(action))
            total, ended = total + float(reward), terminated or truncated
        if episode.bootstrap and ended and not terminated:
            total += float(worth(np.asarray(observation, float)[None])[0])
        seen = episode.last is None or keys(episode.last)[0] in keys(observation)
        return ended and seen and abs(total - episode.total) < 0.1


def keys(observation: Any) -> list[bytes]:
    """Return what an observation is recognized by, also if a library has moved its last axis to the front."""
    array = np.asarray(observation).astype(np.uint8)
    return [array.tobytes(), np.moveaxis(array, -1, 0).tobytes()] if array.ndim == 3 else [array.tobytes()]


def cut(transitions: Iterable[tuple[Any, ...]], **more: bool) -> list[Episode]:
    """Return the complete episodes of one copy's (observation, action, reward, done, next observation)."""
    episodes: list[Episode] = []
    first, actions, total = None, [], 0.0
    for observation, action, reward, done, following in transitions:
        first = observation if not actions else first
        actions.append(action)
        total += float(reward)
        if done:
            episodes.append(Episode(first, actions, total, following, **more))
            actions, total = [], 0.0
    return episodes


def copies(kind: str, form: dict[str, Any], vectorization: str = VECTOR, **more: Any) -> Any:
    """Return a vector environment."""
    if vectorization != VECTOR:
        more = {**more, "vector_kwargs": {"autoreset_mode": gym.vector.AutoresetMode(kind)}}
    else:
        more = {**more, "autoreset_mode": kind}
    return gym.make_vec(ENV_ID, COPIES, vectorization, **more, **PUZZLE, **form)


def loop(envs: Any, kind: str, masked: bool, convert: Callable[[Any], Any] = np.asarray) -> list[Episode]:
    """Return the episodes of a loop over a vector environment, written as Gymnasium's documentation says."""
    rows: list[list[tuple[Any, ...]]] = [[] for _ in range(COPIES)]
    observations, infos = envs.reset(seed=0)
    actions = envs.single_action_space
    actions.seed(0)
    skip = np.zeros(COPIES, bool)
    for _ in range(STEPS):
        taken = [
            actions.sample(np.asarray(infos["action_mask"][i], np.int8) if masked else None) for i in range(COPIES)
        ]
        following, rewards, terminated, truncated, infos = envs.step(convert(np.array(taken)))
        done = np.asarray(terminated) | np.asarray(truncated)
        for i in range(COPIES):
            if not skip[i]:
                last = infos["final_obs"][i] if kind == "SameStep" and done[i] else following[i]
                row = (observations[i], taken[i], rewards[i], done[i], last)
                rows[i].append(tuple(np.array(part) for part in row))
        skip = done & (kind == "NextStep")
        if kind == "Disabled" and done.any():
            following, infos = envs.reset(options={"reset_mask": done})
        observations = following
    return [episode for copy in rows for episode in cut(copy, masked=masked)]


def native(kind: str, form: dict[str, Any], masked: bool) -> list[Episode]:
    """The native vector environment."""
    return loop(copies(kind, form, masks=masked), kind, masked)


def sync(kind: str, form: dict[str, Any], masked: bool) -> list[Episode]:
    """``SyncVectorEnv`` and ``AsyncVectorEnv`` of single environments."""
    both = (loop(copies(kind, form, name), kind, masked) for name in ("sync", "async"))
    return [episode for episodes in both for episode in episodes]


def vector_observations(kind: str, form: dict[str, Any], masked: bool) -> list[Episode]:
    """An observation wrapper of ``gymnasium.wrappers.vector``."""
    envs = gym.wrappers.vector.FlattenObservation(copies(kind, form, masks=masked))
    return loop(gym.wrappers.vector.DtypeObservation(envs, np.float32), kind, masked)


def vector_torch(kind: str, form: dict[str, Any], masked: bool) -> list[Episode]:
    """``gymnasium.wrappers.vector.NumpyToTorch``."""
    import torch

    return loop(gym.wrappers.vector.NumpyToTorch(copies(kind, form, masks=masked)), kind, masked, torch.as_tensor)


def async_texts(**keywords: Any) -> Callable[[str, dict[str, Any], bool], list[bool]]:
    """Whether each text of ``AsyncVectorEnv`` is that of a plain loop."""

    def collect(kind: str, form: dict[str, Any], masked: bool) -> list[bool]:
        make = [lambda: gym.make(f"gridpuzzles_gym:gridpuzzles/{ENV_ID.replace('-', 'Text-')}")] * COPIES
        envs = gym.vector.AsyncVectorEnv(make, autoreset_mode=gym.vector.AutoresetMode(kind), **keywords)
        plain = [one() for one in make]
        moves, agree = ["up", "left", "down", "right"], []
        for seed in range(EPISODES // COPIES // 2):
            pairs = list(zip(envs.reset(seed=seed)[0], plain, strict=True))
            agree += [text == env.reset(seed=seed + i)[0] for i, (text, env) in enumerate(pairs)]
            pairs = zip(envs.step(moves)[0], plain, moves, strict=True)
            agree += [text == env.step(move)[0] for text, env, move in pairs]
        envs.close()
        return agree

    return collect


def sb3_model(name: str, envs: Any, form: dict[str, Any], masked: bool) -> list[Episode]:
    """The episodes that a model of Stable-Baselines3, sb3-contrib or SBX sees while it learns."""
    from stable_baselines3.common.callbacks import BaseCallback

    rows: list[list[tuple[Any, ...]]] = [[] for _ in range(COPIES)]

    class Record(BaseCallback):
        def _on_step(self) -> bool:
            now = self.locals
            for i, done in enumerate(now["dones"]):
                last = now["infos"][i]["terminal_observation"] if done else now["new_obs"][i]
                action = np.ravel(now["actions"])[i]
                rows[i].append((self.model._last_obs[i].copy(), action, now["rewards"][i], done, last.copy()))
            return True

    module, _, kind = name.partition(":")
    made = getattr(importlib.import_module(module), kind)
    settings = {"learning_starts": 10**6} if "DQN" in kind else {"n_steps": 60}
    model = made("CnnPolicy" if "observation" in form else "MlpPolicy", envs, seed=0, **settings)
    model.learn(STEPS * COPIES, callback=Record())
    return [episode for copy in rows for episode in cut(copy, masked=masked)]


def sb3(*names: str, native: bool = False) -> Callable[[str, dict[str, Any], bool], list[Episode]]:
    """Models of Stable-Baselines3, sb3-contrib or SBX."""

    def collect(kind: str, form: dict[str, Any], masked: bool) -> list[Episode]:
        from stable_baselines3.common.env_util import make_vec_env

        def make() -> Any:
            if native:
                return gridpuzzles_gym.PuzzleVecEnv(ENV_ID, COPIES, **PUZZLE, **form)
            return make_vec_env(ENV_ID, COPIES, seed=0, env_kwargs=PUZZLE | form)

        return [episode for name in names for episode in sb3_model(name, make(), form, masked)]

    return collect


def minari(kind: str, form: dict[str, Any], masked: bool) -> list[Episode]:
    """Minari's ``DataCollector``."""
    from minari import DataCollector

    env = DataCollector(gym.make(ENV_ID, **PUZZLE, **form), jpeg_encoding=False)
    env.action_space.seed(0)
    for seed in range(EPISODES):
        _, info = env.reset(seed=seed)
        done = False
        while not done:
            action = env.action_space.sample(info["action_mask"] if masked else None)
            _, _, terminated, truncated, info = env.step(action)
            done = terminated or truncated
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MINARI_DATASETS_PATH"] = folder
        data = env.create_dataset("gridpuzzles/check-v0", eval_env=ENV_ID)
        return [Episode(e.observations[0], e.actions, e.rewards.sum(), e.observations[-1], masked) for e in data]


def rllib(kind: str, form: dict[str, Any], masked: bool) -> list[Episode]:
    """RLlib's ``SingleAgentEnvRunner``, by which all its algorithms sample."""
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner

    mode = {} if kind == SINGLE else {"autoreset_mode": kind}
    config = PPOConfig().environment(f"gridpuzzles_gym:{ENV_ID}", env_config={**PUZZLE, **form, **mode})
    config.env_runners(num_env_runners=0, num_envs_per_env_runner=COPIES)
    if mode:
        config.env_runners(gym_env_vectorize_mode=VECTOR)
    config.validate()
    episodes = SingleAgentEnvRunner(config=config).sample(num_episodes=EPISODES)
    return [Episode(e.observations[0], list(e.actions), e.get_return(), e.observations[-1], masked) for e in episodes]


def torchrl(kind: str, form: dict[str, Any], masked: bool) -> list[Episode]:
    """TorchRL's ``rollout``, which by default ends with the first episode, and its ``Collector``."""
    import torch
    from tensordict.nn import TensorDictModule
    from torchrl import envs as rl
    from torchrl.collectors import Collector
    from torchrl.data import Binary, Composite
    from torchrl.modules import MaskedCategorical, ProbabilisticActor

    size = () if kind == SINGLE else (COPIES,)
    if kind == SINGLE:
        env = rl.GymEnv(ENV_ID, categorical_action_encoding=True, **PUZZLE, **form)
    else:
        env = rl.GymWrapper(copies(kind, form, masks=masked), categorical_action_encoding=True)
    policy = None
    if masked:
        spec = Composite(action_mask=Binary(4, shape=(*size, 4), dtype=torch.int8), shape=size)
        env.set_info_dict_reader(rl.default_info_dict_reader(["action_mask"], spec))
        env = rl.TransformedEnv(env, rl.DTypeCastTransform(torch.int8, torch.bool, in_keys=["action_mask"]))
        policy = ProbabilisticActor(
            TensorDictModule(lambda mask: mask.float(), in_keys=["action_mask"], out_keys=["logits"]),
            in_keys={"logits": "logits", "mask": "action_mask"},
            distribution_class=MaskedCategorical,
        )
    steps = COPIES * STEPS
    batches = [env.rollout(20, policy) for _ in range(20)]
    batches += [batch.clone() for batch in Collector(env, policy, frames_per_batch=steps, total_frames=steps)]
    episodes = []
    for rows in [copy for batch in batches for copy in (batch if size else [batch])]:
        following = rows["next"]
        reward, done = following["reward"][:, 0], following["done"][:, 0]
        parts = (rows["observation"], rows["action"], reward, done, following["observation"])
        episodes += cut(zip(*(part.numpy() for part in parts), strict=True), masked=masked)
    return episodes


def tianshou(kind: str, form: dict[str, Any], masked: bool) -> list[Episode]:
    """Tianshou's ``Collector``."""
    import torch
    from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
    from tianshou.data import Collector, VectorReplayBuffer
    from tianshou.env import DummyVectorEnv
    from tianshou.utils.net.common import Net

    class Masked(gym.Wrapper):
        def reset(self, **arguments: Any) -> Any:
            observation, info = self.env.reset(**arguments)
            return {"obs": observation, "mask": info["action_mask"].astype(bool)}, info

        def step(self, action: Any) -> Any:
            observation, *rest, info = self.env.step(action)
            return {"obs": observation, "mask": info["action_mask"].astype(bool)}, *rest, info

    def make() -> Any:
        env = gym.make(ENV_ID, **PUZZLE, **form)
        return Masked(env) if masked else env

    space = gym.make(ENV_ID, **form).observation_space
    net = Net(state_shape=space.shape, action_shape=4, hidden_sizes=[8])
    policy = DiscreteQLearningPolicy(model=net, action_space=make().action_space, eps_training=0.7)
    buffer = VectorReplayBuffer(COPIES * STEPS * 2, COPIES)
    collector = Collector(policy, DummyVectorEnv([make] * COPIES), buffer, exploration_noise=True)
    collector.reset()
    with torch.no_grad():
        collector.collect(n_episode=EPISODES)
    episodes = []
    for part in buffer.buffers:
        rows = part[: len(part)]
        seen, following = (rows.obs.obs, rows.obs_next.obs) if masked else (rows.obs, rows.obs_next)
        episodes += cut(zip(seen, rows.act, rows.rew, rows.done, following, strict=True), masked=masked)
    return episodes


def skrl(fixed: bool) -> Callable[[str, dict[str, Any], bool], list[Episode]]:
    """The returns that skrl's PPO computes, without discount, as it is or as the page says."""

    def collect(kind: str, form: dict[str, Any], masked: bool) -> list[Episode]:
        import torch
        from skrl.agents.torch.ppo import PPO, PPO_CFG
        from skrl.envs.wrappers.torch import wrap_env
        from skrl.memories.torch import RandomMemory
        from skrl.models.torch import CategoricalMixin, DeterministicMixin, Model
        from skrl.trainers.torch import SequentialTrainer

        class Policy(CategoricalMixin, Model):
            def __init__(self, **spaces: Any) -> None:
                Model.__init__(self, **spaces)
                CategoricalMixin.__init__(self)
                self.layer = torch.nn.Linear(self.num_observations, 4)

            def compute(self, inputs: Any, role: str = "") -> Any:
                return 0.01 * self.layer(inputs["observations"].float()), {}

        class Value(DeterministicMixin, Model):
            def __init__(self, **spaces: Any) -> None:
                Model.__init__(self, **spaces)
                DeterministicMixin.__init__(self)
                self.scale = torch.nn.Parameter(torch.ones(1))

            def compute(self, inputs: Any, role: str = "") -> Any:
                return self.scale * worth(inputs["observations"].float())[:, None], {}

        class FinalObservations(PPO):  # as in examples/skrl_ppo.py
            def record_transition(self, *, next_observations: Any, truncated: Any, infos: Any, **others: Any) -> None:
                truncated, seen = truncated & ~others["terminated"], next_observations.clone()
                for i in truncated.nonzero()[:, 0] if "final_obs" in infos else ():
                    seen[i] = torch.as_tensor(infos["final_obs"][i]).flatten()
                super().record_transition(next_observations=seen, truncated=truncated, infos=infos, **others)

        number = 1 if kind == SINGLE else COPIES
        length = STEPS * COPIES // number
        env = wrap_env(gym.make(ENV_ID, **PUZZLE, **form) if kind == SINGLE else copies(kind, form))
        spaces = {"observation_space": env.observation_space, "action_space": env.action_space, "device": env.device}
        settings = PPO_CFG(rollouts=length, learning_epochs=1, mini_batches=1, discount_factor=1.0, gae_lambda=1.0)
        settings.learning_rate, settings.time_limit_bootstrap = 1e-9, fixed
        settings.experiment.write_interval = settings.experiment.checkpoint_interval = 0
        memory = RandomMemory(memory_size=length, num_envs=number, device=env.device)
        models = {"policy": Policy(**spaces), "value": Value(**spaces)}
        agent = (FinalObservations if fixed else PPO)(models=models, memory=memory, cfg=settings, **spaces)
        schedule = {"timesteps": length, "headless": True, "disable_progressbar": True}
        SequentialTrainer(env=env, agents=agent, cfg=schedule).train()
        names = ("observations", "actions", "returns", "terminated", "truncated")
        parts = {name: memory.get_tensor_by_name(name).cpu().numpy() for name in names}
        episodes = []
        for i in range(number):
            done = (parts["terminated"] | parts["truncated"])[:, i, 0]
            begin = 0
            for end in np.flatnonzero(done):
                first, total = parts["observations"][begin, i], parts["returns"][begin, i, 0]
                actions = parts["actions"][begin : end + 1, i, 0].tolist()
                episodes.append(Episode(first, actions, float(total), bootstrap=True))
                begin = end + 1
        return episodes

    return collect


def imitation(kind: str, form: dict[str, Any], masked: bool) -> list[Episode]:
    """imitation's ``rollout``."""
    from imitation.data import rollout
    from stable_baselines3.common.env_util import make_vec_env

    envs = make_vec_env(ENV_ID, COPIES, seed=0, env_kwargs=PUZZLE | form)
    enough = rollout.make_min_episodes(EPISODES)
    found = rollout.rollout(None, envs, enough, np.random.default_rng(0), unwrap=False)
    return [Episode(each.obs[0], each.acts, each.rews.sum(), each.obs[-1]) for each in found]


def d3rlpy(kind: str, form: dict[str, Any], masked: bool) -> list[Episode]:
    """d3rlpy's ``fit_online``."""
    from d3rlpy.algos import ConstantEpsilonGreedy, DQNConfig
    from d3rlpy.dataset import create_fifo_replay_buffer
    from d3rlpy.logging import NoopAdapterFactory

    env = gym.make(ENV_ID, **PUZZLE, **form)
    steps = COPIES * STEPS
    buffer = create_fifo_replay_buffer(2 * steps, env=env)
    learner = DQNConfig(batch_size=8).create()
    learner.fit_online(
        env, buffer, ConstantEpsilonGreedy(0.7), n_steps=steps, n_steps_per_epoch=steps, update_interval=100,
        update_start_step=100, show_progress=False, logger_adapter=NoopAdapterFactory(),
    )  # fmt: skip
    return [Episode(e.observations[0], e.actions.ravel(), e.rewards.sum()) for e in buffer.episodes[:-1]]


def supersuit(kind: str, form: dict[str, Any], masked: bool) -> list[Episode]:
    """SuperSuit's ``frame_stack_v2``, of which the newest frame is compared."""
    from supersuit import frame_stack_v2

    axis = -1 if form else 0
    env = frame_stack_v2(gym.make(ENV_ID, **PUZZLE, **form), 3, stack_dim=axis)
    env.action_space.seed(0)
    rows = []
    for seed in range(EPISODES):
        stack, info = env.reset(seed=seed)
        seen, done = np.split(stack, 3, axis)[-1].copy(), False
        while not done:
            action = env.action_space.sample(info["action_mask"] if masked else None)
            stack, reward, terminated, truncated, info = env.step(action)
            following, done = np.split(stack, 3, axis)[-1].copy(), terminated or truncated
            rows.append((seen, action, reward, done, following))
            seen = following
    return cut(rows, masked=masked)


class Check(NamedTuple):
    """A row of the table."""

    environment: str
    """A file of ``requirements/``, without its ending."""
    library: str
    use: str
    module: str
    """Whose version is shown."""
    collect: Callable[[str, dict[str, Any], bool], list[Any]]
    write: str
    """What to write."""
    kinds: tuple[str, ...] = (SINGLE,)
    """The ways in which the library takes environments, the recommended one first."""
    masks: str = ""
    """How masks are used; empty: not at all."""
    form: str = "planes"
    """The observations with which all kinds are tried; empty: texts."""
    right: bool = True
    """Whether the recommended way must be right; if not, the row is a warning."""


ALL = (SINGLE, *MODES)
FLAT = '`flat=True, dtype="float32"`'
CHECKS = (
    Check("sb3", "Gymnasium", "native vector environment", "gymnasium", native,
          '`gym.make_vec(ID, n, "vector_entry_point")`', MODES, "`masks=True`"),
    Check("sb3", "Gymnasium", "`SyncVectorEnv`, `AsyncVectorEnv`", "gymnasium", sync,
          '`gym.make_vec(ID, n, "sync")`', MODES, "infos"),
    Check("sb3", "Gymnasium", "observation wrappers of `wrappers.vector`", "gymnasium", vector_observations,
          f"{FLAT} need no wrapper", MODES, "infos"),
    Check("sb3", "Gymnasium", "`wrappers.vector.NumpyToTorch`", "gymnasium", vector_torch,
          "another mode than `SameStep`", MODES, "infos"),
    Check("sb3", "Gymnasium", "`AsyncVectorEnv` of texts", "gymnasium", async_texts(),
          "not this: each text is one character, repeated", MODES, form="", right=False),
    Check("sb3", "Gymnasium", "the same", "gymnasium", async_texts(shared_memory=False),
          "`shared_memory=False`", MODES, form=""),
    Check("sb3", "Stable-Baselines3", "PPO, DQN", "stable_baselines3",
          sb3("stable_baselines3:PPO", "stable_baselines3:DQN"), "`MlpPolicy`; for pixels `CnnPolicy`"),
    Check("sb3", "Stable-Baselines3", "PPO", "stable_baselines3", sb3("stable_baselines3:PPO", native=True),
          "`PuzzleVecEnv(ID, n)`"),
    Check("sb3", "sb3-contrib", "MaskablePPO", "sb3_contrib", sb3("sb3_contrib:MaskablePPO"), "as SB3",
          masks="by itself"),
    Check("sb3", "sb3-contrib", "QRDQN, TRPO", "sb3_contrib", sb3("sb3_contrib:QRDQN", "sb3_contrib:TRPO"), "as SB3"),
    Check("more", "SBX", "PPO, DQN", "sbx", sb3("sbx:PPO", "sbx:DQN"), "as SB3"),
    Check("rllib", "RLlib", "env runner of PPO", "ray.rllib", rllib,
          f'{FLAT} in `env_config`; for `NextStep`, `gym_env_vectorize_mode="{VECTOR}"`', ALL, form="flat"),
    Check("torchrl", "TorchRL", "`rollout`, `Collector`", "torchrl", torchrl, '`autoreset_mode="Disabled"`',
          ("Disabled", SINGLE, "NextStep", "SameStep"), "`MaskedCategorical`"),
    Check("tianshou", "Tianshou", "`Collector`, `DummyVectorEnv`", "tianshou", tianshou,
          'for masks, observations `{"obs": …, "mask": …}`', masks="DQN"),
    Check("skrl", "skrl", "PPO as it is", "skrl", skrl(False),
          "not this: goes on after a truncation", ("SameStep", SINGLE, "NextStep", "Disabled"), right=False),
    Check("skrl", "skrl", "PPO of the example", "skrl", skrl(True),
          "`time_limit_bootstrap=True` and the example's `record_transition`",
          ("SameStep", SINGLE, "NextStep", "Disabled")),
    Check("sb3", "Minari", "`DataCollector`", "minari", minari,
          "`DataCollector(env, jpeg_encoding=False)`; else pixels change", masks="infos"),
    Check("imitation", "imitation", "`rollout`", "imitation", imitation, "`rollout(…, unwrap=False)`"),
    Check("more", "d3rlpy", "DQN, `fit_online`", "d3rlpy", d3rlpy,
          f"{FLAT}; joins an episode of one step to the next", form="flat", right=False),
    Check("more", "SuperSuit", "`frame_stack_v2`", "supersuit", supersuit,
          "`stack_dim=0` for planes; copy what you keep, it changes it in place", masks="infos"),
)  # fmt: skip


def result(check: Check, kind: str, form: str, masked: bool = False) -> str:
    """Return what came of one way to use a library: "right", "2 of 80 wrong" or "refused"."""
    random.seed(0)
    np.random.seed(0)
    try:
        found = check.collect(kind, FORMS.get(form, {}), masked)
    except Exception as error:  # whatever a library raises where it takes no environment of this kind
        message = f"{type(error).__name__}: {error}".partition("\n")[0]
        print(f"  {check.library}, {check.use}, {kind}, {form or 'texts'}: {message}", flush=True)
        return "refused"
    if form:
        plain = PlainLoop(FORMS[form])
        found = [plain.agrees(episode) for episode in found]
    if len(found) < EPISODES // 2:
        raise ValueError(f"{check.library}, {check.use}, {kind}, {form}: only {len(found)} episodes")
    return "right" if all(found) else f"{found.count(False)} of {len(found)} wrong"


def examine(check: Check) -> dict[str, Any]:
    """Return a row of the table."""
    cells = {kind: result(check, kind, check.form) for kind in check.kinds}
    best = check.kinds[0]
    if check.form:
        cells |= {form: cells[best] if form == check.form else result(check, best, form) for form in FORMS}
    if check.masks:
        masks = result(check, best, check.form, masked=True)
        cells["masks"] = check.masks if masks == "right" else masks
    print(f"{check.library}, {check.use}: {cells}", flush=True)
    if (cells[best] == "right") != check.right:
        raise ValueError(f"{check.library}, {check.use}, {best}: {cells[best]}")
    return {"library": check.library, "use": check.use, "write": check.write, "cells": cells}


def main() -> None:
    """Check the libraries of one environment; write the rows of the table into a file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("environment")
    parser.add_argument("file")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    rows = [examine(check) for check in CHECKS if check.environment == options.environment]
    with open(options.file, "w", encoding="utf-8") as file:
        json.dump(rows, file)


if __name__ == "__main__":
    main()
