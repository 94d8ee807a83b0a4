"""Links kernels into a module: LLVM optimizes them together, and ``wasm-ld`` links them."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from .exports import Export, compile_export
from .runtime import RUNTIME
from .target import TRIPLE, target

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
    (:mod:`.exports`), its ``memory``, and ``allocate(size)``, ``release(address)`` and ``heap_top()`` for the arrays
    of its caller.

    Raises:
        NoLinkerError: There is no ``wasm-ld``.
    """
    linker = _linker()
    machine = target().target_context.codegen().machine
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
