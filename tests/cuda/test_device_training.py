"""Training on a GPU, without one: environments simulated by numba, CUDA graphs and a lack of memory by stand-ins."""

import contextlib
import dataclasses
import os
import re

import pytest
from folders import PYTHONPATH, TESTS
from helpers import python

pytest.importorskip("torch")
pytest.importorskip("tensorboard")

import torch
from tiny_models import SIZES
from torch._subclasses.fake_tensor import FakeTensorMode

from gridpuzzles_gym.agents.networks.table import network_of
from gridpuzzles_gym.agents.training.devices.captured import WARM_UP, Captured
from gridpuzzles_gym.agents.training.devices.gpu_memory import is_out_of_memory
from gridpuzzles_gym.agents.training.learner import Experience, Learner
from gridpuzzles_gym.agents.training.own_run import OwnRun
from gridpuzzles_gym.agents.training.ppo import Coefficients, gradient_step
from gridpuzzles_gym.agents.training.settings import Settings
from gridpuzzles_gym.agents.training.torch_networks.operations import TorchOperations
from gridpuzzles_gym.agents.training.torch_networks.weights import first_weights
from gridpuzzles_gym.agents.training.trainer import train
from gridpuzzles_gym.engine.cuda.requirements import GpuMemoryError

pytestmark = pytest.mark.extended

CPU = torch.device("cpu")


def test_a_simulated_gpu_trains_as_the_cpu_does():
    path = os.pathsep.join([PYTHONPATH, str(TESTS / "cuda")])
    python("import simulated_training; simulated_training.main()", NUMBA_ENABLE_CUDASIM="1", PYTHONPATH=path)


# -- CUDA graphs -----------------------------------------------------------------------------------


class Stream:
    """A stream of a GPU that does everything at once."""

    def __init__(self, device=None):
        pass

    def wait_stream(self, other):
        pass


class Graph:
    """Repeats what was called while it was captured, with the same inputs, into the same results."""

    latest = None

    def __init__(self):
        Graph.latest = self

    def replay(self):
        self.results.copy_(self.function())


def test_a_captured_function_gives_what_the_function_does(monkeypatch):
    captures = []

    @contextlib.contextmanager
    def capture(graph, **kwargs):
        captures.append(graph)
        yield

    cuda = {"Stream": Stream, "CUDAGraph": Graph, "graph": capture, "current_stream": Stream}
    for name, stand_in in {**cuda, "stream": lambda stream: contextlib.nullcontext()}.items():
        monkeypatch.setattr(torch.cuda, name, stand_in)

    def function(x, factor):
        result = x * factor
        graph = Graph.latest
        if graph is not None and graph in captures and not hasattr(graph, "results"):
            graph.results, graph.function = result, lambda: x * factor
        return result

    call = Captured(function, CPU)
    for shape in (4, 3):
        for k in range(WARM_UP + 4):
            given = torch.arange(shape) + k
            assert torch.equal(call(given, 0.5 * k), given * 0.5 * k)
    assert len(captures) == 2, "one graph for each shape"


def minibatch(network, numbers=None):
    """Twenty random states, of whole episodes if the network learns from them."""
    length = (4, 5) if network.learns_memory else (20,)
    width = network.memory if network.learns_memory else 0
    views = torch.randint(2, (20, *network.shape), generator=numbers, dtype=torch.uint8)
    ops = TorchOperations(CPU)
    seen = network.remember(ops, network.view(ops, views), torch.zeros(20, network.memory, dtype=torch.uint8))
    rows = [torch.randn(*length, generator=numbers) for _ in range(3)]
    return Experience(
        views=seen.reshape(*length, *seen.shape[1:]),
        masks=torch.ones(*length, network.actions, dtype=torch.bool),
        actions=torch.randint(network.actions, length, generator=numbers),
        log_probabilities=-1.4 + 0.1 * rows[0],
        values=rows[0],
        advantages=rows[1],
        returns=rows[2],
        labels=torch.full((*length, network.actions), 1 / network.actions),
        known=torch.ones(length, dtype=torch.bool),
        starts=torch.zeros(length, dtype=torch.bool),
        memory=torch.zeros(5 * (width > 0), width),
    )


