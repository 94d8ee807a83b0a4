"""Functions linked into kernels can do in there what they can do by themselves."""

import pytest
from helpers import python

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


def test_without_the_internals_of_numba_functions_are_compiled_in_its_usual_way(tmp_path):
    code = """
from numba.core import codegen
internals = codegen.__dict__.pop("JITCodeLibrary")
from gridpuzzles_gym.engine.compile import linking
codegen.JITCodeLibrary = internals
from gridpuzzles_gym.engine.compile.compilation import compiled, routine, rule
more = routine(lambda x: x + 1)
doubled = rule(lambda x: more(x) * 2)
print(linking.LINKED, compiled(lambda x: doubled(x), "unlinked")(1))
"""
    assert python(code, XDG_CACHE_HOME=str(tmp_path)) == "{} 4\n"
