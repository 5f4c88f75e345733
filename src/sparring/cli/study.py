"""`sparring study`: says where the experiments are."""

from __future__ import annotations

from typing import Annotated

import typer

from sparring.cli.errors import UserError


def study(
    arguments: Annotated[list[str] | None, typer.Argument(help="A study and its options.")] = None,
) -> None:
    """Say where the experiments are.

    They run from a checkout of the repository, by `python -m studies`.
    """
    words = " ".join(arguments or ["NAME"])
    raise UserError(f"experiments are not part of the package: in a checkout, run python -m studies {words}")
