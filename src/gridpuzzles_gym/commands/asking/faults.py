"""Errors of requests."""


class RequestError(Exception):
    """A request has failed; the message is one line, without the key."""


class RetryableError(RequestError):
    """A request may succeed later: no connection, a broken or too large reply, too many requests, a server error.

    Args:
        message: The error.
        wait: The number of seconds that the server asks to wait; None if it does not say.
    """

    def __init__(self, message: str, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait


class RefusedError(RequestError):
    """The endpoint refuses this request, for example because it has too many tokens."""


class EndpointUnusableError(RequestError):
    """The endpoint refuses all requests like this one: the key, the address or the model is wrong."""
