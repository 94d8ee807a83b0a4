"""Learning from a teacher: who plays, what is labelled, and that models of Stable-Baselines3 learn it."""

import csv
import dataclasses
import re

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")
pytest.importorskip("tensorboard")

import torch
from sb3_contrib import MaskablePPO, RecurrentPPO
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy

from gridpuzzles_gym import Outcome, PuzzleVecEnv, TeacherCallback, pretrain
from gridpuzzles_gym.agents.evaluation import compare
from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.agents.teachers import Labels
from gridpuzzles_gym.agents.training.imitation import LabelledStates
from gridpuzzles_gym.agents.training.settings import CLONE, DAGGER, Settings, read_phases
from gridpuzzles_gym.agents.training.settings import PPO as REWARDS
from gridpuzzles_gym.agents.training.trainer import TrainingRun, train

COUNT, STEPS = 8, 16
TILES = {"width": 3, "height": 2, "max_episode_steps": 30}
"""A puzzle of 360 states, at most 21 moves from the goal."""
SMALL = {"width": 2, "height": 2, "max_episode_steps": 7}
TINY = Settings(
    "EightPuzzle-v0", TILES, teacher="auto", num_envs=32, n_steps=16, hidden=64, minutes=None, threads=1,
    cloning_batch=128, cloning_rate=3e-3,
)  # fmt: skip
ROOM = "######\n#@   #\n# $  #\n#  . #\n# ####\n######\n"
CASES = {
    "mlp": {"env_id": "Sokoban-v0", "env_kwargs": {"levels": ROOM, "max_episode_steps": 5}},
    "turned": {"env_id": "Sokoban-v0", "env_kwargs": {"levels": ROOM, "max_episode_steps": 5}, "turned": True},
}
ALGORITHMS = ((PPO, "MlpPolicy"), (MaskablePPO, "MlpPolicy"), (RecurrentPPO, "MlpLstmPolicy"))


class Stubborn:
    """A teacher that wants the first legal action, knows nothing in every third environment, and remembers."""

    def __init__(self):
        self.asked, self.told = [], []

    def label(self, batch, starting):
        self.asked.append(starting.copy())
        masks = batch.action_masks()
        known = np.arange(batch.size) % 3 != 0
        actions = masks.argmax(axis=1)
        return Labels((np.eye(masks.shape[1], dtype=np.float32)[actions]) * known[:, None], known, actions)

    def acted(self, actions):
        self.told.append(actions.copy())


def model_of(algorithm, policy, count=COUNT, steps=STEPS, env=None, **settings):
    env = env or PuzzleVecEnv("EightPuzzle-v0", count, **SMALL)
    size = {"batch_size": count * steps, "n_epochs": 1, "seed": 0, "device": "cpu"}
    return algorithm(policy, env, n_steps=steps, **size | settings)


def test_phases_have_an_order_and_shares_that_sum_to_1():
    assert read_phases("auto", taught=False) == ((REWARDS, 1.0),)
    assert [name for name, _ in read_phases("auto", taught=True)] == [CLONE, DAGGER, REWARDS]
    assert read_phases(" clone = 1, ppo=3", taught=True) == ((CLONE, 0.25), (REWARDS, 0.75))
    refused = {
        "": "expected phases with positive numbers, such as clone=1,dagger=2,ppo=1",
        "clone": "expected phases with positive numbers",
        "clone=nan": "expected phases with positive numbers",
        "rest=1": "expected phases with positive numbers",
        "ppo=1,clone=1": "each phase at most once, in the order clone, dagger, ppo",
        "clone=1,clone=1": "each phase at most once",
    }
    for text, message in refused.items():
        with pytest.raises(ValueError, match=re.escape(message)):
            read_phases(text, taught=True)
    with pytest.raises(ValueError, match="dagger needs a teacher"):
        dataclasses.replace(TINY, phases="dagger=1,ppo=1", teacher=None)


