"""`Refused`: a request that cannot be carried out."""

from __future__ import annotations

from typing import Any

from sparring.base.errors import SparringError
from sparring.server.messages import Refusal, Text, text_of


class Refused(SparringError):
    """A request that changes nothing. The message is for the person; `status` is that of HTTP."""

    def __init__(self, message: str, status: int = 409) -> None:
        super().__init__(message)
        self.status = status


def message_of(error: Exception) -> str:
    """The message of an error; a sentence stays one."""
    return error.args[0] if error.args and isinstance(error.args[0], str) else str(error)


def refusal_text(error: Exception) -> Text:
    """The message of an error, to be translated if it is a sentence."""
    return text_of(message_of(error))


REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": Refusal, "description": text}
    for status, text in {
        404: "There is no such thing of this visitor.",
        409: "Not possible now. Nothing changed.",
        413: "The request is too large.",
        422: "A value that cannot be used. Nothing changed.",
        429: "Too many games, reviews or tournaments.",
        503: "The request took too long.",
    }.items()
}
"""What OpenAPI says about refusals."""
