"""WebAssembly as a target of numba.

Numba lowers Python to LLVM's language, and LLVM compiles it, normally for the processor that it runs on. Here both
work for ``wasm32`` instead, with pointers of four bytes. Numba's integer (``intp``) still has eight bytes, so the rules
compute the same numbers.

This is numba's interface for further targets (:mod:`numba.core.target_extension`). Machine code of this process and
its disk cache are not involved.
"""

from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
from numba.core import callconv, codegen, compiler, cpu, typing
from numba.core.compiler_lock import global_compiler_lock
from numba.core.descriptors import TargetDescriptor
from numba.core.dispatcher import Dispatcher
from numba.core.registry import cpu_target
from numba.core.runtime import rtsys  # type: ignore[attr-defined]  # exported, but not declared
from numba.core.target_extension import CPU, dispatcher_registry, jit_registry, target_override, target_registry
from numba.extending import overload
from numba.np.arrayobj import raise_with_shape_context

NAME = "wasm32"
TRIPLE = "wasm32-unknown-unknown"
FEATURES = "+bulk-memory,+mutable-globals,+nontrapping-fptoint,+sign-ext"
"""Extensions of WebAssembly that every browser has had since 2021."""


class WebAssembly(CPU):
    """The target; as a kind of CPU it has all of numba's implementations for that."""


class _Library(codegen.CPUCodeLibrary):
    """The code of a function, to be linked with others; it is never run by Python."""

    def _finalize_specific(self) -> None:
        pass


class _Codegen(codegen.CPUCodegen):
    """LLVM, as a cross compiler."""

    _library_class = _Library

    def _init(self, llvm_module: Any) -> None:
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        self._tm = llvm.Target.from_triple(TRIPLE).create_target_machine(opt=3, features=FEATURES)
        self._target_data = self._tm.target_data
        self._data_layout = str(self._target_data)
        self._loopvect, self._opt_level = False, 0

    def _create_empty_module(self, name: str) -> Any:
        module = super()._create_empty_module(name)
        module.triple = TRIPLE
        return module

    def _add_module(self, module: Any) -> None:
        pass

    def _customize_tm_options(self, options: Any) -> None:
        raise NotImplementedError  # `_init` makes the target machine

    def _customize_tm_features(self) -> str:
        return FEATURES

    @property
    def machine(self) -> Any:
        """LLVM's target machine."""
        return self._tm


class _Calls(callconv.CPUCallConv):
    """The calling convention: an exception is a status without a text, which could not be read."""

    def set_static_user_exc(self, *arguments: Any, **options: Any) -> None:
        """Store nothing."""

    def set_dynamic_user_exc(self, *arguments: Any, **options: Any) -> None:
        """Store nothing."""


class _Context(cpu.CPUContext):
    """Lowers functions as for the processor, without addresses of this process."""

    @global_compiler_lock  # type: ignore[untyped-decorator]  # of numba
    def init(self) -> None:
        self.is32bit = False  # there are instructions for integers of eight bytes
        self._internal_codegen: Any = _Codegen("numba.wasm32")

    @property
    def call_conv(self) -> Any:
        """The calling convention."""
        return _Calls(self)

    def load_additional_registries(self) -> None:
        rtsys.initialize(cpu_target.target_context)  # otherwise numba would use this context for it
        super().load_additional_registries()

    def post_lowering(self, module: Any, library: Any) -> None:
        """Do nothing: the runtime is linked last (:mod:`.runtime`)."""

    def create_cpython_wrapper(self, *arguments: Any, **options: Any) -> None:
        """Do nothing: there is no Python to call from."""

    def create_cfunc_wrapper(self, *arguments: Any, **options: Any) -> None:
        """Do nothing: :mod:`.exports` makes the exported functions."""

    def get_executable(self, library: Any, description: Any, environment: Any) -> Any:
        """Return an object that identifies the function; it is never called."""
        return [library].copy


class _Target(TargetDescriptor):
    """The typing and target contexts."""

    options = cpu.CPUTargetOptions

    def __init__(self) -> None:
        super().__init__(NAME)
        self._typing = typing.Context()  # type: ignore[attr-defined]  # exported, but not declared
        self._context = _Context(self._typing, NAME)

    @property
    def typing_context(self) -> Any:
        """The context in which numba infers types."""
        return self._typing

    @property
    def target_context(self) -> Any:
        """The context in which numba lowers functions."""
        return self._context


class WebDispatcher(Dispatcher):
    """A function compiled for WebAssembly."""

    targetdescr: Any = None

    def compile(self, signature: Any) -> Any:
        """Compile for one signature."""
        with target_override(NAME):
            return super().compile(signature)


def _decorate(*arguments: Any, pipeline_class: Any = compiler.Compiler, **options: Any) -> Callable[..., Any]:
    """Return a dispatcher: numba's ``jit`` for this target, used for the functions that a function calls."""
    for ignored in ("target", "cache"):
        options.pop(ignored, None)

    def wrap(function: Callable[..., Any]) -> WebDispatcher:
        return WebDispatcher(function, targetoptions=options, pipeline_class=pipeline_class)

    return wrap(arguments[0]) if arguments else wrap


def _raise_without_context(src_shapes: Any, index_shape: Any) -> Callable[..., None]:
    """Replace numba's message about mismatching shapes, which takes more code than most kernels."""

    def fail(src_shapes: Any, index_shape: Any) -> None:
        raise ValueError

    return fail


def target() -> _Target:
    """Return the target; the first call registers it with numba."""
    if WebDispatcher.targetdescr is None:
        target_registry[NAME] = WebAssembly
        WebDispatcher.targetdescr = _Target()
        dispatcher_registry[WebAssembly] = WebDispatcher
        jit_registry[WebAssembly] = _decorate
        overload(raise_with_shape_context, target=NAME)(_raise_without_context)
    found: _Target = WebDispatcher.targetdescr
    return found


def compile_for_web(function: Callable[..., Any], signature: tuple[Any, ...]) -> Any:
    """Compile a kernel, a plain Python function.

    Args:
        function: The kernel; it uses functions marked as rules.
        signature: The numba types of its arguments.

    Returns:
        Numba's result: ``library``, the code, and ``fndesc``, its name and its types.
    """
    target()
    # Division as in C, as in the kernels on the processor.
    dispatcher = WebDispatcher(function, targetoptions={"nopython": True, "error_model": "numpy"})
    with target_override(NAME):
        dispatcher.compile(signature)
    return dispatcher.overloads[signature]
