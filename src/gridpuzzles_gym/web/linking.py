"""Links kernels into a module: LLVM optimizes them together with a runtime, and ``wasm-ld`` links them.

The runtime has the functions that numba's code calls, in LLVM's language: a heap that is a stack. Memory begins with
constants and the call stack, and ends with the heap. ``allocate`` takes memory from the heap's top; when a kernel
returns, everything it has allocated is released (:mod:`.target`), so reference counts do nothing.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from .target import TRIPLE, Export, compile_export, wasm_target

STACK = 1 << 16
"""The size of the call stack, in bytes."""
MEMORY = 1 << 20
"""The initial memory of a module, in bytes."""
_EXPORTED = ("allocate", "release", "heap_top")
"""The functions of the runtime that are exported."""
_CALLED = ("__multi3",)
"""The functions of the runtime that LLVM's machine code may call."""
_IMPORTED = (
    "exp",
    "expm1",
    "log",
    "log1p",
    "log2",
    "log10",
    "pow",
    "sin",
    "cos",
    "tan",
    "atan",
    "atan2",
    "sqrt",
    "fmod",
)
"""The functions that a module may import, by their C names; ``fmod`` is JavaScript's ``%``, others ``Math``'s."""


class NoLinkerError(RuntimeError):
    """There is no linker for WebAssembly."""


def build_module(exports: Sequence[Export]) -> bytes:
    """Compile kernels to one module of WebAssembly.

    It imports only mathematical functions without an instruction, such as ``env.log``. It exports each kernel
    (:mod:`.target`), its ``memory``, and ``allocate(size)``, ``release(address)`` and ``heap_top()`` for the arrays
    of its caller.

    Raises:
        NoLinkerError: There is no ``wasm-ld``.
    """
    linker = _linker()
    machine = wasm_target().target_context.codegen().machine
    names = [export.name for export in exports]
    whole = llvm.parse_assembly(RUNTIME)
    whole.triple, whole.data_layout = TRIPLE, str(machine.target_data)
    for export in exports:
        whole.link_in(compile_export(export))
    for function in whole.functions:
        if not function.is_declaration and function.name not in (*names, *_EXPORTED, *_CALLED):
            function.linkage = "internal"
    _optimize(whole, machine)
    return _link(linker, machine.emit_object(whole), [*names, *_EXPORTED])


def _optimize(module: Any, machine: Any) -> None:
    """Optimize for speed, then remove unused code."""
    passes = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
    manager = passes.getModulePassManager()
    manager.add_global_dead_code_eliminate_pass()
    manager.run(module, passes)
    module.verify()


