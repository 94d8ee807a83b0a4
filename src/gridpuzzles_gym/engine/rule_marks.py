"""How plain functions are marked as usable inside kernels, and which code stands for them there."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload, register_jitable

from .linking import LINKED

Function = TypeVar("Function", bound=Callable[..., Any])
Rows = TypeVar("Rows")

MARKS: dict[Callable[..., Any], str] = {}
"""The functions whose own code is compiled, and how."""
REPLACEMENTS: dict[Callable[..., Any], Callable[..., Any]] = {}
"""The functions in whose place other code is compiled, which the value makes."""


def rule(function: Function) -> Function:
    """Mark a plain function as usable inside compiled kernels; called from Python it stays Python."""
    # Inlined always: a call that hands over four arrays costs as much as a small rule.
    marked: Function = register_jitable(forceinline=True, **LINKED)(function)
    MARKS[function] = "rule"
    return marked


def routine(function: Function) -> Function:
    """Mark a longer function as usable inside compiled kernels; the compiler decides whether to inline it.

    For what takes its time anyway and is called from several places: a kernel then compiles faster.
    """
    marked: Function = register_jitable(**LINKED)(function)
    MARKS[function] = "routine"
    return marked


def when_compiled(function: Callable[..., Any], **options: Any) -> Callable[[Function], Function]:
    """Numba's ``overload``: what stands for ``function`` inside kernels, of which a kernel's digest then knows.

    Args:
        function: What kernels name.
        **options: Of the compiler, for what stands for it.
    """

    def mark(replacement: Function) -> Function:
        overload(function, jit_options=options | LINKED)(replacement)  # type: ignore[arg-type]  # numba's own names, as a dict
        REPLACEMENTS[function] = replacement
        return replacement

    return mark


def borrowed(array: Rows) -> Rows:
    """The same array, or tuple of arrays, not counted: rows cut from it cost no atomic increments and decrements.

    Only for a kernel's own arguments, which its caller keeps alive.
    """
    return array


@intrinsic  # type: ignore[untyped-decorator]
def _without_owner(typing_context, array):  # type: ignore[no-untyped-def]
    def codegen(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        def stripped(kind, value):  # type: ignore[no-untyped-def]
            if isinstance(kind, types.BaseTuple):
                parts: Iterable[Any] = kind  # type: ignore[assignment]
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
def _borrowed_when_compiled(array):  # type: ignore[no-untyped-def]
    return lambda array: _without_owner(array)  # type: ignore[call-arg]
