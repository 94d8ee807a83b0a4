"""WebAssembly as a target of numba.

Numba lowers Python to LLVM's language, and LLVM compiles it, normally for the processor that it runs on. Here both
work for ``wasm32`` instead, with pointers of four bytes. Numba's integer (``intp``) still has eight bytes, so the rules
compute the same numbers.

This is numba's interface for further targets (:mod:`numba.core.target_extension`). Machine code of this process and
its disk cache are not involved.

A kernel takes arrays, tuples of arrays, and numbers. In WebAssembly each kernel is a function of one parameter, the
address of its *block*, int64[n, 4]: for each array its address, then the lengths of its one to three axes (0 for other
axes). The arrays of a tuple follow each other; a number is an array of length 1. The result is a float64, in JavaScript
a plain number: 0 for kernels that return nothing. It is exact up to 2**53. A kernel that raises an exception stops with
a trap, WebAssembly's ``RuntimeError``.
"""

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core import callconv, cgutils, codegen, compiler, cpu, types, typing
from numba.core.compiler_lock import global_compiler_lock
from numba.core.descriptors import TargetDescriptor
from numba.core.dispatcher import Dispatcher
from numba.core.registry import cpu_target
from numba.core.runtime import rtsys  # type: ignore[attr-defined]  # exported, but not declared
from numba.core.target_extension import CPU, dispatcher_registry, jit_registry, target_override, target_registry
from numba.extending import overload
from numba.np.arrayobj import populate_array, raise_with_shape_context
from numba.np.numpy_support import as_dtype

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
        """Do nothing: the runtime is linked last (:mod:`.linking`)."""

    def create_cpython_wrapper(self, *arguments: Any, **options: Any) -> None:
        """Do nothing: there is no Python to call from."""

    def create_cfunc_wrapper(self, *arguments: Any, **options: Any) -> None:
        """Do nothing: :func:`compile_export` makes the exported functions."""

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


def wasm_target() -> _Target:
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
    wasm_target()
    # Division as in C, as in the kernels on the processor.
    dispatcher = WebDispatcher(function, targetoptions={"nopython": True, "error_model": "numpy"})
    with target_override(NAME):
        dispatcher.compile(signature)
    return dispatcher.overloads[signature]


AXES = 3
"""Maximum number of axes of an array."""
_ROW = 1 + AXES


@dataclasses.dataclass(frozen=True)
class Export:
    """A kernel to be exported."""

    name: str
    """Its name in the module."""
    kernel: Callable[..., Any]
    """The plain Python function, which uses rules."""
    parameters: dict[str, Any]
    """The numba type of each of its arguments by name, in order."""

    def describe(self) -> list[dict[str, Any]]:
        """Return its arrays in the order of its block: the name, dtype and number of axes of each."""
        rows = [row for name, kind in self.parameters.items() for row in _rows(name, kind)]
        return [{"name": name, "dtype": as_dtype(dtype).name, "axes": axes} for name, dtype, axes in rows]


def _rows(name: str, kind: Any) -> Iterator[tuple[str, Any, int]]:
    """Yield the name, dtype and number of axes of each array that an argument consists of."""
    if isinstance(kind, types.BaseTuple):
        parts: Iterable[Any] = kind  # type: ignore[assignment]  # numba's tuples are iterable
        for k, part in enumerate(parts):
            field = kind.fields[k] if isinstance(kind, types.BaseNamedTuple) else k  # type: ignore[attr-defined]  # set by numba
            yield from _rows(f"{name}.{field}", part)
    elif isinstance(kind, types.Array):
        if kind.ndim > AXES or kind.layout != "C":
            raise ValueError(f"{name} is {kind}: an array must be contiguous and have at most {AXES} axes")
        yield name, kind.dtype, kind.ndim
    elif isinstance(kind, types.Number | types.Boolean):
        yield name, kind, 0
    else:
        raise ValueError(f"{name} is {kind}: arguments must be arrays, numbers or tuples of them")


