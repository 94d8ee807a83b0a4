"""Everything that uses private parts of numba: two changes to its compiler, and what the disk cache needs.

*Functions that kernels call are compiled to LLVM code only.* By default numba prepares every such function to be called
on its own as well: it links in everything the function calls, optimizes the result and generates machine code, and
repeats this for the caller and the caller's caller. Rules are never called on their own from compiled code. Where rules
call rules, this takes most of a kernel's compile time. So a kernel is linked from the LLVM code of its functions;
numba still links, optimizes and compiles the kernel itself in the usual way, and the result behaves the same.

*References are not counted where that changes nothing.* Numba counts the references to the memory of every array: a
variable that holds one adds to the count when it is assigned, and subtracts when it is no longer used. A function that
neither creates nor returns arrays needs none of it, since its caller keeps them alive; most rules are then less code.

*The disk cache has other files than numba's* (:mod:`.kernel_cache`). Machine code is linked by names, which
numba makes unique within a process by counting functions. Files of different processes meet in one, where two kernels
with the same name and count would be taken for each other; so names are made with random numbers.

Numba offers no public way to any of these. ``tests/engine/test_numba_internals.py`` has a test for each private part.
"""

import functools
import io
import pickle
import secrets
from collections.abc import Callable
from typing import Any

from numba.core import ir, types
from numba.core.bytecode import FunctionIdentity
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult, DefaultPassBuilder
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import register_pass
from numba.core.errors import NumbaError
from numba.core.extending import _Intrinsic as Intrinsic
from numba.core.registry import CPUDispatcher
from numba.core.serialize import NumbaPickler
from numba.core.typed_passes import NativeLowering

__all__ = ["LINKED", "CPUDispatcher", "Intrinsic", "connect", "global_compiler_lock"]
__all__ += ["packed", "processor_of", "unpacked"]

_NUMBERS = iter(functools.partial(secrets.randbits, 62), -1)  # endless, because -1 never occurs
FunctionIdentity._unique_ids = _NUMBERS  # type: ignore[assignment]  # numba only takes the next of them

_VIEWS = {"build_tuple", "cast", "exhaust_iter", "getattr", "getitem", "getiter", "phi", "static_getitem"}
"""The expressions whose arrays are others' arrays, or parts of them."""


def packed(result: Any, signature: Any) -> bytes | None:
    """Return the compile result of a kernel as bytes; None if it holds addresses of this process."""
    if result.library.has_dynamic_globals:
        return None
    # A kernel that is an argument is packed as its number: numba would pack its code, and cannot make a kernel of that.
    numbers = {id(kernel): number for number, kernel in enumerate(_kernels(signature))}
    packer = NumbaPickler(file := io.BytesIO(), protocol=4)
    packer.persistent_id = lambda value: numbers.get(id(value))  # type: ignore[method-assign]
    packer.dump(result._reduce())
    return file.getvalue()


def unpacked(content: bytes, target: Any, signature: Any) -> Any:
    """Return the compile result that was made into bytes; raises anything if it is not one for this signature."""
    unpacker = pickle.Unpickler(io.BytesIO(content))
    unpacker.persistent_load = _kernels(signature).__getitem__  # type: ignore[method-assign]
    return CompileResult._rebuild(target, *unpacker.load())


def _kernels(signature: Any) -> list[Any]:
    """Return the kernels among the arguments."""
    return [kind.dispatcher for kind in getattr(signature, "args", signature) if isinstance(kind, types.Dispatcher)]


def processor_of(codegen: Any) -> str:
    """Return the name and the features of the processor that code is compiled for."""
    return str(codegen.magic_tuple())


# -- linking -------------------------------------------------------------------------------------


class _Linked(JITCodeLibrary):
    """Code that is only linked into other code: it is neither optimized nor turned into machine code on its own."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalized = True


class _LinkedCompiler(Compiler):
    """Numba's compiler without the generation of machine code, and without reference counts that change nothing."""

    def define_pipelines(self) -> list[Any]:
        """Return the passes: numba's, but one."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [(_UncountedLowering if each is NativeLowering else each, text) for each, text in passes.passes]
        passes.finalize()
        return [passes]

    def compile_extra(self, function: Callable[..., Any]) -> Any:
        """Compile a function for the argument types that the compiler was created for."""
        state = self.state
        state.library = _Linked(state.targetctx.codegen(), function.__qualname__)
        state.flags.no_compile = True
        result = super().compile_extra(function)
        # Numba identifies what it compiled by a built-in function that calls it. This one is never called.
        entry_point = [function].copy
        state.targetctx.insert_user_function(entry_point, result.fndesc, [state.library])
        return result._replace(entry_point=entry_point)


def connect(result: Any) -> None:
    """Connect the environments of a kernel's linked functions, which these need to print and to raise errors."""
    for environment in result._find_referenced_environments():
        result.library.codegen.set_env(environment.env_name, environment)


LINKED: dict[str, Any] = {"pipeline_class": _LinkedCompiler, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Options of ``overload`` and ``register_jitable`` for functions that only kernels call."""


# -- reference counts ----------------------------------------------------------------------------


@register_pass(mutates_CFG=True, analysis_only=False)
class _UncountedLowering(NativeLowering):
    """Generates a function's code without reference counts if it needs none."""

    _name = "uncounted_lowering"

    def run_pass(self, state: Any) -> bool:
        """Generate the code."""
        counted = state.targetctx
        if not _needs_counts(state):
            state.targetctx = counted.subtarget(enable_nrt=False)
            try:
                return bool(super().run_pass(state))
            except (NumbaError, RuntimeError):  # it creates arrays in another way, as numba finds out now
                state.targetctx = counted
        return bool(super().run_pass(state))


def _needs_counts(state: Any) -> bool:
    """Whether a function returns arrays, gets new ones from a call, or uses other objects that are counted."""
    models, kinds = state.targetctx.data_model_manager, state.typemap

    def counted(kind: Any) -> bool:
        return bool(models[kind].contains_nrt_meminfo())

    if counted(state.return_type) or any(counted(kind) and not _of_arrays(kind) for kind in kinds.values()):
        return True
    assigned = (each for block in state.func_ir.blocks.values() for each in block.find_insts(ir.Assign))
    return any(
        isinstance(each.value, ir.Expr) and each.value.op not in _VIEWS and counted(kinds[each.target.name])
        for each in assigned
    )


def _of_arrays(kind: Any) -> bool:
    """Whether values of a type are arrays, loops over arrays, or tuples of arrays and what is not counted."""
    if isinstance(kind, types.BaseTuple):
        return all(map(_of_arrays, kind.types))  # type: ignore[attr-defined]  # all of them have it
    return isinstance(
        kind, types.Array | types.ArrayIterator | types.Number | types.Boolean | types.NoneType | types.Literal
    )