def test_a_gradient_step_with_its_coefficients_as_tensors_is_the_same():
    network = network_of("mlp", (6,), 4, SIZES["mlp"])
    batch, coefficients = minibatch(network, torch.Generator().manual_seed(1)), Coefficients(0.01, 0.2, 0.05, 0.5)
    found = []
    for given in (coefficients, [torch.tensor(number) for number in coefficients]):
        learner = Learner(network, first_weights(network, 0), CPU)
        for _ in range(3):
            gradient_step(learner, *batch, *given)
        found.append(learner.arrays())
    for name, array in found[0].items():
        assert abs(array - first_weights(network, 0)[name]).max() > 0.01
        assert abs(array - found[1][name]).max() < 1e-6


@pytest.mark.parametrize("name", SIZES)
def test_no_captured_function_waits_for_a_number(name):
    """PyTorch's fake tensors have none: to read one is an error, as it is while a graph is captured."""
    network = network_of(name, (5,) if name in ("recurrent", "map") else (5, 6, 6), 6, SIZES[name])
    weights = first_weights(network, 0)
    with FakeTensorMode(allow_non_fake_inputs=True):
        learner, batch = Learner(network, weights, CPU), minibatch(network)
        first = batch if network.learns_memory else batch._replace(views=batch.views[None])
        decision, _ = learner._decision(
            first.views[0], torch.ones(len(first.views[0]), 6, dtype=torch.bool), batch.memory, torch.rand(1, 6)
        )
        for _ in range(2):
            gradient_step(learner, *batch, *(torch.tensor(number) for number in Coefficients(0.01, 0.2, 0.05, 0.5)))
        with pytest.raises(Exception, match="_local_scalar_dense"):
            float(decision.values.detach()[0])


# -- memory ----------------------------------------------------------------------------------------

OUT_OF_MEMORY = [
    torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB."),
    GpuMemoryError("num_envs=64: the GPU has memory for 40 at most"),
    RuntimeError("[CUresult.CUDA_ERROR_OUT_OF_MEMORY] Call to cuLaunchKernel results in CUDA_ERROR_OUT_OF_MEMORY"),
]
TINY = Settings(
    "EightPuzzle-v0", {"width": 2, "height": 2}, num_envs=64, n_steps=4, batch_size=64, hidden=8, minutes=None,
    total_steps=256, threads=1, engine="own", device="cpu",
)  # fmt: skip


@pytest.fixture
def gpu(monkeypatch):
    """A GPU with 400 bytes for trainings; one needs ten for each environment. Returns a list of its error."""
    used, errors, advance = [0], [], OwnRun._advance

    def measured(run, now):
        used[0] = 10 * run.settings.num_envs
        if used[0] > 400:
            raise errors[-1]
        return advance(run, now)

    monkeypatch.setattr(OwnRun, "_advance", measured)
    stand_ins = {
        "empty_cache": lambda: None,
        "reset_peak_memory_stats": lambda: None,
        "max_memory_reserved": lambda: used[0],
        "memory_reserved": lambda: 100,
        "memory_allocated": lambda: 0,
        "mem_get_info": lambda: (300, 1000),
    }
    for name, stand_in in stand_ins.items():
        monkeypatch.setattr(torch.cuda, name, stand_in)
    return errors


def test_without_memory_one_line_says_how_many_environments_fit(tmp_path, gpu):
    assert all(map(is_out_of_memory, OUT_OF_MEMORY))
    gpu.append(OUT_OF_MEMORY[0])
    with pytest.raises(ValueError, match="memory") as caught:
        train(TINY, tmp_path)
    assert str(caught.value) == "num_envs=64: the GPU has memory for 38 at most in this training"
    train(dataclasses.replace(TINY, num_envs=38), tmp_path)  # in the same folder: nothing was saved


def test_other_errors_stay_what_they_are(tmp_path, gpu):
    gpu.append(RuntimeError("CUDA error: an illegal memory access was encountered"))
    with pytest.raises(RuntimeError, match=re.escape("illegal memory access")):
        train(TINY, tmp_path)
