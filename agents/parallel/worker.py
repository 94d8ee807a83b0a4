"""The program of a process: not :mod:`.workers` itself, which tasks import under its own name."""

from .workers import serve

if __name__ == "__main__":
    serve()
