"""`Refused`: a request that cannot be carried out."""

from __future__ import annotations


class Refused(Exception):
    """A request that changes nothing. The message is for the person; `status` is that of HTTP."""

    def __init__(self, message: str, status: int = 409) -> None:
        super().__init__(message)
        self.status = status
