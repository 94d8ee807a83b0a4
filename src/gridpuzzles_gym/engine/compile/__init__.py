"""Python to machine code: which functions may be compiled, the compiler, and its disk cache."""

__all__ = ["compilation"]
