"""Errors that a user can make."""


class UserError(Exception):
    """The command line cannot be carried out; the message says why in one line."""
