"""Weights in 8 bits: near to the weights they were made from, in files a quarter as large."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from tiny_models import KINDS, tiny_model

from gridpuzzles_gym.agents.models.model_file import (
    Model,
    packed,
    quantized,
    read_model,
    read_weights,
    restored,
    write_model,
)

SHAPES = st.lists(st.integers(1, 5), min_size=1, max_size=4).map(tuple)
NUMBERS = st.floats(-1e6, 1e6, width=32)


@given(arrays.arrays(np.float32, SHAPES, elements=NUMBERS))
def test_no_number_is_off_by_more_than_half_a_step(array):
    found = restored(read_weights(packed(quantized({"x": array}), {}))[0])["x"]
    assert found.dtype == np.float32
    largest = abs(array.reshape(len(array), -1)).max(axis=1) if array.ndim > 1 else np.zeros(len(array))
    off = abs(found - array).reshape(len(array), -1).max(axis=1)
    assert (off <= largest / 254 * 1.001 + 1e-30).all()


def test_a_model_in_8_bits_is_a_quarter_as_large_and_reads_as_any_other(tmp_path):
    model = tiny_model(**KINDS["residual"] | {"channels": 32})
    write_model(tmp_path / "model.safetensors", model)
    small = tmp_path / "small.safetensors"
    write_model(small, Model(model.description, quantized(model.weights)))
    assert small.stat().st_size < 0.35 * (tmp_path / "model.safetensors").stat().st_size
    found = read_model(small)
    assert found.description == model.description
    assert found.weights.keys() == model.weights.keys()
    for name, array in model.weights.items():
        np.testing.assert_allclose(found.weights[name], array, atol=abs(array).max(initial=0) / 200)


@pytest.mark.parametrize("factors", [{"y.scale": np.ones(2)}, {"x.scale": np.ones(3)}, {"x.scale": np.ones((2, 1))}])
def test_factors_of_nothing_are_refused(tmp_path, factors):
    wrong = {name: array.astype(np.float32) for name, array in factors.items()}
    with pytest.raises(ValueError, match="must have a number for each row"):
        restored({"x": np.ones((2, 2), np.float32)} | wrong)
    model = tiny_model()
    write_model(tmp_path / "m.safetensors", model._replace(weights=model.weights | wrong))
    with pytest.raises(ValueError, match=r"m\.safetensors is damaged: .*each row"):
        read_model(tmp_path / "m.safetensors")
