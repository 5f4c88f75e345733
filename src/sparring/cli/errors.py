"""Errors that a user can make."""


class UserError(Exception):
    """The command line cannot be carried out; the message says why in one line.

    `code` is the exit code: 2, 1 if the command was carried out and found nothing, or 130 after Ctrl-C.
    """

    def __init__(self, message: str, *, code: int = 2) -> None:
        super().__init__(message)
        self.code = code