@pytest.mark.parametrize("case", CASES)
def test_the_teacher_plays_in_cloning_and_labels_in_dagger(tmp_path, case, monkeypatch):
    teacher = Stubborn()
    monkeypatch.setattr("gridpuzzles_gym.agents.training.trainer.make_teacher", lambda *_, **__: teacher)
    chosen = {"num_envs": COUNT, "hidden": 8, "teacher_weight": 0.0, **CASES[case]}
    run = TrainingRun(dataclasses.replace(TINY, **chosen), tmp_path)
    run.begin(resume=False)
    base, played, starts = run._env, [], []
    while hasattr(base, "venv"):
        base = base.venv
    batch = base.env.batch
    step = batch.step

    def listening():
        played.append(batch.actions.copy())
        return step()

    monkeypatch.setattr(batch, "step", listening)
    model, teaching, known = run.model, run._teaching, np.arange(COUNT) % 3 != 0
    taught = known & (np.arange(COUNT) % 8 > 0)
    for phase in (CLONE, DAGGER):
        teaching.imitating, teaching.taught = True, 0.875 * (phase == CLONE)
        model.collect_rollouts(run._env, run._callback, model.rollout_buffer, run.settings.n_steps)
        labels, actions = teaching._labels, model.rollout_buffer.actions[..., 0]
        starts.append(model.rollout_buffer.episode_starts.astype(bool))
        assert ((labels.sum(2) > 0) == known).all()
        followed = labels.argmax(2) == actions
        assert followed[:, taught].all() == (phase == CLONE)
        assert not followed[:, ~taught].all()
        if phase == CLONE:
            lengths = sum(info["l"] for info in model.ep_info_buffer)
            assert 0 < lengths <= STEPS * (COUNT - taught.sum()), "only episodes that the learner played"
    assert np.array_equal(np.array(teacher.asked)[: 2 * STEPS], np.concatenate(starts))
    assert np.array_equal(np.array(teacher.told), np.array(played)), "on the boards themselves"
    teaching.imitating = False
    model.collect_rollouts(run._env, run._callback, model.rollout_buffer, run.settings.n_steps)
    assert len(teacher.asked) == 2 * STEPS + 1, "not asked when nobody listens"
    run.close()


@pytest.mark.parametrize(("algorithm", "policy"), ALGORITHMS, ids=["ppo", "maskable", "recurrent"])
def test_minibatches_have_the_labels_of_their_states(algorithm, policy):
    model = model_of(algorithm, policy)
    callback = TeacherCallback(Stubborn(), until=1.0)
    checked, original = [], TeacherCallback._evaluate

    def checking(self, seen, actions, *args, **more):
        buffer, rows = model.rollout_buffer, self._rows
        wanted = torch.from_numpy(buffer.observations[rows.numpy()])
        real = seen.flatten(1).sum(1) > 0  # padding has no tiles
        assert torch.equal(seen[real].to(wanted.dtype), wanted[real])
        checked.append(int(real.sum()))
        return original(self, seen, actions, *args, **more)

    callback._evaluate = checking.__get__(callback)
    model.batch_size = 50
    model.learn(2 * COUNT * STEPS, callback=callback)
    assert sum(checked) == 2 * COUNT * STEPS
    labels = callback._labels
    assert np.array_equal(callback._by_env().numpy().reshape(COUNT, STEPS, -1), labels.swapaxes(0, 1))


