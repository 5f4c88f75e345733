"""What can be wrong with a network's file."""


class BadNetwork(Exception):
    """A file that is not a network we can read. Readers say what is wrong; `load` adds which file it is."""
