"""JSON from outside: nested too deeply, it is an error of one line wherever it is read."""

import json

import pytest

from gridpuzzles_gym.engine.system.files import DEEPEST, NestingError, read_json

VERY_DEEP = "[" * 100_000 + "]" * 100_000
DEEP = "[" * (DEEPEST + 2) + "]" * (DEEPEST + 2)
"""Python's parser reads this, but what handles the value may not."""
OBJECTS = '{"a":' * 5_000 + "1" + "}" * 5_000


@pytest.mark.parametrize("text", [VERY_DEEP, DEEP, OBJECTS, DEEP.encode(), VERY_DEEP.encode()], ids=range(5))
def test_deep_nesting_is_an_error(text):
    with pytest.raises(NestingError, match=r"^levels.json is nested too deeply: over 100 objects"):
        read_json(text, "levels.json")


@pytest.mark.parametrize(
    "text", ["", "{", "nul", "[1,]", b"\xff\xfe\xfd", b"\x80", '"\n"', "1" * 5_000, "{'a': 1}", "\x00", "]" * 9_999]
)
def test_what_is_not_json_is_an_error_of_one_line(text):
    with pytest.raises(ValueError, match=r"^it is not valid JSON ") as raised:
        read_json(text)
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 300


@pytest.mark.parametrize("value", [1, None, "a", [[]] * 5_000, {"a": ["[" * 500]}, json.loads("[" * 100 + "]" * 100)])
def test_what_is_json_is_read(value):
    assert read_json(json.dumps(value)) == read_json(json.dumps(value).encode()) == value
