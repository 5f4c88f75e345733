"""`FlatCombiner`: calls of many threads served together, by one of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Event, Lock
from typing import Generic, TypeVar

Q = TypeVar("Q")
R = TypeVar("R")


class _Call(Generic[Q, R]):
    """A thread's call, and its result or the exception once it is served."""

    def __init__(self, request: Q) -> None:
        self.request = request
        self.woken = Event()
        self.result: R | None = None
        self.error: BaseException | None = None
        self.served = False


class FlatCombiner(Generic[Q, R]):
    """Serves the calls of many threads in batches (flat combining, Hendler et al. 2010).

    One thread at a time serves. The calls that come meanwhile form the next batch, which the thread that
    waits longest serves for all. It needs no thread of its own, and a thread that comes alone does not wait.
    """

    def __init__(
        self,
        serve: Callable[[list[Q]], Sequence[R | BaseException]],
        take: Callable[[list[Q]], int] = len,
    ) -> None:
        """
        Args:
            serve: the result of each request, or the exception that its caller gets. An exception that it
                raises itself is for all callers.
            take: (requests that wait, oldest first) -> how many of them, at least 1, are served next.
        """
        self._serve, self._take = serve, take
        self._lock = Lock()
        self._waiting: list[_Call[Q, R]] = []
        self._busy = False

    @property
    def waiting(self) -> int:
        """The number of calls that wait for the next batch."""
        return len(self._waiting)

    def call(self, request: Q) -> R:
        """The result for a request. Raises the exceptions of `serve`."""
        call: _Call[Q, R] = _Call(request)
        with self._lock:
            self._waiting.append(call)
            leads, self._busy = not self._busy, True
        if not leads:
            call.woken.wait()
        if not call.served:
            self._serve_batch()
        if call.error is not None:
            raise call.error
        return call.result  # type: ignore[return-value]  # R may be None

    def _serve_batch(self) -> None:
        """Serves the oldest calls, among them the caller's, and wakes the thread that serves next."""
        with self._lock:
            count = self._take([call.request for call in self._waiting])
            batch, self._waiting = self._waiting[:count], self._waiting[count:]
        try:
            results = self._serve([call.request for call in batch])
            for call, result in zip(batch, results, strict=True):
                if isinstance(result, BaseException):
                    call.error = result
                else:
                    call.result = result
        except BaseException as error:
            for call in batch:
                call.error = error
        for call in batch:
            call.served = True
        with self._lock:
            following = self._waiting[0] if self._waiting else None
            self._busy = following is not None
        for call in batch:
            call.woken.set()
        if following is not None:
            following.woken.set()
