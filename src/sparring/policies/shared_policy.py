"""`SharedPolicy`: one policy for many threads, which predicts in one batch for all that wait."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Condition

from sparring.networks import Position, Prediction
from sparring.policies.policy import Policy


class _Request:
    """The positions of one thread, and its predictions or the exception once they are there."""

    def __init__(self, positions: Sequence[Position]) -> None:
        self.positions = positions
        self.predictions: list[Prediction] | None = None
        self.error: BaseException | None = None

    @property
    def done(self) -> bool:
        return self.predictions is not None or self.error is not None


class SharedPolicy:
    """A policy whose `predict` may be called by many threads at once.

    One thread at a time predicts. The positions of threads that come meanwhile form the next batch, which
    one of them predicts for all. It needs no thread of its own, and a thread that comes alone does not wait.
    """

    def __init__(self, policy: Policy, largest_batch: int = 256) -> None:
        """`largest_batch`: positions of a batch, unless one request has more."""
        self.policy = policy
        self.batches = 0
        self.predicted = 0
        """Batches and positions so far."""
        self._largest = largest_batch
        self._changed = Condition()
        self._waiting: list[_Request] = []
        self._busy = False

    @property
    def name(self) -> str:
        """The policy's name."""
        return self.policy.name

    @property
    def game(self) -> str:
        """The policy's game."""
        return self.policy.game

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        """The policy's predictions. Raises its exceptions, in each thread of the batch."""
        if not positions:
            return []
        request = _Request(positions)
        with self._changed:
            self._waiting.append(request)
            while not request.done:
                if self._busy:
                    self._changed.wait()
                else:
                    self._predict_batch()
        if request.error is not None:
            raise request.error
        assert request.predictions is not None
        return request.predictions

    def _predict_batch(self) -> None:
        """Predicts for the requests that wait, oldest first. The condition is released meanwhile."""
        batch = self._take()
        self._busy = True
        self._changed.release()
        try:
            joined = self.policy.predict([each for request in batch for each in request.positions])
            begin = 0
            for request in batch:
                request.predictions = joined[begin : begin + len(request.positions)]
                begin += len(request.positions)
        except BaseException as error:
            for request in batch:
                request.error = error
        finally:
            self._changed.acquire()
            self._busy = False
            self.batches += 1
            self.predicted += sum(len(request.positions) for request in batch)
            self._changed.notify_all()

    def _take(self) -> list[_Request]:
        count, size = 1, len(self._waiting[0].positions)
        while count < len(self._waiting):
            size += len(self._waiting[count].positions)
            if size > self._largest:
                break
            count += 1
        taken, self._waiting = self._waiting[:count], self._waiting[count:]
        return taken
