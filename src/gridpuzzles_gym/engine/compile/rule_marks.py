"""Decorators that make plain functions usable inside kernels, and the registries of these functions."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload, register_jitable

from .numba_internals import LINKED

Function = TypeVar("Function", bound=Callable[..., Any])
Rows = TypeVar("Rows")

MARKS: dict[Callable[..., Any], str] = {}
"""The functions that are compiled from their own code, with the name of their decorator."""
REPLACEMENTS: dict[Callable[..., Any], Callable[..., Any]] = {}
"""The functions that kernels replace by other code, with the function that makes that code."""


def rule(function: Function) -> Function:
    """Mark a plain function as usable inside compiled kernels; called from Python, it stays a Python function."""
    # Always inlined: a call that passes four arrays costs as much as a small rule.
    marked: Function = register_jitable(forceinline=True, **LINKED)(function)
    MARKS[function] = "rule"
    return marked


def routine(function: Function) -> Function:
    """Mark a longer function as usable inside compiled kernels; the compiler decides whether to inline it.

    Use it for long functions that are called from several places: kernels then compile faster.
    """
    marked: Function = register_jitable(forceinline=False, **LINKED)(function)
    MARKS[function] = "routine"
    return marked


def when_compiled(function: Callable[..., Any], **options: Any) -> Callable[[Function], Function]:
    """Decorate the replacement for ``function`` inside kernels: numba's ``overload``, recorded for kernel digests.

    Args:
        function: The function to replace.
        **options: Compiler options for the replacement.
    """

    def mark(replacement: Function) -> Function:
        overload(function, jit_options=options | LINKED)(replacement)  # type: ignore[arg-type]  # numba's own names, as a dict
        REPLACEMENTS[function] = replacement
        return replacement

    return mark


def borrowed(array: Rows) -> Rows:
    """Return the array, or tuple of arrays, without reference counting: slicing rows costs no atomic operations.

    Only for a kernel's arguments, which its caller keeps alive.
    """
    return array


@intrinsic
def _without_owner(typing_context, array):
    def codegen(context, builder, signature, arguments):
        def stripped(kind, value):
            if isinstance(kind, types.BaseTuple):
                parts: Iterable[Any] = kind  # type: ignore[assignment]  # as all of them are
                stripped_parts = [stripped(part, builder.extract_value(value, k)) for k, part in enumerate(parts)]
                return context.make_tuple(builder, kind, stripped_parts)
            if not isinstance(kind, types.Array):
                return value
            copy = context.make_array(kind)(context, builder, value)
            copy.meminfo = cgutils.get_null_value(copy.meminfo.type)
            copy.parent = cgutils.get_null_value(copy.parent.type)
            return copy._getvalue()

        return stripped(signature.args[0], arguments[0])

    return array(array), codegen


@when_compiled(borrowed)
def _borrowed_when_compiled(array):
    return lambda array: _without_owner(array)  # type: ignore[call-arg]  # numba adds the context
