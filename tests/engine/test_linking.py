"""Functions linked into kernels can do in there what they can do by themselves."""

import pytest

from gridpuzzles_gym.engine.compile.compilation import compiled, routine, rule


@routine
def checked(x):
    if x > 2:
        raise ValueError("too large:", x)
    print("x is", x)
    return x + 1


@rule
def doubled(x):
    return checked(x) * 2


@pytest.mark.parametrize("turn", ["compiled", "loaded"])
def test_what_a_rule_calls_can_print_and_raise(turn, capfd):
    def kernel(x):
        return doubled(x)

    kernel = compiled(kernel, "linking-trial")
    assert kernel(1) == 4
    with pytest.raises(ValueError, match=r"too large:.*5"):
        kernel(5)
    assert "x is 1" in capfd.readouterr().out