@pytest.mark.parametrize(("algorithm", "policy"), ALGORITHMS[:2], ids=["ppo", "maskable"])
def test_the_teacher_is_a_term_of_the_loss(algorithm, policy):
    """One step of plain gradient descent, with the term and without it."""
    changes, term = [], None
    for weight in (0.0, 0.5):
        model = model_of(
            algorithm, policy, learning_rate=1.0, max_grad_norm=1e9, policy_kwargs={"optimizer_class": torch.optim.SGD}
        )
        callback = TeacherCallback(Stubborn(), weight=weight)
        callback.imitating = weight == 0  # labels without a term of the loss
        before = torch.nn.utils.parameters_to_vector(model.policy.parameters()).detach().clone()
        copy = {name: tensor.clone() for name, tensor in model.policy.state_dict().items()}
        model.learn(COUNT * STEPS, callback=callback)
        assert callback.current_weight == weight
        changes.append(torch.nn.utils.parameters_to_vector(model.policy.parameters()).detach() - before)
        assert "forward" not in vars(model.policy), "nothing is left behind"
        if not weight:
            model.policy.load_state_dict(copy)
            (batch,) = model.rollout_buffer.get(COUNT * STEPS)
            order = model.rollout_buffer.observations
            masks = [torch.from_numpy(model.rollout_buffer.action_masks)] if algorithm is MaskablePPO else []
            actions = torch.from_numpy(model.rollout_buffer.actions).flatten().long()
            model.policy.evaluate_actions(torch.from_numpy(order), actions, *masks)
            logs = model.policy.action_dist.distribution.logits
            model.policy.zero_grad()
            (-(callback._by_env() * logs).sum(1).mean()).backward()
            term = torch.nn.utils.parameters_to_vector(
                [p.grad if p.grad is not None else torch.zeros_like(p) for p in model.policy.parameters()]
            )
            assert batch.observations.shape[0] == COUNT * STEPS
    torch.testing.assert_close(changes[1] - changes[0], -0.5 * term, rtol=1e-3, atol=1e-5)
    assert term.abs().max() > 1e-3


def test_the_teacher_is_asked_in_ppo_as_long_as_it_is_heard():
    teacher = Stubborn()
    model, weights = model_of(PPO, "MlpPolicy", ent_coef=0.0), []
    callback = TeacherCallback(teacher)
    callback._on_rollout_end = lambda: weights.append(callback.current_weight)
    model.learn(8 * COUNT * STEPS, callback=callback)
    assert weights == [1, 0.75, 0.5, 0.25, 0, 0, 0, 0]
    assert len(teacher.asked) == 4 * STEPS + 1


@pytest.mark.parametrize(("algorithm", "policy"), ALGORITHMS[:2], ids=["ppo", "maskable"])
def test_a_model_learns_what_its_teacher_does(algorithm, policy):
    model = model_of(algorithm, policy)
    again = pretrain(model, "auto", 12 * COUNT * STEPS, batch_size=64, learning_rate=0.01, epochs=3, progress=False)
    assert again is model
    assert model.num_timesteps == 12 * COUNT * STEPS
    scores = [info["outcome"] == Outcome.SOLVED for info in list(model.ep_info_buffer)[-30:]]
    assert np.mean(scores) > 0.7
    assert not {"forward", "evaluate_actions"} & vars(model.policy).keys()
    model.learn(COUNT * STEPS)


def test_ctrl_c_ends_pretraining_and_keeps_what_was_learned(monkeypatch, capsys):
    model = model_of(PPO, "MlpPolicy")
    before = {name: tensor.clone() for name, tensor in model.policy.state_dict().items()}
    teacher = Stubborn()
    label = teacher.label

    def interrupting(batch, starting):
        if len(teacher.asked) == 2 * STEPS + 3:
            raise KeyboardInterrupt
        return label(batch, starting)

    monkeypatch.setattr(teacher, "label", interrupting)
    assert pretrain(model, teacher, 100 * COUNT * STEPS) is model
    assert "stopped after" in capsys.readouterr().out
    after = model.policy.state_dict()
    assert any(not torch.equal(before[name], after[name]) for name in before)
    assert "forward" not in vars(model.policy)


