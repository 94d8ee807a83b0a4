"""Counting and finding bits, in one machine instruction each when compiled."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from typing import Any

from numba import types
from numba.extending import intrinsic

from .rule_marks import when_compiled


def popcount(word: Any) -> int:
    """Return the number of 1 bits of a non-negative integer."""
    return int(word).bit_count()


def lowest(word: Any) -> int:
    """Return the index of the lowest 1 bit of an integer that is not 0."""
    return (int(word) & -int(word)).bit_length() - 1


@intrinsic
def _popcount(typing_context, word):
    def codegen(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), codegen


@intrinsic
def _lowest(typing_context, word):
    def codegen(context, builder, signature, arguments):
        return builder.cttz(arguments[0], context.get_constant(types.boolean, True))

    return types.int64(types.int64), codegen


@when_compiled(popcount)
def _popcount_when_compiled(word):
    return lambda word: _popcount(word)  # type: ignore[call-arg]  # numba adds the context


@when_compiled(lowest)
def _lowest_when_compiled(word):
    return lambda word: _lowest(word)  # type: ignore[call-arg]  # numba adds the context
