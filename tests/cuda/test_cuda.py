"""The environments of a GPU, without one: simulated by numba, and compiled to PTX where numba-cuda is installed."""

import functools
import json
import os

import gymnasium as gym
import pytest
from folders import PYTHONPATH, REPOSITORY, TESTS
from helpers import ROWS, puzzle_of, python

import gridpuzzles_gym  # noqa: F401 - registers the ids
from gridpuzzles_gym.engine.kernels import views_for

pytestmark = pytest.mark.extended

KERNELS = [(row.id, observation) for row in ROWS for observation in puzzle_of(row.id).observations]


def test_a_simulated_gpu_does_what_the_cpu_does():
    pytest.importorskip("torch")
    path = os.pathsep.join([PYTHONPATH, str(REPOSITORY), str(TESTS / "cuda")])
    python("import simulation; simulation.main()", NUMBA_ENABLE_CUDASIM="1", PYTHONPATH=path)


@pytest.mark.parametrize(("id", "observation"), KERNELS)
def test_every_kernel_compiles_to_ptx(id, observation, monkeypatch):
    """Numba asks for the current GPU as soon as a kernel calls a function; all it needs of it is what it can do."""
    pytest.importorskip("numba_cuda", reason='numba-cuda is not installed: pip install "numba-cuda[cu13]"')
    from numba import cuda
    from numba.cuda import dispatcher

    from gridpuzzles_gym.engine.cuda.kernel import SIGNATURE, step_each_of
    from gridpuzzles_gym.engine.cuda.local_copies import LocalCopies

    class Gpu:
        compute_capability = 9, 0

    monkeypatch.setattr(dispatcher, "get_current_device", Gpu)
    batch = gym.make(id, observation=observation).unwrapped.batch
    views = views_for(batch.space, 1)
    kind = functools.partial(LocalCopies, batch.levels.shape[1])
    kernel = step_each_of(puzzle_of(id), observation, (views.dtype, views.ndim), kind)
    ptx, _ = cuda.compile(kernel, SIGNATURE, device=False, abi="numba", cc=Gpu.compute_capability, output="ptx")
    assert ".visible .entry" in ptx
    assert ".extern .func" not in ptx  # what a GPU would have to find elsewhere, such as an allocator


def test_without_a_gpu_one_line_says_so():
    pytest.importorskip("torch")
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(
        (ValueError, ModuleNotFoundError), match=r"needs an NVIDIA GPU|gridpuzzles_gym\[cuda\]"
    ) as caught:
        gym.make_vec("EightPuzzle-v0", num_envs=2, device="cuda")
    assert "\n" not in str(caught.value)


def test_the_benchmark_goes_on_where_it_was(tmp_path):
    pytest.importorskip("torch")
    file = tmp_path / "gpu.json"
    code = "from benchmarks.gpu.__main__ import main; main()"
    words = file, "--tiny", "--only"
    for only in ("equal EightPuzzle", "steps/s EightPuzzle"):
        python(code, *words, only, cwd=REPOSITORY, NUMBA_ENABLE_CUDASIM="1")
    assert not python(code, *words, "steps/s EightPuzzle", cwd=REPOSITORY, NUMBA_ENABLE_CUDASIM="1")
    found = json.loads(file.read_text())
    assert found.pop("errors") == {}
    assert len(found) == 4