def _link(linker: list[str], code: bytes, names: Sequence[str]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        source, result, imported = (Path(folder, name) for name in ("kernels.o", "kernels.wasm", "imported"))
        source.write_bytes(code)
        imported.write_text("\n".join(_IMPORTED), encoding="ascii")
        options = ["--no-entry", "--gc-sections", "--strip-all", f"--allow-undefined-file={imported}"]
        options += [f"--initial-memory={MEMORY}", "-z", f"stack-size={STACK}"]
        options += [f"--export={name}" for name in names]
        done = subprocess.run(
            [*linker, str(source), "-o", str(result), *options], capture_output=True, text=True, check=False
        )
        if done.returncode:  # e.g. a kernel calls a function that the runtime does not have
            raise RuntimeError(f"the linker failed: {done.stderr.strip()}")
        return result.read_bytes()


def _linker() -> list[str]:
    """Return the command of a linker.

    Raises:
        NoLinkerError: No linker is installed.
    """
    try:
        import ziglang  # noqa: F401
    except ImportError:
        found = shutil.which("wasm-ld")
        if found is None:
            raise NoLinkerError(
                'there is no linker for WebAssembly; pip install "gridpuzzles_gym[web]" installs one'
            ) from None
        return [found]
    return [sys.executable, "-m", "ziglang", "wasm-ld"]


RUNTIME = """
@__heap_base = external global i8
@top = internal global ptr @__heap_base

declare i32 @llvm.wasm.memory.size.i32(i32)
declare i32 @llvm.wasm.memory.grow.i32(i32, i32)
declare void @llvm.trap()

define ptr @allocate(i32 %size) {
entry:
  %top = load ptr, ptr @top
  %from = ptrtoint ptr %top to i32
  %room = sub i32 -16, %from
  %absurd = icmp ugt i32 %size, %room
  br i1 %absurd, label %fail, label %sane
sane:
  %end = add i32 %from, %size
  %padded = add i32 %end, 15
  %to = and i32 %padded, -16
  %pages = call i32 @llvm.wasm.memory.size.i32(i32 0)
  %last = add i32 %to, 65535
  %wanted = lshr i32 %last, 16
  %short = icmp ugt i32 %wanted, %pages
  br i1 %short, label %grow, label %done
grow:
  %more = sub i32 %wanted, %pages
  %before = call i32 @llvm.wasm.memory.grow.i32(i32 0, i32 %more)
  %failed = icmp eq i32 %before, -1
  br i1 %failed, label %fail, label %done
done:
  %next = inttoptr i32 %to to ptr
  store ptr %next, ptr @top
  ret ptr %top
fail:
  call void @llvm.trap()
  unreachable
}

define void @release(ptr %address) {
  store ptr %address, ptr @top
  ret void
}

define ptr @heap_top() {
  %top = load ptr, ptr @top
  ret ptr %top
}

define ptr @NRT_Allocate(i64 %size) {
  %short = trunc i64 %size to i32
  %at = call ptr @allocate(i32 %short)
  ret ptr %at
}

define void @NRT_Free(ptr %at) {
  ret void
}

; The fields are those of numba's MemInfo: count, destructor, its argument, data, size.
define ptr @NRT_MemInfo_alloc(i64 %size) {
  %short = trunc i64 %size to i32
  %whole = add i32 %short, 32
  %info = call ptr @allocate(i32 %whole)
  %data = getelementptr i8, ptr %info, i32 32
  store { i64, ptr, ptr, ptr, i64 } { i64 1, ptr null, ptr null, ptr null, i64 0 }, ptr %info
  %at = getelementptr { i64, ptr, ptr, ptr, i64 }, ptr %info, i32 0, i32 3
  store ptr %data, ptr %at
  %length = getelementptr { i64, ptr, ptr, ptr, i64 }, ptr %info, i32 0, i32 4
  store i64 %size, ptr %length
  ret ptr %info
}

define ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align) {
  %info = call ptr @NRT_MemInfo_alloc(i64 %size)
  ret ptr %info
}

define ptr @NRT_MemInfo_data_fast(ptr %info) {
  %at = getelementptr { i64, ptr, ptr, ptr, i64 }, ptr %info, i32 0, i32 3
  %data = load ptr, ptr %at
  ret ptr %data
}

define void @NRT_incref(ptr %info) {
  ret void
}

define void @NRT_decref(ptr %info) {
  ret void
}

; Called by numba for reshape(), of arrays that are contiguous: the strides of the new axes, from the last to the first.
define i32 @numba_attempt_nocopy_reshape(i64 %nd, ptr %dims, ptr %strides, i64 %newnd, ptr %newdims, ptr %newstrides,
                                         i64 %itemsize, i32 %fortran) {
entry:
  br label %next
next:
  %left = phi i64 [ %newnd, %entry ], [ %axis, %axes ]
  %stride = phi i64 [ %itemsize, %entry ], [ %wider, %axes ]
  %done = icmp eq i64 %left, 0
  br i1 %done, label %end, label %axes
axes:
  %axis = sub i64 %left, 1
  %at = getelementptr i64, ptr %newstrides, i64 %axis
  store i64 %stride, ptr %at
  %from = getelementptr i64, ptr %newdims, i64 %axis
  %length = load i64, ptr %from
  %wider = mul i64 %stride, %length
  br label %next
end:
  ret i32 1
}

; The product of two integers of 16 bytes: LLVM calls it where it sees a long multiplication, so it must not see this.
define void @__multi3(ptr %result, i64 %a, i64 %a_high, i64 %b, i64 %b_high) noinline optnone {
  %a0 = and i64 %a, 4294967295
  %a1 = lshr i64 %a, 32
  %b0 = and i64 %b, 4294967295
  %b1 = lshr i64 %b, 32
  %low = mul i64 %a0, %b0
  %low_carry = lshr i64 %low, 32
  %cross1 = mul i64 %a1, %b0
  %middle = add i64 %cross1, %low_carry
  %middle_low = and i64 %middle, 4294967295
  %middle_carry = lshr i64 %middle, 32
  %cross2 = mul i64 %a0, %b1
  %upper = add i64 %cross2, %middle_low
  %upper_carry = lshr i64 %upper, 32
  %high = mul i64 %a1, %b1
  %sum1 = add i64 %high, %middle_carry
  %sum2 = add i64 %sum1, %upper_carry
  %left = mul i64 %a, %b_high
  %right = mul i64 %a_high, %b
  %sum3 = add i64 %sum2, %left
  %sum4 = add i64 %sum3, %right
  %product = mul i64 %a, %b
  store i64 %product, ptr %result
  %second = getelementptr i64, ptr %result, i32 1
  store i64 %sum4, ptr %second
  ret void
}
"""
"""The runtime. Allocated addresses are multiples of 16; numba needs alignment only for speed."""