def test_the_latest_known_states_are_kept():
    class Buffer:
        """A flattened rollout buffer: each state's return is its number."""

        def __init__(self, numbers):
            self.returns = np.array(numbers, np.float32)[:, None]
            self.observations = np.array(numbers, np.uint8)[:, None]

    kept = LabelledStates(5)

    def add(numbers, known):
        kept.add(Buffer(numbers), np.array([[1, 0, 0]], np.float32) * np.array(known)[:, None])
        batch, labels = kept.sample(100)
        assert torch.equal(batch.returns, batch.observations[:, 0].float())
        assert labels.sum() == 100
        return kept.count, {*map(int, batch.returns)}

    assert add([1, 2, 3], [1, 0, 1]) == (2, {1, 3})
    assert add([4, 5], [1, 1]) == (4, {1, 3, 4, 5})
    assert add([6, 7], [1, 1]) == (5, {3, 4, 5, 6, 7})
    assert add([8], [0]) == (5, {3, 4, 5, 6, 7})
    assert add(list(range(10, 17)), [1] * 7) == (5, {12, 13, 14, 15, 16})


def test_what_cannot_teach_is_refused(tmp_path):
    refused = [
        ({"teacher": "nobody"}, "teacher 'nobody' is not known for Sliding tiles; allowed are auto, distances"),
        ({"teacher": "distances:colour=1"}, "teacher 'distances' has no parameter 'colour'; it has tolerance"),
        ({"teacher": "distances:tolerance=x"}, "tolerance='x': must be a number"),
        ({"teacher": "distances:tolerance=-1"}, "tolerance=-1: must be"),
        ({"teacher": "astar:nodes=0"}, "nodes=0: must be an integer from 1 to"),
        ({"teacher": "greedy:weight=2"}, "teacher 'greedy' has no parameter 'weight'; it has heuristic, nodes, thr"),
        ({"teacher": "weighted-astar:weight=0.5"}, "weight=0.5: must be"),
        ({"teacher": "distances", "env_kwargs": {"width": 4, "height": 4}}, "a board of 4x4 squares is too large"),
    ]
    for change, message in refused:
        with pytest.raises(ValueError, match=re.escape(message)):
            train(dataclasses.replace(TINY, **change), tmp_path)
    assert not list(tmp_path.iterdir())
    with pytest.raises(ValueError, match="kept_states=9: must be 0 for RecurrentPPO"):
        pretrain(model_of(*ALGORITHMS[2]), kept_states=9)
    env = make_vec_env("EightPuzzle-v0", 2, env_kwargs=SMALL)
    with pytest.raises(ValueError, match=r"needs a model on gridpuzzles_gym\.PuzzleVecEnv, not on DummyVecEnv"):
        pretrain(model_of(PPO, "MlpPolicy", 2, env=env))


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize("more", [{}, {"kept_states": 3000, "cloning_epochs": 2, "algorithm": "maskable-ppo"}])
def test_a_clone_plays_as_its_teacher_does(tmp_path, more):
    settings = dataclasses.replace(TINY, total_steps=90_000, phases="clone=1,dagger=2", num_envs=64, **more)
    path = train(settings, tmp_path)
    kwargs = {"progress": False, "num_envs": 100, "deterministic": True}
    clone, teacher = compare(Game.of("EightPuzzle-v0", **TILES), [str(path), "astar"], 100, **kwargs).scores
    assert teacher.success == 1
    assert clone.success > 0.97
    assert clone.steps < 1.05 * teacher.steps
    with (tmp_path / "curve.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert float(rows[-1]["success"]) > 0.8, "of the episodes that the learner played"


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize(("algorithm", "policy"), ALGORITHMS[::2], ids=["ppo", "recurrent"])
def test_models_of_stable_baselines3_learn_a_larger_puzzle(algorithm, policy):
    more = {"policy_kwargs": {"lstm_hidden_size": 48}} if algorithm is RecurrentPPO else {}
    env = PuzzleVecEnv("EightPuzzle-v0", 64, reward_scale=0.005, **TILES)
    model = pretrain(
        model_of(algorithm, policy, 64, env=env, **more), steps=100_000, batch_size=256, learning_rate=3e-3
    )
    model.learn(20_000, callback=TeacherCallback(), reset_num_timesteps=False)
    test = PuzzleVecEnv("EightPuzzle-v0", 50, **TILES)
    _, lengths = evaluate_policy(model, test, 100, return_episode_rewards=True, warn=False)
    assert np.mean(np.array(lengths) < 30) > 0.85
