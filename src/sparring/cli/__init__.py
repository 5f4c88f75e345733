"""The command `sparring`."""

from sparring.cli.commands import main as main
