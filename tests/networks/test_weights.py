"""Files of weights: what is written is read again, and what is not exactly a file of weights is refused."""

import json

import numpy as np
import pytest
import safetensors.numpy

from gridpuzzles_gym.agents.models.model_file import (
    MOST_BYTES,
    MOST_HEADER,
    packed,
    read_weights,
    write_weights,
)

ARRAYS = {
    "b": np.arange(3, dtype=np.float16),
    "eighths": np.arange(-3, 3, dtype=np.int8),
    "a": np.array([[1.5, -2.0], [0.0, 1e-20]], np.float32),
    "scalar": np.array(7, np.float32),
}
ABOUT = {"format": 1, "scores": [{"return": 1.5}], "text": "é\u2028"}


def made(header, data=b"", length=None):
    """A file with this header, a text or what becomes JSON."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return (len(text) if length is None else length).to_bytes(8, "little") + text + data


def entry(dtype="F32", shape=(1,), offsets=(0, 4)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


def test_what_is_written_is_read_again(tmp_path):
    path = tmp_path / "model.safetensors"
    write_weights(path, ARRAYS, ABOUT)
    arrays, about = read_weights(path)
    assert about == ABOUT
    assert arrays.keys() == ARRAYS.keys()
    for name, array in arrays.items():
        assert array.dtype == np.float32
        assert np.array_equal(array, ARRAYS[name].astype(np.float32))
    assert read_weights(path.read_bytes())[1] == about
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_the_safetensors_library_reads_and_writes_the_same(tmp_path):
    library = safetensors.numpy
    theirs = library.load(packed(ARRAYS, ABOUT))
    assert {name: array.dtype for name, array in theirs.items()} == {name: a.dtype for name, a in ARRAYS.items()}
    assert all(np.array_equal(theirs[name], ARRAYS[name]) for name in ARRAYS)
    library.save_file(ARRAYS, tmp_path / "theirs", metadata={"gridpuzzles_gym": json.dumps(ABOUT), "format": "pt"})
    arrays, about = read_weights(tmp_path / "theirs")
    assert about == ABOUT
    assert all(np.array_equal(arrays[name], ARRAYS[name]) for name in ARRAYS)
    assert read_weights(library.save(ARRAYS))[1] == {}


@pytest.mark.parametrize("name", ["__metadata__", "double", "infinite", "half"])
def test_what_cannot_be_read_again_is_not_written(tmp_path, name):
    array = {"double": np.zeros(1), "infinite": np.full(1, np.inf, np.float32), "half": np.full(1, np.inf, np.float16)}
    (tmp_path / "model").write_text("before")
    with pytest.raises(ValueError, match=r"model: .*array"):
        write_weights(tmp_path / "model", {name: array.get(name, np.zeros(1, np.float32))}, {})
    assert (tmp_path / "model").read_text() == "before"


ENTRY = json.dumps(entry())
FAULTS = {
    "empty": (b"", "it is not a safetensors file"),
    "a zip": (b"PK\3\4" + bytes(100), "it is not a safetensors file"),
    "a pickle": (b"\x80\4\x95" + bytes(100), "it is not a safetensors file"),
    "a header of 10 GB": (made(b"{}", length=10 * 2**30), "claims a header of 10,737,418,240 bytes"),
    "a header of 2⁶⁴ bytes": (made(b"{}", length=2**64 - 1), "claims a header of"),
    "half a header": (made({"a": entry()}, length=1000), "is damaged ("),
    "no JSON": (made(b"{]"), "is damaged ("),
    "no text": (made(b"{\xff\xfe"), "is damaged ("),
    "nested": (made(b'{"a":' * 100_000), "is damaged ("),
    "a number of 10⁵ digits": (made(b'{"a":' + b"9" * 100_000 + b"}"), "is damaged ("),
    "NaN": (made(b'{"a":NaN}'), "is damaged ("),
    "a name twice": (made(f'{{"a":{ENTRY},"a":{ENTRY}}}'.encode(), bytes(4)), "a name occurs twice"),
    "metadata twice": (made(b'{"__metadata__":{"a":"1","a":"2"}}'), "a name occurs twice"),
    "a description with NaN": (made({"__metadata__": {"gridpuzzles_gym": '{"a":NaN}'}}), "NaN is not a finite number"),
    "a nested description": (made({"__metadata__": {"gridpuzzles_gym": "[" * 100_000}}), "is nested too deeply"),
    "metadata of numbers": (made({"__metadata__": {"a": 1}}), "is damaged ("),
    "a description of a list": (made({"__metadata__": {"gridpuzzles_gym": "[]"}}), "must be a JSON object"),
    "a list as an entry": (made({"a": [1]}), "is damaged ("),
    "an entry more": (made({"a": entry() | {"more": 1}}, bytes(4)), "must have a dtype"),
    "BF16": (made({"a": entry("BF16", (2,))}, bytes(4)), "numbers of type 'BF16'; allowed are F32, F16, I8"),
    "a dtype of a list": (made({"a": entry(["F32"])}, bytes(4)), "is damaged ("),
    "a negative shape": (made({"a": entry(shape=(-1, -1))}, bytes(4)), "is damaged ("),
    "a shape of booleans": (made({"a": entry(shape=(True,))}, bytes(4)), "is damaged ("),
    "a shape of 1 TB": (made({"a": entry(shape=(2**40,), offsets=(0, 4))}, bytes(4)), "is damaged ("),
    "a shape of nothing": (made({"a": entry(shape=(0, 2**62, 2**62), offsets=(0, 0))}), "is damaged"),
    "too many axes": (made({"a": entry(shape=(1,) * 65)}, bytes(4)), "an invalid shape"),
    "a shape with other bytes": (made({"a": entry(shape=(2,))}, bytes(4)), "is damaged ("),
    "offsets backwards": (made({"a": entry(offsets=(4, 0))}, bytes(4)), "is damaged ("),
    "offsets of texts": (made({"a": entry(offsets=("0", "4"))}, bytes(4)), "is damaged ("),
    "a gap": (made({"a": entry(), "b": entry(offsets=(8, 12))}, bytes(12)), "is damaged ("),
    "the same twice": (made({"a": entry(), "b": entry()}, bytes(4)), "is damaged ("),
    "truncated": (packed(ARRAYS, ABOUT)[:-1], "is damaged ("),
    "longer": (packed(ARRAYS, ABOUT) + b"\0", "is damaged ("),
    "outside": (made({"a": entry(offsets=(2**40, 2**40 + 4))}, bytes(4)), "is damaged ("),
    "not finite": (made({"a": entry()}, np.float32(np.nan).tobytes()), "numbers that are not finite"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_file_with_a_fault_is_one_line(tmp_path, fault):
    content, words = FAULTS[fault]
    path = tmp_path / "evil.safetensors"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"^[^\n]*$") as caught:
        read_weights(path)
    assert words in str(caught.value)
    assert str(caught.value).startswith(str(path))
    assert len(str(caught.value)) < len(str(path)) + 300
    with pytest.raises(ValueError, match=r"^the model\b"):
        read_weights(content)


def test_files_that_are_too_large_are_not_read(tmp_path):
    path = tmp_path / "model"
    with path.open("wb") as file:
        file.write(made({"a": entry()}, bytes(4)))
        file.truncate(MOST_BYTES + 1)
    with pytest.raises(ValueError, match="is too large: 268,435,457 bytes"):
        read_weights(path)
    with pytest.raises(ValueError, match="would be too large"):
        packed({}, {"text": "x" * MOST_HEADER})
