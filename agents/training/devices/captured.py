"""Calls that a GPU repeats as CUDA graphs: it then launches one graph instead of each small operation in it.

On other devices a call stays a call.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import torch

Result = TypeVar("Result")

WARM_UP = 3
"""Calls with arguments of the same shapes before they are captured: libraries and optimizers allocate in the first."""


def captured(function: Callable[..., Result], device: torch.device) -> Callable[..., Result]:
    """Return the function as it is; on a GPU, as a :class:`Captured` one."""
    return Captured(function, device) if device.type == "cuda" else function


class Captured:
    """A function that is captured as a CUDA graph, once for all arguments of the same shapes, and then replayed.

    What it returns is overwritten by its next call with such arguments.

    Args:
        function: A function of tensors and numbers, which it gets as tensors of no axes, so that the graph does not
            contain them. It must not wait for the GPU, or use random numbers. Other tensors that it uses must stay
            where they are in memory.
        device: The GPU.
    """

    def __init__(self, function: Callable[..., Any], device: torch.device) -> None:
        self._function, self._device, self._stream = function, device, torch.cuda.Stream(device)
        self._calls: dict[Any, _Call] = {}

    def __call__(self, *arguments: torch.Tensor | float) -> Any:
        """Call it, or replay what it did with arguments of these shapes."""
        tensors = [x if isinstance(x, torch.Tensor) else torch.tensor(x) for x in arguments]
        shapes = tuple((x.shape, x.dtype) for x in tensors)
        call = self._calls.get(shapes)
        if call is None:
            inputs = [torch.empty_like(x, device=self._device) for x in tensors]
            call = self._calls[shapes] = _Call(self._function, inputs, self._stream)
        return call(tensors)


class _Call:
    """The calls with arguments of the same shapes."""

    def __init__(self, function: Callable[..., Any], inputs: list[torch.Tensor], stream: torch.cuda.Stream) -> None:
        self._function, self._inputs, self._stream = function, inputs, stream
        self._made, self._results = 0, None
        self._graph: torch.cuda.CUDAGraph | None = None

    def __call__(self, arguments: list[torch.Tensor]) -> Any:
        for own, given in zip(self._inputs, arguments, strict=True):
            own.copy_(given, non_blocking=True)
        if self._made < WARM_UP:  # on the stream of the capture, where gradients and workspaces then are
            self._made += 1
            current = torch.cuda.current_stream()
            self._stream.wait_stream(current)
            with torch.cuda.stream(self._stream):
                results = self._function(*self._inputs)
            current.wait_stream(self._stream)
            return results
        if self._graph is None:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, stream=self._stream, capture_error_mode="thread_local"):
                self._results = self._function(*self._inputs)
            self._graph = graph
        self._graph.replay()
        return self._results
