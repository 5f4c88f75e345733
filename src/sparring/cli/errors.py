"""Errors that a user can make."""


class UserError(Exception):
    """Something on the command line is wrong; the message says what, in one line."""