@global_compiler_lock  # type: ignore[untyped-decorator]  # of numba
def compile_export(export: Export) -> Any:
    """Compile a kernel and the function that exports it.

    Returns:
        llvmlite's module, in which only that function is not internal.
    """
    result = compile_for_web(export.kernel, tuple(export.parameters.values()))
    context, description = wasm_target().target_context, result.fndesc
    library = context.codegen().create_library(f"export.{export.name}")
    library.add_linking_library(result.library)
    module = context.create_module(f"export.{export.name}")
    signature = context.call_conv.get_function_type(description.restype, description.argtypes)
    kernel = ir.Function(module, signature, description.llvm_func_name)
    words = ir.IntType(64).as_pointer()
    exported = ir.Function(module, ir.FunctionType(ir.DoubleType(), [words]), export.name)
    builder = ir.IRBuilder(exported.append_basic_block())
    pointer = ir.IntType(8).as_pointer()
    top = ir.Function(module, ir.FunctionType(pointer, []), "heap_top")
    release = ir.Function(module, ir.FunctionType(ir.VoidType(), [pointer]), "release")
    before = builder.call(top, [])
    block = _Block(context, builder, exported.args[0])
    arguments = [block.read(kind) for kind in description.argtypes]
    status, value = context.call_conv.call_function(
        builder, kernel, description.restype, description.argtypes, arguments
    )
    with builder.if_then(status.is_error, likely=False):
        builder.call(ir.Function(module, ir.FunctionType(ir.VoidType(), []), "llvm.trap"), [])
        builder.unreachable()
    builder.call(release, [before])
    builder.ret(_number(context, builder, description.restype, value))
    library.add_ir_module(module)
    library.finalize()
    return _only(library._final_module, export.name)


class _Block:
    """Reads a kernel's arguments from its block."""

    def __init__(self, context: Any, builder: Any, words: Any) -> None:
        self.context, self.builder, self.words, self.row = context, builder, words, 0

    def read(self, kind: Any) -> Any:
        """Return the next argument, of a numba type."""
        if isinstance(kind, types.BaseTuple):
            parts: Iterable[Any] = kind  # type: ignore[assignment]  # numba's tuples are iterable
            return self.context.make_tuple(self.builder, kind, [self.read(part) for part in parts])
        return self._array(kind) if isinstance(kind, types.Array) else self._scalar(kind)

    def _entry(self, place: int) -> Any:
        return self.builder.load(cgutils.gep(self.builder, self.words, _ROW * self.row + place))

    def _data(self, kind: Any) -> Any:
        return self.builder.inttoptr(self._entry(0), self.context.get_data_type(kind).as_pointer())

    def _array(self, kind: Any) -> Any:
        context, builder = self.context, self.builder
        array = context.make_array(kind)(context, builder)
        size = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
        shape = [self._entry(1 + axis) for axis in range(kind.ndim)]
        strides = [size]
        for length in reversed(shape[1:]):
            strides.insert(0, builder.mul(strides[0], length))
        data = builder.bitcast(self._data(kind.dtype), array.data.type)
        populate_array(array, data, shape, strides, size, meminfo=None)
        self.row += 1
        return array._getvalue()

    def _scalar(self, kind: Any) -> Any:
        value = self.context.unpack_value(self.builder, kind, self._data(kind))
        self.row += 1
        return value


def _number(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Return a kernel's result as a float64."""
    if isinstance(kind, types.NoneType):
        return ir.Constant(ir.DoubleType(), 0.0)
    if not isinstance(kind, types.Number | types.Boolean):
        raise ValueError(f"the kernel returns {kind}; it must be a number or nothing")
    return context.cast(builder, value, kind, types.float64)


def _only(module: Any, name: str) -> Any:
    """Make everything else in a module internal, so that modules can be linked and unused code is dropped."""
    for thing in (*module.functions, *module.global_variables):
        if not thing.is_declaration and thing.name != name:
            thing.linkage = "internal"
    return module
