"""Options that the commands of the ACE study share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

RESULTS = Path("results/ace")
Records: TypeAlias = Annotated[
    list[Path], typer.Option("--records", "-r", help="Tables by `sparring records build`, or game files.")
]
Backend: TypeAlias = Annotated[str, typer.Option(help="Runtime of the networks: onnxruntime or torch.")]
Batch: TypeAlias = Annotated[int, typer.Option(min=1, help="Positions that a network evaluates at once.")]
Shard: TypeAlias = Annotated[str, typer.Option(help="Part of the games, such as 1/4 for the first quarter.")]
