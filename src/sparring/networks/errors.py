"""The error of network files."""


class BadNetwork(Exception):
    """A file that is not a supported network. Readers state the error; `load_network` adds the
    file's name."""


def first_line(error: BaseException) -> str:
    """The first line of an error's message, shortened."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)[:200]
