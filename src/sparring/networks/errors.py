"""The error of network files."""


class BadNetwork(Exception):
    """A file that is not a supported network. Readers state the error; `load_network` adds the
    file's name."""
