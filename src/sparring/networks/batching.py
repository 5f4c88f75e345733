"""Batches requests of several threads for one network."""

from __future__ import annotations

import queue
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from types import TracebackType
from typing import Any

from sparring.networks.network import Network
from sparring.networks.prediction import Position, Prediction

_Request = tuple[Sequence[Position | Any], "Future[list[Prediction]]"]


class Batcher:
    """Predicts for many threads with one network. Use it as a context manager, or call `close`."""

    def __init__(self, network: Network, *, max_batch_size: int = 64) -> None:
        self._network = network
        self._max_batch_size = max_batch_size
        self._requests: queue.SimpleQueue[_Request | None] = queue.SimpleQueue()
        self._worker = threading.Thread(target=self._serve, name="sparring-batcher", daemon=True)
        self._worker.start()

    def predict(self, positions: Sequence[Position | Any]) -> list[Prediction]:
        """As `Network.predict`, from any thread; blocks until the result is there."""
        answer: Future[list[Prediction]] = Future()
        self._requests.put((positions, answer))
        return answer.result()

    def close(self) -> None:
        """Answers pending requests, then stops."""
        self._requests.put(None)
        self._worker.join()

    def __enter__(self) -> Batcher:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _serve(self) -> None:
        while (first := self._requests.get()) is not None:
            requests, closing = self._gather(first)
            self._answer(requests)
            if closing:
                return

    def _gather(self, first: _Request) -> tuple[list[_Request], bool]:
        """Pending requests up to a full batch. While one batch runs, the next one fills."""
        requests, waiting = [first], len(first[0])
        while waiting < self._max_batch_size:
            try:
                request = self._requests.get_nowait()
            except queue.Empty:
                break
            if request is None:
                return requests, True
            requests.append(request)
            waiting += len(request[0])
        return requests, False

    def _answer(self, requests: list[_Request]) -> None:
        """Runs the requests as one batch; if that fails, one by one, so that only the faulty request gets
        the error."""
        try:
            found = self._network.predict([position for positions, _ in requests for position in positions])
        except Exception as error:
            if len(requests) == 1:
                requests[0][1].set_exception(error)
                return
            for request in requests:
                self._answer([request])
            return
        for positions, answer in requests:
            answer.set_result(found[: len(positions)])
            found = found[len(positions) :]
